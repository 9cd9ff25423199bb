/**
 * The trees of a plan and their matching. Answers the questions of all stages: an address's id, a field's value in a
 * request, and whether an object is new or replaced.
 */
import type { CallContext, Kind } from '../kinds/kind.ts';
import type { Field } from '../kinds/parts/field.ts';
import { type Id, mapOf, type Payload, type Value } from '../kinds/parts/payload.ts';
import type { Registry } from '../kinds/registry.ts';
import { isAdditive } from '../tree/additive.ts';
import { type DesiredNode, rootAddress } from '../tree/desired.ts';
import type { DesiredTree } from '../tree/desired-tree.ts';
import { sameField } from '../tree/difference.ts';
import type { LiveNode, LiveTree } from '../tree/live.ts';
import { type MadeWith, madeWithIn } from '../tree/made-with.ts';
import { Names } from '../tree/names.ts';
import type { OwnObjects } from '../tree/own-work.ts';
import { resolveField } from '../tree/references.ts';
import { type ObjectRef, RefMap } from '../tree/refs.ts';
import { defined } from '../util/defined.ts';
import { push } from '../util/group.ts';
import { remembered } from '../util/remembered.ts';
import { type Base, formerAddresses, type Matching, unseenId } from './matching.ts';
import type { AsStored, Past, WasApplied } from './past.ts';
import type { Step } from './plan.ts';

type Known = Pick<
  PlanContext,
  | 'desired'
  | 'declared'
  | 'live'
  | 'registry'
  | 'matching'
  | 'base'
  | 'past'
  | 'pastIds'
  | 'own'
  | 'unexplained'
>;

export class PlanContext {
  readonly desired: DesiredTree;
  /** The tree before additive lists were merged with the live ones. */
  readonly declared: DesiredTree;
  readonly live: LiveTree;
  readonly registry: Registry;
  readonly matching: Matching;
  readonly base: Base | undefined;
  /** Cause of differences without a known cause, for a drift report without a base. */
  readonly unexplained: 'drift' | undefined;
  readonly past: Past;
  /** From the record, and from work since, which has precedence. */
  readonly pastIds: ReadonlyMap<string, string>;
  /** Only from the record. */
  readonly recordedIds: ReadonlyMap<string, string>;
  readonly own: OwnObjects;
  readonly #toCreate = new Set<string>();
  readonly toCreate: ReadonlySet<string> = this.#toCreate;
  readonly #replaced = new Map<string, LiveNode>();
  readonly replaced: ReadonlyMap<string, LiveNode> = this.#replaced;
  /** Live objects whose successor an unfinished run created, by the address of the successor. */
  readonly superseded: ReadonlyMap<string, readonly LiveNode[]>;
  readonly #successors = new RefMap<string>();
  /** Known objects that no response contains but that may exist, with their ids if known. */
  readonly unseen: ReadonlyMap<string, string | undefined>;
  readonly wasApplied: WasApplied;
  readonly asStored: AsStored;
  readonly names: Names;
  #madeAlong: readonly MadeWith[] | undefined;

  constructor(known: Known) {
    const { desired, live, registry, matching, past } = known;
    this.desired = desired;
    this.declared = known.declared;
    this.live = live;
    this.registry = registry;
    this.matching = matching;
    this.base = known.base;
    this.unexplained = known.unexplained;
    this.past = past;
    this.pastIds = known.pastIds;
    this.recordedIds = past.ids ?? new Map();
    this.own = known.own;
    this.wasApplied = past.wasApplied ?? (() => undefined);
    this.asStored = past.asStored ?? ((_one, wanted) => wanted);
    for (const { address } of desired.nodes.values()) {
      if (address !== rootAddress && matching.liveOf(address) === undefined) this.#toCreate.add(address);
    }
    this.names = new Names({
      ...{ desired, live, registry },
      liveOf: (address) => this.liveOf(address),
      addressOf: (ref) => matching.addressOf(ref),
      idOf: (address) => this.idOf(address),
    });
    this.unseen = this.#findUnseen();
    this.superseded = this.#findSuperseded();
    this.#findReplaced();
  }

