import { seenBy } from '../access.ts';
import type { Context } from '../context.ts';
import { type PageQuery, pageOfList, pageOfRows } from '../paging.ts';
import type { SpaceRow, StoredPage } from '../store/rows.ts';
import type { FoundPage, Store } from '../store/store.ts';

export function flatPages(pages: readonly StoredPage[]): StoredPage[] {
  return pages.flatMap((page) => [page, ...flatPages(page.pages)]);
}

export function indexSpace(store: Store, space: SpaceRow): void {
  const revision = space.deletedAt === undefined ? store.get('revision', space.revision) : undefined;
  const pages = flatPages(revision?.pages ?? []);
  const texts = pages.map(({ id: page, title, markdown: body }) => ({ page, title, body }));
  store.indexPages(space.org, space.id, texts);
}

function wordsOf(text: string): string[] {
  return text.match(/[\p{L}\p{N}]+/gu)?.slice(0, 32) ?? [];
}

/** Pages with all words of the query; pages with the words in their titles come first. */
export function searchSpace(context: Context, space: SpaceRow, query: PageQuery & { query: string }) {
  const words = wordsOf(query.query);
  const placed = context.store.searchPages(space.id, words).map((found) => {
    const title = found.title.toLowerCase();
    return { found, rank: words.every((word) => title.includes(word.toLowerCase())) ? 0 : 1 };
  });
  placed.sort((a, b) => a.rank - b.rank);
  return pageOfList(context, placed, {
    of: space.id,
    query,
    key: ({ rank, found }) => [rank, found.page],
    view: ({ found }) => pageView(context, space, found, words),
  });
}

export function searchOrg(context: Context, org: string, query: PageQuery & { query: string }) {
  const { store } = context;
  const words = wordsOf(query.query);
  const seen = seenBy(context, context.memberOf(org));
  if (seen === undefined) return { items: [], count: 0 };
  return pageOfRows(context, 'space', org, {
    query,
    slice: { byOwner: true, seen, found: { text: query.query.trim(), ids: store.searchSpaces(org, words) } },
    view: (space) => ({
      id: space.id,
      title: space.title,
      pages: store.searchPages(space.id, words).map((page) => pageView(context, space, page, words)),
    }),
  });
}

function pageView(context: Context, space: SpaceRow, found: FoundPage, words: readonly string[]) {
  const pages = flatPages(context.store.get('revision', space.revision)?.pages ?? []);
  const app = `${context.base}/app/${space.org}/s/${space.id}/p/${found.page}`;
  const [word = ''] = words;
  const at = Math.max(0, found.body.toLowerCase().indexOf(word.toLowerCase()) - 60);
  const body = found.body.slice(at, at + 200);
  return {
    id: found.page,
    title: found.title,
    path: pages.find(({ id }) => id === found.page)?.path ?? '',
    sections: [{ id: found.page, title: found.title, path: '', body, urls: { app } }],
    urls: { app },
  };
}
