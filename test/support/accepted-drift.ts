/** Accepts what someone changed in the app into the manifests of a folder, for properties. */
import { registry } from '../../src/kinds/index.ts';
import { ReadMemory } from '../../src/live/read-memory.ts';
import { loadWorkspace } from '../../src/manifest/load-workspace.ts';
import { planAll, planFromMemory } from '../../src/run/planning.ts';
import { accept } from '../../src/run/write-back/accept.ts';
import type { Document } from './arbitrary.ts';
import { type Harness, onlyTree, treeOf } from './harness.ts';
import { applyTree, onlyPlan, settle } from './undo.ts';

/** `first` is in the folder, and is applied; `second` is what the live state is then. */
export async function acceptDrift(
  harness: Harness,
  { folder, first, second }: { readonly folder: string; readonly first: Document; readonly second: Document },
) {
  const source = { cwd: folder, env: {}, overlays: [], registry };
  const load = () => loadWorkspace({ paths: ['.'], ...source });
  const workspace = await load();
  const tree = onlyTree(workspace);
  await applyTree(harness, tree);
  const { api } = harness;
  const known = onlyPlan(await planAll({ api, registry }, { trees: [tree], pasts: new Map(), choices: {} }));
  // Another writer changes the live state.
  const { collections, spaces, sites } = first;
  await applyTree(harness, await treeOf({ ...second, collections, spaces, sites }));
  await settle(harness);
  const pasts = new Map([[tree.label, { tree, ids: new Map(Object.entries(known.ids)) }]]);
  const memory = new ReadMemory();
  const inputs = { trees: [tree], pasts, choices: {} };
  const planned = await planAll({ api, registry, memory }, inputs);
  const live = planned.lives?.get(tree.label);
  if (live === undefined) throw new Error('no live state');
  const plan = onlyPlan(planned);
  const run = await accept({
    organizations: [{ tree, plan, live, isChosen: () => true, additions: plan.unmanaged }],
    workspace,
    source: { ...source, files: ['.'] },
    dryRun: false,
    command: 'drift --accept',
    isInterrupted: () => false,
    planEdited: (trees) => planFromMemory({ api, registry, memory }, { ...planned.inputs, trees }),
  });
  if (run.type !== 'accepted') throw new Error(run.type);
  const after = onlyTree(await load());
  const left = onlyPlan(await planAll({ api, registry }, { ...planned.inputs, trees: [after] }));
  // An object that could not be added is reported by its id.
  const isReported = (address: string, id = '-') =>
    run.refused.some(
      (one) =>
        address === one.address ||
        address.startsWith(`${one.address}/`) ||
        one.address === id ||
        one.what.endsWith(` ${id}`),
    );
  const open = left.steps.filter((step) => step.cause === 'drift' && !isReported(step.address, step.liveId));
  /** Drift that is left, and not reported as refused. */
  return { run, plan, open: open.map(({ id }) => id) };
}
