/**
 * Reads that some steps make stale, since they show objects that the steps touch. All others can be reused when the live state is
 * read again. In doubt, a read is stale.
 *
 * Example: a section is created in sites/hub.
 *   stale      the sections, groups and site-spaces of that site
 *   reused     all other lists, including the share links of the site
 */

import { formOf } from '../../contract/form.ts';
import { once } from '../../contract/once.ts';
import type { Kind } from '../../kinds/kind.ts';
import { referenceOf } from '../../kinds/parts/field.ts';
import { mapOf } from '../../kinds/parts/payload.ts';
import type { Registry } from '../../kinds/registry.ts';
import { isUpdate, type OrganizationPlan, type Step } from '../../plan/plan.ts';
import type { DesiredTree } from '../../tree/desired-tree.ts';
import { identityValue } from '../../tree/identity.ts';
import type { LiveNode, LiveTree } from '../../tree/live.ts';
import type { Read } from '../../tree/reads.ts';
import { type ObjectRef, RefLists, RefSet } from '../../tree/refs.ts';
import { grouped } from '../../util/group.ts';
import { isRecord } from '../../util/json.ts';

interface Touching {
  readonly registry: Registry;
  readonly desired: DesiredTree;
  readonly live: LiveTree;
  /** Defaults to the plan's steps. */
  readonly steps?: readonly Step[];
  /** Ids by address of newly created objects. */
  readonly made?: ReadonlyMap<string, string>;
  /** Treats dependencies of the steps as stale, too. */
  readonly withDependencies?: true;
}

export function staleReads(plan: OrganizationPlan, touching: Touching): (read: Read) => boolean {
  const touched = new TouchedReads(plan, touching);
  return (read) => touched.isStale(read);
}

class TouchedReads {
  readonly #about: Touching;
  readonly #idOf: (address: string) => string | undefined;
  readonly #root: ObjectRef;
  readonly #referrers: () => ReturnType<typeof referrersIn>;
  readonly #byId: () => ReadonlyMap<string, readonly LiveNode[]>;
  readonly #objects = new RefSet();
  readonly #insides = new RefSet();
  readonly #lists = new Set<string>();
  readonly #fields = new Set<string>();
  /** Identity values of touched objects, by kind. */
  readonly #names = new Set<string>();
  readonly #kinds = new Set<string>();
  readonly #created = new Set<string>();
  readonly #declared: ReadonlySet<string>;

  constructor(plan: OrganizationPlan, touching: Touching) {
    const registry = touching.registry.under(formOf(plan));
    const idOf = (address: string) => touching.made?.get(address) ?? plan.ids[address];
    this.#about = { ...touching, registry };
    this.#idOf = idOf;
    const { live, desired, withDependencies, steps = plan.steps } = touching;
    this.#root = { kind: registry.root.name, id: live.organizationId };
    this.#referrers = once(() => referrersIn(live, registry));
    // Unique only within a kind.
    this.#byId = once(() => grouped(live.nodes(), (node) => node.id));
    const isNeeded = withDependencies === true;
    this.#declared = new Set(isNeeded ? [...desired.nodes.keys()].flatMap((one) => idOf(one) ?? []) : []);
    for (const step of steps) {
      this.#add(step);
      if (isNeeded) this.#addDependencies(step);
    }
  }

  isStale(read: Read): boolean {
    switch (read.type) {
      case 'list':
        return this.#lists.has(listName(read.kind, read.of)) || this.#isInsideStale(read.of);
      case 'single':
        return this.#objects.has({ kind: read.kind, id: read.of.id }) || this.#isInsideStale(read.of);
      case 'object':
        return this.#objects.has(read);
      case 'search':
        return this.#names.has(`${read.kind} ${read.value}`) || this.#mayFindCopies(read.kind);
      case 'having':
      case 'places':
        return this.#kinds.has(read.kind);
      case 'field':
        return (
          this.#fields.has(`${read.of.kind} ${read.of.id} ${read.field}`) || this.#isInsideStale(read.of)
        );
      default:
        return true;
    }
  }

  #add(step: Step): void {
    const { registry, live } = this.#about;
    const idOf = this.#idOf;
    const kind = registry.byName(step.kind);
    const id = step.liveId ?? idOf(step.address);
    const node = id === undefined ? undefined : live.get({ kind: kind.name, id });
    const isPatch = isUpdate(step);
    this.#kinds.add(kind.name);
    if (step.phase === 'create') this.#created.add(kind.name);
    for (const of of this.#listedIn(kind, step.address, node)) this.#addLists(kind, of);
    for (const name of namesIn(kind, node, step.fields)) this.#names.add(`${kind.name} ${name}`);
    // A kind with a single object per parent is read by the parent's id.
    const { parent } = this.#about.desired.get(step.address) ?? {};
    const parentId = parent === undefined ? undefined : idOf(parent);
    if (parentId !== undefined && kind.manifest.places.some(({ shape }) => shape === 'single'))
      this.#objects.add({ kind: kind.name, id: parentId });
    if (id === undefined) return;
    const ref = { kind: kind.name, id };
    this.#objects.add(ref);
    if (!isPatch || this.#about.withDependencies === true) this.#insides.add(ref);
    for (const { field } of step.fields) this.#addField(kind, ref, field);
    // Other responses may show the old state.
    if (node !== undefined && (!isPatch || node.seenInPassing === true)) this.#addReferrers(node);
  }

  /** A field may be read separately, or depend on the contents of the object. */
  #addField(kind: Kind, ref: ObjectRef, name: string): void {
    this.#fields.add(`${ref.kind} ${ref.id} ${name}`);
    const field = kind.fields[name];
    if (field?.type !== 'reference' || field.within !== 'descendants') return;
    for (const inside of field.kinds) this.#addLists(this.#about.registry.byName(inside), ref);
  }

