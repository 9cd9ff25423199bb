/**
 * A commit is applied against the previous one several times: a retried job, or a merge of a branch that was applied by
 * hand. The later runs send no requests, and no run deletes an object that the older commit did not declare.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { OrganizationPlan } from '../../src/plan/plan.ts';
import type { DesiredTree } from '../../src/tree/desired-tree.ts';
import { DiagnosticError } from '../../src/util/diagnostic.ts';
import type { Document } from '../support/arbitrary.ts';
import { type Commits, commitSeed, commits, swappingCommits } from '../support/commits.ts';
import {
  type Harness,
  type HarnessOptions,
  planOrNothing,
  startHarness,
  treeOf,
} from '../support/harness.ts';
import { patience, runs, tries } from '../support/runs.ts';

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness(commitSeed);
});
afterAll(() => harness.close());

/** Trees of both commits, with the ids of the objects in the older one. */
interface Prepared {
  readonly base: DesiredTree;
  readonly desired: DesiredTree;
  readonly recorded: Readonly<Record<string, string>>;
}

/** Creates the initial live state; undefined if one of the commits is invalid. */
async function prepare({ live, older, newer }: Commits): Promise<Prepared | undefined> {
  try {
    const [world, base, desired] = await Promise.all([treeOf(live), treeOf(older), treeOf(newer)]);
    harness.reset();
    await harness.apply(world, await harness.plan(world));
    const { ids, steps } = await harness.plan(world);
    expect(steps.map(({ id }) => id)).toEqual([]);
    const recorded = Object.fromEntries(Object.entries(ids).filter(([address]) => base.nodes.has(address)));
    return { base, desired, recorded };
  } catch (error) {
    if (error instanceof DiagnosticError) return undefined;
    throw error;
  }
}

/** Outcome of a run: `unable` if it found errors or a request failed. */
type Outcome = 'unable' | 'refused' | 'applied';

interface Ran {
  readonly outcome: Outcome;
  readonly plan?: OrganizationPlan;
}

/** Plans, and applies if there are no refusals; deletes only objects that the older commit declares. */
async function run({ desired, recorded }: Prepared, options: HarnessOptions): Promise<Ran> {
  const plan = await planOrNothing(harness, desired, options);
  if (plan === undefined) return { outcome: 'unable' };
  const ours = new Set(Object.values(recorded));
  // Refused changes are shown with two answers and never sent.
  const refused = new Set(plan.refusals.flatMap(({ steps }) => steps));
  const deletes = plan.steps.filter(({ phase }) => phase === 'delete');
  const strange = deletes.filter(
    ({ id, action, liveId }) => action === 'delete' && !ours.has(liveId ?? '') && !refused.has(id),
  );
  expect(strange.map(({ id, liveId }) => `${id} ${liveId}`)).toEqual([]);
  if (plan.refusals.length > 0) return { outcome: 'refused', plan };
  const before = harness.sent.length;
  const { organizations } = await harness.apply(desired, plan, undefined, options);
  const deleted = harness.sent
    .slice(before)
    .flatMap(({ operation, params = {} }) =>
      operation.endsWith('.delete') ? Object.values(params).at(-1) : [],
    );
  const replaced = new Set(deletes.flatMap(({ action, liveId }) => (action === 'delete' ? [] : liveId)));
  expect(deleted.filter((id) => id !== undefined && !ours.has(id) && !replaced.has(id))).toEqual([]);
  const failed = organizations.some(({ outcomes }) => outcomes.some(({ type }) => type === 'failed'));
  return { outcome: failed ? 'unable' : 'applied', plan };
}

