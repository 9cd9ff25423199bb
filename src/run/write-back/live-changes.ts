/** The live state of one organization as changes of its manifests: values, moves, orders, added and removed objects. */
import path from 'node:path';
import type { Field } from '../../kinds/field.ts';
import { mapOf, type Value } from '../../kinds/payload.ts';
import type { Registry } from '../../kinds/registry.ts';
import { addKey, newKey } from '../../manifest/files/paths.ts';
import type { Step } from '../../plan/plan.ts';
import { mayHaveDrifted } from '../../plan/plan.ts';
import { isAdditive } from '../../tree/additive.ts';
import { covers, inside } from '../../tree/addressing.ts';
import { type DesiredNode, rootAddress } from '../../tree/desired.ts';
import { differingFields } from '../../tree/difference.ts';
import { referencesOf } from '../../tree/references.ts';
import { sameJson } from '../../util/json.ts';
import { placeAlone } from '../../util/places.ts';
import { type Data, isDataMap, literal } from '../../yaml/data.ts';
import {
  type AcceptedChange,
  type AcceptedOrganization,
  AcceptedTree,
  type AcceptScope,
  type AddedObject,
  additionsOf,
  hasDrifted,
  type RefusedChange,
} from './accepted-tree.ts';
import { entryPlaces, hasTemplate, plain, plainValue, withKeptItems } from './field-values.ts';
import {
  asOverride,
  fieldKeys,
  isOfOtherType,
  isTemplateMade,
  type OverrideValue,
  overrideOf,
} from './overrides.ts';
import {
  isNotPossible,
  type ManifestPlace,
  madeByTemplate,
  type NotPossible,
  type WantedManifests,
} from './wanted.ts';

interface Gathering {
  readonly wanted: WantedManifests<AcceptedChange>;
  readonly registry: Registry;
  readonly scope: AcceptScope;
}

export class LiveChanges {
  readonly #organization: AcceptedOrganization;
  readonly #gathering: Gathering;
  readonly #tree: AcceptedTree;
  readonly #refused: RefusedChange[] = [];

  constructor(organization: AcceptedOrganization, gathering: Gathering) {
    this.#organization = organization;
    this.#gathering = gathering;
    const additions = additionsOf(organization, gathering.registry, gathering.scope);
    this.#tree = new AcceptedTree(organization, gathering.registry, additions);
  }

