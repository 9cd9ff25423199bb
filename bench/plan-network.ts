/**
 * How close a plan comes to the network's limit: `octavo plan` of 10,000 objects in 200 sites that changes nothing, at 20 ms
 * a request, against bare undici that asks for the same URLs. Whole processes, start included.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { byTurns, median, ratioOf } from './support/compare.ts';
import { count, type Findings, size, tell, time } from './support/findings.ts';
import { octavo, runNode } from './support/process.ts';
import { inFolder, startBench } from './support/service.ts';
import { workspaceOf } from './support/workspace.ts';

const objects = 10_000;
const latency = 20;
const rounds = 9;
/** Concurrent requests, and the goals for them. */
const levels: readonly (readonly [connections: number, atMost?: number])[] = [[16, 1.25], [32, 1.5], [64]];

const floorScript = fileURLToPath(new URL('floor-process.mjs', import.meta.url));
const { manifests, objects: declared } = workspaceOf(objects);
const service = await startBench(objects, latency);
try {
  tell('plan-network', [await inFolder(manifests, bench)]);
} finally {
  await service.stop();
}

async function bench(folder: string): Promise<Findings> {
  const plan = (connections: number) =>
    runNode([octavo, 'plan', '--parallelism', String(connections)], {
      cwd: folder,
      env: service.env,
    });
  await service.requests();
  const { output } = await plan(16);
  if (!output.includes('No changes')) throw new Error(`the plan is not empty:\n${output.slice(0, 2000)}`);
  const paths = (await service.requests()).map((line) => line.replace(/^GET /, ''));
  const urls = join(folder, 'urls.json');
  writeFileSync(urls, JSON.stringify(paths));
  const lines: Findings['lines'][number][] = [];
  for (const [connections, atMost] of levels) {
    const { plans, floor } = await byTurns(rounds, {
      plans: () => plan(connections),
      floor: () => runNode([floorScript, urls, service.url, service.token, String(connections)]),
    });
    const values = (pick: 'wall' | 'cpu' | 'peak', of: typeof plans) => of.map((one) => one[pick]);
    lines.push({
      name: `${connections} connections`,
      values: {
        plan: time(median(values('wall', plans))),
        'undici alone': time(median(values('wall', floor))),
        'plan, CPU': time(median(values('cpu', plans))),
        'undici, CPU': time(median(values('cpu', floor))),
        'plan, peak memory': size(median(values('peak', plans))),
      },
      ratio: ratioOf(values('wall', plans), values('wall', floor)),
      ...(atMost === undefined ? {} : { atMost }),
    });
  }
  return {
    title: 'A plan that changes nothing, over the network',
    about: `${count(declared)} objects in one file, ${count(paths.length)} requests at ${latency} ms; medians of ${rounds} rounds by turns.`,
    lines,
  };
}
