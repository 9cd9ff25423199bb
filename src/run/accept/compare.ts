/** What edited manifests change beside what was accepted, and what of it still differs from the live state. */
import type { Workspace } from '../../manifest/load-workspace.ts';
import type { OrganizationPlan } from '../../plan/plan.ts';
import type { DesiredTree } from '../../tree/desired-tree.ts';
import { stableStringify } from '../../util/json.ts';
import type { AcceptedChange, AcceptRequest } from './request.ts';

/** Addresses whose objects may change, by label: with all that is inside them. */
export function touchedAddresses(
  accepted: readonly AcceptedChange[],
): (label: string, address: string) => boolean {
  const known = new Set(
    accepted.flatMap(({ label, address, now }) => [`${label}\0${address}`, `${label}\0${now ?? address}`]),
  );
  return (label, address) => {
    const parts = address.split('/');
    return parts.some((_part, at) => known.has(`${label}\0${parts.slice(0, at + 1).join('/')}`));
  };
}

/** Addresses that say something else than before and were not to be changed; places do not count. */
export function changedBeside(
  before: Workspace,
  after: Workspace,
  isTouched: (label: string, address: string) => boolean,
): readonly string[] {
  const now = new Map(after.trees.map((tree) => [tree.label, tree]));
  return before.trees.flatMap((tree) => {
    const other = now.get(tree.label);
    const addresses = new Set([...tree.nodes.keys(), ...(other?.nodes.keys() ?? [])]);
    return [...addresses].filter((address) => {
      const [left, right] = [tree.get(address), other?.get(address)];
      const isSame = left !== undefined && right !== undefined && meaningOf(left) === meaningOf(right);
      return !isSame && !isTouched(tree.label, address);
    });
  });
}

function meaningOf(node: NonNullable<ReturnType<DesiredTree['get']>>): string {
  const { at: _at, fieldAt: _fieldAt, index: _index, declares: _declares, ...rest } = node;
  return stableStringify(rest);
}

/** Accepted addresses that would still differ, and others that differ only now. */
export function stillDiffering(
  { organizations }: AcceptRequest,
  plans: readonly OrganizationPlan[],
  accepted: readonly AcceptedChange[],
): readonly string[] {
  const before = new Map(organizations.map(({ plan }) => [plan.label, marksOf(plan)]));
  return plans.flatMap((plan) => {
    const own = accepted.filter(({ label }) => label === plan.label);
    const fields = new Set(own.map(({ address, what }) => `${address} ${what.split('.')[0]}`));
    const known = before.get(plan.label) ?? new Set();
    const open = [...marksOf(plan)].filter((mark) => fields.has(mark) || !known.has(mark));
    return open.map((mark) => mark.replace(' ', ' (').concat(')'));
  });
}

/** What differs: address and field, or address and phase. */
function marksOf({ steps, refusals }: OrganizationPlan): ReadonlySet<string> {
  return new Set([
    ...steps.flatMap(({ address, phase, fields }) =>
      phase === 'update' ? fields.map(({ field }) => `${address} ${field}`) : [`${address} ${phase}`],
    ),
    ...refusals.map(({ address, guard }) => `${address} ${guard}`),
  ]);
}
