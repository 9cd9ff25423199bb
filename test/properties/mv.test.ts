/** After any move in the manifests, the next plan has no delete, create or replacement; moving a key back restores the bytes. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { registry } from '../../src/kinds/index.ts';
import { loadWorkspace } from '../../src/manifest/load-workspace.ts';
import { planAll } from '../../src/run/planning.ts';
import { moveObject } from '../../src/run/write-back/move-object.ts';
import { inside } from '../../src/tree/addressing.ts';
import type { DesiredNode } from '../../src/tree/desired.ts';
import type { DesiredTree } from '../../src/tree/desired-tree.ts';
import { DiagnosticError, hasErrors } from '../../src/util/diagnostic.ts';
import { type Document, specifications, workspaces } from '../support/arbitrary.ts';
import { commented } from '../support/commented.ts';
import { type Harness, onlyTree, startHarness } from '../support/harness.ts';
import { patience, portion, tries } from '../support/runs.ts';
import { templated } from '../support/templated.ts';
import { applyTree, onlyPlan, settle } from '../support/undo.ts';

let harness: Harness;
const folder = mkdtempSync(join(tmpdir(), 'octavo-mv-'));
beforeAll(async () => {
  harness = await startHarness();
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await harness.close();
});

mkdirSync(join(folder, 'specs'));
for (const [name, text] of Object.entries(specifications)) writeFileSync(join(folder, name), text);
const names = ['acme.yaml', 'templates.yaml', 'production.yaml', 'octavo.rules.yaml', 'acme.test.yaml'];
const read = () => names.map((name) => readFileSync(join(folder, name), 'utf8'));
const yaml = (document: unknown) => stringify(document, { aliasDuplicateObjects: false });

interface Choice {
  readonly document: Document;
  readonly template: number | undefined;
  readonly overlays: readonly string[];
  /** Addresses of the movable objects. */
  readonly node: number;
  readonly place: number;
  readonly key: string;
  readonly known: 'record' | 'ids' | 'base' | 'names';
}

const choices: fc.Arbitrary<Choice> = fc.record({
  document: workspaces('org_acme'),
  template: fc.option(fc.integer({ min: 1, max: 2 ** 31 - 2 }), { nil: undefined, freq: 1 }),
  overlays: fc.constantFrom([], ['production']),
  node: fc.nat(),
  place: fc.nat(),
  key: fc.constantFrom('zeta', 'home page', 'red', 'docs', '0x10', "it's", 'true'),
  known: fc.constantFrom('record', 'ids', 'base', 'names'),
});

/** Changes by an overlay to some objects. */
function overlaid({ spaces = {}, teams = {} }: Document): Document {
  const some = (all: unknown) =>
    Object.fromEntries(
      Object.keys(all as object)
        .filter((_key, at) => at % 2 === 0)
        .map((key) => [key, { title: `${key} over` }]),
    );
  return {
    octavo: 1,
    overlay: 'production',
    organization: 'org_acme',
    spaces: some(spaces),
    teams: some(teams),
  };
}

function write({ document, template }: Choice, { address }: DesiredNode): void {
  const { document: own, templates } =
    template === undefined ? { document, templates: {} } : templated(document, template);
  const rules = {
    named: { when: { address: [address, `${address}/**`] }, message: 'Named', severity: 'warning' },
  };
  const texts = [own, { octavo: 1, templates }, overlaid(document), { rules }, testOf(address)].map(yaml);
  for (const [at, name] of names.entries()) {
    const text = texts[at] ?? '';
    writeFileSync(join(folder, name), at === 0 ? commented(text) : text);
  }
}

const testOf = (address: string) => ({ tests: { one: { expect: { steps: { [address]: 'create' } } } } });

