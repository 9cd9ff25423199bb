/** Order of siblings. A moved object gets a number between its neighbors, so that a move writes only one row. */
import { conflict } from '../errors.ts';
import type { RowKind, Rows } from './rows.ts';

export interface Placed {
  readonly id: string;
  order: number;
}

export interface Anchors {
  readonly before?: string;
  readonly after?: string;
}

/** A row in a list of rows of several kinds. */
export type ItemOf<K extends RowKind> = {
  [T in K]: { readonly type: T; readonly id: string; order: number; readonly row: Rows[T] };
}[K];

export function itemOf<K extends RowKind>(type: K, row: Rows[K]): ItemOf<K> {
  return { type, id: row.id, order: row.order, row } as ItemOf<K>;
}

/**
 * The order for the place given by the anchors, among sorted siblings (without the object itself). Throws a 409 if an anchor is not a
 * sibling, or if both are given and are not adjacent. `renumber` is called with siblings whose order had to change.
 */
export function placeFor<T extends Placed>(
  siblings: readonly T[],
  anchors: Anchors,
  renumber: (sibling: T) => void,
): number {
  const at = indexFor(siblings, anchors);
  const before = siblings[at - 1]?.order;
  const after = siblings[at]?.order;
  if (before === undefined) return after === undefined ? 1 : after - 1;
  if (after === undefined) return Math.floor(before) + 1;
  const middle = (before + after) / 2;
  if (middle > before && middle < after) return middle;
  for (const [index, sibling] of siblings.entries()) {
    sibling.order = index < at ? index + 1 : index + 2;
    renumber(sibling);
  }
  return at + 1;
}

function indexFor<T extends Placed>(siblings: readonly T[], { before, after }: Anchors): number {
  const beforeAt = before === undefined ? undefined : indexOf(siblings, before);
  const afterAt = after === undefined ? undefined : indexOf(siblings, after) + 1;
  if (beforeAt !== undefined && afterAt !== undefined && beforeAt !== afterAt) {
    throw conflict('position: before and after are not adjacent');
  }
  return beforeAt ?? afterAt ?? siblings.length;
}

function indexOf<T extends Placed>(siblings: readonly T[], id: string): number {
  const at = siblings.findIndex((sibling) => sibling.id === id);
  if (at === -1) throw conflict(`position: "${id}" is not a sibling`);
  return at;
}

export function byOrder<T extends Placed>(a: T, b: T): number {
  return a.order - b.order || (a.id < b.id ? -1 : 1);
}

/** Lower case letters, digits and single hyphens, at most `max` characters. */
export function slugOf(title: string, max = 100): string {
  const slug = title
    .normalize('NFD')
    .toLowerCase()
    .replace(/[\u0300-\u036f]+/g, '')
    .normalize('NFC')
    .replace(/[^\p{L}\p{N}\p{M}]+/gu, '-')
    .replace(/^-+|-+$/g, '');
  return (
    [...slug]
      .slice(0, max)
      .join('')
      .slice(0, max)
      .replace(/\p{Surrogate}$/u, '') || 'page'
  );
}

export function freeSlug(slug: string, taken: (path: string) => boolean): string {
  if (!taken(slug)) return slug;
  for (let suffix = 1; ; suffix += 1) {
    const path = `${slug.slice(0, 99 - String(suffix).length)}-${suffix}`;
    if (!taken(path)) return path;
  }
}
