/**
 * Looks up objects whose creates got no response, by the names in the requests, before anything is matched: an object that is found
 * belongs to its run, as if the response had come.
 */
import { type Fields, referredAddress } from '../../kinds/parts/payload.ts';
import type { Registry } from '../../kinds/registry.ts';
import { parentOf, prefixesOf } from '../../tree/addressing.ts';
import { isCopyName } from '../../tree/copy-name.ts';
import type { DesiredTree } from '../../tree/desired-tree.ts';
import { desiredIdentity, identityValue } from '../../tree/identity.ts';
import type { LiveNode, LiveTree } from '../../tree/live.ts';
import { joinOwnWork, noOwnWork, type OwnWork, type UncertainCreate } from '../../tree/own-work.ts';
import type { Read, Stage } from '../../tree/reads.ts';
import { resolveField } from '../../tree/references.ts';
import type { ObjectRef } from '../../tree/refs.ts';
import type { Diagnostic } from '../../util/diagnostic.ts';
import { sameJson } from '../../util/json.ts';
import { compareTexts } from '../../util/lists.ts';
import type { ReadsMade } from './declared-reads.ts';

/** Maximum lag of a service's clock behind that of a run, in milliseconds: some machines have local time for UTC. */
const mostSkew = 86_400_000;

interface CreateLookUp {
  readonly desired: DesiredTree;
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
    // After a revert, a later run names the recorded object there.
    const { [create.address]: id = '' } = all.ids;
    if (id !== context.recordedIds.get(create.address) && context.live.has({ ...create, id })) continue;
    yield* readAround(create, context);
    yield* context.readsMade.ask(readsFor(create, context));
    const candidates = candidatesFor(create, all, context);
    const [found] = candidates;
    // Equal requests, such as two copies of one space, created equal objects.
    const isClear = candidates.length <= work.uncertain.filter((one) => isSameRequest(one, create)).length;
    if (found === undefined || !isClear) {
      const isAsync = context.registry.byName(create.kind).calls.createIsAsync === true;
      if (create.response === 'lost' && !isAsync) notes.push(noteOf(create, candidates));
      continue;
    }
    const { kind, address, run } = create;
    const own = { kind, id: found.id, address, run, made: true, isOver: true, sent: ['#create'] } as const;
    all = joinOwnWork({ ...noOwnWork, ids: { [address]: found.id }, objects: [own] }, all);
  }
  return { work: all, notes };
}

function isSameRequest(one: UncertainCreate, other: UncertainCreate): boolean {
  return (
    one.operation === other.operation && sameJson([one.params, one.fields], [other.params, other.fields])
  );
}

/** Reads a copied object and parents that no manifest declares, so that the object can be looked for. */
function* readAround(
  { kind, params }: Pick<UncertainCreate, 'kind' | 'params'>,
  context: CreateLookUp,
): Stage<void> {
  const { live, registry, readsMade } = context;
  const { calls, identity, reads } = registry.byName(kind);
  const source = calls.copies && params[identity.idParam ?? ''];
  if (source !== undefined) yield* readsMade.ask([{ type: 'object', kind, id: source }]);
  const above = reads.list === undefined ? registry.root : registry.byName(reads.list.per);
  const id = params[above.identity.idParam ?? ''] ?? '';
  if (above === registry.root || live.has({ kind: above.name, id })) return;
  yield* readAround({ kind: above.name, params }, context);
  yield* readsMade.ask(listAround({ kind: above.name, params }, live, registry));
}

function readsFor(create: UncertainCreate, context: CreateLookUp): readonly Read[] {
  const { live, registry } = context;
  const { kind: name, fields } = create;
  const { search } = registry.byName(name).reads;
  const originals = originalNames(create, context);
  if (search !== undefined) {
    const value = fields[search.field];
    const values = originals ?? (typeof value === 'string' ? [value] : []);
    const copies = originals === undefined ? {} : { copies: true as const };
    return values.map((one) => ({ type: 'search', kind: name, value: one, ...copies }));
  }
  return listAround(create, live, registry);
}