const source = { cwd: folder, env: {}, registry };
const load = async (overlays: readonly string[]) => {
  const workspace = await loadWorkspace({ ...source, paths: ['.'], overlays });
  expect(workspace.diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  return workspace;
};

/** Target with another key, or in another parent that every service accepts. */
function movesOf(tree: DesiredTree, { key, place }: Choice): (node: DesiredNode) => string | undefined {
  return (node) => {
    const kind = registry.byName(node.kind);
    if (node.parent === undefined || kind.manifest.key !== undefined || node.key === node.collection)
      return undefined;
    const places = kind.manifest.places.filter(({ needs }) => needs === undefined);
    const parents = places.flatMap((one) =>
      tree
        .ofKind(one.parent)
        .map((parent) => inside(parent.address, one.key, place % 3 === 0 ? node.key : key)),
    );
    const others = parents.filter((one) => tree.get(one) === undefined);
    const own = inside(node.parent, node.collection, key);
    return place % 2 === 0
      ? others[place % Math.max(1, others.length)]
      : tree.get(own) === undefined
        ? own
        : undefined;
  };
}

const withoutWas = (text: string) => text.replaceAll(/^ *was: .*\n/gm, '');

const seen = { renamed: 0, moved: 0, refused: 0, former: 0 };

async function moved(from: string, to: string, overlays: readonly string[]) {
  const before = read();
  try {
    const options = { from, to, dryRun: false, isInterrupted: () => false };
    return await moveObject({ ...source, files: ['.'], overlays }, options);
  } catch (error) {
    if (!(error instanceof DiagnosticError)) throw error;
    expect(read()).toEqual(before);
    return undefined;
  }
}

test('plans no delete, create or replacement after mv, and restores the same bytes after mv back', {
  timeout: patience(300_000),
}, async () => {
  await fc.assert(
    fc.asyncProperty(choices, async (choice) => {
      harness.reset();
      const { overlays, known } = choice;
      rmSync(join(folder, 'octavo.rules.yaml'), { force: true });
      const root = { address: 'teams/none' } as DesiredNode;
      write(choice, root);
      const first = await loadWorkspace({ ...source, paths: ['.'], overlays });
      fc.pre(!hasErrors(first.diagnostics));
      const before = onlyTree(first);
      const moves = movesOf(before, choice);
      const movable = [...before.nodes.values()].flatMap((node) => {
        const to = moves(node);
        return to === undefined ? [] : [{ node, to }];
      });
      const chosen = movable[choice.node % Math.max(1, movable.length)];
      fc.pre(chosen !== undefined);
      const { node, to } = chosen;
      write(choice, node);
      await applyTree(harness, before);
      await settle(harness);
      const { api } = harness;
      const planOf = async (tree: DesiredTree, more: object = {}) =>
        onlyPlan(await planAll({ api, registry }, { trees: [tree], pasts: new Map(), choices: {}, ...more }));
      const { ids, steps } = await planOf(before);
      expect(steps.map(({ id }) => id)).toEqual([]);
      const texts = read();
      const done = await moved(node.address, to, overlays);
      if (done === undefined) {
        seen.refused += 1;
        return;
      }
      const after = onlyTree(await load(overlays));
      expect(after.get(node.address)).toBeUndefined();
      expect(after.get(to)?.kind).toBe(node.kind);
      expect(read().slice(3)).toEqual(texts.slice(3).map((one) => one.replaceAll(node.address, to)));
      const isRecorded = known === 'record' || known === 'ids';
      const past = {
        ...(isRecorded && { ids: new Map(Object.entries(ids)) }),
        ...((known === 'record' || known === 'base') && { tree: before }),
      };
      const isStay = after.get(to)?.parent === node.parent;
      const plan = await planOf(after, { pasts: new Map([[before.label, past]]) });
      if (after.get(to)?.was.length) seen.former += 1;
      expect(plan.refusals).toEqual([]);
      expect(
        plan.steps
          .filter(({ phase }) => isStay || !/^(?:move|attach|detach)$/.test(phase))
          .map(({ id }) => id),
      ).toEqual([]);
      expect(plan.ids[to]).toBe(ids[node.address]);
      seen[isStay ? 'renamed' : 'moved'] += 1;
      if (!isStay) return;
      expect(await moved(to, node.address, overlays)).toBeDefined();
      // Quotes that a key needed are kept.
      const plain = (text: string) => withoutWas(text).replaceAll(/["']/g, '');
      const form = /^[a-z ]+$/.test(choice.key) && choice.key !== 'true' ? withoutWas : plain;
      expect(read().map(form)).toEqual(texts.map(form));
    }),
    { ...tries(60), endOnFailure: true },
  );
  expect(seen.renamed).toBeGreaterThanOrEqual(portion(10));
  expect(seen.moved).toBeGreaterThanOrEqual(portion(5));
});
