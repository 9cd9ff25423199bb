/**
 * Which reads some steps make stale: those that show what the steps touch. All others can be recalled when the live state is
 * looked at again. What cannot be told is stale.
 *
 * Example: a section is created in sites/hub.
 *   stale      the sections, groups and site-spaces of that site
 *   recalled   all other lists, the share links of the site among them
 */
import type { Kind } from '../kinds/kind.ts';
import type { Registry } from '../kinds/registry.ts';
import type { Step } from '../plan/plan.ts';
import type { DesiredTree } from '../tree/desired-tree.ts';
import { identityValue } from '../tree/identity.ts';
import type { LiveNode, LiveTree } from '../tree/live.ts';
import type { Read } from '../tree/reads.ts';
import { type ObjectRef, RefSet } from '../tree/refs.ts';
import { isRecord } from '../util/json.ts';
import { Referrers } from './referrers.ts';

/** Steps, and what is known around them. */
export interface Touching {
  readonly steps: readonly Step[];
  readonly registry: Registry;
  readonly desired: DesiredTree;
  /** As it was read last. */
  readonly live: LiveTree;
  /** The id of the object at an address, where it has one. */
  readonly idOf: (address: string) => string | undefined;
  /** What the steps merely depend on is stale as well. */
  readonly withDependencies?: true;
}

/** True for reads that the steps make stale. */
export function staleReads(touching: Touching): (read: Read) => boolean {
  const touched = new TouchedReads(touching);
  return (read) => touched.isStale(read);
}

class TouchedReads {
  readonly #about: Touching;
  readonly #root: ObjectRef;
  readonly #referrers: Referrers;
  readonly #objects = new RefSet();
  /** Objects of which everything inside is stale. */
  readonly #insides = new RefSet();
  readonly #lists = new Set<string>();
  /** Fields of objects that one update changes. */
  readonly #fields = new Set<string>();
  /** Values of identities by which touched objects are searched for, by kind. */
  readonly #names = new Set<string>();
  readonly #kinds = new Set<string>();
  readonly #created = new Set<string>();
  readonly #declared: ReadonlySet<string>;

