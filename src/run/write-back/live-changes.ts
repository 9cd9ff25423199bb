/** The live state of one organization as changes of its manifests: values, moves, orders, added and removed objects. */

import path from 'node:path';
import { isKeyField } from '../../kinds/kind.ts';
import { canEnd, type Field } from '../../kinds/parts/field.ts';
import { mapOf, type Value } from '../../kinds/parts/payload.ts';
import type { Registry } from '../../kinds/registry.ts';
import { addKey, newKey } from '../../manifest/files/paths.ts';
import type { Step } from '../../plan/plan.ts';
import { isAdditive } from '../../tree/additive.ts';
import { covers, inside } from '../../tree/addressing.ts';
import { type DesiredNode, rootAddress } from '../../tree/desired.ts';
import type { DesiredTree } from '../../tree/desired-tree.ts';
import { differingFields } from '../../tree/difference.ts';
import { endingsOf, entryName } from '../../tree/endings.ts';
import { referencesOf } from '../../tree/references.ts';
import { grouped } from '../../util/group.ts';
import { placeAlone } from '../../util/places.ts';
import { type Data, dataOf, isDataList, isDataMap, literal, sameEntries } from '../../yaml/data.ts';
import { NotPossible, type Order } from '../../yaml/edited-document.ts';
import type { AcceptedChange } from './acceptance.ts';
import { type AcceptedOrganization, AcceptedTree, type AddedObject } from './accepted-tree.ts';
import { asOverride, fieldKeys, isOfOtherType, isTemplateMade, overrideOf } from './overrides.ts';
import { type ManifestPlace, madeByTemplate, placeIn, type WantedManifests } from './wanted.ts';

export class LiveChanges {
  readonly #wanted: WantedManifests;
  readonly #declared: DesiredTree;
  readonly #live: AcceptedTree;

  constructor(organization: AcceptedOrganization, registry: Registry, wanted: WantedManifests) {
    this.#wanted = wanted;
    this.#declared = organization.tree;
    this.#live = new AcceptedTree(organization, registry);
  }