  #addReferrers({ kind: own, id, fields }: LiveNode): void {
    const [identity] = this.#about.registry.byName(own).identity.by;
    const key = identity && identityValue(fields, identity);
    const names = key === undefined || key === id ? [id] : [id, key];
    for (const { by, field } of names.flatMap((name) => this.#referrers().get({ kind: own, id: name }))) {
      const kind = this.#about.registry.byName(by.kind);
      this.#objects.add(by);
      if (kind.fields[field]?.detail !== undefined) this.#fields.add(`${by.kind} ${by.id} ${field}`);
      else for (const of of this.#listedIn(kind, undefined, by)) this.#lists.add(listName(kind.name, of));
    }
  }

  #addDependencies({ calls }: Step): void {
    for (const id of idsIn(calls)) {
      for (const node of this.#byId().get(id) ?? []) {
        const kind = this.#about.registry.byName(node.kind);
        this.#objects.add(node);
        for (const name of namesIn(kind, node)) this.#names.add(`${kind.name} ${name}`);
        for (const of of this.#listedIn(kind, undefined, node)) this.#lists.add(listName(kind.name, of));
        if (node.seenInPassing === true) this.#addReferrers(node);
      }
    }
  }

  #addLists(kind: Kind, of: ObjectRef): void {
    for (const { name } of groupOf(kind, this.#about.registry)) this.#lists.add(listName(name, of));
  }

  #listedIn(kind: Kind, address: string | undefined, node: LiveNode | undefined): readonly ObjectRef[] {
    const per = kind.reads.list?.per;
    if (per === undefined || per === '') return [];
    if (per === this.#root.kind) return [this.#root];
    const { registry, live, desired } = this.#about;
    const param = node?.params[registry.byName(per).identity.idParam ?? ''];
    const above = node === undefined ? [] : [node.container, node.scope, ...live.ancestorsOf(node)];
    const declared = address === undefined ? undefined : desired.get(address);
    const ancestor = declared && desired.ancestorsOf(declared).find((one) => one.kind === per);
    const ids = [
      param,
      ...above.filter((one) => one.kind === per).map(({ id }) => id),
      ancestor && this.#idOf(ancestor.address),
    ];
    return [...new Set(ids)].flatMap((id) => (id === undefined ? [] : [{ kind: per, id }]));
  }

  #mayFindCopies(kind: string): boolean {
    return this.#created.has(kind) && this.#about.registry.byName(kind).calls.copies !== undefined;
  }

  /** True inside an object that changes as a whole, or an undeclared one that the steps may have created. */
  #isInsideStale(of: ObjectRef): boolean {
    if (this.#insides.has(of)) return true;
    const isPossible = this.#about.withDependencies === true && this.#created.has(of.kind);
    return isPossible && !this.#declared.has(of.id);
  }
}

function listName(kind: string, { kind: per, id }: ObjectRef): string {
  return `${kind} ${per} ${id}`;
}

/** Of an object before and after some changes, as searches find it. */
function namesIn({ identity, reads }: Kind, node: LiveNode | undefined, changes: Step['fields'] = []) {
  const name = identity.by.find(({ field }) => field === reads.search?.field);
  if (name === undefined) return [];
  const own = changes.filter(({ field }) => field === name.field);
  const values = [node?.fields[name.field], ...own.flatMap(({ before, after }) => [before, after])];
  return values.flatMap((value) =>
    typeof value === 'string' ? (identityValue({ [name.field]: value }, name) ?? []) : [],
  );
}

/** Some texts in the requests of a step are ids. */
function idsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(idsIn);
  return isRecord(value) ? Object.entries(value).flatMap(([key, inner]) => [key, ...idsIn(inner)]) : [];
}

/** The kind and related kinds that are listed with it: a section, its groups and its site-spaces. */
function groupOf(kind: Kind, registry: Registry): readonly Kind[] {
  const listed = registry.kinds.filter(({ reads }) => reads.list?.per === kind.reads.list?.per);
  const group = new Set([kind]);
  for (const one of group) for (const other of listed) if (sharesPlace(one, other)) group.add(other);
  return [...group];
}

/** True if one kind is inside the other, or they share a place. */
function sharesPlace(one: Kind, other: Kind): boolean {
  const isIn = (inner: Kind, outer: Kind) =>
    inner.manifest.places.some(({ parent }) => parent === outer.name);
  const keys = one.manifest.places.map(({ parent, key }) => `${parent} ${key}`);
  const isShared = other.manifest.places.some(({ parent, key, emptyWith }) =>
    [key, emptyWith].some((name) => keys.includes(`${parent} ${name}`)),
  );
  return isIn(one, other) || isIn(other, one) || isShared;
}

/** Live objects by those that their fields refer to, under an id or another name. */
export function referrersIn(live: LiveTree, registry: Registry) {
  const referrers = new RefLists<{ readonly by: LiveNode; readonly field: string }>();
  for (const by of live.nodes())
    for (const [field, definition] of Object.entries(registry.byName(by.kind).fields)) {
      const value = by.fields[field];
      const one = typeof value === 'string' ? [value] : [];
      const names = definition.type === 'reference' ? one : Object.keys(mapOf(value) ?? {});
      for (const kind of referenceOf(definition)?.kinds ?? [])
        for (const id of names) referrers.push({ kind, id }, { by, field });
    }
  return referrers;
}
