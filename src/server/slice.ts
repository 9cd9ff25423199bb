/** Parts of long lists as SQL: where they start, what they are filtered and ordered by. */

import { append } from '../util/lists.ts';
import type { RowKind } from './rows.ts';

/** What SQL values are bound to. */
export type SqlValue = string | number | null;

/** What a page of a long list is chosen by. `after` is the order and id of the last row that was given out. */
export interface Slice {
  readonly limit: number;
  readonly after?: readonly [order: number, id: string];
  readonly descending?: boolean;
  /** Orders by the second order, and leaves out rows that have none. */
  readonly byAlt?: boolean;
  readonly text?: string;
  readonly tag?: string;
  readonly ids?: readonly string[];
  /** Only sites that hold this space. */
  readonly space?: string;
  /** The rows of an owner, whatever their parents. */
  readonly byOwner?: boolean;
  /** Only spaces and collections that are not deleted; `open` leaves out those of that organization that are closed to members. */
  readonly seen?: Seen;
  /** Only rows with this text or one of these ids. */
  readonly found?: { readonly text: string; readonly ids: readonly string[] };
}

/** Which content is seen: all that is not deleted, or only what is open to members of an organization. */
export type Seen = { readonly type: 'all' } | { readonly type: 'open'; readonly org: string };

/** Ids of the collections of an organization that are closed to members: those that say so, and those that inherit it. */
const closedCollections = `WITH RECURSIVE closed (id) AS (
  SELECT id FROM rows WHERE kind = 'collection' AND owner = ? AND tag = 'closed'
  UNION
  SELECT nested.id FROM closed JOIN rows nested
    ON nested.kind = 'collection' AND nested.parent = closed.id AND nested.tag = 'inherit'
) SELECT id FROM closed`;

function seenCondition(seen: Seen): { readonly sql: string; readonly values: readonly SqlValue[] } {
  if (seen.type === 'all') return { sql: "tag <> 'deleted'", values: [] };
  const sql = `tag IN ('open', 'inherit') AND (tag = 'open' OR parent NOT IN (${closedCollections}))`;
  return { sql, values: [seen.org] };
}

/** The query for the rows of a kind with a tag. */
export function taggedQuery(kind: 'siteSpace' | 'saml'): string {
  return `SELECT data FROM rows WHERE kind = '${kind}' AND tag = ? ORDER BY ord, id`;
}

/** The query that counts the spaces of an organization that are seen: all that say or inherit it, without those in closed collections. */
export function countSpacesQuery(org: string, seen: Seen): { sql: string; values: SqlValue[] } {
  const spaces = "SELECT count(*) FROM rows INDEXED BY rows_space WHERE kind = 'space' AND owner = ?";
  if (seen.type === 'all')
    return { sql: `${spaces.replace('(*)', '(*) AS n')} AND tag <> 'deleted'`, values: [org] };
  const closed = `SELECT count(*) FROM rows WHERE kind = 'space' AND tag = 'inherit' AND parent IN (${closedCollections})`;
  return {
    sql: `SELECT (${spaces} AND tag IN ('open', 'inherit')) - (${closed}) AS n`,
    values: [org, seen.org],
  };
}

/** The query for a slice of the rows of a parent. */
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
