/**
 * Looks up objects whose creates got no response, by the names in the requests, before anything is matched: an object that is found
 * belongs to its run, as if the response had come.
 */
import { type Fields, referredAddress, type Value } from '../../kinds/payload.ts';
import type { Registry } from '../../kinds/registry.ts';
import { isCopyName } from '../../tree/copy-name.ts';
import { desiredIdentity, identityValue } from '../../tree/identity.ts';
import type { LiveNode, LiveTree } from '../../tree/live.ts';
import { joinOwnWork, noOwnWork, type OwnWork, type UncertainCreate } from '../../tree/own-work.ts';
import type { Read, Stage } from '../../tree/reads.ts';
import type { ObjectRef } from '../../tree/refs.ts';
import type { Diagnostic } from '../../util/diagnostic.ts';
import type { ReadsMade } from './declared-reads.ts';

/** Maximum lag of a service's clock, in milliseconds. */
const clockSkew = 60_000;

interface CreateLookUp {
  readonly live: LiveTree;
  readonly registry: Registry;
  readonly readsMade: ReadsMade;
  readonly recordedIds: ReadonlyMap<string, string>;
}

/** The work with the objects that were found, and notes about the others. */
export function* lookUpCreates(
  work: OwnWork,
  context: CreateLookUp,
): Stage<{ readonly work: OwnWork; readonly notes: readonly Diagnostic[] }> {
  let all = work;
  const notes: Diagnostic[] = [];
  // Oldest first: an object may be inside one that another lost create made.
  for (const create of [...work.uncertain].reverse()) {
    const isKnown = Object.hasOwn(all.ids, create.address) && context.live.has(refOf(create, all));
    if (isKnown) continue;
    yield* context.readsMade.ask(readsFor(create, context));
    const search = new CreateSearch(create, all, context);
    const [found, ...others] = search.candidates();
    if (found === undefined || others.length > 0) {
      if (create.accepted !== true) notes.push(noteOf(create, [found, ...others]));
      continue;
    }
    const { kind, address, run } = create;
    const own = { kind, id: found.id, address, run, made: true, isOver: true, sent: ['#create'] } as const;
    all = joinOwnWork({ ...noOwnWork, ids: { [address]: found.id }, objects: [own] }, all);
  }
  return { work: all, notes };
}

function refOf({ kind, address }: UncertainCreate, { ids }: OwnWork): ObjectRef {
  return { kind, id: ids[address] ?? '' };
}

function readsFor({ kind: name, params, fields }: UncertainCreate, context: CreateLookUp): readonly Read[] {
  const { live, registry } = context;
  const kind = registry.byName(name);
  const { list, search } = kind.reads;
  const source = sourceOf(name, params, context);
  const value =
    source === undefined ? fields[search?.field ?? ''] : source.fields[kind.calls.copies?.name ?? ''];
  if (search !== undefined)
    return typeof value === 'string'
      ? [{ type: 'search', kind: name, value, ...(source === undefined ? {} : { copies: true as const }) }]
      : [];
  if (list === undefined) return [];
  const above = registry.byName(list.per);
  const id = above === registry.root ? live.organizationId : (params[above.identity.idParam ?? ''] ?? '');
  const of = { kind: above.name, id };
  return live.has(of) ? [{ type: 'list', kind: name, of }] : [];
}

/** The original of a copy. */
function sourceOf(kind: string, params: UncertainCreate['params'], { registry, live }: CreateLookUp) {
  const { calls, identity } = registry.byName(kind);
  return calls.copies && live.get({ kind, id: params[identity.idParam ?? ''] ?? '' });
}

class CreateSearch {
  readonly #create: UncertainCreate;
  readonly #work: OwnWork;
  readonly #context: CreateLookUp;
  readonly #known: ReadonlySet<string>;

  constructor(create: UncertainCreate, work: OwnWork, context: CreateLookUp) {
    this.#create = create;
    this.#work = work;
    this.#context = context;
    const made = work.objects.filter(({ kind }) => kind === create.kind).map(({ id }) => id);
    this.#known = new Set([...create.others, ...made, ...context.recordedIds.values()]);
  }

  candidates(): readonly LiveNode[] {
    const { kind: name, params, since } = this.#create;
    const { live } = this.#context;
    const source = sourceOf(name, params, this.#context);
    return live.ofKind(name).filter((node) => {
      if (this.#known.has(node.id) || node.deleted === true || !this.#isInside(node)) return false;
      if (node.createdAt !== undefined && Date.parse(node.createdAt) < Date.parse(since) - clockSkew)
        return false;
      return source === undefined ? this.#hasNames(node) : this.#isCopyOf(source, node);
    });
  }

  #isInside(node: LiveNode): boolean {
    return Object.entries(node.params).every(([name, id]) => {
      const sent = this.#create.params[name];
      return sent === undefined || sent === id || node.id === id;
    });
  }

  /** All names in the request must agree. */
  #hasNames(node: LiveNode): boolean {
    const { identity } = this.#context.registry.byName(node.kind);
    const fields = this.#sentFields();
    const named = identity.by.filter((one) => desiredIdentity(fields, one) !== undefined);
    return (
      named.length > 0 &&
      named.every((one) => desiredIdentity(fields, one) === identityValue(node.fields, one))
    );
  }

  #sentFields(): Fields {
    const entries = Object.entries(this.#create.fields).map(([name, value]): readonly [string, Value] => {
      const address = referredAddress(value);
      return [name, address === undefined ? value : (this.#work.ids[address] ?? null)];
    });
    return Object.fromEntries(entries);
  }

  #isCopyOf(source: LiveNode, node: LiveNode): boolean {
    const name = { field: this.#context.registry.byName(node.kind).calls.copies?.name ?? '' };
    const [own, original] = [identityValue(node.fields, name), identityValue(source.fields, name)];
    return own !== undefined && original !== undefined && isCopyName(own, original);
  }
}

function noteOf(
  { address, operation, run }: UncertainCreate,
  found: readonly (LiveNode | undefined)[],
): Diagnostic {
  const ids = found.flatMap((node) => node?.id ?? []);
  const note = { severity: 'warning', code: 'unfinished-run', address } as const;
  if (ids.length === 0)
    return {
      ...note,
      message: `${operation} of run ${run} got no response and was not carried out: no object has the names in the request`,
    };
  return {
    ...note,
    message: `${operation} of run ${run} got no response, and several objects have the names in the request: ${ids.join(', ')}`,
    suggestion: 'pin the right one with its id, or delete the one that is not needed in the app',
  };
}