  /** Returns the changes that cannot be projected. */
  project(): readonly RefusedChange[] {
    const { tree: declared, plan } = this.#organization;
    const { scope } = this.#gathering;
    const own = plan.steps.filter(
      (step) => hasDrifted(this.#organization, step) && scope.isChosen(declared, step.address),
    );
    const nodesOf = (steps: readonly Step[]) => [
      ...new Set(steps.flatMap(({ address }) => declared.get(address) ?? [])),
    ];
    const absent = nodesOf(
      own.filter(({ action, phase }) => (action === 'create' && phase === 'create') || action === 'restore'),
    );
    for (const step of own) if (!absent.some(({ address }) => address === step.address)) this.#fields(step);
    // Moves of objects that also change are part of their updates.
    const placed = nodesOf(
      own.filter(
        ({ action, phase }) => /^(?:update|move)$/.test(action) && /^(?:detach|attach|move)$/.test(phase),
      ),
    );
    const moved = new Map<string, AcceptedChange>();
    for (const node of placed.filter((one) => this.#isElsewhere(one))) {
      const change = this.#move(node);
      if (change !== undefined) moved.set(node.address, change);
    }
    const gone = [...(this.#organization.gone ?? [])].filter((address) => scope.isChosen(declared, address));
    const missing = new Set([...absent, ...gone.flatMap((address) => declared.get(address) ?? [])]);
    this.#remove([...missing], moved);
    this.#addObjects();
    const ordered = new Set<string>();
    for (const node of placed) this.#order(node, ordered);
    return this.#refused;
  }

  #refuse(change: AcceptedChange | RefusedChange, reason: string, help?: string): undefined {
    this.#refused.push({ ...change, reason, help });
    return undefined;
  }

  #changeOf(node: DesiredNode, what: string): AcceptedChange {
    return { label: this.#organization.tree.label, address: node.address, what, at: node.at };
  }

  #place(
    change: AcceptedChange,
    found: ManifestPlace | NotPossible,
    help?: string,
  ): ManifestPlace | undefined {
    return isNotPossible(found) ? this.#refuse(change, found.reason, help) : found;
  }

  #fields(step: Step): void {
    const { action, phase, address, fields } = step;
    const node = this.#organization.tree.get(address);
    if (node === undefined) return;
    const { withBase } = this.#organization.plan;
    if (phase === 'update' && action !== 'replace' && action !== 'create')
      for (const one of fields) if (!withBase || mayHaveDrifted(one)) this.#field(node, one.field);
    if (phase === 'create' && action === 'replace')
      for (const name of this.#replacedFields(node)) this.#field(node, name);
  }

  /** All fields that differ: a kept object would be updated unless each is accepted. */
  #replacedFields(node: DesiredNode): readonly string[] {
    const kind = this.#tree.kindOf(node);
    const isReplacing = (name: string) => kind.fields[name]?.change === 'replace';
    const differing = differingFields(kind, node, this.#tree.liveOf(node.address));
    const names = new Set(differing.map(({ field = '' }) => field));
    return Object.keys(node.fields).filter((name) => isReplacing(name) || names.has(name));
  }

  #field(node: DesiredNode, name: string): void {
    const kind = this.#tree.kindOf(node);
    const field = kind.fields[name];
    const at = node.fieldAt[name];
    if (field === undefined || at === undefined) return;
    const change = { ...this.#changeOf(node, name), at };
    if (kind.manifest.key?.is === 'field' && kind.manifest.key.field === name) {
      this.#refuse(change, 'it is the key of the object', 'rename the key by hand');
      return;
    }
    const live = this.#tree.liveValue(node, name);
    if ('reason' in live) {
      this.#refuse(change, `its live value cannot be written: ${live.reason}`);
      return;
    }
    const declared = node.fields[name];
    const isKeyed = field.type === 'map' || field.type === 'members';
    const place = () => this.#fieldPlace(node, name, change);
    const entries = isKeyed ? mapOf(declared) : undefined;
    if (isDataMap(live.value) && entries !== undefined)
      this.#entries({ node, name, field, declared: entries, change }, live.value);
    else if (at.usedAt !== undefined || isOfOtherType(this.#gathering.wanted, at, live.value))
      this.#overrideField({ node, name, field, declared, change }, live.value);
    else this.#value({ node, name, field, declared, change }, live.value, place());
  }

  /** The template is not changed, because other objects use it. */
  #overrideField({ node, name, declared, change }: FieldToAccept, live: Data | undefined): void {
    const input = node.inputs?.[name];
    if (input !== undefined) {
      this.#refuseTemplate(change, input);
      return;
    }
    const gone = isDataMap(live) ? Object.keys(mapOf(declared) ?? {}) : [];
    const own = asOverride(live);
    const removed = gone
      .filter((key) => !isDataMap(live) || !live.has(key))
      .map((key) => [key, null] as const);
    const value = isDataMap(own) ? new Map([...own, ...removed]) : own;
    this.#override(node, change, { keys: fieldKeys(node, name, this.#tree.kindOf(node)), value });
  }

  #override(node: DesiredNode, change: AcceptedChange, { keys, value }: OverrideValue): void {
    const { wanted } = this.#gathering;
    const { at } = change;
    const found = overrideOf(wanted, this.#organization.tree, { node, at });
    if (isNotPossible(found)) {
      this.#refuse(change, found.reason, 'override it by hand where the template is used');
      return;
    }
    const own = { ...change, at: placeAlone(at.usedAt ?? at) };
    wanted.set({ ...found, path: [...found.path, ...keys] }, value, own);
  }

  #value(
    { field, declared, change }: FieldToAccept,
    live: Data | undefined,
    place: ManifestPlace | undefined,
  ): void {
    const { wanted } = this.#gathering;
    if (place === undefined) return;
    const written = wanted.writtenAt(place);
    if (typeof written === 'string' && hasTemplate(written)) {
      // Rewrite a text file that is the whole value.
      const file = /^\$\{file:([^{}]*)\}$/.exec(written)?.[1];
      if (file !== undefined && typeof live === 'string' && typeof declared === 'string') {
        const name = path.posix.normalize(path.posix.join(path.posix.dirname(place.file), file));
        wanted.setText(name, live, change);
      } else this.#refuseTemplate(change, written);
      return;
    }
    const value = live === undefined ? undefined : withKeptItems(field, declared, live, written);
    if (live === undefined) wanted.remove(place, change);
    else if (value === undefined) this.#refuseTemplate(change, 'parts of it are filled in');
    else wanted.set(place, value, change);
  }

  /** Compares entries one by one, since each may be in another file. If a mapping is not exact, only declared entries count. */
  #entries({ node, name, field, declared, change }: KeyedField, live: ReadonlyMap<string, Data>): void {
    const { wanted } = this.#gathering;
    const places = entryPlaces(node, name);
    for (const [key, own] of Object.entries(declared)) {
      const value = live.get(key);
      if (value !== undefined && sameJson(plain(value), plainValue(own))) continue;
      const at = places.get(key) ?? change.at;
      // An input that is shared with other parts of the template is not changed for one of them.
      const isShared = change.at.template !== undefined && change.at.usedAt !== undefined;
      const one = { ...change, what: `${change.what}.${key}`, at: isShared ? change.at : at };
      if (one.at.usedAt !== undefined) {
        const keys = [...fieldKeys(node, name, this.#tree.kindOf(node)), key];
        this.#override(node, one, { keys, value: asOverride(value) });
        continue;
      }
      const place = this.#place(one, wanted.placeOf(one.at), 'change that file by hand');
      if (place === undefined) continue;
      const written = wanted.writtenAt(place);
      if (typeof written === 'string' && hasTemplate(written)) this.#refuseTemplate(one, written);
      else if (value === undefined) wanted.remove(place, one);
      else wanted.set(place, literal(value), one);
    }
    if (field.type === 'map') return;
    const added = [...live].filter(([key]) => !Object.hasOwn(declared, key));
    if (change.at.usedAt !== undefined) {
      for (const [key, value] of added)
        this.#override(
          node,
          { ...change, what: `${change.what}.${key}` },
          { keys: [...fieldKeys(node, name, this.#tree.kindOf(node)), key], value: asOverride(value) },
        );
      return;
    }
    const place = added.length === 0 ? undefined : this.#fieldPlace(node, name, change);
    if (place === undefined) return;
    const all = { ...change, what: added.map(([key]) => `${change.what}.${key}`).join(', ') };
    for (const [key, value] of added)
      wanted.set({ ...place, path: [...place.path, key] }, literal(value), all);
  }

  #refuseTemplate(change: AcceptedChange, written: string): void {
    const [part = '', scheme] =
      /\$\{(env|secret|file|json|yaml):[^{}:]*/.exec(written.replaceAll('$${', '')) ?? [];
    const helps: Readonly<Record<string, string>> = {
      env: 'change the variable where the manifests are applied, or write the value itself',
      secret: 'change the secret where the manifests are applied; live values of secrets are never written',
      file: 'change the included file by hand, or write the value itself',
      json: 'change the included file by hand',
      yaml: 'change the included file by hand',
    };
    const reason =
      scheme === undefined ? 'a part of its value is filled in' : `its value comes from ${part}}`;
    this.#refuse(change, reason, helps[scheme ?? 'file']);
  }

  /**
   * A block mapping begins at its first key, and a value written as a mapping of one entry has the place of that entry: the
   * field is its parent.
   */
  #fieldPlace(node: DesiredNode, field: string, change: AcceptedChange): ManifestPlace | undefined {
    const found = this.#place(change, this.#gathering.wanted.placeOf(change.at), 'change that file by hand');
    const own = this.#tree.kindOf(node).manifest.whole === field ? node.key : field;
    const name = isAdditive(node, field) ? addKey : own.split('.').at(-1);
    const isInner = found?.path.at(-1) !== name && found?.path.at(-2) === name;
    return found !== undefined && isInner ? { ...found, path: found.path.slice(0, -1) } : found;
  }

  #isElsewhere(node: DesiredNode): boolean {
    const live = this.#tree.liveOf(node.address);
    const parent = node.parent === undefined ? undefined : this.#tree.liveOf(node.parent);
    if (live === undefined) return false;
    return parent === undefined || live.container.id !== parent.id || live.container.kind !== parent.kind;
  }

  #move(node: DesiredNode): AcceptedChange | undefined {
    const { wanted } = this.#gathering;
    const live = this.#tree.liveOf(node.address);
    const to = live === undefined ? undefined : this.#tree.addressOf(live.container);
    const place = this.#tree
      .kindOf(node)
      .manifest.places.find(({ parent }) => parent === live?.container.kind);
    const change = {
      ...this.#changeOf(node, `moved to ${to ?? 'another parent'}`),
      now: inside(to ?? rootAddress, place?.key ?? node.collection, node.key),
    };
    const into = to === undefined || place === undefined ? undefined : this.#placeInside(to, place.key);
    if (to === undefined || place === undefined || into === undefined)
      return this.#refuse(
        change,
        'it was moved into an object that no manifest declares',
        'declare its new parent first, or accept the parent as well',
      );
    const from = this.#place(change, wanted.placeOf(node.at));
    if (typeof from?.path.at(-1) === 'number')
      return this.#refuse(change, 'a record makes it', 'move the record by hand');
    const target = from === undefined ? undefined : this.#place(change, into);
    if (from === undefined || target === undefined) return undefined;
    if (from.file !== target.file || from.document !== target.document)
      return this.#refuse(change, `its new parent is in ${target.file}`, 'move the entry there by hand');
    const order = { among: this.#tree.orderIn(to, place.key), siblings: this.#tree.keysOf(to) };
    wanted.move(from, target, change, order);
    return change;
  }

  #remove(missing: readonly DesiredNode[], moved: ReadonlyMap<string, AcceptedChange>): void {
    const { wanted, scope, registry } = this.#gathering;
    const { tree: declared, plan } = this.#organization;
    const isGone = covers(missing.map(({ address }) => address));
    const isMoved = covers(moved.keys());
    const outermost = missing.filter(({ parent }) => parent === undefined || !isGone(parent));
    // These references change in the same edit, so they do not prevent a removal.
    const rewritten = new Set(
      plan.steps
        .filter((step) => scope.isChosen(declared, step.address))
        .flatMap(({ address, fields }) => fields.map(({ field }) => `${address} ${field}`)),
    );
    for (const node of outermost) {
      const change = this.#changeOf(node, 'removed: not live any more');
      const within = [node.address, ...declared.inside(node.address).map(({ address }) => address)];
      const elsewhere = within.find((one) => this.#tree.liveOf(one) !== undefined && !isMoved(one));
      if (!plan.withBase && scope.missing === 'report') {
        const reason = 'without a base, it may simply not be applied yet';
        this.#refuse({ ...change, what: 'not live' }, reason, 'pass --base, or remove the entry by hand');
        continue;
      }
      const still = { ...change, what: 'not live any more' };
      if (elsewhere !== undefined && scope.missing === 'report') {
        const help = 'move its entry to where it is live, then accept again';
        this.#refuse(still, `${elsewhere} inside it is live`, help);
        continue;
      }
      const referrer = [...declared.nodes.values()]
        .filter((one) => !isGone(one.address))
        .flatMap((one) => referencesOf(declared, one, registry))
        .filter(({ node: by, field }) => !rewritten.has(`${by.address} ${field}`))
        .find(({ target }) => target.type === 'node' && within.includes(target.address));
      if (referrer !== undefined) {
        const { node: by, field } = referrer;
        const at = by.fieldAt[field] ?? by.at;
        const reason = `${by.address} still refers to it (${field})`;
        this.#refuse({ ...still, at }, reason, 'remove the reference, then accept again');
        continue;
      }
      if (node.at.usedAt !== undefined) {
        this.#override(node, change, { keys: [], value: null });
        continue;
      }
      const place = this.#place(change, wanted.placeOf(node.at));
      if (place === undefined) continue;
      const inside = within.flatMap((address) => moved.get(address) ?? []);
      wanted.remove(place, change, () => {
        const [stuck] = inside.flatMap((one) => wanted.whyRefused(one) ?? []);
        return stuck && `what is inside cannot be moved: ${stuck}`;
      });
    }
  }

  #addObjects(): void {
    const { tree: declared } = this.#organization;
    for (const added of this.#tree.added) {
      const holder = declared.get(added.parent);
      if (holder !== undefined) this.#addObject(added, holder);
    }
    for (const { node, reason } of this.#tree.unnamed) {
      const { noun } = this.#tree.kindOf(node);
      this.#refused.push({ label: declared.label, address: node.id, what: noun, reason });
    }
  }

  #addObject(added: AddedObject, holder: DesiredNode): void {
    const { wanted } = this.#gathering;
    const { node, address, key, parent, collection, isSingle } = added;
    const data = this.#tree.dataOf(node);
    const { noun, display } = this.#tree.kindOf(node);
    const risk = display.givesAccess?.(node.fields)?.risk;
    const change = {
      ...this.#changeOf(holder, `added: ${noun} ${node.id}`),
      address,
      ...(risk === undefined ? {} : { risks: [risk] }),
    };
    const isMade = isTemplateMade(holder);
    const before = this.#organization.tree.get(address);
    if (before !== undefined && isTemplateMade(before)) {
      this.#refuse(change, `there is an entry ${key} already`, 'accept its removal first');
      return;
    }
    const place = isMade ? undefined : this.#place(change, this.#placeOfCollection(holder, collection));
    if (place === undefined && !isMade) return;
    if (data === undefined) {
      this.#refuse(change, 'manifests cannot hold it');
      return;
    }
    const asNew = isDataMap(data) && !isSingle ? new Map<string, Data>([[newKey, true], ...data]) : data;
    if (place === undefined) {
      const keys = isSingle ? [collection] : [collection, key];
      this.#override(holder, change, { keys, value: asOverride(asNew) });
      return;
    }
    const at = { ...holder.at, file: place.file };
    const siblings = this.#tree.keysOf(parent);
    const order = isSingle
      ? { among: siblings }
      : { among: this.#tree.orderIn(parent, collection), siblings };
    const own = isSingle ? place : { ...place, path: [...place.path, key] };
    const entry = wanted.isOverlay(place.file) || wanted.isOverride(own) ? asNew : data;
    wanted.set(own, literal(entry), { ...change, at }, { ...order, isNew: true });
  }

  #order(node: DesiredNode, ordered: Set<string>): void {
    const { wanted } = this.#gathering;
    const live = this.#tree.liveOf(node.address);
    const parent = live === undefined ? undefined : this.#tree.addressOf(live.container);
    const place = this.#tree.kindOf(node).manifest.places.find((one) => one.parent === live?.container.kind);
    if (parent === undefined || place === undefined || ordered.has(inside(parent, place.key))) return;
    ordered.add(inside(parent, place.key));
    const keys = this.#tree.orderIn(parent, place.key);
    if (keys === undefined) return;
    const { tree: declared } = this.#organization;
    const change = { ...this.#changeOf(node, `order of ${place.key}`), address: parent };
    const nodes = declared.childrenOf(parent, place.key);
    const siblings = nodes.map((one) => wanted.placeOf(one.at));
    const isRecord = (one: ManifestPlace | NotPossible) =>
      !isNotPossible(one) && typeof one.path.at(-1) === 'number';
    if (nodes.some(({ at }) => at.usedAt !== undefined) || siblings.some(isRecord)) {
      this.#refuse(change, madeByTemplate, 'order the entries of the template, or the records, by hand');
      return;
    }
    const holders = siblings.map((one) => (isNotPossible(one) ? one.reason : holderOf(one)));
    if (new Set(holders).size > 1) {
      this.#refuse(change, 'its entries are written in several places', 'order them by hand');
      return;
    }
    const own = this.#placeInside(parent, place.key);
    if (own !== undefined && !isNotPossible(own)) wanted.order(own, keys, change);
  }

  #placeInside(address: string, collection: string): ManifestPlace | NotPossible | undefined {
    const declared = this.#organization.tree.get(address);
    if (declared !== undefined) return this.#placeOfCollection(declared, collection);
    const added = this.#tree.added.find((one) => covers([one.address])(address));
    const holder = added === undefined ? undefined : this.#organization.tree.get(added.parent);
    if (added === undefined || holder === undefined) return undefined;
    const place = this.#placeOfCollection(holder, added.collection);
    if (isNotPossible(place)) return place;
    const within = address === added.address ? [] : address.slice(added.address.length + 1).split('/');
    return { ...place, path: [...place.path, added.key, ...within, collection] };
  }