  project(): void {
    const { gone = [], isChosen } = this.#live.organization;
    const { drifted, added, unnamed } = this.#live;
    const nodesOf = (addresses: readonly string[]) =>
      [...new Set(addresses)].flatMap((address) => this.#declared.get(address) ?? []);
    const isAbsent = ({ action, phase }: Step) =>
      (action === 'create' && phase === 'create') || action === 'restore';
    const isPlaced = ({ action, phase }: Step) =>
      /^(?:update|move)$/.test(action) && /^(?:detach|attach|move)$/.test(phase);
    const absent = new Set(drifted.filter(isAbsent).map(({ address }) => address));
    this.#removeEnded();
    for (const step of drifted) {
      const node = this.#declared.get(step.address);
      if (node === undefined || absent.has(step.address)) continue;
      for (const name of this.#fieldsOf(node, step)) this.#field(node, name);
    }
    // Moves of objects that also change are part of their updates.
    const placed = nodesOf(drifted.filter(isPlaced).map(({ address }) => address)).flatMap(
      (node) => this.#live.homeOf(node) ?? [],
    );
    const moved = new Map<string, AcceptedChange>();
    for (const one of placed) if (one.to !== one.node.parent) this.#move(one, moved);
    this.#remove(nodesOf([...absent, ...[...gone].filter(isChosen)]), moved);
    for (const one of added) this.#addObject(one);
    for (const { node, reason } of unnamed) {
      const { noun } = this.#live.kindOf(node);
      this.#wanted.refuse({ label: this.#declared.label, address: node.id, what: noun }, reason);
    }
    const there = placed.filter(({ node, to }) => to === node.parent || moved.has(node.address));
    const collections = grouped(there, ({ to = '', place }) => inside(to, place?.key ?? ''));
    for (const [first] of collections.values()) this.#order(first);
  }

  #changeOf(node: DesiredNode, what: string): AcceptedChange {
    return { label: this.#declared.label, address: node.address, what, at: node.at };
  }

  /** An ended entry does nothing any more. The removal of what it gave, if it is still live, is in the next plan, too. */
  #removeEnded(): void {
    const { endings, label } = this.#declared.data;
    for (const { address, isOver, until, at, ...entry } of endings?.entries ?? []) {
      if (!isOver || !this.#live.organization.isChosen(address)) continue;
      const what = `removed: ended on ${until} ${entryName(entry)}`.trim();
      const change = { label, address, what, at };
      this.#wanted.attempt(change, () => this.#wanted.remove(this.#wanted.placeOf(at), change), byHand);
    }
  }

  /** For a replacement, all fields that differ: a kept object would be updated unless each is accepted. */
  #fieldsOf(node: DesiredNode, { action, phase, fields }: Step): readonly string[] {
    if (action !== 'replace') return phase === 'update' ? fields.map(({ field }) => field) : [];
    if (phase !== 'create') return [];
    const kind = this.#live.kindOf(node);
    const differing = differingFields(kind, node, this.#live.liveOf(node.address));
    const names = new Set(differing.map(({ field = '' }) => field));
    return Object.keys(node.fields).filter(
      (name) => kind.fields[name]?.change === 'replace' || names.has(name),
    );
  }

  #field(node: DesiredNode, name: string): void {
    const kind = this.#live.kindOf(node);
    const field = kind.fields[name];
    const at = node.fieldAt[name];
    if (field === undefined || at === undefined) return;
    const change = { ...this.#changeOf(node, name), at };
    this.#wanted.attempt(change, () => {
      if (isKeyField(kind, name))
        throw new NotPossible('it is the key of the object', 'rename the key by hand');
      const live = this.#live.liveValue(node, name, field);
      const ended = endingsOf(this.#declared, node.address).find(
        (one) => one.isOver && one.field === name && isDataMap(live) && live.has(one.key ?? ''),
      );
      if (ended !== undefined) {
        const reason = `${ended.key} is still in it, and ended on ${ended.until}`;
        throw new NotPossible(reason, 'apply first, then accept again');
      }
      const declared = node.fields[name];
      const one = { node, name, field, declared, change, keys: fieldKeys(node, name, kind) };
      const isKeyed = field.type === 'map' || field.type === 'members';
      const entries = isKeyed ? mapOf(declared) : undefined;
      if (isDataMap(live) && entries !== undefined) this.#entries(one, entries, live);
      else this.#wanted.attempt(change, () => this.#whole(one, live), byHand);
    });
  }

  #whole(one: FieldToAccept, live: Data | undefined): void {
    const { node, name, declared, change } = one;
    const { at } = change;
    const input = node.inputs?.[name];
    if (at.usedAt === undefined && !isOfOtherType(this.#wanted, at, live))
      this.#value(one, live, this.#fieldPlace(one));
    else if (input === undefined) this.#override(one, asOverride(live, declared));
    else throw filledIn(input);
  }

  /** The template is not changed, because other objects use it. */
  #override(
    { node, change, keys }: Pick<FieldToAccept, 'node' | 'change' | 'keys'>,
    value: Data,
    order?: Order,
  ): void {
    const { at } = change;
    const write = () => {
      const place = overrideOf(this.#wanted, this.#declared, { node, at });
      const own = { ...change, at: placeAlone(at.usedAt ?? at) };
      this.#wanted.set({ ...place, path: [...place.path, ...keys] }, value, own, order);
    };
    this.#wanted.attempt(change, write, 'override it by hand where the template is used');
  }

  #value({ field, declared, change }: FieldToAccept, live: Data | undefined, place: ManifestPlace): void {
    const written = this.#wanted.writtenAt(place);
    if (canEnd(field) && isDataMap(written) && typeof live === 'string') {
      const inner = { ...place, path: [...place.path, field.valueKey] };
      this.#wanted.set(inner, live, change);
      return;
    }
    // Rewrite a text file that is the whole value.
    const file = typeof written === 'string' ? /^\$\{file:([^{}]*)\}$/.exec(written)?.[1] : undefined;
    if (file !== undefined && typeof live === 'string' && typeof declared === 'string') {
      const name = path.posix.normalize(path.posix.join(path.posix.dirname(place.file), file));
      this.#wanted.setText(name, live, change);
      return;
    }
    if (typeof written === 'string' && holdsTemplate(written)) throw filledIn(written);
    if (live === undefined) this.#wanted.remove(place, change);
    else this.#wanted.set(place, withKeptItems(field, declared, live, written), change);
  }