  constructor(about: Touching) {
    this.#about = about;
    const { registry, live, desired, idOf, withDependencies } = about;
    this.#root = { kind: registry.root.name, id: live.organizationId };
    this.#referrers = new Referrers(live, registry);
    const isNeeded = withDependencies === true;
    this.#declared = new Set(isNeeded ? [...desired.nodes.keys()].flatMap((one) => idOf(one) ?? []) : []);
    for (const step of about.steps) {
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
    const { registry, live, idOf } = this.#about;
    const kind = registry.byName(step.kind);
    const id = step.liveId ?? idOf(step.address);
    const node = id === undefined ? undefined : live.get({ kind: kind.name, id });
    const isUpdate = step.phase === 'update';
    this.#kinds.add(kind.name);
    if (step.phase === 'create') this.#created.add(kind.name);
    for (const of of this.#listedIn(kind, step.address, node)) this.#addLists(kind, of);
    for (const name of namesIn(kind, step, node)) this.#names.add(`${kind.name} ${name}`);
    if (id === undefined) return;
    const ref = { kind: kind.name, id };
    this.#objects.add(ref);
    if (!isUpdate || this.#about.withDependencies === true) this.#insides.add(ref);
    for (const { field } of step.fields) this.#addField(kind, ref, field);
    // Where others show it, it may be shown as it was.
    if (node !== undefined && (!isUpdate || node.incidental === true)) this.#addReferrers(node);
  }

  /** A field may be read on its own, or follow from what is inside the object. */
  #addField(kind: Kind, ref: ObjectRef, name: string): void {
    this.#fields.add(`${ref.kind} ${ref.id} ${name}`);
    const field = kind.fields[name];
    if (field?.type !== 'reference' || field.within !== 'descendants') return;
    for (const inside of field.kinds) this.#addLists(this.#about.registry.byName(inside), ref);
  }

  #addReferrers(node: LiveNode): void {
    for (const { by, field } of this.#referrers.of(node)) {
      const kind = this.#about.registry.byName(by.kind);
      this.#objects.add(by);
      if (kind.fields[field]?.detail !== undefined) this.#fields.add(`${by.kind} ${by.id} ${field}`);
      else for (const of of this.#listedIn(kind, undefined, by)) this.#lists.add(listName(kind.name, of));
    }
  }

  /** The objects whose ids the requests of a step name: those that it refers to, and those around it. */
  #addDependencies({ calls }: Step): void {
    for (const id of idsIn(calls)) {
      for (const node of this.#referrers.withId(id)) {
        const kind = this.#about.registry.byName(node.kind);
        this.#objects.add(node);
        for (const name of namesOf(kind, node)) this.#names.add(`${kind.name} ${name}`);
        for (const of of this.#listedIn(kind, undefined, node)) this.#lists.add(listName(kind.name, of));
        if (node.incidental === true) this.#addReferrers(node);
      }
    }
  }

  #addLists(kind: Kind, of: ObjectRef): void {
    for (const { name } of entangledWith(kind, this.#about.registry)) this.#lists.add(listName(name, of));
  }

  /** The objects whose lists show an object, where it was and where it will be. */
  #listedIn(kind: Kind, address: string | undefined, node: LiveNode | undefined): readonly ObjectRef[] {
    const per = kind.reads.list?.per;
    if (per === undefined || per === '') return [];
    if (per === this.#root.kind) return [this.#root];
    const { registry, live, desired, idOf } = this.#about;
    const param = node?.params[registry.byName(per).idParam ?? ''];
    const above = node === undefined ? [] : [node.container, node.scope, ...live.ancestorsOf(node)];
    const declared = address === undefined ? undefined : desired.get(address);
    const around = declared && desired.ancestorsOf(declared).find((one) => one.kind === per);
    const ids = [
      param,
      ...above.filter((one) => one.kind === per).map(({ id }) => id),
      around && idOf(around.address),
    ];
    return [...new Set(ids)].flatMap((id) => (id === undefined ? [] : [{ kind: per, id }]));
  }

  #mayFindCopies(kind: string): boolean {
    return this.#created.has(kind) && this.#about.registry.byName(kind).copies !== undefined;
  }

  /** Inside what changes as a whole; and inside what nobody declares and a new object may have been. */
  #isInsideStale(of: ObjectRef): boolean {
    if (this.#insides.has(of)) return true;
    const isPossible = this.#about.withDependencies === true && this.#created.has(of.kind);
    return isPossible && !this.#declared.has(of.id);
  }
}

function listName(kind: string, { kind: per, id }: ObjectRef): string {
  return `${kind} ${per} ${id}`;
}

function namesIn(kind: Kind, { fields }: Step, node: LiveNode | undefined): readonly string[] {
  const { search } = kind.reads;
  if (search === undefined) return [];
  const identity = { ...kind.identities.find(({ field }) => field === search.field), field: search.field };
  const values = fields
    .filter(({ field }) => field === search.field)
    .flatMap(({ before, after }) => [before, after]);
  const written = values.flatMap((value) =>
    typeof value === 'string' ? (identityValue({ [search.field]: value }, identity) ?? []) : [],
  );
  return [...written, ...(node === undefined ? [] : namesOf(kind, node))];
}

function namesOf(kind: Kind, node: LiveNode): readonly string[] {
  const identity = kind.identities.find(({ field }) => field === kind.reads.search?.field);
  const value = identity && identityValue(node.fields, identity);
  return value === undefined ? [] : [value];
}

/** All texts in the requests of a step: some are ids. */
function idsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(idsIn);
  return isRecord(value) ? Object.entries(value).flatMap(([key, inner]) => [key, ...idsIn(inner)]) : [];
}

const known = new WeakMap<Registry, Map<string, readonly Kind[]>>();

/** The kind, and all that are listed with it and in turn entangled: a section, its groups and its site-spaces. */
function entangledWith(kind: Kind, registry: Registry): readonly Kind[] {
  const groups = known.get(registry) ?? new Map<string, readonly Kind[]>();
  known.set(registry, groups);
  const group = groups.get(kind.name) ?? groupOf(kind, registry);
  groups.set(kind.name, group);
  return group;
}

function groupOf(kind: Kind, registry: Registry): readonly Kind[] {
  const listed = registry.kinds.filter(({ reads }) => reads.list?.per === kind.reads.list?.per);
  const group = new Set([kind]);
  for (const one of group) for (const other of listed) if (isBeside(one, other)) group.add(other);
  return [...group];
}

/** True for kinds of which one is inside the other, or that share a place. */
function isBeside(one: Kind, other: Kind): boolean {
  const isIn = (inner: Kind, outer: Kind) => inner.places.some(({ parent }) => parent === outer.name);
  const keys = one.places.map(({ parent, key }) => `${parent} ${key}`);
  const isShared = other.places.some(({ parent, key, emptyWith }) =>
    [key, emptyWith].some((name) => keys.includes(`${parent} ${name}`)),
  );
  return isIn(one, other) || isIn(other, one) || isShared;
}
