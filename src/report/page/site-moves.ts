/**
 * The navigation of a site after the steps of a plan: simulates the requests of the steps on the entries in the plan. Pure.
 *
 * Example: a b c, and the steps create d, move d before b (after the creation) and delete c give a d b.
 */
import type { FieldChange, Step } from '../../plan/plan.ts';
import type { SiteNavigation } from '../../review/reviewed-plan.ts';
import { isRecord } from '../../util/json.ts';

/** The value of a field, ids of declared objects as references. */
type EntryValue = NonNullable<FieldChange['after']> | null;

export interface NavigationNode {
  /** Id of a live object, or a marked address for a new one. */
  readonly key: string;
  readonly kind: string;
  readonly noun: string;
  readonly address?: string;
  readonly fields: Record<string, EntryValue>;
  readonly children: NavigationNode[];
  parent: NavigationNode | undefined;
}

/** The live navigation; undefined for a new site. */
export function nodesBefore({ entries }: SiteNavigation): NavigationNode | undefined {
  const drafts = new Map<string, NavigationNode>();
  let root: NavigationNode | undefined;
  for (const { id: key, parent: container, fields, ...entry } of entries) {
    const parent = container === undefined ? undefined : drafts.get(container);
    const draft: NavigationNode = { ...entry, key, fields: { ...fields }, children: [], parent };
    drafts.set(key, draft);
    parent?.children.push(draft);
    root ??= draft;
  }
  return root;
}

/** The navigation after the steps, in the order of the plan; undefined if the site is deleted. */
export function nodesAfter(site: SiteNavigation, steps: readonly Step[]): NavigationNode | undefined {
  const run = new NavigationRun(site);
  for (const step of steps) run.add(step);
  return run.root;
}

/**
 * True if all entries were on the top level, and some are now moved into others: the service decides about the remaining entries (for
 * example when a site with its own spaces gets its first section).
 */
export function isUncertain(before: NavigationNode | undefined, after: NavigationNode | undefined): boolean {
  if (before === undefined || after === undefined) return false;
  const own = new Set(before.children.map(({ kind }) => kind));
  const inside = (root: NavigationNode) =>
    kindsIn(root.children.flatMap(({ children }) => children)).some((kind) => own.has(kind));
  return !inside(before) && inside(after);
}

function kindsIn(nodes: readonly NavigationNode[]): readonly string[] {
  return nodes.flatMap(({ kind, children }) => [kind, ...kindsIn(children)]);
}

class NavigationRun {
  root: NavigationNode | undefined;
  readonly #site: SiteNavigation;
  readonly #byKey = new Map<string, NavigationNode>();
  readonly #byAddress = new Map<string, NavigationNode>();

  constructor(site: SiteNavigation) {
    this.#site = site;
    this.root = nodesBefore(site);
    const note = (draft: NavigationNode) => {
      this.#note(draft);
      for (const child of draft.children) note(child);
    };
    if (this.root !== undefined) note(this.root);
  }

  add(step: Step): void {
    if (step.phase === 'delete') {
      this.#remove(step.liveId);
      for (const { id } of step.cascade ?? []) this.#remove(id);
      return;
    }
    if (!this.#concerns(step)) return;
    if (step.phase === 'create') this.#create(step);
    const draft = this.#of(step);
    if (draft === undefined) return;
    if (step.phase === 'attach') put(draft, this.#parentOf(step.address));
    if (step.phase === 'detach') put(draft, this.root);
    if (step.phase === 'move') this.#move(draft, step);
    for (const { field, after } of step.fields) draft.fields[field] = after ?? null;
  }

  #concerns({ address, kind }: Step): boolean {
    const { address: own, kinds } = this.#site;
    return address === own || (kinds.includes(kind) && address.startsWith(`${own}/`));
  }

  #of({ address, liveId }: Step): NavigationNode | undefined {
    return (liveId === undefined ? undefined : this.#byKey.get(liveId)) ?? this.#byAddress.get(address);
  }

  /** New entries are added at the end; a new container takes the entries that its creation names. */
  #create({ address, kind, noun, calls }: Step): void {
    const draft: NavigationNode = {
      // Service ids never begin with this character.
      key: `+${address}`,
      kind,
      noun,
      address,
      fields: {},
      children: [],
      parent: undefined,
    };
    if (address === this.#site.address) this.root = draft;
    else put(draft, this.#parentOf(address));
    this.#note(draft);
    const lists = calls.flatMap(({ body }) => Object.values(body ?? {}).filter(Array.isArray));
    for (const member of lists.flat()) {
      const adopted = this.#named(member);
      if (adopted !== undefined && adopted !== draft) put(adopted, draft);
    }
  }

  /** Moves the entry to the end if no sibling is given. */
  #move(draft: NavigationNode, { calls }: Step): void {
    const [anchor] = calls.flatMap(({ body }) => [...this.#anchorsIn(body)]);
    const { isAfter, sibling } = anchor ?? {};
    const { parent } = sibling ?? {};
    if (sibling === undefined || parent === undefined) {
      put(draft, draft.parent);
      return;
    }
    take(draft);
    parent.children.splice(parent.children.indexOf(sibling) + (isAfter ? 1 : 0), 0, draft);
    draft.parent = parent;
  }

  /** The siblings in `before` or `after` of a body, at any depth. */
  *#anchorsIn(value: unknown): Generator<{ readonly isAfter: boolean; readonly sibling: NavigationNode }> {
    if (!isRecord(value)) return;
    for (const [key, inner] of Object.entries(value)) {
      const isAnchor = (key === 'before' || key === 'after') && isRecord(inner);
      const named = isAnchor ? Object.values(inner).map((one) => this.#named(one)) : [];
      const sibling = named.find((draft) => draft !== undefined);
      if (sibling !== undefined) yield { isAfter: key === 'after', sibling };
      yield* this.#anchorsIn(inner);
    }
  }

  /** Finds the entry by id, or by reference to a future id. */
  #named(value: unknown): NavigationNode | undefined {
    if (typeof value === 'string') return this.#byKey.get(value);
    return isRecord(value) && typeof value.$id === 'string' ? this.#byAddress.get(value.$id) : undefined;
  }

  /** The parent of an address; a parent that is created later takes the entry then. */
  #parentOf(address: string): NavigationNode | undefined {
    return this.#byAddress.get(address.split('/').slice(0, -2).join('/')) ?? this.root;
  }

  #remove(key: string | undefined): void {
    const draft = key === undefined ? undefined : this.#byKey.get(key);
    if (draft === undefined || key === undefined) return;
    take(draft);
    this.#byKey.delete(key);
    if (this.root === draft) this.root = undefined;
    const { address } = draft;
    if (address !== undefined && this.#byAddress.get(address) === draft) this.#byAddress.delete(address);
  }

  #note(draft: NavigationNode): void {
    this.#byKey.set(draft.key, draft);
    if (draft.address !== undefined) this.#byAddress.set(draft.address, draft);
  }
}

function put(draft: NavigationNode, parent: NavigationNode | undefined): void {
  take(draft);
  draft.parent = parent;
  parent?.children.push(draft);
}

function take(draft: NavigationNode): void {
  const siblings = draft.parent?.children ?? [];
  const at = siblings.indexOf(draft);
  if (at >= 0) siblings.splice(at, 1);
  draft.parent = undefined;
}
