/** Today's access of each person as the service lists it, with its source if roles, levels and grants show it. Read-only. */

import { mapOf } from '../../kinds/parts/payload.ts';
import { ReadsMade } from '../../plan/match/declared-reads.ts';
import { titleOf } from '../../plan/title-of.ts';
import { accessKinds } from '../../review/access/access-kinds.ts';
import { AccessStates } from '../../review/access/access-states.ts';
import { type LevelSource, none } from '../../review/access/levels.ts';
import { keyOf } from '../../tree/addressing.ts';
import type { DesiredTree } from '../../tree/desired-tree.ts';
import { entryName } from '../../tree/endings.ts';
import type { LiveNode } from '../../tree/live.ts';
import type { Read, Stage } from '../../tree/reads.ts';
import { refText } from '../../tree/refs.ts';
import { defined } from '../../util/defined.ts';
import { withSources } from '../../util/diagnostic.ts';
import { type AddressMatcher, addressMatcher } from '../../util/glob.ts';
import { compareTexts } from '../../util/lists.ts';
import { nearest } from '../../util/nearest.ts';
import { userError } from '../../util/user-error.ts';
import { type LiveSource, planTree } from '../plan-tree.ts';
import { readsOf, type Session } from '../session.ts';

export interface AccessRow {
  readonly organization: string;
  readonly person: string;
  /** Role in the organization, or `guest`. */
  readonly role: string;
  /** Address, or kind and title of an object that no manifest declares. */
  readonly on: string;
  readonly level: string;
  /** `granted`: on the object itself. `unknown`: the service does not report the source. */
  readonly source: 'granted' | 'inherited' | 'unknown';
  readonly from: string;
  /** Declared values that the level comes from, as `octavo history` takes them. */
  readonly declared: readonly string[];
  /** The last day (UTC) of these values, if one of them ends. */
  readonly until?: string;
}

export type AccessReview = Awaited<ReturnType<typeof reviewAccess>>;

export interface AccessRequest {
  /** A person's name; default: all people. */
  readonly of?: string | undefined;
  /** Addresses (globs), titles or ids of objects, or of objects that contain them; default: all. */
  readonly to?: readonly string[] | undefined;
}

/** @throws DiagnosticError for an unknown person or object; ApiError if a request fails. */
export async function reviewAccess(session: Session, request: AccessRequest) {
  const { trees, sources } = session.workspace;
  const source = await readsOf(session);
  const listings = trees.map((tree) => new AccessListing(tree, request).of(source));
  const reviews = await withSources(sources, Promise.all(listings));
  const rows = reviews.flatMap((review) => review.rows);
  const seen = new Set(reviews.flatMap(({ people }) => people));
  const { of, to = [] } = request;
  if (of !== undefined && !seen.has(of)) {
    const near = nearest(of, [...seen]);
    throw userError(
      'no-such-person',
      `${of} is not a member of the organization`,
      near === undefined ? 'pass the e-mail address of a member' : `did you mean ${near}?`,
    );
  }
  const unmatched = to.find((one) => !reviews.some(({ matched }) => matched.has(one)));
  if (unmatched !== undefined)
    throw userError(
      'no-such-address',
      `${unmatched} matches no object that anyone has access to`,
      'pass an address, a title or an id of a space or of a collection',
    );
  return { organizations: trees.map(({ label }) => label), rows };
}

class AccessListing {
  readonly #tree: DesiredTree;
  readonly #request: AccessRequest;
  readonly #to: readonly { readonly one: string; readonly matches: AddressMatcher }[];
  readonly #matched = new Set<string>();

  constructor(tree: DesiredTree, request: AccessRequest) {
    this.#tree = tree;
    this.#request = request;
    this.#to = (request.to ?? []).map((one) => ({ one, matches: addressMatcher([one], tree.label) }));
  }

