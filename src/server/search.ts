/** Full-text search in spaces and organizations, and the index that it reads. */

import type { StoredPage } from './content-rows.ts';
import type { Context } from './context.ts';
import { type PageQuery, pageOfList } from './paging.ts';
import type { SpaceRow } from './rows.ts';
import type { FoundPage, Store } from './store.ts';

/** All pages of a tree, parents before children. */
export function flatPages(pages: readonly StoredPage[]): StoredPage[] {
  return pages.flatMap((page) => [page, ...flatPages(page.pages)]);
}

/** Makes search find the primary content of a space; nothing of a deleted one. */
export function indexSpace(store: Store, space: SpaceRow): void {
  const pages =
    space.deletedAt === undefined ? flatPages(store.get('revision', space.revision)?.pages ?? []) : [];
  store.indexPages(
    space.org,
    space.id,
    pages.map((page) => ({ page: page.id, title: page.title, body: page.markdown })),
  );
}

function wordsOf(text: string): string[] {
  return text.match(/[\p{L}\p{N}]+/gu)?.slice(0, 32) ?? [];
}

/** The pages of a space that hold all words of the query. */
export function searchSpace(context: Context, space: SpaceRow, query: PageQuery & { query: string }) {
  const found = context.store.searchPages('space', space.id, wordsOf(query.query));
  return pageOfList(context, found, {
    of: space.id,
    query,
    id: (one) => one.page,
    view: (one) => pageView(context, space, one, query.query),
  });
}

/** The spaces of an organization whose title or pages hold the query, with those pages. */
export function searchOrg(context: Context, org: string, query: PageQuery & { query: string }) {
  const { store } = context;
  const pages = new Map<string, FoundPage[]>();
  for (const page of store.searchPages('org', org, wordsOf(query.query))) {
    pages.set(page.space, [...(pages.get(page.space) ?? []), page]);
  }
  const wanted = query.query.trim().toLowerCase();
  const spaces = store
    .owned('space', org)
    .filter((space) => space.deletedAt === undefined && context.rankOn(space) > 0)
    .filter((space) => pages.has(space.id) || (wanted !== '' && space.title.toLowerCase().includes(wanted)));
  return pageOfList(context, spaces, {
    of: org,
    query,
    id: (space) => space.id,
    view: (space) => ({
      id: space.id,
      title: space.title,
      pages: (pages.get(space.id) ?? []).map((page) => pageView(context, space, page, query.query)),
    }),
  });
}

function pageView(context: Context, space: SpaceRow, found: FoundPage, query: string) {
  const app = `${context.base}/app/${space.org}/s/${space.id}/p/${found.page}`;
  return {
    id: found.page,
    title: found.title,
    path: pagePath(context, space, found.page),
    sections: [
      { id: found.page, title: found.title, path: '', body: excerpt(found.body, query), urls: { app } },
    ],
    urls: { app },
  };
}

function pagePath(context: Context, space: SpaceRow, id: string): string {
  const pages = flatPages(context.store.get('revision', space.revision)?.pages ?? []);
  return pages.find((page) => page.id === id)?.path ?? '';
}

function excerpt(body: string, query: string): string {
  const [word = ''] = wordsOf(query);
  const at = Math.max(0, body.toLowerCase().indexOf(word.toLowerCase()) - 60);
  return body.slice(at, at + 200);
}
