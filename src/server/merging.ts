/** Merges content: what one revision changed since a base is put into another. Pure. */
import { isDeepStrictEqual } from 'node:util';
import type { RevisionRow, StoredPage } from './content-rows.ts';
import { flatPages } from './search.ts';

type RevisionContent = Pick<RevisionRow, 'pages' | 'files' | 'reusableContents'>;

/**
 * `into` with what `from` changed since `base`; null where both changed the same page in different ways, or one deleted
 * what the other changed.
 */
export function merged(
  base: RevisionContent,
  into: RevisionContent,
  from: RevisionContent,
): RevisionContent | null {
  const before = byId(base.pages);
  const ours = byId(into.pages);
  const theirs = byId(from.pages);
  for (const [id, page] of before) {
    const mine = ours.get(id);
    const other = theirs.get(id);
    const iChanged = mine === undefined || !same(mine, page);
    const otherChanged = other === undefined || !same(other, page);
    if (
      iChanged &&
      otherChanged &&
      !(mine === undefined ? other === undefined : other !== undefined && same(mine, other))
    ) {
      return null;
    }
  }
  const gone = new Set([...before.keys()].filter((id) => !theirs.has(id)));
  const changed = new Map([...theirs].filter(([id, page]) => !same(page, before.get(id))));
  return {
    pages: withAdded(
      withChanged(into.pages, gone, changed),
      from.pages,
      (id) => before.has(id) || ours.has(id),
    ),
    files: union(into.files, from.files),
    reusableContents: union(into.reusableContents, from.reusableContents),
  };
}

function byId(pages: readonly StoredPage[]): Map<string, StoredPage> {
  return new Map(flatPages(pages).map((page) => [page.id, page]));
}

/** Equal but for the children, which are pages of their own. */
function same(a: StoredPage, b: StoredPage | undefined): boolean {
  return b !== undefined && isDeepStrictEqual({ ...a, pages: [] }, { ...b, pages: [] });
}

function withChanged(
  pages: readonly StoredPage[],
  gone: ReadonlySet<string>,
  changed: ReadonlyMap<string, StoredPage>,
): StoredPage[] {
  return pages
    .filter((page) => !gone.has(page.id))
    .map((page) => ({ ...(changed.get(page.id) ?? page), pages: withChanged(page.pages, gone, changed) }));
}

/** Adds pages that are new in `from` under the same parent, at its end. */
function withAdded(
  pages: readonly StoredPage[],
  from: readonly StoredPage[],
  known: (id: string) => boolean,
): StoredPage[] {
  const inner = new Map(from.map((page) => [page.id, page.pages]));
  const kept = pages.map((page) => ({
    ...page,
    pages: withAdded(page.pages, inner.get(page.id) ?? [], known),
  }));
  return [...kept, ...from.filter((page) => !known(page.id))];
}

function union<T extends { readonly id: string }>(into: readonly T[], from: readonly T[]): T[] {
  const ids = new Set(into.map((one) => one.id));
  return [...into, ...from.filter((one) => !ids.has(one.id))];
}