  async of(source: LiveSource) {
    const { api, ...known } = source;
    const { reader, decided } = await planTree(api, this.#tree, { ...known, matchOnly: true });
    const kinds = accessKinds(reader.registry);
    if (kinds === undefined) return { rows: [], people: [], matched: this.#matched };
    const { context } = decided;
    const states = new AccessStates(context, kinds, { steps: [], sitesAtMost: Number.POSITIVE_INFINITY });
    const stage = this.#reads(states);
    for (let step = stage.next(); step.done !== true; step = stage.next()) {
      await reader.read(step.value);
      states.reset();
    }
    return { rows: this.#rows(states), people: [...states.people().values()], matched: this.#matched };
  }

  *#reads(states: AccessStates): Stage<void> {
    const readsMade = new ReadsMade();
    const { kinds, root: of } = states;
    const { person, contents } = kinds;
    const containers = contents.filter(
      ({ isContainer, kind }) => isContainer && kind.reads.list?.per === of.kind,
    );
    const listed = [person, ...containers.map(({ kind }) => kind)];
    yield* readsMade.ask(listed.map(({ name }) => ({ type: 'list', kind: name, of })));
    const people = new Set(this.#people(states).map(([key]) => key));
    yield* readsMade.ask(
      states
        .nodes(person.name)
        .filter((node) => people.has(refText(node)))
        .map(({ kind, id }): Read => ({ type: 'reach', of: { kind, id } })),
    );
    const reached = this.#people(states).flatMap(([key]) => Object.keys(states.reachOf(key) ?? {}));
    const wanted = new Set(reached);
    const nodes = states.contentNodes().filter((node) => wanted.has(node.id));
    while (yield* readsMade.ask(states.showingReads()));
    const chain = new Map(nodes.flatMap((node) => states.chainOf(node)).map((node) => [refText(node), node]));
    yield* readsMade.ask(states.grantReads([...chain.values()]));
    const levelled = () => states.contentNodes().filter((node) => chain.has(refText(node)));
    while (yield* readsMade.ask(states.groupReads(levelled())));
  }

  #people(states: AccessStates): readonly (readonly [string, string])[] {
    const { of } = this.#request;
    return [...states.people()].filter(([, name]) => of === undefined || name === of);
  }

  #rows(states: AccessStates): readonly AccessRow[] {
    const state = states.state('before');
    const nodes = states.contentNodes();
    return this.#people(states)
      .flatMap(([key, name]) => {
        const reach = states.reachOf(key) ?? {};
        const role = state.person(key)?.role;
        const who = { organization: this.#tree.label, person: name, role: role ?? 'guest' };
        return nodes.flatMap((node): readonly AccessRow[] => {
          const level = reach[node.id] ?? none;
          if (level === none || !this.#isWanted(states, node)) return [];
          const on = shownIn(states, node);
          const source = state.sourceOf(key, refText(node), level);
          const text = sourceText(source, refText(node), (one) => nameIn(states, one));
          const declared = source === undefined ? [] : declaredIn(states, source, key);
          return [{ ...who, on, level, ...text, declared, ...defined({ until: this.#endOf(declared) }) }];
        });
      })
      .sort((left, right) => compareTexts(left.person, right.person) || compareTexts(left.on, right.on));
  }

  #endOf(declared: readonly string[]): string | undefined {
    const own = this.#tree.data.endings?.entries.filter((one) =>
      declared.includes(`${one.address}.${entryName(one)}`),
    );
    return own?.map(({ until }) => until).sort()[0];
  }

  #isWanted(states: AccessStates, node: LiveNode): boolean {
    const { context } = states;
    const own = this.#to.filter(({ one, matches }) =>
      [node, ...states.ancestors(node)].some((at) => {
        const address = context.matching.addressOf(at);
        const isNamed = at.id === one || titleOf(context, at) === one;
        return isNamed || (address !== undefined && matches(address));
      }),
    );
    for (const { one } of own) this.#matched.add(one);
    return this.#to.length === 0 || own.length > 0;
  }
}

function shownIn({ context }: AccessStates, node: LiveNode): string {
  return context.matching.addressOf(node) ?? `${context.kindOf(node).noun} "${titleOf(context, node)}"`;
}

function nameIn(states: AccessStates, key: string): string {
  const node = nodeOf(states, key);
  return node === undefined ? key : shownIn(states, node);
}

function nodeOf(states: AccessStates, key: string): LiveNode | undefined {
  const [kind = ''] = key.split(' ', 1);
  return states.node({ kind, id: key.slice(kind.length + 1) });
}

/** Values of the manifests that make up the source, addressed by key. */
function declaredIn(states: AccessStates, source: LevelSource, person: string): readonly string[] {
  const { matching, desired } = states.context;
  const { person: kind, role, contents, groups } = states.kinds;
  const valueIn = (ref: string, field: string, key?: string) => {
    const node = nodeOf(states, ref);
    const address = node && matching.addressOf(node);
    const value = address === undefined ? undefined : desired.get(address)?.fields[field];
    if (value === undefined) return [];
    const hasKey = key !== undefined && mapOf(value)?.[key] !== undefined;
    return [`${address}.${field}${hasKey ? `.${key}` : ''}`];
  };
  if (source.type === 'role') return valueIn(person, role);
  const levelled = contents.find((one) => one.kind.name === nodeOf(states, source.on)?.kind);
  if (levelled === undefined) return [];
  if (source.type === 'level') return valueIn(source.on, levelled.level);
  const name = states.people().get(person) ?? '';
  const group = source.type === 'group' ? source.group : undefined;
  const recipient = group === undefined ? kind.name : nodeOf(states, group)?.kind;
  const grant = levelled.grants.find(({ to }) => to === recipient);
  const members = groups.find((one) => one.kind.name === recipient);
  const key = group === undefined ? name : keyOf(nameIn(states, group));
  return [
    ...(grant === undefined ? [] : valueIn(source.on, grant.field, key)),
    ...(group === undefined || members === undefined ? [] : valueIn(group, members.field, name)),
  ];
}

function sourceText(
  source: LevelSource | undefined,
  own: string,
  nameOf: (key: string) => string,
): Pick<AccessRow, 'source' | 'from'> {
  if (source === undefined) return { source: 'unknown', from: 'not shown by the service' };
  if (source.type === 'role') return { source: 'inherited', from: 'role in the organization' };
  const where = source.on === own ? 'here' : `on ${nameOf(source.on)}`;
  if (source.type === 'level') return { source: 'inherited', from: `level of everyone ${where}` };
  const to = source.type === 'group' ? ` to ${nameOf(source.group)}` : '';
  return { source: source.on === own ? 'granted' : 'inherited', from: `granted${to} ${where}` };
}
