/** Edits for whole objects: those that are gone, moved, in another order, or live and in no manifest. */

import type { Registry } from '../../kinds/registry.ts';
import type { Step } from '../../plan/plan.ts';
import { type DesiredNode, rootAddress } from '../../tree/desired.ts';
import { referencesOf } from '../../tree/references.ts';
import type { AcceptedTree, AddedObject } from './accepted-tree.ts';
import { isNoPlace, type ManifestEdits, type ManifestPlace, writtenOf } from './manifest-edits.ts';
import type { AcceptedChange, AcceptScope } from './request.ts';

/** What the edits of objects are made from. */
export interface ObjectScene {
  readonly tree: AcceptedTree;
  readonly edits: ManifestEdits;
  readonly registry: Registry;
  readonly scope: AcceptScope;
}

/** Keys that an object may have before its fields. */
const ownKeys = ['id', 'was', 'lifecycle'];
/** Keys of a document before its collections. */
const documentKeys = ['octavo', 'organization', 'settings'];

/** Takes declared objects that are not live out of the manifests, with everything inside them. */
export function acceptMissing(scene: ObjectScene, gone: readonly DesiredNode[]): void {
  const { tree, edits, scope } = scene;
  const { tree: declared, plan } = tree.organization;
  const addresses = new Set(gone.map(({ address }) => address));
  const outermost = gone.filter(({ parent }) => parent === undefined || !addresses.has(parent));
  // What refers to another object by now is written along with it.
  const rewritten = new Set(
    plan.steps
      .filter((step) => scope.isChosen(declared, step.address))
      .flatMap(({ address, fields }) => fields.map(({ field }) => `${address} ${field}`)),
  );
  const isGone = (address: string) =>
    outermost.some((one) => address === one.address || address.startsWith(`${one.address}/`));
  for (const node of outermost) {
    const change = changeOf(tree, node, 'removed: not live any more');
    if (!plan.withBase && scope.missing === 'told') {
      edits.refuse({
        ...change,
        what: 'not live',
        reason: 'without a base, it may as well not be applied yet',
        help: 'pass --base, or remove the entry by hand',
      });
      continue;
    }
    const inside = new Set([node.address, ...declared.inside(node.address).map(({ address }) => address)]);
    const referrer = [...declared.nodes.values()]
      .filter((one) => !isGone(one.address))
      .flatMap((one) => referencesOf(declared, one, scene.registry))
      .filter(({ node: by, field }) => !rewritten.has(`${by.address} ${field}`))
      .find(({ target }) => target.type === 'node' && inside.has(target.address));
    if (referrer !== undefined) {
      const { node: by, field } = referrer;
      edits.refuse({
        ...change,
        what: 'not live any more',
        reason: `${by.address} still refers to it (${field})`,
        at: by.fieldAt[field] ?? by.at,
        help: 'remove the reference, then accept again',
      });
      continue;
    }
    const place = edits.placeOf(node.at);
    if (isNoPlace(place)) edits.refuse({ ...change, reason: place.reason });
    else edits.add(place, { type: 'remove', path: place.path }, change);
  }
}

/** Moves declared objects to where they are live. */
export function acceptMoves(scene: ObjectScene, moved: readonly DesiredNode[]): void {
  for (const node of moved) acceptMove(scene, node);
}

function acceptMove({ tree, edits }: ObjectScene, node: DesiredNode): void {
  const live = tree.liveOf(node.address);
  const to = live === undefined ? undefined : tree.addressOf(live.container);
  const place = tree.kindOf(node).places.find(({ parent }) => parent === live?.container.kind);
  const prefix = to === undefined || to === rootAddress ? '' : `${to}/`;
  const change = {
    ...changeOf(tree, node, `moved to ${to ?? 'another parent'}`),
    now: `${prefix}${place?.key ?? node.collection}/${node.key}`,
  };
  const target = to === undefined ? undefined : tree.organization.tree.get(to);
  if (to === undefined || place === undefined || target === undefined) {
    edits.refuse({
      ...change,
      reason: 'it was moved into something that no manifest declares',
      help: 'declare its new parent first, or accept the parent as well',
    });
    return;
  }
  const from = edits.placeOf(node.at);
  const holder = placeOfCollection({ tree, edits }, target, place.key);
  if (isNoPlace(from) || isNoPlace(holder)) {
    edits.refuse({
      ...change,
      reason: isNoPlace(from) ? from.reason : (holder as { reason: string }).reason,
    });
    return;
  }
  if (from.file !== holder.file || from.document !== holder.document) {
    edits.refuse({
      ...change,
      reason: `its new parent is in ${holder.file}`,
      help: 'move the entry there by hand',
    });
    return;
  }
  const neighbour = neighbourOf(tree, { parent: to, collection: place.key, address: node.address });
  edits.add(from, { type: 'move', path: from.path, into: holder.path, ...neighbour }, change);
}

/** Puts the entries of ordered collections into their live order. */
export function acceptOrders(scene: ObjectScene, steps: readonly Step[]): void {
  const { tree, registry } = scene;
  const done = new Set<string>();
  for (const { address } of steps) {
    const node = tree.organization.tree.get(address);
    const live = node === undefined ? undefined : tree.liveOf(address);
    if (node === undefined || live === undefined || node.parent === undefined) continue;
    const parent = tree.addressOf(live.container) ?? node.parent;
    const slot = `${parent}/${node.collection}`;
    const holder = tree.organization.tree.get(parent);
    const isOrdered =
      holder !== undefined && registry.at(holder.kind, node.collection).some(({ place }) => place.ordered);
    if (done.has(slot) || holder === undefined || !isOrdered) continue;
    done.add(slot);
    acceptOrder(scene, holder, node);
  }
}