  kindOf(node: { readonly kind: string }): Kind {
    return this.registry.byName(node.kind);
  }

  liveOf(address: string): LiveNode | undefined {
    return this.#toCreate.has(address) ? undefined : this.matching.liveOf(address);
  }

  baseOf(desired: DesiredNode): DesiredNode | undefined {
    if (this.base === undefined) return undefined;
    const live = this.matching.liveOf(desired.address);
    const address = (live && this.base.matching.addressOf(live)) ?? desired.address;
    const node = this.base.tree.get(address);
    // Another entry may have the object that the key had.
    const former = live === undefined ? this.base.matching.liveOf(address) : undefined;
    const isOfOther = former !== undefined && this.matching.addressOf(former) !== undefined;
    return node?.kind === desired.kind && !isOfOther ? node : undefined;
  }

  liveOfStep({ kind, liveId = '' }: Pick<Step, 'kind'> & { readonly liveId?: string | undefined }) {
    return this.live.get({ kind, id: liveId });
  }

  desiredOf(ref: ObjectRef): DesiredNode | undefined {
    return this.desired.get(this.matching.addressOf(ref) ?? '');
  }

  baseNodeOf(ref: ObjectRef): DesiredNode | undefined {
    return this.base?.tree.get(this.base.matching.addressOf(ref) ?? '');
  }

  /** The declared elements of an additive list; for other fields, the desired value. */
  declaredValue({ address, fields }: DesiredNode, name: string): Value | undefined {
    const declared = this.declared.get(address);
    return isAdditive(declared, name) ? declared?.fields[name] : fields[name];
  }

  /** True if the address has a known object, which no longer exists, and which no run deleted. */
  isGone(desired: DesiredNode): boolean {
    const ref = { kind: desired.kind, id: this.pastIds.get(desired.address) ?? '' };
    if (ref.id === '' || this.live.has(ref) || this.live.mayHide(ref)) return false;
    return !this.isDeletedByRun(desired);
  }

  /** True if an unfinished run deleted the object, or one that contained it. */
  isDeletedByRun(desired: DesiredNode): boolean {
    if (this.own.work.objects.length === 0) return false;
    return [desired, ...this.desired.ancestorsOf(desired)].some((node) =>
      [node.address, ...formerAddresses(node, this.desired)].some((address) => {
        const id = this.recordedIds.get(address);
        if (id !== undefined) return this.own.sent({ kind: node.kind, id }, '#delete');
        return this.own.deletedAt(node.kind, address);
      }),
    );
  }

  /** True if the object, or one that contains it, is the successor of a replaced one. */
  isSuccessor(desired: DesiredNode): boolean {
    if (this.superseded.size === 0) return false;
    return [desired, ...this.desired.ancestorsOf(desired)].some(({ address }) =>
      this.superseded.has(address),
    );
  }

  /** Address of the object that replaces this one; undefined if it is not replaced. */
  successorOf(live: LiveNode): string | undefined {
    return this.#successors.get(live);
  }

  isReplaced(ref: ObjectRef): boolean {
    return this.replaced.has(this.matching.addressOf(ref) ?? '');
  }

  /** True for objects that the manifests list only to release them from management, and for their descendants. */
  isReleased(address: string): boolean {
    for (let node = this.desired.get(address); node !== undefined; node = this.desired.parentOf(node))
      if (node.lifecycle.release === true) return true;
    return false;
  }

  idOf(address: string): Id {
    return this.liveOf(address)?.id ?? this.unseen.get(address) ?? { $id: address };
  }

