/**
 * The changes of a run as two small desired trees: `before` has the current state of the objects that its steps touch, `after` their
 * state after the run. An undo is planned with the normal planner: `before` is its desired tree, `after` its base. The trees contain
 * neither secrets nor values that the run does not change.
 *
 * Example: the run renames a team, deletes another one and creates a third.
 *   before   teams/a { id: t1, title: Red }   teams/b { id: t2, title: Blue, members: … }
 *   after    teams/a { id: t1, title: Pink }                                   teams/c { title: Gold }
 */
import { isKeyField } from '../../kinds/kind.ts';
import type { Field } from '../../kinds/parts/field.ts';
import { type Fields, mapOf, type Value } from '../../kinds/parts/payload.ts';
import { notKept } from '../../past/journal/entry.ts';
import type { Step } from '../../plan/plan.ts';
import { Addressing, inside, keyOf, type LivePlace } from '../../tree/addressing.ts';
import { type DesiredDraft, type DesiredNode, idIn, writesSecret } from '../../tree/desired.ts';
import { DesiredTree } from '../../tree/desired-tree.ts';
import { sameField } from '../../tree/difference.ts';
import type { LiveNode } from '../../tree/live.ts';
import { Names } from '../../tree/names.ts';
import type { OwnWork } from '../../tree/own-work.ts';
import { resolveField } from '../../tree/references.ts';
import { RefMap } from '../../tree/refs.ts';
import { defined } from '../../util/defined.ts';
import { sameJson } from '../../util/json.ts';
import { rememberedIn } from '../../util/remembered.ts';
import { holdsSecret, Secret } from '../../util/secret.ts';
import { startOf } from '../../yaml/problems.ts';
import { type BeforeApply, type ChangedObject, ChangedObjects } from './changed-objects.ts';

export interface UndoTrees {
  readonly label: string;
  readonly before: DesiredTree;
  /** New nodes are objects that the run creates or restores; created ones have no id yet. */
  readonly after: DesiredTree;
  /** The run may have created an object there without learning its id. */
  readonly inDoubt?: ReadonlySet<string>;
  /** Work of the run, to look up what it may have created. */
  readonly own?: OwnWork;
  /** Addresses and fields that the run changed, as `address field`; default: all in `after`. */
  readonly applied?: ReadonlySet<string>;
  /**
   * Set for a journal that others may have written: only objects that the service created since then, in milliseconds since 1970, may
   * be deleted.
   */
  readonly madeSince?: number;
}

export class UndoTreeBuilder {
  readonly #input: BeforeApply;
  readonly #declared: Addressing;
  /** Addresses of live objects before the apply. */
  readonly #places: Addressing;
  readonly #changed: ChangedObjects;
  readonly #former: FormerObjects;
  readonly #names: Names;
  readonly #before = new Map<string, DesiredDraft>();
  readonly #after = new Map<string, DesiredDraft>();
  /** Both nodes of a kept object must declare the same collections. */
  readonly #pairs = new Map<DesiredDraft, DesiredDraft>();