  /** Compares entries one by one, since each may be in another file. If a mapping is not exact, only declared entries count. */
  #entries(
    one: FieldToAccept,
    declared: Readonly<Record<string, Value>>,
    live: ReadonlyMap<string, Data>,
  ): void {
    const { node, name, field, change } = one;
    // An input that is shared with other parts of the template is not changed for one of them.
    const isShared = change.at.template !== undefined && change.at.usedAt !== undefined;
    const added = [...live.keys()].filter((key) => field.type !== 'map' && !Object.hasOwn(declared, key));
    for (const key of [...Object.keys(declared), ...added]) {
      const own = Object.hasOwn(declared, key) ? declared[key] : undefined;
      const value = live.get(key);
      if (own !== undefined && value !== undefined && sameEntries(value, dataOf(own))) continue;
      const at = (isShared ? undefined : node.fieldAt[`${name}.${key}`]) ?? change.at;
      const ownChange = { ...change, what: `${change.what}.${key}`, at };
      const entry = { ...one, declared: own, change: ownChange, keys: [...one.keys, key] };
      const write = () => {
        if (at.usedAt !== undefined) this.#override(entry, asOverride(value));
        else if (own !== undefined) this.#value(entry, value, this.#wanted.placeOf(at));
        else this.#value(entry, value, placeIn(this.#fieldPlace(entry), key));
      };
      this.#wanted.attempt(ownChange, write, byHand);
    }
  }

  /**
   * A block mapping begins at its first key, and a value written as a mapping of one entry has the place of that entry: the
   * field is its parent.
   */
  #fieldPlace({ node, name: field, change }: FieldToAccept): ManifestPlace {
    const found = this.#wanted.placeOf(change.at);
    const own = this.#live.kindOf(node).manifest.whole === field ? node.key : field;
    const name = isAdditive(node, field) ? addKey : own.split('.').at(-1);
    const isInner = found.path.at(-1) !== name && found.path.at(-2) === name;
    return isInner ? { ...found, path: found.path.slice(0, -1) } : found;
  }

  #move({ node, to, place }: LivePlaceOfNode, moved: Map<string, AcceptedChange>): void {
    const change = {
      ...this.#changeOf(node, `moved to ${to ?? 'another parent'}`),
      now: inside(to ?? rootAddress, place?.key ?? node.collection, node.key),
    };
    this.#wanted.attempt(change, () => {
      if (to === undefined || place === undefined) throw intoUndeclared();
      const from = this.#wanted.placeOf(node.at);
      if (isRecord(from)) throw new NotPossible('a record makes it', 'move the record by hand');
      const into = this.#placeInside(to, place.key);
      if (from.file !== into.file || from.document !== into.document)
        throw new NotPossible(`its new parent is in ${into.file}`, 'move the entry there by hand');
      const order = { among: this.#live.orderIn(to, place), siblings: this.#live.keysAround(place) };
      this.#wanted.move(from, placeIn(into, String(from.path.at(-1))), change, order);
      moved.set(node.address, change);
    });
  }

  #remove(missing: readonly DesiredNode[], moved: ReadonlyMap<string, AcceptedChange>): void {
    if (missing.length === 0) return;
    const { plan, gone } = this.#live.organization;
    const isGone = covers(missing.map(({ address }) => address));
    const isMoved = covers(moved.keys());
    const outermost = missing.filter(({ parent }) => parent === undefined || !isGone(parent));
    // References that change in the same edit do not prevent a removal.
    const rewritten = new Set(
      this.#live.drifted.flatMap(({ address, fields }) => fields.map(({ field }) => `${address} ${field}`)),
    );
    const kept = [...this.#declared.nodes.values()]
      .filter(({ address }) => !isGone(address))
      .flatMap((one) => referencesOf(this.#declared, one, this.#live.registry))
      .filter(({ node: by, field }) => !rewritten.has(`${by.address} ${field}`));
    for (const node of outermost) {
      const change = this.#changeOf(node, 'removed: not live any more');
      const still = { ...change, what: 'not live any more' };
      const within = [node, ...this.#declared.inside(node.address)];
      const isLive = (one: DesiredNode) =>
        this.#live.liveOf(one.address) !== undefined || this.#live.isStray(one);
      const elsewhere = within.find((one) => isLive(one) && !isMoved(one.address));
      const isWithin = covers([node.address]);
      const referrer = kept.find(({ target }) => target.type === 'node' && isWithin(target.address));
      if (!plan.withBase && gone === undefined) {
        const reason = 'without a base, it may simply not be applied yet';
        const help = 'pass --base, or remove the entry by hand';
        this.#wanted.refuse({ ...change, what: 'not live' }, reason, help);
      } else if (elsewhere !== undefined && gone === undefined) {
        const help = 'move its entry to where it is live, then accept again';
        const reason =
          elsewhere === node ? 'it is live in another place' : `${elsewhere.address} inside it is live`;
        this.#wanted.refuse(still, reason, help);
      } else if (referrer !== undefined) {
        const { node: by, field } = referrer;
        const at = by.fieldAt[field] ?? by.at;
        const reason = `${by.address} still refers to it (${field})`;
        this.#wanted.refuse({ ...still, at }, reason, 'remove the reference, then accept again');
      } else if (node.at.usedAt !== undefined) this.#override({ node, change, keys: [] }, null);
      else {
        const moves = within.flatMap(({ address }) => moved.get(address) ?? []);
        const remove = () => this.#wanted.remove(this.#wanted.placeOf(node.at), change, moves);
        this.#wanted.attempt(change, remove);
      }
    }
  }

  #addObject({ node, address, key, holder, place: home }: AddedObject): void {
    const { key: collection, shape } = home;
    const isSingle = shape === 'single';
    const { noun, display } = this.#live.kindOf(node);
    const risk = display.givesAccess?.(node.fields)?.risk;
    const change = {
      ...this.#changeOf(holder, `added: ${noun} ${node.id}`),
      address,
      ...(risk === undefined ? {} : { risks: [risk] }),
    };
    this.#wanted.attempt(change, () => {
      const before = this.#declared.get(address);
      if (before !== undefined && isTemplateMade(before))
        throw new NotPossible(`there is an entry ${key} already`, 'accept its removal first');
      const place = isTemplateMade(holder) ? undefined : this.#placeOfCollection(holder, collection);
      const data = this.#live.dataOf(node);
      if (data === undefined) throw new NotPossible('manifests cannot hold it');
      const asNew = isDataMap(data) && !isSingle ? new Map<string, Data>([[newKey, true], ...data]) : data;
      const siblings = this.#live.keysAround(home);
      const among = isSingle ? siblings : this.#live.orderIn(holder.address, home);
      if (place === undefined) {
        const keys = isSingle ? [collection] : [collection, key];
        this.#override({ node: holder, change, keys }, asOverride(asNew), { among });
        return;
      }
      const own = isSingle ? place : placeIn(place, key);
      const entry = this.#wanted.isOverlay(place.file) || this.#wanted.isOverride(own) ? asNew : data;
      const at = { ...holder.at, file: place.file };
      this.#wanted.set(own, literal(entry), { ...change, at }, { among, siblings, isNew: true });
    });
  }

  #order({ node, to, place }: LivePlaceOfNode): void {
    const keys = to === undefined || place === undefined ? undefined : this.#live.orderIn(to, place);
    if (to === undefined || place === undefined || keys === undefined) return;
    const change = { ...this.#changeOf(node, `order of ${place.key}`), address: to };
    this.#wanted.attempt(change, () => {
      const nodes = this.#declared.childrenOf(to, place.key);
      const byTemplate = new NotPossible(
        madeByTemplate,
        'order the entries of the template, or the records, by hand',
      );
      if (nodes.some(({ at }) => at.usedAt !== undefined)) throw byTemplate;
      const siblings = nodes.map((one) => this.#wanted.placeOf(one.at));
      if (siblings.some(isRecord)) throw byTemplate;
      const holders = siblings.map(({ path: own, ...rest }) => JSON.stringify([rest, own.slice(0, -1)]));
      if (new Set(holders).size > 1)
        throw new NotPossible('its entries are written in several places', 'order them by hand');
      this.#wanted.order(this.#placeInside(to, place.key), keys, change);
    });
  }

  #placeInside(address: string, collection: string): ManifestPlace {
    const declared = this.#declared.get(address);
    if (declared !== undefined) return this.#placeOfCollection(declared, collection);
    const added = this.#live.added.find((one) => covers([one.address])(address));
    if (added === undefined) throw intoUndeclared();
    const place = this.#placeOfCollection(added.holder, added.place.key);
    const within = address.slice(added.address.length).split('/').slice(1);
    return { ...place, path: [...place.path, added.key, ...within, collection] };
  }

  /** Prefers the other entries of the collection outside of overlays, else the object itself. */
  #placeOfCollection(holder: DesiredNode, collection: string): ManifestPlace {
    const siblings = this.#declared.childrenOf(holder.address, collection).toReversed();
    const isOverlay = ({ at }: DesiredNode) => Number(this.#wanted.isOverlay(at.file));
    for (const sibling of siblings.sort((left, right) => isOverlay(left) - isOverlay(right))) {
      const place = this.#wanted.findPlace(sibling.at);
      if (typeof place !== 'string' && !isRecord(place) && sibling.key !== collection)
        return { ...place, path: place.path.slice(0, -1) };
    }
    const own = this.#wanted.placeOf(holder.at);
    // The organization is written next to its collections; other objects contain theirs.
    return { ...own, path: holder.address === rootAddress ? [collection] : [...own.path, collection] };
  }
}

