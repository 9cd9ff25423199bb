/** Parts of long lists as SQL: where they start, what they are filtered and ordered by. */
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
}

/** The query for a slice of the rows of a parent. */
export function sliceQuery(kind: RowKind, parent: string, slice: Slice): { sql: string; values: SqlValue[] } {
  const order = slice.byAlt ? 'alt' : 'ord';
  const where = ['kind = ?', 'parent = ?'];
  const values: SqlValue[] = [kind, parent];
  if (slice.byAlt) where.push('alt IS NOT NULL');
  if (slice.after !== undefined) {
    where.push(`(${order}, id) ${slice.descending ? '<' : '>'} (?, ?)`);
    values.push(...slice.after);
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
    where.push(
      "EXISTS (SELECT 1 FROM rows held INDEXED BY rows_owner WHERE held.kind = 'siteSpace' AND held.owner = rows.id AND held.tag = ?)",
    );
    values.push(slice.space);
  }
  const direction = slice.descending ? 'DESC' : 'ASC';
  const sql = `SELECT data FROM rows WHERE ${where.join(' AND ')} ORDER BY ${order} ${direction}, id ${direction} LIMIT ?`;
  values.push(slice.limit);
  return { sql, values };
}
