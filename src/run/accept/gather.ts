/** What of a plan is accepted: its drift, object by object, as edits of the manifests. Pure but for the texts that it looks at. */
import type { Registry } from '../../kinds/registry.ts';
import type { Step } from '../../plan/plan.ts';
import type { DesiredNode } from '../../tree/desired.ts';
import type { LiveNode } from '../../tree/live.ts';
import { RefSet } from '../../tree/refs.ts';
import { acceptField } from './accept-fields.ts';
import { acceptAdditions, acceptMissing, acceptMoves, acceptOrders } from './accept-objects.ts';
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
  for (const step of own) {
    const node = nodeOf(step);
    if (node === undefined) continue;
    if (step.phase === 'update' && step.action !== 'replace' && step.action !== 'create')
      for (const name of driftedFields(organization, step)) acceptField({ tree, node, name, edits });
    if (step.action === 'replace' && step.phase === 'create')
      for (const name of replacedFields(tree, node)) acceptField({ tree, node, name, edits });
  }
  const missing = own.filter(
    ({ action, phase }) => (action === 'create' && phase === 'create') || action === 'restore',
  );
  const notLive = missing.flatMap((step) => nodeOf(step) ?? []);
  acceptMissing(scene, unique([...notLive, ...goneNodes(organization, scope)]));
  // What is changed as well has moves that are part of its update.
  const placed = own.filter(
    ({ action, phase }) =>
      (action === 'move' || action === 'update') &&
      (phase === 'detach' || phase === 'attach' || phase === 'move'),
  );
  acceptMoves(
    scene,
    unique(placed.flatMap((step) => nodeOf(step) ?? [])).filter((node) => hasMoved(tree, node)),
  );
  acceptOrders(scene, placed);
  acceptAdditions(scene);
  return tree;
}

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

/** Of an object that would be replaced, the fields for which it would. */
function replacedFields(tree: AcceptedTree, node: DesiredNode): readonly string[] {
  const { fields } = tree.kindOf(node);
  return Object.keys(node.fields).filter((name) => fields[name]?.change === 'replace');
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
