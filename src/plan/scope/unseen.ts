/**
 * An unseen object is not necessarily deleted. If the base declares or the record knows an object, and no response contains it, it
 * is neither created again nor deleted, moved or replaced, and its dependents are not changed: these steps are omitted. If the
 * manifests change such an object, the change is refused.
 */
import { covers } from '../../tree/addressing.ts';
import { declaresKind } from '../../tree/declared-collections.ts';
import type { DesiredNode } from '../../tree/desired.ts';
import { differencesBetween } from '../../tree/difference.ts';
import { pruneOf } from '../../tree/settings.ts';
import { defined } from '../../util/defined.ts';
import type { Diagnostic } from '../../util/diagnostic.ts';
import type { PlanContext } from '../context.ts';
import { fieldCause } from '../diff/cause.ts';
import { isOutOfSight } from '../diff/changed-fields.ts';
import type { OwnRefusal } from '../guards/guard.ts';
import { formerAddresses } from '../matching.ts';
import { isUpdate, type OrganizationPlan, type Step } from '../plan.ts';
import { stepId } from '../step-id.ts';
import type { Scope } from './scope.ts';

export interface Unseen {
  readonly objects: NonNullable<OrganizationPlan['leftOut']['unseen']>;
  /** Ids of steps that must not be sent. */
  readonly steps: ReadonlySet<string>;
  readonly refusals: readonly OwnRefusal[];
}

const suggestion = 'use a token that sees it: one of a member who administers the organization';

export function unseenIn(context: PlanContext, steps: readonly Step[], scope: Pick<Scope, 'has'>): Unseen {
  const { live, unseen, desired, registry } = context;
  if (live.hidesNothing) return { objects: [], steps: new Set(), refusals: [] };
  const isAsked = ({ address }: { readonly address: string }) => scope.has(address);
  const out = dependentOn(context, steps);
  const outSteps = steps.filter(({ id }) => out.has(id));
  const touched = new Set([...unseen.keys(), ...outSteps.map(({ address }) => address)]);
  const changed = [...touched].filter(changedBy(context)).map((address) => ({
    address,
    message: `${unseen.has(address) ? '' : 'its dependencies are '}not visible to this token`,
    steps: outSteps.filter((step) => step.address === address).map(({ id }) => id),
  }));
  const removed = removedUnseen(context);
  // A new object may be a removed one under another name.
  const kinds = new Set(removed.map(({ kind }) => kind));
  const made = steps.filter(({ phase, kind }) => phase === 'create' && kinds.has(kind)).map(({ id }) => id);
  const isInside = covers(removed.map(({ address }) => address));
  const deleted = removed
    .filter(({ parent = '' }) => !isInside(parent))
    .map(({ address }) => ({
      address,
      message: 'no longer in the manifests, and not visible to this token',
      steps: [stepId(address, 'delete'), ...made],
    }));
  const blind = steps.filter(
    ({ id, phase, kind }) =>
      !live.seesAll && phase === 'delete' && !out.has(id) && registry.collectionsOf(kind).length > 0,
  );
  const message = 'would be deleted with contents that may not be visible to this token';
  const deletes = blind.map(({ id, address }) => ({ address, message, steps: [id] }));
  const nodes = [...unseen.keys()].flatMap((address) => desired.get(address) ?? []);
  const objects = [...nodes, ...removed].map(({ address, kind }) => ({
    address,
    noun: registry.byName(kind).noun,
    ...defined({ id: unseen.get(address) ?? context.pastIds.get(address) }),
  }));
  const values = unseenValues(context);
  const references = values
    .filter(({ isChanged }) => isChanged)
    .map(({ address, name }) => ({
      address,
      message: `the value of ${name} is not visible to this token`,
      steps: [stepId(address, 'update')],
    }));
  const refusals = [...changed, ...deleted, ...deletes, ...references].filter(isAsked);
  return {
    objects: [...objects, ...values.map(({ address }) => ({ address, noun: 'value' }))].filter(isAsked),
    steps: out,
    refusals: refusals.map((refusal) => ({ ...refusal, suggestion })),
  };
}

