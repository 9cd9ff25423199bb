/** People, groups, levels and grants before and after a plan: from the live tree, additional reads, and the steps. */
import { inherited } from '../../kinds/parts/access.ts';
import { type Payload, referredAddress } from '../../kinds/parts/payload.ts';
import type { PlanContext } from '../../plan/context.ts';
import type { Step } from '../../plan/plan.ts';
import { identityValue } from '../../tree/identity.ts';
import type { LiveNode } from '../../tree/live.ts';
import type { Read } from '../../tree/reads.ts';
import { deletedBy, type ObjectRef, RefSet, refText } from '../../tree/refs.ts';
import { defined } from '../../util/defined.ts';
import { grouped, push } from '../../util/group.ts';
import { isRecord } from '../../util/json.ts';
import { rememberedIn } from '../../util/remembered.ts';
import type { AccessKinds, Levelled } from './access-kinds.ts';
import {
  type AccessLevel,
  AccessState,
  type Grants,
  type LevelledObject,
  none,
  type Person,
} from './levels.ts';

export class AccessStates {
  readonly context: PlanContext;
  readonly kinds: AccessKinds;
  readonly #steps: readonly Step[];
  /** Maximum of sites whose contents are read. */
  readonly #sitesAtMost: number;
  /** Nodes by kind and key, until more is read. */
  readonly #known = new Map<string, ReadonlyMap<string, LiveNode>>();
  #shown: ReadonlyMap<string, readonly string[]> | undefined;
  #isShowingKnown = true;
  /** Keyed by live object, or by the address of a new one. */
  readonly #stepsAbout: ReadonlyMap<string, readonly Step[]>;
  /** People whose role changes, or who are removed. */
  readonly touchedPeople: readonly LiveNode[];
  /** Objects whose level, grants or place change. */
  readonly moved: readonly LiveNode[];
  /** Deleted objects, including cascaded deletes. */
  readonly gone: RefSet;
  readonly root: ObjectRef;

