/** Digest and approval cover the effect of a plan, not the order of files, keys and responses, nor finished steps. */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { applyPlan } from '../../src/apply/apply-plan.ts';
import { registry } from '../../src/kinds/index.ts';
import { comparePlans } from '../../src/plan/compare/compare-plans.ts';
import type { OrganizationPlan, Step } from '../../src/plan/plan.ts';
import { digestsOf, notCovered, parseExpectation, planDigest } from '../../src/run/approval/digest.ts';
import { planTree } from '../../src/run/plan-tree.ts';
import { withKnownIds } from '../../src/tree/desired-tree.ts';
import { answeringInAnyOrder, breakingOff, type Choose, shuffled } from '../support/apis.ts';
import { type Document, specifications, workspaces } from '../support/arbitrary.ts';
import { asPlan, createdIn, loadTexts, onlyTree, treeOf } from '../support/harness.ts';
import { patience, portion, tries } from '../support/runs.ts';
import { sharedHarness } from '../support/shared-harness.ts';
import { combinations } from '../support/variants.ts';

const harness = await sharedHarness();

/** Mappings with a meaningful order, and lists that are not sets. */
const ordered = new Set(['sections', 'spaces', 'options']);
const sets = new Set(['emailDomains']);

/** The same document with every meaningless order shuffled. */
function rewritten(value: unknown, choose: Choose, name = ''): unknown {
  if (Array.isArray(value)) return sets.has(name) ? shuffled(value, choose) : value;
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, inner]) => [key, rewritten(inner, choose, key)] as const);
  return Object.fromEntries(ordered.has(name) ? entries : shuffled(entries, choose));
}

/** The document in two files: each object of an unordered collection may be in either. */
function spread(document: Document, choose: Choose): Record<string, string> {
  const { octavo, organization, settings, ...collections } = document;
  const parts: Record<string, unknown>[] = [
    { octavo, organization, settings },
    { octavo, organization: 'org_acme' },
  ];
  for (const [name, entries] of Object.entries(collections)) {
    const chosen = Object.entries(entries as object).map((entry) => [choose(2), entry] as const);
    for (const [index, part] of parts.entries()) {
      const own = chosen.filter(([place]) => place === index).map(([, entry]) => entry);
      if (own.length > 0 || (chosen.length === 0 && index === 0)) part[name] = Object.fromEntries(own);
    }
  }
  const [first, second] = shuffled(['a.yaml', 'b.yaml'], choose);
  return { [first ?? '']: stringify(parts[0]), [second ?? '']: stringify(parts[1]) };
}

function digestOf(plan: OrganizationPlan): string {
  return planDigest(asPlan(plan));
}

test('computes the same digest for manifests of the same meaning', {
  timeout: patience(300_000),
}, async () => {
  await fc.assert(
    fc.asyncProperty(
      combinations,
      workspaces('org_acme'),
      workspaces('org_acme'),
      fc.infiniteStream(fc.nat(1_000_000)),
      async ({ variants }, first, second, numbers) => {
        const choose = (count: number) => (numbers.next().value ?? 0) % Math.max(1, count);
        harness.reset(variants);
        const before = await treeOf(first);
        await harness.apply(before, await harness.plan(before));
        const tree = await treeOf(second);
        const plan = await harness.plan(tree);
        const other = onlyTree(
          await loadTexts({ ...specifications, ...spread(rewritten(second, choose) as Document, choose) }),
        );
        const again = await planTree(answeringInAnyOrder(harness.api, choose), other, {
          registry,
          sleep: harness.sleep,
        });
        expect(digestOf(again.plan)).toBe(digestOf(plan));
        if (plan.steps.length > 0)
          expect(digestOf({ ...plan, steps: plan.steps.slice(1) })).not.toBe(digestOf(plan));
      },
    ),
    { ...tries(7), endOnFailure: true },
  );
});

test('treats the remaining plan of an interrupted apply as approved', {
  timeout: patience(300_000),
}, async () => {
  let interrupted = 0;
  await fc.assert(
    fc.asyncProperty(
      combinations,
      workspaces('org_acme'),
      workspaces('org_acme'),
      fc.nat(60),
      fc.boolean(),
      async ({ variants }, first, second, last, took) => {
        harness.reset(variants);
        const before = await treeOf(first);
        await harness.apply(before, await harness.plan(before));
        const tree = await treeOf(second);
        const approved = await harness.plan(tree);
        const result = await applyPlan(asPlan(approved), {
          api: breakingOff(harness.api, last, took),
          registry,
          parallelism: 2,
          replan: () => Promise.reject(new Error('the connection is gone')),
          sleep: harness.sleep,
        });
        const pinned = withKnownIds(tree, new Map(Object.entries(approved.ids)));
        const made = result.organizations[0]?.made ?? new Map<string, string>();
        const rest = await harness.plan(pinned, { own: createdIn(approved.steps, made) });
        // If the response to a create was lost, the object may be that of another writer: its remaining steps need approval.
        const isLost = ({ phase, address }: Step) =>
          phase === 'create' && !made.has(address) && rest.ids[address] !== undefined;
        if (approved.steps.some(isLost)) return;
        if (rest.steps.length > 0) interrupted += 1;
        const { differences } = comparePlans(approved, rest, { registry, sameDesired: true });
        const moves = new Set(
          rest.steps.flatMap(({ phase, address }) => (phase === 'move' ? [address] : [])),
        );
        const expected = differences.filter(
          ({ address, elsewhere }) =>
            !isAdopted(approved, rest, address) &&
            !(elsewhere && moves.has(address) && isReordered(approved, address)),
        );
        expect(expected).toEqual([]);
        const approval = parseExpectation(digestsOf(asPlan(approved)).approval) ?? { digests: [] };
        const more = notCovered(asPlan(rest), approval).filter(
          ({ step }) => !isAdopted(approved, rest, step.address) && !isCatchingUp(approved, step),
        );
        expect(more.map(({ step }) => step.id)).toEqual([]);
      },
    ),
    { ...tries(16), endOnFailure: true },
  );
  expect(interrupted).toBeGreaterThanOrEqual(portion(4));
});

/**
 * A new section takes over the site-spaces next to it. An object to delete may then match one to create, and is kept:
 * this differs from the approved plan, which creates a new object without the values of the old one.
 */
function isAdopted(approved: OrganizationPlan, today: OrganizationPlan, address: string): boolean {
  const deletedIds = new Set(
    approved.steps.flatMap(({ phase, liveId }) => (phase === 'delete' ? [liveId] : [])),
  );
  return today.steps.some((step) => step.address === address && deletedIds.has(step.liveId ?? ''));
}

/**
 * Half-way, moving another object than the approved one may produce the same order. An approval does not include the
 * desired order, so it does not cover this move, which needs a new approval.
 */
function isCatchingUp(approved: OrganizationPlan, { phase, address }: Step): boolean {
  return phase === 'move' && isReordered(approved, address);
}

/** The approved plan places objects in the list that the object is in. */
function isReordered(approved: OrganizationPlan, address: string): boolean {
  const listOf = (one: string) => one.slice(0, one.lastIndexOf('/'));
  return approved.steps.some(
    (step) =>
      listOf(step.address) === listOf(address) && ['create', 'attach', 'detach', 'move'].includes(step.phase),
  );
}