/** Warns about new objects that may already exist outside the token's view. */
export function mayExist({ live }: PlanContext, steps: readonly Step[]): readonly Diagnostic[] {
  return steps
    .filter(({ action, phase }) => !live.seesAll && action === 'create' && phase === 'create')
    .map(({ noun, address }) => ({
      severity: 'warning',
      code: 'unseen',
      message: `this ${noun} may exist without being visible to this token`,
      address,
      suggestion,
    }));
}

/**
 * A step that only changes fields depends on its needs; any other step also depends on the rest of its object and on its parent. An
 * object to be deleted may be one that was not recognized.
 */
function dependentOn({ unseen, desired }: PlanContext, steps: readonly Step[]): ReadonlySet<string> {
  const strange = new Set(
    [...unseen].flatMap(([address, id]) => (id === undefined ? (desired.get(address)?.kind ?? []) : [])),
  );
  const [ids, addresses] = [new Set<string>(), new Set(unseen.keys())];
  for (let size = -1; size !== ids.size; ) {
    size = ids.size;
    for (const { id, address, kind, phase, needs } of steps) {
      const isInside = unseen.has(desired.get(address)?.parent ?? '');
      const isStrange = phase === 'delete' && strange.has(kind);
      const isWith =
        isStrange || unseen.has(address) || (!isUpdate({ phase }) && (isInside || addresses.has(address)));
      if (!isWith && !needs.some((needed) => ids.has(needed))) continue;
      ids.add(id);
      addresses.add(address);
    }
  }
  return ids;
}

/** Without a base, only unrecorded objects are certainly new. */
function changedBy(context: PlanContext): (address: string) => boolean {
  const { declared, base, unseen, unexplained } = context;
  if (base === undefined) return (address) => unexplained === undefined && !unseen.has(address);
  const differences = differencesBetween(declared, base.tree);
  const changed = new Set(differences.map(({ address }) => address));
  return (address) => {
    const node = declared.get(address);
    return changed.has(address) || (node !== undefined && hasNewInput(context, node));
  };
}

function hasNewInput(context: PlanContext, node: DesiredNode): boolean {
  return Object.keys(node.inputs ?? {}).some((name) => {
    const [field, value] = [context.kindOf(node).fields[name], node.fields[name]];
    if (field === undefined || value === undefined) return false;
    return context.wasApplied({ address: node.address, name, field }, value) === false;
  });
}

/** Objects of the base that would be deleted if they were visible. */
function removedUnseen({ desired, base, live, registry, pastIds }: PlanContext): readonly DesiredNode[] {
  if (base === undefined || base.undoes !== undefined) return [];
  const renamed = new Set([...desired.nodes.values()].flatMap((node) => formerAddresses(node, desired)));
  return [...base.tree.nodes.values()].filter(({ address, kind, lifecycle, parent = '' }) => {
    const above = desired.get(parent);
    const isKept =
      desired.get(address) !== undefined ||
      renamed.has(address) ||
      base.matching.liveOf(address) !== undefined ||
      lifecycle.release === true ||
      pruneOf(desired.settings, kind) === 'never' ||
      (above !== undefined && !declaresKind(registry, above, kind));
    return !isKept && live.mayHide({ kind, id: pastIds.get(address) ?? '' });
  });
}

/** `isChanged`: the manifests change the value. */
function unseenValues(context: PlanContext) {
  return [...context.desired.nodes.values()].flatMap((desired) => {
    const live = context.liveOf(desired.address);
    if (live === undefined) return [];
    return Object.keys(desired.fields).flatMap((name) => {
      const before = context.liveField(live, name);
      const isHidden = context.isHiddenTarget(desired, name, before);
      const entries = context.unseenEntries(live, name);
      const isUnseen = isHidden || entries.length > 0 || isOutOfSight(context, desired, { name, before });
      const isOther = isHidden && fieldCause(context, desired, { name, before }) === 'changed';
      const isChanged = isOther || entries.some(({ isDeclared }) => !isDeclared);
      return isUnseen ? [{ address: desired.address, name, isChanged }] : [];
    });
  });
}