/** Reads the list that has an object, from the parameters of its request. Empty if it has no live parent. */
export function listAround(
  { kind, params }: { readonly kind: string; readonly params?: UncertainCreate['params'] },
  live: LiveTree,
  registry: Registry,
): readonly Read[] {
  const { list } = registry.byName(kind).reads;
  if (list === undefined) return [];
  const above = registry.byName(list.per);
  const id = above === registry.root ? live.organizationId : (params?.[above.identity.idParam ?? ''] ?? '');
  const of = { kind: above.name, id };
  return live.has(of) ? [{ type: 'list', kind, of }] : [];
}

/** The live and the declared name of a copied object, which may have been renamed since; undefined for other creates. */
function originalNames(
  { kind: name, params, address }: UncertainCreate,
  { registry, live, desired }: CreateLookUp,
): readonly string[] | undefined {
  const { calls, fields, identity } = registry.byName(name);
  const source = calls.copies && params[identity.idParam ?? ''];
  if (calls.copies === undefined || source === undefined) return undefined;
  const node = desired.get(address);
  const field = { field: fields[calls.copies.field], value: node?.fields[calls.copies.field] };
  const target = node && resolveField(desired, node, field);
  const declared = target?.type === 'node' ? desired.get(target.address)?.fields : undefined;
  const named = { field: calls.copies.name };
  return [live.get({ kind: name, id: source })?.fields, declared].flatMap(
    (known) => (known && identityValue(known, named)) ?? [],
  );
}

/** Objects that the request may have created, oldest first. */
function candidatesFor(create: UncertainCreate, work: OwnWork, context: CreateLookUp): readonly LiveNode[] {
  const { live, registry, recordedIds } = context;
  const { kind, address, since, others } = create;
  const ours = work.objects.filter((one) => one.kind === kind && !one.sent.includes('#delete'));
  const recorded = [...recordedIds].flatMap(([at, id]) => (at === address ? [] : [id]));
  const known = new Set([...others, ...ours.map(({ id }) => id), ...recorded]);
  const originals = originalNames(create, context);
  const candidates = live.ofKind(kind).filter((node) => {
    if (known.has(node.id) || node.deleted === true || !isInside(create, node, work, registry)) return false;
    if (node.createdAt !== undefined && Date.parse(node.createdAt) < Date.parse(since) - mostSkew)
      return false;
    if (originals === undefined) return hasNames(create, node, work, registry);
    const name = identityValue(node.fields, { field: registry.byName(kind).calls.copies?.name ?? '' });
    return name !== undefined && originals.some((original) => isCopyName(name, original));
  });
  return candidates.sort((left, right) => compareTexts(orderOf(left), orderOf(right)));
}

function isInside(
  { address }: UncertainCreate,
  { kind, container, scope }: LiveNode,
  { ids }: OwnWork,
  registry: Registry,
): boolean {
  const { createdOutside, copies } = registry.byName(kind).calls;
  const isAt = (ref: ObjectRef, ...addresses: readonly string[]) =>
    ref.kind === registry.root.name || addresses.some((one) => ids[one] === ref.id);
  const isMoved = createdOutside === true || copies !== undefined;
  return isAt(scope, ...prefixesOf(address)) && (isMoved || isAt(container, parentOf(address)));
}

/** All names in the request must agree. */
function hasNames(create: UncertainCreate, node: LiveNode, { ids }: OwnWork, registry: Registry): boolean {
  const fields: Fields = Object.fromEntries(
    Object.entries(create.fields).map(([name, value]) => {
      const address = referredAddress(value);
      return [name, address === undefined ? value : (ids[address] ?? null)];
    }),
  );
  const named = registry
    .byName(node.kind)
    .identity.by.filter((one) => desiredIdentity(fields, one) !== undefined);
  return (
    named.length > 0 && named.every((one) => desiredIdentity(fields, one) === identityValue(node.fields, one))
  );
}

function orderOf({ createdAt = '', id }: LiveNode): string {
  return `${createdAt} ${id}`;
}

function noteOf({ address, operation, run }: UncertainCreate, found: readonly LiveNode[]): Diagnostic {
  const ids = found.map(({ id }) => id);
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