  constructor(input: BeforeApply) {
    const { registry, live, desired, plan } = input;
    const declared = new Addressing(registry, live).declare(desired, new Map(Object.entries(plan.ids)));
    this.#input = input;
    this.#declared = declared;
    this.#changed = new ChangedObjects(input, declared);
    this.#former = new FormerObjects(input, declared);
    this.#places = new Addressing(registry, live, this.#former.keys);
    this.#names = new Names({
      ...{ desired, live, registry },
      liveOf: (address) => declared.at(address),
      addressOf: (ref) => declared.addressOf(ref),
      idOf: (address) => declared.at(address)?.id ?? { $id: address },
    });
  }

  build(): UndoTrees {
    const { plan, desired } = this.#input;
    // Sort objects without a known position last.
    const rankOf = ({ live: { rank } }: ChangedObject) => rank ?? Number.MAX_SAFE_INTEGER;
    const ranked = this.#changed.all.toSorted((left, right) => rankOf(left) - rankOf(right));
    const indexes = new Map(ranked.map((changed, index) => [changed, index]));
    for (const changed of this.#changed.all) this.#addBefore(changed, indexes.get(changed));
    for (const { live } of this.#changed.all) this.#addAfter(live);
    for (const { phase, address } of plan.steps)
      if (phase === 'create' || phase === 'restore') this.#addMade(address);
    for (const step of plan.steps) this.#addUnknown(step);
    this.#declare();
    const { label, organizationId } = plan;
    const treeOf = (nodes: ReadonlyMap<string, DesiredDraft>) =>
      new DesiredTree({ label, id: organizationId, settings: settingsOf(desired), nodes });
    return { label, before: treeOf(this.#before), after: treeOf(this.#after) };
  }

  #addBefore(changed: ChangedObject, index: number | undefined): void {
    const { live, isWhole } = changed;
    const node = this.#newNode(live, this.#places.locate(live), index);
    node.fields = this.#priorFields(changed);
    if (isWhole) node.whole = true;
    this.#before.set(node.address, node);
  }

  /** By default without a position: that of an undeclared object after the run depends on moves around it. */
  #newNode(live: LiveNode, place: LivePlace, index = -1): DesiredDraft {
    const { kind } = live;
    const { idParam } = this.#input.registry.byName(kind).identity;
    const id = idParam === undefined || place.parent === undefined ? undefined : live.id;
    return this.#draft({ ...place, kind, index }, id);
  }

  #draft(at: LivePlace & Pick<DesiredNode, 'kind' | 'index'>, id: string | undefined): DesiredDraft {
    const { kind, address, key, parent, collection, index } = at;
    const place = { kind, address, key, ...defined({ parent }), collection, index, ...defined({ id }) };
    const { key: form } = this.#input.registry.byName(kind).manifest;
    return { ...place, ...plainNode, fields: form?.is === 'field' ? { [form.field]: key } : {} };
  }

  #priorFields({ live, isWhole, fields: changed }: ChangedObject): Fields {
    const kind = this.#input.registry.byName(live.kind);
    const values: Record<string, Value> = {};
    for (const [name, field] of Object.entries(kind.fields)) {
      if (!isKeyField(kind, name) && (field.change === 'create' || !(isWhole || changed.has(name)))) continue;
      const value = isWhole ? known(field, live.fields[name]) : prior(field, live.fields[name]);
      const kept = value === undefined ? undefined : this.#kept(live, name, field, value);
      const part = keysOf(kept, isWhole ? undefined : changed.get(name));
      if (part !== undefined) values[name] = part;
    }
    return values;
  }

  /** Uses an address if the object is restored under a new id, or if only an address contains the kind. */
  #kept(live: LiveNode, name: string, field: Field, value: Value): Value | undefined {
    const secret = this.#former.secretOf(live, name, field, value);
    if (secret !== undefined) return secret;
    if (field.type !== 'reference' || typeof value !== 'string' || field.literal?.(value) === true)
      return value;
    const target = field.kinds.flatMap((kind) => this.#input.live.get({ kind, id: value }) ?? [])[0];
    const changed = target && this.#changed.get(target);
    if (changed === undefined || (field.within !== 'descendants' && !changed.isWhole)) return { id: value };
    return this.#places.locate(changed.live).address;
  }

  #addAfter(live: LiveNode): DesiredDraft | undefined {
    const changed = this.#changed.get(live);
    if (changed?.isWhole === true) return undefined;
    const address = this.#declared.addressOf(live);
    const declared = address === undefined ? undefined : this.#input.desired.get(address);
    const node = declared === undefined ? this.#addUnlisted(live) : this.#addDeclared(declared);
    const before = changed && this.#before.get(this.#places.locate(live).address);
    if (changed === undefined || before === undefined) return node;
    this.#pairs.set(before, node);
    if (declared !== undefined) node.fields = { ...node.fields, ...this.#wanted(declared, changed) };
    return node;
  }

  #addUnlisted(live: LiveNode): DesiredDraft {
    const { live: tree } = this.#input;
    const isParentDeleted = this.#changed.get(live.container)?.isWhole === true;
    const above = isParentDeleted ? tree.get(live.scope) : tree.parentOf(live);
    const { address: parent } = (above && this.#addAfter(above)) ?? {};
    const own = this.#places.locate(live);
    const moved = parent === undefined ? {} : { address: inside(parent, own.collection, own.key), parent };
    return this.#insert(this.#newNode(live, { ...own, ...moved }));
  }

  #addDeclared(node: DesiredNode): DesiredDraft {
    const known = this.#after.get(node.address);
    if (known !== undefined) return known;
    const above = this.#input.desired.parentOf(node);
    if (above !== undefined) this.#addDeclared(above);
    const id = above && this.#input.plan.ids[node.address];
    return this.#insert(this.#draft(node, id));
  }

  /** Adds a new object with its children, but only the place of a restored one. */
  #addMade(address: string): void {
    const node = this.#input.desired.get(address);
    if (node === undefined) return;
    const draft = this.#addDeclared(node);
    draft.isNew = true;
    if (this.#declared.at(address) !== undefined) return;
    draft.fields = Object.fromEntries(
      Object.entries(node.fields).map(([name, value]) => [name, this.#reference(node, name, value)]),
    );
    for (const child of this.#input.desired.childrenOf(address))
      if (this.#declared.at(child.address) === undefined) this.#addMade(child.address);
  }

  /** Changes of objects in unknown places are at least reported. */
  #addUnknown({ kind, liveId, address, phase }: Step): void {
    const live = liveId === undefined ? undefined : this.#input.live.get({ kind, id: liveId });
    const node = this.#input.desired.get(address);
    if (live === undefined || node === undefined || phase === 'delete') return;
    if (this.#changed.get(live) === undefined) this.#addDeclared(node);
  }

  #wanted(node: DesiredNode, { fields: changed }: ChangedObject): Fields {
    const values: Record<string, Value> = {};
    const planned = this.#input.plan.steps.flatMap(({ address, fields }) =>
      address === node.address ? fields : [],
    );
    for (const [name, keys] of changed) {
      // The manifest has only a part of a list that only adds.
      const whole = planned.find(({ field, additive }) => field === name && additive === true)?.after;
      const value = whole === undefined ? node.fields[name] : (whole as Value);
      const part = value === undefined ? undefined : keysOf(this.#reference(node, name, value), keys);
      if (part !== undefined) values[name] = part;
    }
    return values;
  }

  #reference(node: DesiredNode, name: string, value: Value): Value {
    const field = this.#input.registry.byName(node.kind).fields[name];
    if (this.#former.wasSecret(node, name)) return new Secret(notKept, '');
    const people = field?.type === 'members' ? mapOf(value) : undefined;
    if (field?.type === 'members' && people !== undefined) return this.#byId(field.of, people);
    const target = resolveField(this.#input.desired, node, { field, value });
    if (target?.type !== 'node' || field?.type !== 'reference') return value;
    const named = this.#input.desired.get(target.address);
    const id = this.#declared.at(target.address)?.id;
    if (id !== undefined && field.within !== 'descendants') return { id };
    if (named !== undefined) this.#addDeclared(named);
    return target.address;
  }

  /** Uses the keys of live values. Objects that the run creates have no id yet, and keep their names. */
  #byId(of: string, value: Fields): Fields {
    if (this.#input.registry.byName(of).manifest.key !== undefined) return value;
    const entries = Object.entries(value).map(([key, inner]): readonly [string, Value] => {
      const id = this.#names.idOf(of, key) ?? key;
      const made = typeof id === 'string' ? undefined : this.#input.desired.get(id.$id);
      if (made !== undefined) this.#addDeclared(made);
      return [typeof id === 'string' ? id : key, inner];
    });
    return Object.fromEntries(entries);
  }

  #insert(node: DesiredDraft): DesiredDraft {
    return rememberedIn(this.#after, node.address, () => node);
  }

  /** Declares every collection that has contents in either tree, so that both trees read it. */
  #declare(): void {
    for (const nodes of [this.#before, this.#after]) {
      for (const { parent, collection } of nodes.values()) {
        const above = parent === undefined ? undefined : nodes.get(parent);
        if (above !== undefined) above.declares = [...new Set([...above.declares, collection])];
      }
    }
    for (const [before, after] of this.#pairs) {
      const both = [...new Set([...before.declares, ...after.declares])].sort();
      before.declares = both;
      after.declares = both;
    }
  }
}

const plainNode = {
  was: [],
  lifecycle: { ignore: [] },
  fields: {},
  declares: [],
  at: startOf(''),
  fieldAt: {},
} as const;

/** Objects that the run created may be deleted without limits. Keeps the identity of the token's owner. */
function settingsOf({ settings: { self } }: DesiredTree): DesiredTree['settings'] {
  return {
    prune: 'removed',
    pruneKinds: {},
    limits: { deletes: null, deletePercent: null, changes: null },
    protect: ['!**'],
    ...defined({ self }),
  };
}

/** A value of a deleted object that can be given to the object created in its place. */
function known(field: Field, value: Value | undefined): Value | undefined {
  if (value === null && field.nullable !== 'value') return undefined;
  // Defaults of new objects need not be sent, and some services refuse an empty text. An empty member list is sent, because another
  // object may take the place.
  const isDefault = field.absent !== undefined && sameJson(value, field.absent);
  return isDefault && field.type !== 'members' ? undefined : value;
}

/** Undefined if no request could restore the value. */
function prior(field: Field, value: Value | undefined): Value | undefined {
  const present = value ?? field.absent ?? null;
  return present === null && field.nullable === undefined ? undefined : present;
}

function keysOf(value: Value | undefined, keys: ReadonlySet<string> | undefined): Value | undefined {
  const all = mapOf(value);
  if (keys === undefined || all === undefined) return value;
  const entries = Object.entries(all).filter(([key]) => keys.has(key));
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

/** Live objects as the base, the manifests and the plan know them. */
class FormerObjects {
  /** Of declared objects, and of objects that the plan replaces or deletes. */
  readonly keys = new RefMap<string>();
  readonly #input: BeforeApply;
  readonly #declared: Addressing;
  /** Addresses of objects that the plan deletes or replaces. */
  readonly #deleted = new RefMap<string>();
  readonly #base = new RefMap<DesiredNode>();

  constructor(input: BeforeApply, declared: Addressing) {
    this.#input = input;
    this.#declared = declared;
    const { plan, base, desired, live, registry } = input;
    for (const node of base?.nodes.values() ?? []) {
      const id = node.parent === undefined ? live.organizationId : idIn(node);
      if (id === undefined) continue;
      this.#base.set({ kind: node.kind, id }, node);
      this.keys.set({ kind: node.kind, id }, node.key);
    }
    for (const { address, key } of desired.nodes.values()) {
      const object = declared.at(address);
      if (object !== undefined) this.keys.set(object, key);
    }
    for (const { phase, kind, liveId: id, address } of plan.steps) {
      if (phase !== 'delete' || id === undefined) continue;
      this.#deleted.set({ kind, id }, address);
      this.keys.set({ kind, id }, keyOf(address, registry.byName(kind)));
    }
  }

  /** True if a variable supplies the value now, which may be the same text. */
  wasSecret(node: DesiredNode, name: string): boolean {
    const live = this.#declared.at(node.address);
    const former = live && this.#base.get(live);
    return node.inputs?.[name] !== undefined && !writesSecret(node, name) && writesSecret(former, name);
  }

  /** The secret of a live value, as written in the base; `notKept` if only the value would reveal it. */
  secretOf(live: LiveNode, name: string, field: Field, value: Value): Value | undefined {
    const address = this.#declared.addressOf(live) ?? this.#deleted.get(live) ?? '';
    const [declared, base] = [this.#input.desired.get(address), this.#base.get(live)];
    if (!writesSecret(declared, name) && !writesSecret(base, name)) return undefined;
    const former = base?.fields[name];
    const isFormer = former !== undefined && holdsSecret(former) && sameField(field, former, value);
    return isFormer ? former : new Secret(notKept, '');
  }
}
