/**
 * Pages of lists. A page token contains the last item of a page, is signed, and is only valid for the list and filters that it came
 * from. Items that are added or deleted in between neither repeat nor hide others.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { defined } from '../util/defined.ts';
import type { Context, PathParams } from './context.ts';
import { invalid } from './errors.ts';
import type { Role, RowKind, Rows } from './store/rows.ts';
import type { Slice } from './store/slice.ts';

export interface PageQuery {
  readonly page?: string | undefined;
  readonly limit?: number | undefined;
}

export type Page<T> = { items: T[]; count: number; next?: { page: string } };

export type Key = readonly (number | string)[];

/** Parent and filters of a list. Equal lists have equal tokens. */
export interface ListOf {
  readonly of: string;
  readonly query: PageQuery;
}

export function pageOfRows<K extends RowKind, T>(
  context: Context,
  kind: K,
  parent: string,
  options: {
    readonly query: PageQuery;
    readonly slice?: Omit<Slice, 'limit' | 'after'>;
    readonly view: (row: Rows[K]) => T;
  },
): Page<T> {
  const list = { of: parent, query: options.query };
  const [order, id] = cursorOf(context, list) ?? [];
  const after = order === undefined ? undefined : ([Number(order), String(id)] as const);
  const limit = limitOf(context, options.query);
  const rows = context.store.slice(kind, parent, {
    ...options.slice,
    limit: limit + 1,
    ...defined({ after }),
  });
  const given = rows.slice(0, limit);
  const last = given.at(-1);
  const items = given.map(options.view);
  if (rows.length <= limit || last === undefined) return { items, count: items.length };
  const place =
    options.slice?.byAlt === true
      ? Date.parse((last as { lastSeenAt?: string }).lastSeenAt ?? '')
      : last.order;
  return { items, count: items.length, next: { page: seal(context, list, [place, last.id]) } };
}

export interface PagedInput<Query extends PageQuery = PageQuery> {
  readonly params: PathParams;
  readonly query: Query;
}

export function listIn<K extends RowKind, T>(
  kind: K,
  least: Role,
  view: (context: Context, row: Rows[K]) => T,
) {
  return (context: Context, { params, query }: PagedInput): Page<T> => {
    const org = context.org(params.organizationId ?? '', least);
    return pageOfRows(context, kind, org.id, { query, view: (row) => view(context, row) });
  };
}

/** A page of a list in memory, sorted by `key`: adding or deleting an item changes no other item's key. */
export function pageOfList<S, T>(
  context: Context,
  all: readonly S[],
  options: ListOf & {
    readonly key: (item: S, index: number) => Key;
    readonly view: (item: S) => T;
    readonly descending?: boolean;
  },
): Page<T> {
  const after = cursorOf(context, options);
  const limit = limitOf(context, options.query);
  const direction = options.descending === true ? -1 : 1;
  const isNext = (item: S, index: number) =>
    after === undefined || compareKeys(options.key(item, index), after) * direction > 0;
  const found = all.findIndex(isNext);
  const start = found === -1 ? all.length : found;
  const given = all.slice(start, start + limit);
  const last = given.at(-1);
  const items = given.map(options.view);
  if (start + limit >= all.length || last === undefined) return { items, count: items.length };
  const page = seal(context, options, options.key(last, start + limit - 1));
  return { items, count: items.length, next: { page } };
}

export function compareKeys(left: Key, right: Key): number {
  for (const [at, one] of left.entries()) {
    const other = right[at];
    if (other === undefined) return 1;
    if (one !== other) return one < other ? -1 : 1;
  }
  return left.length - right.length;
}

function limitOf(context: Context, query: PageQuery): number {
  return query.limit ?? Number(context.variants['page-size']);
}

export function signature(context: Context, text: string): Buffer {
  return createHmac('sha256', context.store.secret).update(text).digest();
}

function fingerprint(context: Context, list: ListOf): string {
  const { page: _page, limit: _limit, ...filters } = list.query as Record<string, unknown>;
  return JSON.stringify([context.operation, list.of, filters, context.user]);
}

function seal(context: Context, list: ListOf, cursor: Key): string {
  const text = JSON.stringify(cursor);
  const signed = signature(context, text + fingerprint(context, list)).subarray(0, 12);
  return `${Buffer.from(text).toString('base64url')}.${signed.toString('base64url')}`;
}

function cursorOf(context: Context, list: ListOf): Key | undefined {
  const token = list.query.page;
  if (token === undefined) return undefined;
  const [body = '', signed = ''] = token.split('.');
  const text = Buffer.from(body, 'base64url').toString('utf8');
  const expected = signature(context, text + fingerprint(context, list)).subarray(0, 12);
  const given = Buffer.from(signed, 'base64url');
  const whole = `${Buffer.from(text).toString('base64url')}.${given.toString('base64url')}` === token;
  if (!whole || given.length !== expected.length || !timingSafeEqual(given, expected)) {
    throw invalid('query.page: not a page of this list');
  }
  return JSON.parse(text) as Key;
}
