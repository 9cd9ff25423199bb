/**
 * Not seen is not gone. An object that the base declares or the record knows, and that no response shows to this token, is neither
 * created again nor deleted, moved or replaced, and so is nothing that depends on it: these steps are left out. What the manifests
 * change about such objects is refused.
 */
import type { Registry } from '../kinds/registry.ts';
import { covers } from '../tree/addressing.ts';
import { declaresKind } from '../tree/declared-collections.ts';
import type { DesiredNode } from '../tree/desired.ts';
import { differencesBetween } from '../tree/difference.ts';
import { pruneOf } from '../tree/settings.ts';
import { defined } from '../util/defined.ts';
import type { Diagnostic } from '../util/diagnostic.ts';
import { unpinned } from './changed.ts';
import type { PlanContext } from './context.ts';
import { formerAddresses, unseenId } from './matching.ts';
import type { OrganizationPlan, Refusal, Step } from './plan.ts';
import type { StepSelection } from './select-steps.ts';
import { stepId } from './step-id.ts';

export interface Unseen {
  readonly objects: NonNullable<NonNullable<OrganizationPlan['leftOut']>['unseen']>;
  /** Ids of steps that must not be sent. */
  readonly steps: ReadonlySet<string>;
  readonly refusals: readonly Refusal[];
}

const suggestion = 'use a token of a member who administers the organization';

export function unseenIn(
  context: PlanContext,
  steps: readonly Step[],
  { target, exclude }: StepSelection,
): Unseen {
  if (context.live.hidesNothing) return { objects: [], steps: new Set(), refusals: [] };
  const isAsked = ({ address }: { readonly address: string }) =>
    target?.(address) !== false && exclude?.(address) !== true;
  const isOut = dependentOn(context, steps);
  const out = steps.filter(isOut);
  const isChanged = changedBy(context);
  const removed = removedUnseen(context);
  const nodes = [...context.unseen.keys()].flatMap((address) => context.desired.get(address) ?? []);
  const addresses = new Set([...nodes, ...out].map(({ address }) => address));
  const refusals = [...addresses].filter(isChanged).map((address) => {
    const own = out.filter((step) => step.address === address);
    const known = context.unseen.has(address) ? 'is not visible' : 'depends on objects that are not visible';
    return refusalOf(context, address, {
      message: `it ${known} to this token`,
      steps: own.map(({ id }) => id),
    });
  });
  const going = removed.map(({ address, kind }) => {
    // A new object may be the one that went, under another name.
    const made = steps.filter((step) => step.kind === kind && step.phase === 'create').map(({ id }) => id);
    const message =
      'it is no longer in the manifests, and is not visible to this token: it cannot be deleted';
    return refusalOf(context, address, { message, steps: [stepId(address, 'delete'), ...made] });
  });
  const deletes = blindDeletes(
    context,
    steps.filter((step) => !isOut(step)),
  );
  return {
    objects: [...nodes, ...removed].filter(isAsked).map((node) => describe(context, node)),
    steps: new Set(out.map(({ id }) => id)),
    refusals: [...refusals, ...going, ...deletes].filter(isAsked),
  };
}

/** Of objects that no record knows. */
export function mayExist({ live }: PlanContext, steps: readonly Step[]): readonly Diagnostic[] {
  const made = live.seesAll
    ? []
    : steps.filter(({ action, phase }) => action === 'create' && phase === 'create');
  return made.map(({ noun, address }) => ({
    severity: 'warning',
    code: 'unseen',
    message: `the token does not administer the organization: this ${noun} may exist without being visible to it`,
    address,
    suggestion,
  }));
}

function describe({ registry, live, knownIds }: PlanContext, node: DesiredNode): Unseen['objects'][number] {
  const kind = registry.byName(node.kind);
  const id = unseenId(kind, node, { live, knownIds });
  return { address: node.address, noun: kind.noun, ...defined({ id }) };
}

function refusalOf(
  { desired, base, registry }: PlanContext,
  address: string,
  { message, steps }: Pick<Refusal, 'message' | 'steps'>,
): Refusal {
  const node = desired.get(address) ?? base?.tree.get(address);
  const what = node === undefined ? message : `${registry.byName(node.kind).noun}: ${message}`;
  return { guard: 'unseen', address, message: what, suggestion, steps };
}

/** A step that only changes fields depends on what it needs; every other one also on the rest of its object. */
function dependentOn({ unseen }: PlanContext, steps: readonly Step[]): (step: Step) => boolean {
  const [ids, addresses] = [new Set<string>(), new Set(unseen.keys())];
  for (let size = -1; size !== ids.size; ) {
    size = ids.size;
    for (const { id, address, phase, needs } of steps) {
      const isWith = addresses.has(address) && (phase !== 'update' || unseen.has(address));
      if (!isWith && !needs.some((needed) => ids.has(needed))) continue;
      ids.add(id);
      addresses.add(address);
    }
  }
  return ({ id }) => ids.has(id);
}

/** Without a base, only objects that no record knows are sure to be new. */
function changedBy(context: PlanContext): (address: string) => boolean {
  const { declared, base, unseen, unexplained } = context;
  if (base === undefined) return (address) => unexplained === undefined && !unseen.has(address);
  const differences = differencesBetween(unpinned(declared), unpinned(base.tree));
  const changed = new Set(differences.map(({ address }) => address));
  return (address) => {
    const node = declared.get(address);
    return node === undefined || changed.has(address) || hasNewInput(context, node);
  };
}

function hasNewInput(
  { registry, wasApplied }: PlanContext,
  { address, kind, fields, inputs }: DesiredNode,
): boolean {
  return Object.keys(inputs ?? {}).some((name) => {
    const [field, value] = [registry.byName(kind).fields[name], fields[name]];
    return (
      field !== undefined && value !== undefined && wasApplied({ address, name, field }, value) === false
    );
  });
}

/** Objects of the base that would be deleted if they were seen, without what is inside them. */
function removedUnseen({ desired, base, live, registry, knownIds }: PlanContext): readonly DesiredNode[] {
  if (base === undefined || base.undoes !== undefined) return [];
  const renamed = new Set([...desired.nodes.values()].flatMap(formerAddresses));
  const gone = [...base.tree.nodes.values()].filter((node) => {
    const { address, kind, lifecycle, parent = '' } = node;
    if (desired.get(address) !== undefined || renamed.has(address) || lifecycle.release === true)
      return false;
    if (base.matching.liveOf(address) !== undefined || pruneOf(desired.settings, kind) === 'never')
      return false;
    const above = desired.get(parent);
    if (above !== undefined && !declaresKind(registry, above, kind)) return false;
    const known = { live, knownIds };
    return unseenId(registry.byName(kind), node, known) !== undefined || !live.seesAll;
  });
  const isGone = covers(gone.map(({ address }) => address));
  return gone.filter(({ parent = '' }) => !isGone(parent) && desired.get(parent) !== undefined);
}

/** What is inside the object, and is deleted with it, may not be visible. */
function blindDeletes(context: PlanContext, steps: readonly Step[]): readonly Refusal[] {
  if (context.live.seesAll) return [];
  return steps
    .filter(({ phase, kind }) => phase === 'delete' && mayContain(context.registry, kind))
    .map(({ id, address }) => {
      const message = 'it would be deleted with all that is in it, which may not be visible to this token';
      return refusalOf(context, address, { message, steps: [id] });
    });
}

function mayContain(registry: Registry, kind: string): boolean {
  return registry.collectionsOf(kind).length > 0;
}