function acceptOrder({ tree, edits }: ObjectScene, holder: DesiredNode, node: DesiredNode): void {
  const { collection } = node;
  const order = tree.liveOrder(holder.address, collection);
  const change = { ...changeOf(tree, node, `order of ${collection}`), address: holder.address };
  const siblings = tree.organization.tree.childrenOf(holder.address, collection);
  const places = siblings.map((one) => edits.placeOf(one.at));
  const found = places.filter((place): place is ManifestPlace => !isNoPlace(place));
  const [first] = found;
  if (first === undefined) return;
  const mapping = first.path.slice(0, -1);
  const isOne = found.every(
    (place) =>
      place.file === first.file &&
      place.document === first.document &&
      place.path.length === first.path.length &&
      mapping.every((key, index) => place.path[index] === key),
  );
  if (!isOne || found.length < places.length) {
    edits.refuse({
      ...change,
      reason: 'its entries are written in several places',
      help: 'order them by hand',
    });
    return;
  }
  edits.add(first, { type: 'order', path: mapping, keys: order.map(({ key }) => key) }, change);
}

/** Adds live objects that no manifest declares. */
export function acceptAdditions({ tree, edits }: ObjectScene): void {
  for (const one of tree.added) {
    const holder = tree.organization.tree.get(one.parent);
    const data = tree.dataOf(one.node);
    if (holder === undefined) continue;
    const change = {
      label: tree.organization.tree.label,
      address: one.address,
      what: `added: ${tree.kindOf(one.node).noun} ${one.node.id}`,
      at: holder.at,
    };
    const place = placeOfCollection({ tree, edits }, holder, one.collection);
    if (data === undefined || isNoPlace(place)) {
      edits.refuse({ ...change, reason: isNoPlace(place) ? place.reason : 'manifests cannot hold it' });
      continue;
    }
    add({ tree, edits }, one, { place, data: writtenOf(data), change });
  }
  for (const { node, reason } of tree.unnamed) {
    edits.refuse({
      label: tree.organization.tree.label,
      address: node.id,
      what: tree.kindOf(node).noun,
      reason,
    });
  }
}

interface Addition {
  readonly place: ManifestPlace;
  readonly data: ReturnType<typeof writtenOf>;
  readonly change: AcceptedChange;
}

function add(
  { tree, edits }: Pick<ObjectScene, 'tree' | 'edits'>,
  one: AddedObject,
  { place, data, change }: Addition,
): void {
  const { parent, collection, address } = one;
  const holder = tree.organization.tree.get(parent);
  const among = holder === undefined ? undefined : amongOf(tree, holder);
  const isSingle = place.path.at(-1) === collection && address.endsWith(`/${collection}`);
  const isRootSingle = address === collection;
  if (isSingle || isRootSingle) {
    edits.add(place, { type: 'set', path: place.path, value: data, among }, change);
    return;
  }
  const neighbour = neighbourOf(tree, one);
  edits.add(
    place,
    { type: 'insert', path: place.path, entries: [[one.key, data]], among, ...neighbour },
    change,
  );
}

/** The keys of an object in the order in which they are documented. */
function amongOf(tree: AcceptedTree, node: DesiredNode): readonly string[] {
  const collections = tree.collectionsOf(node);
  if (node.address === rootAddress) return [...documentKeys, ...collections];
  return [...ownKeys, ...Object.keys(tree.kindOf(node).fields), ...collections];
}

/** Where the entries under a key of an object are written: beside those that there are, else in the object itself. */
function placeOfCollection(
  { tree, edits }: Pick<ObjectScene, 'tree' | 'edits'>,
  holder: DesiredNode,
  collection: string,
): ManifestPlace | { readonly reason: string } {
  const siblings = tree.organization.tree.childrenOf(holder.address, collection);
  for (const sibling of [...siblings].reverse()) {
    const place = edits.placeOf(sibling.at);
    if (!isNoPlace(place) && sibling.key !== collection) return { ...place, path: place.path.slice(0, -1) };
  }
  const own = edits.placeOf(holder.at);
  if (isNoPlace(own)) return own;
  // The organization is written beside its collections, all other objects around theirs.
  return holder.address === rootAddress
    ? { ...own, path: [collection] }
    : { ...own, path: [...own.path, collection] };
}

/** Next to which sibling an entry is written, by the live order. */
function neighbourOf(
  tree: AcceptedTree,
  {
    parent,
    collection,
    address,
  }: { readonly parent: string; readonly collection: string; readonly address: string },
): { readonly place?: { readonly after: string } | { readonly before: string } } {
  const order = tree.liveOrder(parent, collection);
  const isOrdered = tree.isOrdered(parent, collection);
  const index = order.findIndex((one) => one.address === address);
  if (!isOrdered) return {};
  const before = index < 0 ? undefined : order[index - 1];
  if (before !== undefined) return { place: { after: before.key } };
  const first = order.find((one) => one.address !== address);
  return first === undefined ? {} : { place: { before: first.key } };
}

function changeOf(tree: AcceptedTree, node: DesiredNode, what: string): AcceptedChange {
  return { label: tree.organization.tree.label, address: node.address, what, at: node.at };
}
