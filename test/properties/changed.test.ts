/** `--changed` reads less and plans the same: its steps are those of the whole plan for changed manifests. */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Form, formOf } from '../../src/contract/form.ts';
import { registry } from '../../src/kinds/index.ts';
import type { Step } from '../../src/plan/plan.ts';
import { changedSince } from '../../src/plan/scope/changed.ts';
import { Scope } from '../../src/plan/scope/scope.ts';
import { planTree } from '../../src/run/plan-tree.ts';
import { canonicalTree } from '../../src/tree/canonical-tree.ts';
import { DiagnosticError } from '../../src/util/diagnostic.ts';
import { workspaces } from '../support/arbitrary.ts';
import { commitSeed, commits } from '../support/commits.ts';
import { type Harness, startHarness, treeOf } from '../support/harness.ts';
import { patience, portion, tries } from '../support/runs.ts';

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness(commitSeed);
});
afterAll(() => harness.close());

const meaningOf = (steps: readonly Step[]) =>
  steps.map(({ id, action, calls, fields }) => ({ id, action, calls, fields }));

const count = { compared: 0, steps: 0, whole: 0, changed: 0 };

/** Applies the older document, then the changes by others, and compares both plans of the newer one. */
async function compare(older: object, newer: object, drift: object | undefined): Promise<void> {
  harness.reset();
  const base = await treeOf(older);
  await harness.apply(base, await harness.plan(base));
  const { ids } = await harness.plan(base);
  if (drift !== undefined) {
    const other = await treeOf(drift);
    await harness.apply(other, await harness.plan(other));
  }
  const tree = await treeOf(newer);
  const options = { registry, past: { tree: base, ids: new Map(Object.entries(ids)) } };
  harness.reads.length = 0;
  const whole = await planTree(harness.api, tree, options);
  if (whole.problems.length > 0) return;
  count.whole += harness.reads.length;
  harness.reads.length = 0;
  const changed = await planTree(harness.api, tree, { ...options, changed: true });
  count.changed += harness.reads.length;
  expect(changed.problems).toEqual([]);
  const trees = { desired: canonicalTree(tree, registry), base: canonicalTree(base, registry) };
  const own = registry.under(formOf(whole.plan));
  const { target } = changedSince({ ...trees, registry: own, wasApplied: undefined }) ?? {};
  const wanted = new Scope(trees, { registry, ...(target && { target }) }).select(whole.plan.steps);
  expect(meaningOf(changed.plan.steps)).toEqual(meaningOf([...wanted]));
  // Without drift, no step is left out.
  if (drift === undefined) expect(meaningOf(changed.plan.steps)).toEqual(meaningOf(whole.plan.steps));
  count.compared += 1;
  count.steps += changed.plan.steps.length;
}

const valid = async (work: () => Promise<void>) => {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof DiagnosticError)) throw error;
  }
};

test('plans the same with --changed as without it in the absence of drift', {
  timeout: patience(300_000),
}, async () => {
  await fc.assert(
    fc.asyncProperty(commits, ({ older, newer }) => valid(() => compare(older, newer, undefined))),
    { ...tries(40), endOnFailure: true },
  );
  expect(count.compared).toBeGreaterThanOrEqual(portion(4));
  expect(count.steps).toBeGreaterThanOrEqual(portion(1));
  expect(count.changed).toBeLessThan(count.whole);
});

test('plans exactly the changed part of the whole plan if there is drift', {
  timeout: patience(300_000),
}, async () => {
  await fc.assert(
    fc.asyncProperty(commits, ({ live, older, newer }) => valid(() => compare(older, newer, live))),
    { ...tries(12), endOnFailure: true },
  );
});

/** Omits features that the newer form lacks, and titles that it rejects. */
function fitting(form: Form): (document: object) => object {
  const isRemoved = (key: string) =>
    form !== 'document' && (key === 'customFields' || key === 'translations');
  const kept = (value: unknown) => (form !== 'document' && typeof value === 'string' ? value.trim() : value);
  return (document) =>
    JSON.parse(JSON.stringify(document, (key, value: unknown) => (isRemoved(key) ? undefined : kept(value))));
}

const parts = ['organization', 'teams', 'customFields', 'collections', 'spaces', 'sites'] as const;

test.each(['document', '2026'] as const)(
  'does so if whole parts of the workspace change, in the form %s',
  { timeout: patience(300_000) },
  async (form) => {
    const [commitsOnly, before] = [harness, count.compared];
    harness = await startHarness(undefined, registry, form);
    const fit = fitting(form);
    try {
      await fc.assert(
        fc.asyncProperty(
          workspaces('org_acme'),
          workspaces('org_acme'),
          fc.subarray([...parts]),
          fc.constantFrom('removed', 'unlisted', 'never'),
          fc.boolean(),
          (older, other, changed, prune, hasDrift) => {
            const settings = { ...(older.settings as object), prune };
            const own = Object.fromEntries(
              changed.map((key) => [key, other[key]]).filter(([, one]) => one !== undefined),
            );
            const drift = hasDrift ? { ...other, settings } : undefined;
            return valid(() =>
              compare(fit({ ...older, settings }), fit({ ...older, ...own, settings }), drift && fit(drift)),
            );
          },
        ),
        { ...tries(8), endOnFailure: true },
      );
    } finally {
      await harness.close();
      harness = commitsOnly;
    }
    expect(count.compared - before).toBeGreaterThanOrEqual(portion(1));
  },
);