  showId(kinds: readonly string[], id: string): Payload {
    for (const kind of kinds) {
      const address = this.matching.addressOf({ kind, id });
      if (address !== undefined && !this.#toCreate.has(address)) return { $id: address };
    }
    return id;
  }

  /** Desired values in request form: references are ids. */
  payloadOf(desired: DesiredNode): Readonly<Record<string, Payload>> {
    const { fields } = this.kindOf(desired);
    return Object.fromEntries(
      Object.entries(desired.fields).map(([name, value]) => [
        name,
        this.#payload(desired, fields[name], value),
      ]),
    );
  }

  targetOf(desired: DesiredNode, name: string): string | undefined {
    const field = this.kindOf(desired).fields[name];
    const target = resolveField(this.desired, desired, { field, value: desired.fields[name] });
    return target?.type === 'node' ? target.address : undefined;
  }

  /** A field in the manifests, in the base and live, all expressed with current ids and names. */
  threeWay(desired: DesiredNode, name: string) {
    const [field, base] = [this.kindOf(desired).fields[name], this.baseOf(desired)];
    const [declared, was] = [this.declaredValue(desired, name), base?.fields[name]];
    const live = this.liveOf(desired.address);
    const isKnown = this.base !== undefined && base !== undefined && was !== undefined;
    const former = isKnown ? resolveField(this.base.tree, base, { field, value: was }) : undefined;
    const formerTarget = former?.type === 'node' ? former.address : undefined;
    const formerId = formerTarget && (this.base?.matching.liveOf(formerTarget)?.id ?? { $id: formerTarget });
    const applied = former?.type === 'id' ? former.id : formerId;
    return {
      /** Address of the object that the field names. */
      target: this.targetOf(desired, name),
      formerTarget,
      /** The declared elements, for a list that the manifests only add to. */
      declared: declared === undefined ? undefined : this.#payload(desired, field, declared),
      applied: isKnown ? (applied ?? this.names.renamed(field, was, this.base)) : undefined,
      stored: live?.fields[name] === undefined ? undefined : this.storedField(live, name),
    };
  }

  storedField(live: LiveNode, name: string): Value | undefined {
    const field = this.kindOf(live).fields[name];
    return this.names.named(field, live.fields[name] ?? field?.absent);
  }

  /** The live value for comparison: values keyed by a replaced object are lost. */
  liveField(live: LiveNode, name: string): Value | undefined {
    const field = this.kindOf(live).fields[name];
    const seen = this.storedField(live, name);
    const unseen = this.unseenEntries(live, name).filter(({ isDeclared }) => isDeclared);
    const presumed = Object.fromEntries(unseen.map(({ key, value }) => [key, value]));
    const value = unseen.length === 0 ? seen : { ...presumed, ...mapOf(seen) };
    const keysOf = keyKindOf(field);
    const entries = mapOf(value);
    if (keysOf === undefined || entries === undefined || this.#replaced.size === 0) return value;
    const isGone = (id: string) => this.isReplaced({ kind: keysOf, id });
    return Object.fromEntries(Object.entries(entries).filter(([key]) => !isGone(key)));
  }

  /** Base entries of a list of people or teams that may only be invisible to the token. */
  unseenEntries(live: LiveNode, name: string) {
    const field = this.kindOf(live).fields[name];
    const base = this.base;
    if (this.live.seesAll || base === undefined || field?.type !== 'members') return [];
    const was = this.baseNodeOf(live)?.fields[name];
    const own = this.desiredOf(live)?.fields[name];
    const [seen, declared, former] = [
      this.storedField(live, name),
      this.names.renamed(field, own ?? null),
      this.names.renamed(field, was ?? null, base),
    ].map((value) => mapOf(value));
    if (seen === undefined || declared === undefined || former === undefined) return [];
    return Object.entries(former)
      .filter(([key]) => !Object.hasOwn(seen, key))
      .map(([key, value]) => ({ key, value, isDeclared: Object.hasOwn(declared, key) }));
  }

  /** `names`: defaults to all fields. */
  liveFields(
    live: LiveNode,
    names: readonly string[] = Object.keys(this.kindOf(live).fields),
  ): Readonly<Record<string, Payload>> {
    const fields: Record<string, Payload> = {};
    for (const name of names) {
      const value = this.liveField(live, name);
      if (value !== undefined) fields[name] = value;
    }
    return fields;
  }

  callContext(desired: DesiredNode, before: Readonly<Record<string, Payload>> = {}): CallContext {
    return {
      address: desired.address,
      key: desired.key,
      id: this.idOf(desired.address),
      params: this.#params(desired),
      fields: this.payloadOf(desired),
      before,
      container: this.containerOf(desired),
      children: (key) =>
        this.desired.childrenOf(desired.address, key).map((child) => ({
          kind: child.kind,
          address: child.address,
          id: this.idOf(child.address),
          fields: this.payloadOf(child),
        })),
      targetKind: (name) => this.desired.get(this.targetOf(desired, name) ?? '')?.kind,
      resolve: (kind, key) => this.names.idOf(kind, key),
      ...defined({ makes: this.madeAlong.find(({ container }) => container === desired)?.value }),
    };
  }

  /** Objects that new containers create along with themselves. */
  get madeAlong(): readonly MadeWith[] {
    this.#madeAlong ??= madeWithIn(this.desired, this.registry).filter(
      ({ node, container }) =>
        this.toCreate.has(container.address) && this.liveOf(node.address) === undefined,
    );
    return this.#madeAlong;
  }

  callContextOfLive(live: LiveNode, address: string): CallContext {
    return {
      address,
      key: live.id,
      id: live.id,
      params: live.params,
      fields: {},
      before: {},
      container: live.container,
      children: () => [],
      targetKind: () => undefined,
      resolve: (kind, key) => this.names.idOf(kind, key),
    };
  }

  changesContainer(desired: DesiredNode): boolean {
    const { attach, detach } = this.kindOf(desired).calls;
    const live = this.liveOf(desired.address);
    if (live === undefined || (attach === undefined && detach === undefined)) return false;
    const { kind, id } = this.containerOf(desired);
    return kind !== live.container.kind || id !== live.container.id;
  }

  containerOf(desired: DesiredNode): { readonly kind: string; readonly id: Id } {
    const parent = this.desired.parentOf(desired);
    if (parent === undefined) return { kind: desired.kind, id: this.live.organizationId };
    return { kind: parent.kind, id: this.idOf(parent.address) };
  }

  /** Immutable fields that differ, which force a replacement. */
  replacingFields(desired: DesiredNode, live: LiveNode): readonly string[] {
    const kind = this.kindOf(desired);
    if (!mayBeReplaced(kind)) return [];
    const { fields } = kind;
    return Object.keys(desired.fields).filter(
      (name) => fields[name]?.change === 'replace' && this.differs(desired, live, name),
    );
  }

  /** False for a field that the manifests do not declare, or ignore. */
  differs(desired: DesiredNode, live: LiveNode, name: string): boolean {
    const [field, wanted] = [this.kindOf(desired).fields[name], desired.fields[name]];
    if (field === undefined || wanted === undefined || desired.lifecycle.ignore.includes(name)) return false;
    if (this.isHiddenTarget(desired, name, live.fields[name])) return false;
    return !sameField(field, this.#payload(desired, field, wanted), live.fields[name] ?? field.absent);
  }

  /** True if the value may be missing only because the token does not see the named object. */
  isHiddenTarget(desired: DesiredNode, name: string, before: Payload | undefined): boolean {
    const isKnown = this.unseen.size === 0 || (before ?? null) !== null;
    return !isKnown && this.unseen.has(this.targetOf(desired, name) ?? '');
  }

  /** Fields of a live object whose value is another object inside it, for example its default section. */
  defaultFields(holder: LiveNode, live: LiveNode): readonly string[] {
    return defaultFieldsOf(this.kindOf(holder))
      .filter(({ name, kinds }) => kinds.includes(live.kind) && holder.fields[name] === live.id)
      .map(({ name }) => name);
  }

  scopeOf(desired: DesiredNode): DesiredNode | undefined {
    return this.desired.closest(desired, this.kindOf(desired).identity.scope);
  }

  #params(desired: DesiredNode): Readonly<Record<string, Id>> {
    const params: Record<string, Id> = {};
    for (const node of [...this.desired.ancestorsOf(desired)].reverse().concat(desired)) {
      const { idParam } = this.kindOf(node).identity;
      if (idParam !== undefined) params[idParam] = this.idOf(node.address);
    }
    return params;
  }

  #payload(desired: DesiredNode, field: Field | undefined, value: Value): Payload {
    const target = resolveField(this.desired, desired, { field, value });
    if (target?.type === 'node') return this.idOf(target.address);
    return target?.type === 'id' ? target.id : this.names.renamed(field, value);
  }

