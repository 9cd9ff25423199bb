/**
 * How close a plan comes to the network's limit: `octavo plan` of 10,000 objects in 200 sites without changes, at 20 ms a request,
 * compared with bare undici requesting the same URLs. Measures whole processes, including the start, in virtual time
 * (`support/virtual-time.cjs`), against recorded responses that cost no time.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { byTurns, median, ratioOf } from './support/compare.ts';
import { count, type Findings, size, tell, time } from './support/findings.ts';
import { octavo, runNode } from './support/process.ts';
import { type Exchange, record, replay } from './support/replay.ts';
import { inFolder, startBench } from './support/service.ts';
import { workspaceOf } from './support/workspace.ts';

const objects = 10_000;
const latency = 20;
const rounds = 9;
/** Concurrent requests, and the goals for them. */
const levels: readonly (readonly [connections: number, atMost: number])[] = [
  [16, 1.45],
  [32, 1.9],
];

const floorScript = fileURLToPath(new URL('floor-process.mjs', import.meta.url));
const { manifests, objects: declared } = workspaceOf(objects);
tell('plan-network', [await inFolder(manifests, bench)]);

async function bench(folder: string): Promise<Findings> {
  const exchanges = await recordedIn(folder);
  const service = await replay(exchanges, latency);
  const requests = join(folder, 'requests.json');
  writeFileSync(requests, JSON.stringify(exchanges.map(({ path }) => path)));
  const options = { cwd: folder, env: service.env };
  const lines: Findings['lines'][number][] = [];
  for (const [connections, atMost] of levels) {
    const level = String(connections);
    const { plans, floor } = await byTurns(rounds, {
      plans: () => runNode([octavo, 'plan', '--parallelism', level], options),
      floor: () => runNode([floorScript, requests, service.url, 'replayed', level], options),
    });
    if (plans.some(({ output }) => !output.includes('No changes'))) throw new Error('a plan is not empty');
    const values = (pick: 'virtual' | 'wall' | 'cpu' | 'peak', of: typeof plans) =>
      of.map((one) => one[pick] ?? Number.NaN);
    lines.push({
      name: `${connections} connections`,
      values: {
        plan: time(median(values('virtual', plans))),
        'undici alone': time(median(values('virtual', floor))),
        'plan, CPU': time(median(values('cpu', plans))),
        'undici, CPU': time(median(values('cpu', floor))),
        'plan, peak memory': size(median(values('peak', plans))),
      },
      ratio: ratioOf(values('virtual', plans), values('virtual', floor)),
      atMost,
    });
  }
  await service.stop();
  return {
    title: 'A plan that changes nothing, over the network',
    about: `${count(declared)} objects in one file, ${count(exchanges.length)} requests at ${latency} ms; virtual time, medians of ${rounds} rounds by turns.`,
    lines,
  };
}

async function recordedIn(folder: string): Promise<readonly Exchange[]> {
  const service = await startBench(objects);
  try {
    return await record(service.url, (url) =>
      runNode([octavo, 'plan'], { cwd: folder, env: { ...service.env, OCTAVO_BASE_URL: url } }),
    );
  } finally {
    await service.stop();
  }
}
