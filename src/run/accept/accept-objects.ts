/** Edits for whole objects: those that are gone, moved, in another order, or live and in no manifest. */

import type { Registry } from '../../kinds/registry.ts';
import type { Step } from '../../plan/plan.ts';
import { type DesiredNode, rootAddress } from '../../tree/desired.ts';
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

/** Moves declared objects to where they are live. */
export function acceptMoves(scene: ObjectScene, moved: readonly DesiredNode[]): void {
  for (const node of moved) acceptMove(scene, node);
}

function acceptMove(scene: ObjectScene, node: DesiredNode): void {
  const { tree, edits } = scene;
  const live = tree.liveOf(node.address);
  const to = live === undefined ? undefined : tree.addressOf(live.container);
  const place = tree.kindOf(node).places.find(({ parent }) => parent === live?.container.kind);
  const prefix = to === undefined || to === rootAddress ? '' : `${to}/`;
  const change = {
    ...changeOf(tree, node, `moved to ${to ?? 'another parent'}`),
    now: `${prefix}${place?.key ?? node.collection}/${node.key}`,
  };
  const holder = to === undefined || place === undefined ? undefined : placeInside(scene, to, place.key);
  if (to === undefined || place === undefined || holder === undefined) {
    edits.refuse({
      ...change,
      reason: 'it was moved into something that no manifest declares',
      help: 'declare its new parent first, or accept the parent as well',
    });
  } else moveEntry(scene, node, { change, holder, to, collection: place.key });
}

interface EntryMove {
  readonly change: AcceptedChange;
  readonly holder: ManifestPlace | { readonly reason: string };
  readonly to: string;
  readonly collection: string;
}

function moveEntry(
  { tree, edits }: ObjectScene,
  node: DesiredNode,
  { change, holder, to, collection }: EntryMove,
): void {
  const from = edits.placeOf(node.at);
  if (isNoPlace(from)) {
    edits.refuse({ ...change, reason: from.reason });
    return;
  }
  if (isNoPlace(holder)) {
    edits.refuse({ ...change, reason: holder.reason });
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
  // An empty mapping takes what is moved, where none is written yet.
  if (!tree.hasChildren(to, collection) && edits.writtenAt(holder) === undefined) {
    const among = tree.keysOf(to);
    edits.add(holder, { type: 'set', path: holder.path, value: new Map(), among }, change);
  }
  const neighbour = neighbourOf(tree, { parent: to, collection, address: node.address });
  edits.add(from, { type: 'move', path: from.path, into: holder.path, ...neighbour }, change);
  tree.noteMove(node.address);
}

/** Where the entries under a key of an object are or will be written: of a declared one, or of one that is added. */
function placeInside(
  { tree, edits }: Pick<ObjectScene, 'tree' | 'edits'>,
  address: string,
  collection: string,
): ManifestPlace | { readonly reason: string } | undefined {
  const declared = tree.organization.tree.get(address);
  if (declared !== undefined) return placeOfCollection({ tree, edits }, declared, collection);
  const added = tree.added.find((one) => address === one.address || address.startsWith(`${one.address}/`));
  const holder = added === undefined ? undefined : tree.organization.tree.get(added.parent);
  if (added === undefined || holder === undefined) return undefined;
  const place = placeOfCollection({ tree, edits }, holder, added.collection);
  if (isNoPlace(place)) return place;
  const inside = address === added.address ? [] : address.slice(added.address.length + 1).split('/');
  return { ...place, path: [...place.path, added.key, ...inside, collection] };
}

/** Puts the entries of ordered collections into their live order. */
export function acceptOrders(scene: ObjectScene, steps: readonly Step[]): void {
  const { tree, registry } = scene;
  const done = new Set<string>();
  for (const { address } of steps) {
    const node = tree.organization.tree.get(address);
    const live = node === undefined ? undefined : tree.liveOf(address);
    if (node === undefined || live === undefined || node.parent === undefined) continue;
    const parent = tree.addressOf(live.container);
    const place = tree.kindOf(node).places.find((one) => one.parent === live.container.kind);
    if (parent === undefined || place === undefined || done.has(`${parent}/${place.key}`)) continue;
    done.add(`${parent}/${place.key}`);
    const holder = tree.organization.tree.get(parent);
    const isOrdered = registry.at(live.container.kind, place.key).some((one) => one.place.ordered);
    if (!isOrdered) continue;
    if (holder === undefined) orderAdded(scene, { parent, collection: place.key, node });
    else acceptOrder(scene, holder, { node, collection: place.key });
  }
}

/** The entries of an object that is added, with those that moved into it. */
function orderAdded(
  { tree, edits }: ObjectScene,
  {
    parent,
    collection,
    node,
  }: { readonly parent: string; readonly collection: string; readonly node: DesiredNode },
): void {
  const place = placeInside({ tree, edits }, parent, collection);
  if (place === undefined || isNoPlace(place)) return;
  const keys = tree.liveOrder(parent, collection).map(({ key }) => key);
  const change = { ...changeOf(tree, node, `order of ${collection}`), address: parent };
  edits.add(place, { type: 'order', path: place.path, keys }, change);
}

function acceptOrder(
  { tree, edits }: ObjectScene,
  holder: DesiredNode,
  { node, collection }: { readonly node: DesiredNode; readonly collection: string },
): void {
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
    const at = { ...holder.at, file: place.file };
    add({ tree, edits }, one, { place, data: writtenOf(data), change: { ...change, at } });
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
  const among = tree.keysOf(parent);
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

/** What is told of an object as a whole. */
export function changeOf(tree: AcceptedTree, node: DesiredNode, what: string): AcceptedChange {
  return { label: tree.organization.tree.label, address: node.address, what, at: node.at };
}