/** Two more runs against the same base, which send no requests and may refuse only a possible swap. */
async function expectNothingMore(prepared: Prepared): Promise<void> {
  for (const _run of ['second', 'third']) {
    const sent = harness.sent.length;
    const { plan } = await run(prepared, { base: prepared.base });
    expect(harness.sent.slice(sent)).toEqual([]);
    if (plan === undefined) return;
    const isUnclear = isSwapRefused(plan);
    expect(plan.refusals.filter(({ guard }) => guard !== 'swap-or-swapped')).toEqual([]);
    // Changes that depend on the answer are refused, too.
    const rest = isUnclear
      ? await harness.plan(prepared.desired, { base: prepared.base, skipRefused: true })
      : plan;
    expect(rest.steps.map(({ id, liveId, fields }) => [id, liveId, fields])).toEqual([]);
  }
}

function isSwapRefused(plan: OrganizationPlan | undefined): boolean {
  return plan?.refusals.some(({ guard }) => guard === 'swap-or-swapped') === true;
}

test(
  'sends no request if a run against the previous commit is repeated',
  async () => {
    let checked = 0;
    await fc.assert(
      fc.asyncProperty(commits, async (pair) => {
        const prepared = await prepare(pair);
        if (prepared === undefined) return;
        const { outcome } = await run(prepared, { base: prepared.base });
        if (outcome !== 'applied') return;
        checked += 1;
        await expectNothingMore(prepared);
      }),
      { ...tries(20), endOnFailure: true },
    );
    expect(checked).toBeGreaterThan(runs(20) / 4);
  },
  patience(60_000),
);

test(
  'sends no request for a commit that was applied by hand',
  async () => {
    let checked = 0;
    await fc.assert(
      fc.asyncProperty(commits, async (pair) => {
        const prepared = await prepare(pair);
        if (prepared === undefined) return;
        const { base, recorded } = prepared;
        // A user who works by hand knows the objects: first all changes, then the deletes.
        await run(prepared, { recorded });
        const { outcome } = await run(prepared, { base, recorded });
        if (outcome !== 'applied') return;
        checked += 1;
        await expectNothingMore(prepared);
      }),
      { ...tries(20), endOnFailure: true },
    );
    expect(checked).toBeGreaterThan(runs(20) / 4);
  },
  patience(60_000),
);

/** The document with the ids of the first or the second answer in the refusals of a plan. */
function pinned(document: Document, plan: OrganizationPlan | undefined, answer: 0 | 1): Document {
  const copy = structuredClone(document);
  for (const { guard, suggestion } of plan?.refusals ?? []) {
    if (guard !== 'swap-or-swapped') continue;
    const lines = [...suggestion.matchAll(/^ {2}(\S+): id: (\S+)$/gm)];
    const half = lines.length / 2;
    for (const [, address, id] of lines.slice(answer * half, (answer + 1) * half)) {
      const object = (address ?? '').split('/').reduce((node, key) => node[key] as Document, copy);
      Object.assign(object, { id });
    }
  }
  return copy;
}

test(
  'converges with either answer to a possible swap',
  async () => {
    let checked = 0;
    await fc.assert(
      fc.asyncProperty(swappingCommits, async (pair) => {
        const prepared = await prepare(pair);
        if (prepared === undefined) return;
        const { base } = prepared;
        const refused = await run(prepared, { base });
        if (
          !isSwapRefused(refused.plan) ||
          refused.plan?.refusals.some(({ guard }) => guard !== 'swap-or-swapped')
        )
          return;
        checked += 1;
        const pending = { ...prepared, desired: await treeOf(pinned(pair.newer, refused.plan, 0)) };
        const { outcome, plan } = await run(pending, { base });
        expect(plan?.refusals).toEqual([]);
        // A service may refuse other changes of the commit.
        if (outcome === 'unable') return;
        await expectNothingMore(pending);
        const again = await run(prepared, { base });
        if (again.outcome === 'unable') return;
        expect(isSwapRefused(again.plan)).toBe(true);
        const made = { ...prepared, desired: await treeOf(pinned(pair.newer, again.plan, 1)) };
        await expectNothingMore(made);
      }),
      { ...tries(40), endOnFailure: true },
    );
    expect(checked).toBeGreaterThan(0);
  },
  patience(60_000),
);
