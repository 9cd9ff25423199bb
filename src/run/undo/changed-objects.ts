/**
 * Live objects that a plan touches, and how much an undo must know of each: some fields, everything, or only the place. Parts that were
 * not read are unknown.
 */
import { once } from '../../contract/once.ts';
import type { Kind } from '../../kinds/kind.ts';
import { mapOf } from '../../kinds/parts/payload.ts';
import type { Registry } from '../../kinds/registry.ts';
import type { OrganizationPlan, Step } from '../../plan/plan.ts';
import type { Addressing } from '../../tree/addressing.ts';
import type { DesiredNode } from '../../tree/desired.ts';
import type { DesiredTree } from '../../tree/desired-tree.ts';
import type { LiveNode, LiveTree } from '../../tree/live.ts';
import { type ObjectRef, RefMap } from '../../tree/refs.ts';
import { isRecord, sameJson } from '../../util/json.ts';
import { referrersIn } from '../reads/stale-reads.ts';

export interface BeforeApply {
  readonly plan: OrganizationPlan;
  readonly live: LiveTree;
  readonly desired: DesiredTree;
  readonly base: DesiredTree | undefined;
  readonly registry: Registry;
}

export interface ChangedObject {
  readonly live: LiveNode;
  /** True for deleted objects, which an undo needs in full. */
  isWhole: boolean;
  /** Changed fields; for a mapping, possibly only some keys. */
  readonly fields: Map<string, ReadonlySet<string> | undefined>;
}

export class ChangedObjects {
  /** Parents before children. */
  readonly all: ChangedObject[] = [];
  readonly #before: BeforeApply;
  readonly #declared: Addressing;
  readonly #changed = new RefMap<ChangedObject>();
  readonly #referrers: () => ReturnType<typeof referrersIn>;
  readonly #related = new Set<string>();
  readonly #restored: ReadonlySet<string>;

  /** `declared`: addresses of the desired tree's objects before the apply. */
  constructor(before: BeforeApply, declared: Addressing) {
    this.#before = before;
    this.#declared = declared;
    this.#referrers = once(() => referrersIn(before.live, before.registry));
    const restores = before.plan.steps.filter(({ phase }) => phase === 'restore');
    this.#restored = new Set(restores.map(({ address }) => address));
    this.#entry(before.live.get({ kind: before.registry.root.name, id: before.live.organizationId }));
    for (const step of before.plan.steps) this.#add(step);
    this.#addRelated();
  }

  get(ref: ObjectRef): ChangedObject | undefined {
    return this.#changed.get(ref);
  }

