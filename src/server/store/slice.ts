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

function seenCondition(seen: Seen): { readonly sql: string; readonly values: readonly SqlValue[] } {
  if (seen.type === 'all') return { sql: "tag <> 'deleted'", values: [] };
  if (seen.type === 'ids')
    return { sql: 'id IN (SELECT value FROM json_each(?))', values: [JSON.stringify(seen.ids)] };
  const sql = `tag IN ('open', 'inherit') AND (tag = 'open' OR parent NOT IN (${closedCollections}))`;
  return { sql, values: [seen.org] };
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
  if (slice.byAlt) where.push('alt IS NOT NULL');
  if (slice.after !== undefined) {
    where.push(`(${order}, id) ${slice.descending ? '<' : '>'} (?, ?)`);
    append(values, slice.after);
  }
  if (slice.tag !== undefined) {
    where.push('tag = ?');
    values.push(slice.tag);
  }
  if (slice.text !== undefined) {
    where.push('instr(text, ?) > 0');
    values.push(slice.text.toLowerCase());
  }
  if (slice.ids !== undefined) {
    where.push('id IN (SELECT value FROM json_each(?))');
    values.push(JSON.stringify(slice.ids));
  }
  if (slice.space !== undefined) {
    where.push("id IN (SELECT owner FROM rows WHERE kind = 'siteSpace' AND tag = ?)");
    values.push(slice.space);
  }
  if (slice.seen !== undefined) {
    const seen = seenCondition(slice.seen);
    where.push(seen.sql);
    append(values, seen.values);
  }
  if (slice.found !== undefined) {
    where.push("(id IN (SELECT value FROM json_each(?)) OR (? <> '' AND instr(text, ?) > 0))");
    const text = slice.found.text.toLowerCase();
    values.push(JSON.stringify(slice.found.ids), text, text);
  }
  const direction = slice.descending ? 'DESC' : 'ASC';
  const sql = `SELECT data FROM rows WHERE ${where.join(' AND ')} ORDER BY ${order} ${direction}, id ${direction} LIMIT ?`;
  values.push(slice.limit);
  return { sql, values };
}
