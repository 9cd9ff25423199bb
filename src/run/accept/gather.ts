/** What of a plan is accepted: its drift, object by object, as edits of the manifests. Pure but for the texts that it looks at. */
import type { Registry } from '../../kinds/registry.ts';
import type { Step } from '../../plan/plan.ts';
import type { DesiredNode } from '../../tree/desired.ts';
import type { LiveNode } from '../../tree/live.ts';
import { RefSet } from '../../tree/refs.ts';
import { sameField } from '../../tree/same-field.ts';
import { acceptField } from './accept-fields.ts';
import { acceptMissing } from './accept-missing.ts';
import { acceptAdditions, acceptMoves, acceptOrders } from './accept-objects.ts';
import { AcceptedTree } from './accepted-tree.ts';
import type { ManifestEdits } from './manifest-edits.ts';
import type { AcceptedOrganization, AcceptScope } from './request.ts';

/** What the edits of one organization are gathered with. */
export interface Gathering {
  readonly edits: ManifestEdits;
  readonly registry: Registry;
  readonly scope: AcceptScope;
}

/** Adds the edits of one organization. */
export function gatherEdits(organization: AcceptedOrganization, gathering: Gathering): AcceptedTree {
  const { edits, registry, scope } = gathering;
  const { tree: declared, plan } = organization;
  const tree = new AcceptedTree(organization, registry, additionsOf(organization, gathering));
  const scene = { tree, edits, registry, scope };
  const own = plan.steps.filter(
    (step) => isDrift(organization, step) && scope.isChosen(declared, step.address),
  );
  const nodeOf = ({ address }: Step) => declared.get(address);
  gatherFields(tree, edits, own);
  const absent = own.filter(
    ({ action, phase }) => (action === 'create' && phase === 'create') || action === 'restore',
  );
  const notLive = absent.flatMap((step) => nodeOf(step) ?? []);
  const missing = unique([...notLive, ...goneNodes(organization, scope)]);
  // What is changed as well has moves that are part of its update.
  const placed = own.filter(
    ({ action, phase }) => /^(?:update|move)$/.test(action) && /^(?:detach|attach|move)$/.test(phase),
  );
  const moved = unique(placed.flatMap((step) => nodeOf(step) ?? [])).filter((node) => hasMoved(tree, node));
  // What holds live objects goes once these have moved out, into what is added where that is so.
  const holdsLive = (node: DesiredNode) =>
    scope.missing === 'told' &&
    declared.inside(node.address).some(({ address }) => tree.liveOf(address) !== undefined);
  const isLater = (node: DesiredNode) => scope.missing === 'removed' || holdsLive(node);
  // Keys of what is gone may be those of added objects.
  acceptMissing(
    scene,
    missing.filter((node) => !isLater(node)),
  );
  if (scope.missing === 'told') acceptAdditions(scene);
  acceptMoves(scene, moved);
  acceptMissing(scene, missing.filter(isLater));
  acceptOrders(scene, placed);
  if (scope.missing === 'removed') acceptAdditions(scene);
  return tree;
}

/** The fields of objects that stay, and of those that would be replaced. */
function gatherFields(tree: AcceptedTree, edits: ManifestEdits, steps: readonly Step[]): void {
  for (const step of steps) {
    const { action, phase, address } = step;
    const node = tree.organization.tree.get(address);
    if (node === undefined) continue;
    const isUpdate = phase === 'update' && action !== 'replace' && action !== 'create';
    const isReplace = phase === 'create' && action === 'replace';
    const names = isUpdate
      ? driftedFields(tree.organization, step)
      : isReplace
        ? replacedFields(tree, node)
        : [];
    for (const name of names) acceptField({ tree, node, name, edits });
  }
}

/** Declared objects that are known to be gone, whatever the plan says. */
function goneNodes(
  { tree, gone = new Set() }: AcceptedOrganization,
  scope: AcceptScope,
): readonly DesiredNode[] {
  return [...gone]
    .filter((address) => scope.isChosen(tree, address))
    .flatMap((address) => tree.get(address) ?? []);
}