  /** Declared objects count as known in a drift report without a base. */
  #findUnseen(): ReadonlyMap<string, string | undefined> {
    const unseen = new Map<string, string | undefined>();
    if (this.live.hidesNothing) return unseen;
    const known = { tree: this.desired, live: this.live, pastIds: this.pastIds };
    for (const address of this.#toCreate) {
      const desired = this.desired.get(address);
      if (desired === undefined) continue;
      const id = unseenId(this.kindOf(desired), desired, known);
      const wasDeclared = () =>
        this.unexplained === 'drift' ||
        [address, ...formerAddresses(desired, this.desired)].some(
          (one) => this.base?.tree.get(one)?.kind === desired.kind,
        );
      if (id !== undefined || (!this.live.seesAll && wasDeclared())) unseen.set(address, id);
    }
    return unseen;
  }

  /**
   * The journals name the objects. Without them, it is the object that the base has under an address, if that address could only
   * have a new one now, and has one that the base does not know.
   */
  #findSuperseded(): ReadonlyMap<string, readonly LiveNode[]> {
    const found = new Map<string, LiveNode[]>();
    const add = (address: string, former: LiveNode | undefined) => {
      const live = this.matching.liveOf(address);
      if (former === undefined || former.deleted === true || live === undefined || live === former) return;
      if (this.matching.addressOf(former) !== undefined || this.#successors.has(former)) return;
      this.#successors.set(former, address);
      push(found, address, former);
    };
    for (const { address, kind, id } of this.own.work.superseded) add(address, this.live.get({ kind, id }));
    if (this.base === undefined) return found;
    for (const desired of this.desired.nodes.values()) {
      const live = this.matching.liveOf(desired.address);
      if (live === undefined || !mayBeReplaced(this.kindOf(desired))) continue;
      if (this.base.matching.addressOf(live) !== undefined) continue;
      for (const address of [desired.address, ...formerAddresses(desired, this.desired)]) {
        const former = this.base.matching.liveOf(address);
        if (former?.kind === live.kind && this.replacingFields(desired, former).length > 0)
          add(desired.address, former);
      }
    }
    return found;
  }

  #findReplaced(): void {
    for (let before = -1; before !== this.#toCreate.size; ) {
      before = this.#toCreate.size;
      for (const desired of this.desired.nodes.values()) {
        const live = this.liveOf(desired.address);
        if (live !== undefined) this.#markIfReplaced(desired, live);
      }
    }
  }

  #markIfReplaced(desired: DesiredNode, live: LiveNode): void {
    const scope = this.scopeOf(desired);
    if (scope !== undefined && this.#toCreate.has(scope.address)) this.#toCreate.add(desired.address);
    else if (this.replacingFields(desired, live).length > 0) {
      this.#toCreate.add(desired.address);
      this.#replaced.set(desired.address, live);
    }
  }
}

/** Fields of a kind that name a child as the default, with the permitted kinds. */
export const defaultFieldsOf = remembered(({ fields }: Kind) =>
  Object.entries(fields).flatMap(([name, field]) =>
    field.type === 'reference' && field.within === 'descendants' ? [{ name, kinds: field.kinds }] : [],
  ),
);

/** The kind of the objects that the keys of a value name. */
export function keyKindOf(field: Field | undefined): string | undefined {
  return field?.type === 'map' ? field.keysOf : field?.type === 'members' ? field.of : undefined;
}

export const mayBeReplaced = remembered(({ fields }: Kind) =>
  Object.values(fields).some(({ change }) => change === 'replace'),
);
