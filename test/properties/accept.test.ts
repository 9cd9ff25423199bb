/** After accepting any drift, the manifests match the live state, and little else has changed in them. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { registry } from '../../src/kinds/index.ts';
import { ReadMemory } from '../../src/live/read-memory.ts';
import { formatText } from '../../src/manifest/format/format-text.ts';
import { loadWorkspace } from '../../src/manifest/load-workspace.ts';
import { planAll, planFromMemory } from '../../src/run/planning.ts';
import { accept } from '../../src/run/write-back/accept.ts';
import { hasErrors } from '../../src/util/diagnostic.ts';
import { specifications, workspaces } from '../support/arbitrary.ts';
import { commented } from '../support/commented.ts';
import { type Harness, onlyTree, startHarness, treeOf } from '../support/harness.ts';
import { patience, tries } from '../support/runs.ts';
import { applyTree, onlyPlan, settle } from '../support/undo.ts';

let harness: Harness;
const folder = mkdtempSync(join(tmpdir(), 'octavo-accept-'));
beforeAll(async () => {
  harness = await startHarness();
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await harness.close();
});

mkdirSync(join(folder, 'specs'));
for (const [name, text] of Object.entries(specifications)) writeFileSync(join(folder, name), text);
const file = join(folder, 'acme.yaml');
const source = { cwd: folder, env: {}, overlays: [], registry };
const load = () => loadWorkspace({ paths: ['.'], ...source });

/** Writes the manifest, with comments if they do not break it. */
async function textOf(document: object): Promise<string> {
  const plain = stringify(document);
  const text = commented(plain);
  writeFileSync(file, text);
  if (!hasErrors((await load()).diagnostics)) return text;
  writeFileSync(file, plain);
  return plain;
}

test('accepts all drift except refused changes and writes no other change', {
  timeout: patience(300_000),
}, async () => {
  await fc.assert(
    fc.asyncProperty(workspaces('org_acme'), workspaces('org_acme'), async (first, second) => {
      harness.reset();
      const text = await textOf(first);
      const workspace = await load();
      const tree = onlyTree(workspace);
      await applyTree(harness, tree);
      const { api } = harness;
      const known = onlyPlan(
        await planAll({ api, registry }, { trees: [tree], pasts: new Map(), choices: {} }),
      );
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
      const run = await accept(
        {
          organizations: [{ tree, plan, live, isChosen: () => true, additions: plan.unmanaged }],
          workspace,
          source: { ...source, files: ['.'] },
        },
        {
          dryRun: false,
          command: 'drift --accept',
          isInterrupted: () => false,
          planEdited: (trees) => planFromMemory({ api, registry, memory }, { ...planned.inputs, trees }),
        },
      );
      if (run.type !== 'accepted') throw new Error(run.type);
      // Places of accepted changes are in files that changed.
      const changed = run.files.map(({ name }) => name);
      expect(changed).toEqual(expect.arrayContaining(run.accepted.flatMap(({ at }) => at?.file ?? [])));
      const after = onlyTree(await load());
      const left = onlyPlan(await planAll({ api, registry }, { ...planned.inputs, trees: [after] }));
      const refused = run.refused.map(({ address }) => address);
      // An object that could not be added is reported by its id.
      const isReported = (id = '-') =>
        run.refused.some((one) => one.address === id || one.what.endsWith(` ${id}`));
      const open = left.steps.filter(
        ({ address, cause, liveId }) =>
          cause === 'drift' &&
          !isReported(liveId) &&
          !refused.some((one) => address === one || address.startsWith(`${one}/`)),
      );
      expect(open.map(({ id }) => id)).toEqual([]);
      if (plan.steps.length === 0) expect(readFileSync(file, 'utf8')).toBe(text);
      expect(formatText(readFileSync(file, 'utf8'), { registry })).toHaveProperty('text');
    }),
    { ...tries(4), endOnFailure: true },
  );
});
