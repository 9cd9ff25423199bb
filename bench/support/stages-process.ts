/**
 * Plans the manifests of the working folder once, under a profiler, and prints as JSON the CPU time of each stage, and the peak memory
 * after
 * each part.
 */
import { Session as Inspector, type Profiler } from 'node:inspector/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { createClient } from '../../src/client/client.ts';
import { planPieces } from '../../src/report/plan/text.ts';
import { openSession } from '../../src/run/open-session.ts';
import { planRun } from '../../src/run/plan-run.ts';

/** Functions that identify a stage; their calls are part of it, unless they are a separate stage. */
const stages: readonly (readonly [stage: string, functions: RegExp])[] = [
  ['parse', /^readDocuments\d*$/],
  ['validate', /^loadWorkspace\d*$/],
  ['base', /^loadBase\d*$/],
  ['match', /^(?:match|matchKind|#match)\d*$/],
  ['diff', /^diff\d*$/],
  ['order', /^order\d*$/],
  ['guards', /^runGuards\d*$/],
  ['render', /^planPieces\d*$/],
  ['garbage collection', /^\(garbage collector\)$/],
  ['idle', /^\((?:idle|program)\)$/],
];

const [, , baseUrl = '', token = '', base] = process.argv;

const inspector = new Inspector();
inspector.connect();
await inspector.post('Profiler.enable');
await inspector.post('Profiler.start');

const service = createClient({
  baseUrl,
  token,
  userAgent: 'octavo-bench',
  clock: { now: Date.now, random: Math.random, sleep: (milliseconds) => wait(milliseconds) },
});
const peak = () => process.resourceUsage().maxRSS * 1024;
const session = await openSession({
  cwd: process.cwd(),
  env: {},
  files: ['.'],
  service,
  ...(base === undefined ? {} : { base }),
});
const manifests = peak();
const { plan } = await planRun(session);
const planned = peak();
let length = 0;
for (const piece of planPieces(plan, { color: false, width: 100 })) length += piece.length;
const rendered = peak();
await session.service.close();
await service.close();

const { profile } = await inspector.post('Profiler.stop');
process.stdout.write(
  JSON.stringify({ stages: stagesOf(profile), peaks: { manifests, planned, rendered }, length }),
);

/** Time by stage, in milliseconds. */
function stagesOf({ nodes, samples = [], timeDeltas = [] }: Profiler.Profile): Record<string, number> {
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])));
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const known = new Map<number | undefined, string>();
  const stageOf = (id: number | undefined): string => {
    const name = byId.get(id ?? 0)?.callFrame.functionName ?? '';
    const found = stages.find(([, functions]) => functions.test(name))?.[0];
    const stage = found ?? known.get(id) ?? (id === undefined ? 'read' : stageOf(parents.get(id)));
    known.set(id, stage);
    return stage;
  };
  const took: Record<string, number> = {};
  for (const [at, sample] of samples.entries()) {
    const stage = stageOf(sample);
    took[stage] = (took[stage] ?? 0) + (timeDeltas[at] ?? 0) / 1000;
  }
  return took;
}