function unique(nodes: readonly DesiredNode[]): readonly DesiredNode[] {
  return [...new Set(nodes)];
}

/** True for an object that is in another parent than the declared one. */
function hasMoved(tree: AcceptedTree, node: DesiredNode): boolean {
  const live = tree.liveOf(node.address);
  const parent = node.parent === undefined ? undefined : tree.liveOf(node.parent);
  if (live === undefined) return false;
  return parent === undefined || live.container.id !== parent.id || live.container.kind !== parent.kind;
}

/** True where the live state alone changed; without a base, for every difference. */
function isDrift({ plan }: AcceptedOrganization, { cause, fields }: Step): boolean {
  if (!plan.withBase) return true;
  if (cause !== undefined) return isLiveCause(cause);
  return fields.some((field) => isLiveCause(field.cause));
}

function isLiveCause(cause: Step['cause']): boolean {
  return cause === 'drift' || cause === 'conflict';
}

function driftedFields({ plan }: AcceptedOrganization, { fields }: Step): readonly string[] {
  return fields.filter(({ cause }) => !plan.withBase || isLiveCause(cause)).map(({ field }) => field);
}

/** Of an object that would be replaced, all fields that differ: kept, it would be updated where it is not accepted. */
function replacedFields(tree: AcceptedTree, node: DesiredNode): readonly string[] {
  const { fields } = tree.kindOf(node);
  const live = tree.liveOf(node.address);
  return Object.keys(node.fields).filter((name) => {
    const field = fields[name];
    if (field === undefined || field.change === 'create') return false;
    if (field.change === 'replace' || field.type === 'reference') return field.change === 'replace';
    return !sameField(field, node.fields[name] ?? null, live?.fields[name] ?? field.absent);
  });
}

/** The outermost live objects that are added. */
function additionsOf(organization: AcceptedOrganization, gathering: Gathering): readonly LiveNode[] {
  const { live, plan, tree } = organization;
  const { scope } = gathering;
  const listed = plan.unmanaged.flatMap(({ kind, id, address }) => {
    const node = live.get({ kind, id });
    return node === undefined || !scope.isAdded(tree, address) ? [] : [node];
  });
  const deleted = plan.steps.flatMap((step) => {
    const node = step.liveId === undefined ? undefined : live.get({ kind: step.kind, id: step.liveId });
    const isUnlisted =
      step.action === 'delete' && step.phase === 'delete' && tree.get(step.address) === undefined;
    const isChosen = isUnlisted && isDrift(organization, step) && scope.isChosen(tree, step.address);
    return node === undefined || !isChosen ? [] : [node];
  });
  const all = [...listed, ...deleted, ...undeclared(organization, gathering)];
  const known = new RefSet(all);
  const distinct = [...new Set(all)];
  return distinct.filter((node) => !live.ancestorsOf(node).some((above) => known.has(above)));
}

/** Live objects in collections that declared objects do not declare. */
function undeclared(organization: AcceptedOrganization, { scope, registry }: Gathering): readonly LiveNode[] {
  if (scope.collections === 'known') return [];
  const { live, tree } = organization;
  const known = new AcceptedTree(organization, registry, []);
  return [...tree.nodes.values()].flatMap((node) => {
    const own = known.liveOf(node.address);
    if (own === undefined || !scope.isAdded(tree, node.address)) return [];
    return registry
      .collectionsOf(node.kind)
      .filter((collection) => !node.declares.includes(collection))
      .flatMap((collection) => {
        const kinds = registry.at(node.kind, collection).map(({ kind }) => kind.name);
        return live
          .childrenOf(own)
          .filter((child) => kinds.includes(child.kind) && child.deleted !== true)
          .filter((child) => known.addressOf(child) === undefined && child.incidental !== true);
      });
  });
}