type LivePlaceOfNode = NonNullable<ReturnType<AcceptedTree['homeOf']>>;

interface FieldToAccept {
  readonly node: DesiredNode;
  readonly change: AcceptedChange;
  /** From the object. */
  readonly keys: readonly string[];
  readonly name: string;
  readonly field: Field;
  readonly declared: Value | undefined;
}

const byHand = 'change that file by hand';

function isRecord({ path: own }: ManifestPlace): boolean {
  return typeof own.at(-1) === 'number';
}

function intoUndeclared(): NotPossible {
  return new NotPossible(
    'it was moved into an object that no manifest declares',
    'declare its new parent first, or accept the parent as well',
  );
}

function filledIn(written: string): NotPossible {
  const [part = '', scheme] =
    /\$\{(env|secret|file|json|yaml):[^{}:]*/.exec(written.replaceAll('$${', '')) ?? [];
  const helps: Readonly<Record<string, string>> = {
    env: 'change the variable where the manifests are applied, or write the value itself',
    secret: 'change the secret where the manifests are applied; live values of secrets are never written',
    file: 'change the included file by hand, or write the value itself',
    json: 'change the included file by hand',
    yaml: 'change the included file by hand',
  };
  const reason = scheme === undefined ? 'a part of its value is filled in' : `its value comes from ${part}}`;
  return new NotPossible(reason, helps[scheme ?? 'file']);
}

/**
 * Keeps the spelling and order of unchanged items of a set.
 * @throws NotPossible if interpolation would be lost.
 */
function withKeptItems(
  field: Field,
  declared: Value | undefined,
  value: Data,
  written: Data | undefined,
): Data {
  const isSet = field.type === 'set' && isDataList(written) && isDataList(value) && Array.isArray(declared);
  if (!isSet || written.length !== declared.length) {
    if (written !== undefined && holdsTemplate(written)) throw filledIn('');
    return literal(value);
  }
  const items = declared.map(dataOf);
  const kept = written.filter((_item, index) => value.some((one) => sameEntries(one, items[index] ?? null)));
  if (written.some((item) => !kept.includes(item) && holdsTemplate(item))) throw filledIn('');
  const added = value.filter((item) => !items.some((one) => sameEntries(one, item)));
  return [...kept, ...added.map(literal)];
}

function holdsTemplate(data: Data): boolean {
  if (typeof data === 'string') return data.replaceAll('$${', '').includes('${');
  if (isDataMap(data)) return [...data.values()].some(holdsTemplate);
  return isDataList(data) && data.some(holdsTemplate);
}
