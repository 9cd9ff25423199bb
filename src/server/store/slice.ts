/** Parts of long lists as SQL: start, filters and order. */

import { append } from '../../util/lists.ts';
import type { RowKind } from './rows.ts';

export type SqlValue = string | number | null;

/** `after` is the order and id of the last row of the previous page. */
export interface Slice {
  readonly limit: number;
  readonly after?: readonly [order: number, id: string];
  readonly descending?: boolean;
  /** Sorts by the second order, and omits rows without one. */
  readonly byAlt?: boolean;
  readonly text?: string;
  readonly tag?: string;
  readonly ids?: readonly string[];
  readonly space?: string;
  readonly byOwner?: boolean;
  /** Excludes deleted spaces and collections; `open` also excludes content of that organization that is closed to members. */
  readonly seen?: Seen;
  readonly found?: { readonly text: string; readonly ids: readonly string[] };
}

export type Seen =
  | { readonly type: 'all' }
  | { readonly type: 'open'; readonly org: string }
  | { readonly type: 'ids'; readonly ids: readonly string[] };

const closedCollections = `WITH RECURSIVE closed (id) AS (
  SELECT id FROM rows WHERE kind = 'collection' AND owner = ? AND tag = 'closed'
  UNION
  SELECT nested.id FROM closed JOIN rows nested
    ON nested.kind = 'collection' AND nested.parent = closed.id AND nested.tag = 'inherit'
) SELECT id FROM closed`;

const amongIds = 'id IN (SELECT value FROM json_each(?))';

function seenCondition(seen: Seen): readonly [sql: string, ...values: SqlValue[]] {
  if (seen.type === 'all') return ["tag <> 'deleted'"];
  if (seen.type === 'ids') return [amongIds, JSON.stringify(seen.ids)];
  const sql = `tag IN ('open', 'inherit') AND (tag = 'open' OR parent NOT IN (${closedCollections}))`;
  return [sql, seen.org];
}

export function taggedQuery(kind: 'siteSpace' | 'saml'): string {
  return `SELECT data FROM rows WHERE kind = '${kind}' AND tag = ? ORDER BY ord, id`;
}

export function countSpacesQuery(org: string, seen: Seen): { sql: string; values: SqlValue[] } {
  const spaces = "SELECT count(*) FROM rows INDEXED BY rows_space WHERE kind = 'space' AND owner = ?";
  if (seen.type === 'all')
    return { sql: `${spaces.replace('(*)', '(*) AS n')} AND tag <> 'deleted'`, values: [org] };
  if (seen.type === 'ids') return { sql: 'SELECT ? AS n', values: [seen.ids.length] };
  const closed = `SELECT count(*) FROM rows WHERE kind = 'space' AND tag = 'inherit' AND parent IN (${closedCollections})`;
  return {
    sql: `SELECT (${spaces} AND tag IN ('open', 'inherit')) - (${closed}) AS n`,
    values: [org, seen.org],
  };
}

export function sliceQuery(kind: RowKind, parent: string, slice: Slice): { sql: string; values: SqlValue[] } {
  const order = slice.byAlt ? 'alt' : 'ord';
  const where = ['kind = ?', slice.byOwner ? 'owner = ?' : 'parent = ?'];
  const values: SqlValue[] = [kind, parent];
  const demand = (sql: string, ...given: readonly SqlValue[]) => {
    where.push(sql);
    append(values, given);
  };
  if (slice.byAlt) demand('alt IS NOT NULL');
  if (slice.after !== undefined)
    demand(`(${order}, id) ${slice.descending ? '<' : '>'} (?, ?)`, ...slice.after);
  if (slice.tag !== undefined) demand('tag = ?', slice.tag);
  if (slice.text !== undefined) demand('instr(text, ?) > 0', slice.text.toLowerCase());
  if (slice.ids !== undefined) demand(amongIds, JSON.stringify(slice.ids));
  if (slice.space !== undefined)
    demand("id IN (SELECT owner FROM rows WHERE kind = 'siteSpace' AND tag = ?)", slice.space);
  if (slice.seen !== undefined) demand(...seenCondition(slice.seen));
  if (slice.found !== undefined) {
    const text = slice.found.text.toLowerCase();
    const sql = `(${amongIds} OR (? <> '' AND instr(text, ?) > 0))`;
    demand(sql, JSON.stringify(slice.found.ids), text, text);
  }
  const direction = slice.descending ? 'DESC' : 'ASC';
  const sql = `SELECT data FROM rows WHERE ${where.join(' AND ')} ORDER BY ${order} ${direction}, id ${direction} LIMIT ?`;
  values.push(slice.limit);
  return { sql, values };
}