  /** Prefers the other entries of the collection outside of overlays, else the object itself. */
  #placeOfCollection(holder: DesiredNode, collection: string): ManifestPlace | NotPossible {
    const { wanted } = this.#gathering;
    const siblings = this.#organization.tree.childrenOf(holder.address, collection);
    const inOverlays = siblings.filter(({ at }) => wanted.isOverlay(at.file));
    const others = siblings.filter((one) => !inOverlays.includes(one));
    for (const sibling of [...inOverlays, ...others].reverse()) {
      const place = wanted.placeOf(sibling.at);
      const isEntry = !isNotPossible(place) && typeof place.path.at(-1) !== 'number';
      if (isEntry && sibling.key !== collection) return { ...place, path: place.path.slice(0, -1) };
    }
    const own = wanted.placeOf(holder.at);
    if (isNotPossible(own)) return own;
    // The organization is written next to its collections; other objects contain theirs.
    return { ...own, path: holder.address === rootAddress ? [collection] : [...own.path, collection] };
  }
}

interface FieldToAccept {
  readonly node: DesiredNode;
  readonly name: string;
  readonly field: Field;
  readonly declared: Value | undefined;
  readonly change: AcceptedChange;
}

type KeyedField = FieldToAccept & { readonly declared: Readonly<Record<string, Value>> };

function holderOf({ file, document, path: own }: ManifestPlace): string {
  return JSON.stringify([file, document, own.slice(0, -1)]);
}
