/** Fills the ids and secrets into what a plan holds as references and templates, right before a request is sent. */
import type { Id, Payload } from '../kinds/payload.ts';
import { Secret } from '../util/secret.ts';

/** Where ids are found. */
export interface KnownIds {
  /** Ids of the objects that this run made, by address. */
  readonly ids: ReadonlyMap<string, string>;
}

/** Path parameters. Throws where an id is not known. */
export function fillParams(
  context: KnownIds,
  params: Readonly<Record<string, Id>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(params).map(([name, id]) => [name, fillId(context, id)]));
}

/** An id. Throws where it is not known. */
export function fillId(context: KnownIds, id: Id): string {
  if (typeof id === 'string') return id;
  const known = context.ids.get(id.$id);
  if (known === undefined) throw new Error(`the id of ${id.$id} is not known: the service did not say it`);
  return known;
}

/** A value of a query or a body. Throws where an id is not known. */
export function fill(context: KnownIds, value: Payload): unknown {
  if (value instanceof Secret) return value.reveal();
  if (Array.isArray(value)) return value.map((inner: Payload) => fill(context, inner));
  if (typeof value !== 'object' || value === null) return value;
  const record = value as Readonly<Record<string, Payload>>;
  if (typeof record.$id === 'string' && Object.keys(record).length === 1)
    return fillId(context, { $id: record.$id });
  return Object.fromEntries(Object.entries(record).map(([key, inner]) => [key, fill(context, inner)]));
}