  #add(step: Step): void {
    const { kind, liveId, address, phase } = step;
    const live = liveId === undefined ? undefined : this.#before.live.get({ kind, id: liveId });
    if (this.#restored.has(address)) {
      // The object was deleted before the run, so its other values do not matter, as for a new object.
      this.#entry(live && this.#before.live.parentOf(live));
    } else if (phase === 'create') this.#create(address);
    else if (live === undefined) return;
    else if (phase === 'delete') this.#delete(live, step.cascade ?? []);
    else this.#change(live, step);
  }

  #addRelated(): void {
    for (const { live } of this.all.filter(({ isWhole }) => isWhole)) {
      this.#losers(live);
      this.#lookalikes(live);
    }
    // A default refers to an object by address, so the place of that object must be known.
    for (const { live, isWhole, fields } of [...this.all])
      for (const [name, field] of Object.entries(this.#kindOf(live).fields)) {
        const id = live.fields[name];
        if (field.type !== 'reference' || field.within !== 'descendants' || typeof id !== 'string') continue;
        const [named] = field.kinds.flatMap((kind) => this.#before.live.get({ kind, id }) ?? []);
        if (isWhole || fields.has(name)) this.#entry(named);
      }
  }

  #kindOf({ kind }: { readonly kind: string }): Kind {
    return this.#before.registry.byName(kind);
  }

  #entry(live: LiveNode | undefined): ChangedObject | undefined {
    if (live === undefined) return undefined;
    const known = this.#changed.get(live);
    if (known !== undefined) return known;
    const parent = this.#entry(this.#before.live.parentOf(live));
    // The object's former place is unknown, so it cannot be restored.
    if (parent === undefined && live.kind !== this.#before.registry.root.name) return undefined;
    const entry: ChangedObject = { live, isWhole: false, fields: new Map() };
    this.#changed.set(live, entry);
    this.all.push(entry);
    return entry;
  }

  #whole(live: LiveNode | undefined): void {
    const entry = this.#entry(live);
    if (entry !== undefined) entry.isWhole = true;
  }

  #change(live: LiveNode, { address, fields, phase }: Step): void {
    const entry = this.#entry(live);
    const desired = this.#before.desired.get(address);
    for (const { field } of fields) entry?.fields.set(field, this.#changedKeys(live, desired, field));
    if (phase !== 'move' && phase !== 'attach' && phase !== 'detach') return;
    this.#siblings(live, this.#before.live.get(live.container));
    const parent = desired?.parent === undefined ? undefined : this.#declared.at(desired.parent);
    this.#siblings(live, parent);
  }

  #changedKeys(live: LiveNode, desired: DesiredNode | undefined, name: string) {
    const wanted = desired?.fields[name];
    if (this.#kindOf(live).fields[name]?.type !== 'map' || !isRecord(wanted)) return undefined;
    const values = mapOf(live.fields[name]) ?? {};
    return new Set(Object.keys(wanted).filter((key) => !sameJson(wanted[key], values[key])));
  }

  #delete(live: LiveNode, cascade: readonly ObjectRef[]): void {
    this.#whole(live);
    for (const { kind, id } of cascade) this.#whole(this.#before.live.get({ kind, id }));
    this.#siblings(live, this.#before.live.get(live.container));
    this.#inside(live);
  }

  /** Children that are not deleted with their parent are moved out first, and must be moved back. */
  #inside(live: LiveNode): void {
    for (const child of this.#before.live.childrenOf(live)) {
      if (child.deleted === true || this.#changed.has(child)) continue;
      this.#entry(child);
      this.#inside(child);
    }
  }

  #create(address: string): void {
    const { desired, live, registry } = this.#before;
    const node = desired.get(address);
    const parent = node?.parent === undefined ? undefined : this.#declared.at(node.parent);
    for (const child of desired.childrenOf(address)) {
      // Objects that the request of a new container adopts have no step of their own.
      const inside = this.#declared.at(child.address);
      if (inside === undefined || inside.deleted === true) continue;
      this.#entry(inside);
      this.#siblings(inside, live.get(inside.container));
    }
    if (node === undefined || parent === undefined) return;
    this.#entry(parent);
    // The first section of a site may adopt the site-spaces of the site.
    const ruledOut = registry.kinds.filter(({ manifest: { places } }) =>
      places.some((place) => place.parent === parent.kind && place.emptyWith === node.collection),
    );
    const children = live.childrenOf(parent);
    const own = registry.at(parent.kind, node.collection).map(({ kind }) => kind.name);
    if (children.some(({ kind }) => own.includes(kind))) return;
    for (const child of children) if (ruledOut.some(({ name }) => name === child.kind)) this.#whole(child);
  }

  /** The order of a list is known only with all its entries. */
  #siblings(live: LiveNode, container: LiveNode | undefined): void {
    if (container === undefined) return;
    this.#entry(container);
    const { registry, live: tree } = this.#before;
    const place = this.#kindOf(live).manifest.places.find(({ parent }) => parent === container.kind);
    if (place?.ordered !== true) return;
    const kinds = registry.at(container.kind, place.key).map(({ kind }) => kind.name);
    for (const child of tree.childrenOf(container))
      if (child.deleted !== true && kinds.includes(child.kind)) this.#entry(child);
  }

  /** References to a deleted object are lost: defaults, other references that requests change, or keys of values. */
  #losers(gone: LiveNode): void {
    for (const { by, field: name } of this.#referrers().get(gone)) {
      const field = this.#kindOf(by).fields[name];
      const isKey = field?.type === 'map';
      const isLost = isKey || (field?.type === 'reference' && field.change === undefined);
      if (!isLost || this.#changed.get(by)?.isWhole === true) continue;
      const entry = this.#entry(by);
      entry?.fields.set(name, isKey ? new Set([...(entry.fields.get(name) ?? []), gone.id]) : undefined);
    }
  }

  /**
   * Siblings of a deleted object are identified by id, so that a restored object is not mistaken for a similar one, even under another
   * name.
   */
  #lookalikes({ kind, scope }: LiveNode): void {
    const key = `${kind} ${scope.kind} ${scope.id}`;
    const isScopeDeleted = this.#changed.get(scope)?.isWhole === true;
    if (this.#related.has(key) || isScopeDeleted || this.#kindOf({ kind }).calls.restore !== undefined)
      return;
    this.#related.add(key);
    for (const other of this.#before.live.inScope(scope, kind)) this.#entry(other);
  }
}