  constructor(
    context: PlanContext,
    kinds: AccessKinds,
    { steps, sitesAtMost }: { readonly steps: readonly Step[]; readonly sitesAtMost: number },
  ) {
    this.#sitesAtMost = sitesAtMost;
    this.context = context;
    this.kinds = kinds;
    this.root = { kind: context.registry.root.name, id: context.live.organizationId };
    this.#steps = steps;
    this.#stepsAbout = grouped(steps, ({ kind, liveId, address }) =>
      liveId === undefined ? address : refText({ kind, id: liveId }),
    );
    this.gone = new RefSet(steps.filter(({ action }) => action === 'delete').flatMap(deletedBy));
    this.touchedPeople = this.#liveOf(
      (step) =>
        step.kind === kinds.person.name &&
        (step.phase === 'delete' || step.fields.some(({ field }) => field === kinds.role)),
    );
    this.moved = kinds.contents.flatMap(({ kind, level, grants }) =>
      this.#liveOf((step) => {
        if (step.kind !== kind.name || step.phase === 'delete' || step.phase === 'create') return false;
        const names = [level, ...grants.map(({ field }) => field)];
        return (
          step.fields.some(({ field }) => names.includes(field)) || this.#newContainer(step) !== undefined
        );
      }),
    );
  }

  get isTouched(): boolean {
    const invites = this.#steps.some(
      ({ kind, phase }) => kind === this.kinds.person.name && phase === 'create',
    );
    return invites || this.touchedPeople.length + this.moved.length + this.groupsWithGrants().length > 0;
  }

  reset(): void {
    this.#known.clear();
    this.#shown = undefined;
    this.#isShowingKnown = true;
  }

  state(time: 'before' | 'after'): AccessState {
    const people = new Map<string, Person>();
    const groupsOf = this.#memberships(time);
    for (const [id, name] of this.people()) {
      const role = this.#roleOf(id, time);
      people.set(id, { name, role, groups: groupsOf.get(name) ?? new Set() });
    }
    const contents = new Map<string, LevelledObject>();
    for (const node of this.contentNodes()) contents.set(refText(node), this.#content(node, time));
    if (time === 'after')
      for (const step of this.#steps)
        if (step.phase === 'create' && this.levelled(step.kind) !== undefined)
          contents.set(step.address, this.#created(step));
    return new AccessState(people, contents, this.kinds.all);
  }

  #roleOf(id: string, time: 'before' | 'after'): Person['role'] {
    const { person, role } = this.kinds;
    const node = this.#named(person.name).get(id);
    const live = node?.fields[role] as Person['role'];
    if (time === 'before') return node === undefined ? undefined : (live ?? null);
    const own = this.#stepsAbout.get(id) ?? [];
    if (own.some(({ phase }) => phase === 'delete')) return undefined;
    const change = own.flatMap(({ fields }) => fields).find(({ field }) => field === role);
    return change === undefined ? (node === undefined ? undefined : (live ?? null)) : levelIn(change.after);
  }

  #memberships(time: 'before' | 'after'): ReadonlyMap<string, ReadonlySet<string>> {
    const groups = new Map<string, Set<string>>();
    for (const { kind, field } of this.kinds.groups) {
      const nodes = this.nodes(kind.name).map((node) => ({ id: refText(node), value: node.fields[field] }));
      const made = this.#steps
        .filter((step) => time === 'after' && step.kind === kind.name && step.phase === 'create')
        .map(({ address }) => ({ id: address, value: undefined }));
      for (const { id, value } of [...nodes, ...made]) {
        const own = time === 'before' ? [] : (this.#stepsAbout.get(id) ?? []);
        if (own.some(({ phase }) => phase === 'delete')) continue;
        const changes = own.flatMap(({ fields }) => fields).filter((change) => change.field === field);
        const members = changes.at(-1)?.after ?? value;
        for (const name of Object.keys(isRecord(members) ? members : {}))
          rememberedIn(groups, name, () => new Set<string>()).add(id);
      }
    }
    return groups;
  }

  #content(node: LiveNode, time: 'before' | 'after'): LevelledObject {
    const levelled = this.levelled(node.kind);
    const own = time === 'before' ? [] : (this.#stepsAbout.get(refText(node)) ?? []);
    const valueIn = (name: string): unknown => {
      const change = own.flatMap(({ fields }) => fields).find(({ field }) => field === name);
      return change === undefined ? node.fields[name] : change.after;
    };
    const moved = own.map((step) => this.#newContainer(step)).find((id) => id !== undefined);
    const level = valueIn(levelled?.level ?? '');
    return {
      level: level === undefined ? undefined : levelIn(level),
      grants: this.#grantsIn(levelled?.grants ?? [], valueIn),
      container: moved ?? (this.levelled(node.container.kind) && refText(node.container)),
      shownOn: this.#shownOn(refText(node)),
    };
  }

  #created(step: Step): LevelledObject {
    const levelled = this.levelled(step.kind);
    const own = this.#steps.filter(({ address }) => address === step.address).flatMap(({ fields }) => fields);
    const valueIn = (name: string): unknown => own.find(({ field }) => field === name)?.after;
    const level = valueIn(levelled?.level ?? '');
    const grants = this.#grantsIn(levelled?.grants ?? [], (name) => valueIn(name) ?? {});
    const desired = this.context.desired.get(step.address);
    const container = desired && this.context.containerOf(desired);
    return {
      level: level === undefined ? inherited : levelIn(level),
      grants,
      container: container === undefined ? undefined : idIn(container.kind, container.id),
      shownOn: [],
    };
  }

  /** Undefined unless everything that shows contents, before and after the plan, is known. */
  #shownOn(key: string): readonly string[] | undefined {
    const shown = this.#showing();
    return this.#isShowingKnown ? (shown.get(key) ?? []) : undefined;
  }

  #showing(): ReadonlyMap<string, readonly string[]> {
    if (this.#shown !== undefined) return this.#shown;
    const { live } = this.context;
    const shown = new Map<string, string[]>();
    for (const { kind, field, of, on } of this.kinds.showing) {
      for (const { fields, params } of this.nodes(kind.name)) {
        const site = refText({ kind: on.name, id: params[on.identity.idParam ?? ''] ?? '' });
        for (const name of of) push(shown, refText({ kind: name, id: String(fields[field]) }), site);
      }
      this.#isShowingKnown &&=
        live.hidesNothing &&
        live.aside?.hidesNothing !== false &&
        this.nodes(on.name).length <= this.#sitesAtMost &&
        !this.#steps.some(
          (step) => step.kind === kind.name && step.fields.some((one) => one.field === field),
        );
    }
    this.#shown = shown;
    return shown;
  }

  /** Reads everything that shows contents, up to a limit. */
  showingReads(): readonly Read[] {
    return this.kinds.showing.flatMap(({ kind, on }): readonly Read[] => {
      const all = this.nodes(on.name);
      const inside = all.length > this.#sitesAtMost ? [] : all;
      return [
        { type: 'list', kind: on.name, of: this.root },
        ...inside.map(({ id }): Read => ({ type: 'list', kind: kind.name, of: { kind: on.name, id } })),
      ];
    });
  }

  /** Objects that may give a level on an object: its containers, and the sites that show it. */
  chainOf(node: LiveNode): readonly LiveNode[] {
    const shownOn = this.#showing().get(refText(node)) ?? [];
    const sites = this.kinds.showing.flatMap(({ on }) =>
      shownOn.flatMap((key) => this.#named(on.name).get(key) ?? []),
    );
    return [node, ...this.ancestors(node), ...sites];
  }

  #grantsIn(grants: Levelled['grants'], valueIn: (field: string) => unknown): Grants {
    // A service without grants in its responses may still have some.
    let isKnown = grants.length > 0;
    const [groups, people] = [new Map<string, AccessLevel>(), new Map<string, AccessLevel>()];
    for (const { field, to } of grants) {
      const value = valueIn(field);
      isKnown &&= isRecord(value);
      for (const [name, level] of Object.entries(isRecord(value) ? value : {})) {
        const given = levelIn(level) ?? none;
        if (to === this.kinds.person.name) people.set(name, given);
        else {
          const group = this.#groupNamed(to, name);
          groups.set(group, given);
          isKnown &&= this.#isRead(to, group);
        }
      }
    }
    return { groups, people, isKnown };
  }

  /** True if the members of the group are known. A missing group has no members. */
  #isRead(kind: string, group: string): boolean {
    const node = this.#named(kind).get(group);
    const lists = this.kinds.groups.filter((one) => one.kind.name === kind);
    return node === undefined || lists.every(({ field }) => node.fields[field] !== undefined);
  }

  #groupNamed(kind: string, name: string): string {
    const id = this.context.names.idOf(kind, name);
    return id === undefined ? `${kind} ${name}` : idIn(kind, id);
  }

  /** Names by id, including invited people, but not disabled ones. */
  people(): ReadonlyMap<string, string> {
    const [identity] = this.kinds.person.identity.by;
    const people = new Map<string, string>();
    for (const [key, node] of this.#named(this.kinds.person.name))
      if (node.inactive !== true && node.partial !== true)
        people.set(key, (identity && identityValue(node.fields, identity)) ?? node.id);
    for (const { kind, phase, address, fields } of this.#steps) {
      if (kind !== this.kinds.person.name || phase !== 'create') continue;
      const name = fields.find(({ field }) => field === identity?.field)?.after;
      people.set(address, typeof name === 'string' ? name : address);
    }
    return people;
  }

  reachOf(id: string): LiveNode['reach'] {
    return this.#named(this.kinds.person.name).get(id)?.reach;
  }

  grantReads(nodes: readonly LiveNode[]): readonly Read[] {
    return nodes.flatMap(({ kind, id, fields }) =>
      (this.levelled(kind)?.grants ?? [])
        .filter(({ field }) => fields[field] === undefined)
        .map(({ field }): Read => ({ type: 'field', of: { kind, id }, field })),
    );
  }

  /** Reads the members of groups that have a level there. */
  groupReads(nodes: readonly LiveNode[]): readonly Read[] {
    const named = this.grantedGroups(nodes);
    return this.kinds.groups.flatMap(({ kind, field }): readonly Read[] => {
      if (![...named].some((name) => name.startsWith(`${kind.name} `))) return [];
      const unread = this.nodes(kind.name).filter(
        (node) => named.has(refText(node)) && node.fields[field] === undefined,
      );
      return [
        { type: 'list', kind: kind.name, of: this.root },
        ...unread.map(({ id }): Read => ({ type: 'field', of: { kind: kind.name, id }, field })),
      ];
    });
  }

  /** Objects whose levels change, and objects inside them. */
  affected(): readonly LiveNode[] {
    const moved = new Set(this.moved.map(refText));
    const groups = new Set(this.groupsWithGrants());
    return this.contentNodes().filter((node) => {
      const chain = this.chainOf(node);
      return (
        chain.some((one) => moved.has(refText(one))) ||
        [...this.grantedGroups(chain)].some((group) => groups.has(group))
      );
    });
  }

  /** Groups whose members change or that are deleted, if they are known to have a level on an object. */
  groupsWithGrants(): readonly string[] {
    const granted = this.grantedGroups(this.contentNodes());
    return this.kinds.groups.flatMap(({ kind, field }) =>
      this.#liveOf(
        (step) =>
          step.kind === kind.name &&
          (step.phase === 'delete' || step.fields.some((one) => one.field === field)),
      )
        .map(refText)
        .filter((id) => granted.has(id)),
    );
  }

  grantedGroups(nodes: readonly LiveNode[]): ReadonlySet<string> {
    const named = new Set<string>();
    for (const node of nodes)
      for (const time of ['before', 'after'] as const)
        for (const group of this.#content(node, time).grants.groups.keys()) named.add(group);
    return named;
  }

  #newContainer({ address, kind, action, phase, liveId }: Step): string | undefined {
    if (action !== 'move' && phase !== 'attach' && phase !== 'detach') return undefined;
    const [desired, live] = [this.context.desired.get(address), this.node({ kind, id: liveId ?? '' })];
    if (desired === undefined || live === undefined) return undefined;
    const container = this.context.containerOf(desired);
    const id = idIn(container.kind, container.id);
    return id === refText(live.container) ? undefined : id;
  }

  ancestors(node: LiveNode): readonly LiveNode[] {
    const found = new Map<string, LiveNode>();
    for (let at = this.node(node.container); at !== undefined && !found.has(refText(at)); ) {
      if (this.levelled(at.kind) === undefined) break;
      found.set(refText(at), at);
      at = this.node(at.container);
    }
    return [...found.values()];
  }

  levelled(kind: string): Levelled | undefined {
    return this.kinds.contents.find((one) => one.kind.name === kind);
  }

  #liveOf(isMeant: (step: Step) => boolean): readonly LiveNode[] {
    return this.#steps
      .filter(isMeant)
      .flatMap(({ kind, liveId }) => this.node({ kind, id: liveId ?? '' }) ?? []);
  }

  contentNodes(): readonly LiveNode[] {
    return this.kinds.contents.flatMap(({ kind }) =>
      this.nodes(kind.name).filter(({ deleted }) => deleted !== true),
    );
  }

  nodes(kind: string): readonly LiveNode[] {
    return [...this.#named(kind).values()];
  }

  node({ kind, id }: ObjectRef): LiveNode | undefined {
    return this.#named(kind).get(refText({ kind, id }));
  }

  /** Nodes by key, with the known data of both trees. */
  #named(kind: string): ReadonlyMap<string, LiveNode> {
    const known = this.#known.get(kind);
    if (known !== undefined) return known;
    const { live } = this.context;
    const nodes = new Map(live.ofKind(kind).map((node) => [refText(node), node]));
    for (const other of live.aside?.ofKind(kind) ?? []) {
      const main = nodes.get(refText(other));
      const { partial: _partial, ...whole } = main ?? other;
      nodes.set(refText(other), {
        ...(other.partial === true && main !== undefined ? main : whole),
        ...(other.partial === true && main === undefined ? { partial: true as const } : {}),
        fields: { ...other.fields, ...main?.fields },
        ...defined({ reach: other.reach }),
      });
    }
    this.#known.set(kind, nodes);
    return nodes;
  }
}

function idIn(kind: string, id: Payload): string {
  return referredAddress(id) ?? `${kind} ${String(id)}`;
}

function levelIn(value: unknown): AccessLevel | null {
  return typeof value === 'string' ? value : null;
}
