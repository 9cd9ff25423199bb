import { isDeepStrictEqual } from 'node:util';
import type { changeRequests } from '../../contract/change-requests.ts';
import { defined } from '../../util/defined.ts';
import {
  commit,
  demandActive,
  demandUnlocked,
  discussedIn,
  pageIn,
  revisionOf,
  versionOf,
} from '../content/revisions.ts';
import { flatPages } from '../content/search.ts';
import type { Context } from '../context.ts';
import { conflict, invalid } from '../errors.ts';
import type { HandlersOf } from '../handler.ts';
import { pageOfList } from '../paging.ts';
import type { ChangeRequestRow, RevisionRow, StoredPage } from '../store/rows.ts';
import { changeRequestView } from '../views/discussion.ts';

function ancestorOf(context: Context, row: ChangeRequestRow) {
  return revisionOf(context, row.revisionMergedAncestor ?? row.revisionInitial);
}

export const changeRequestHandlers: HandlersOf<typeof changeRequests> = {
  'changeRequests.list': (context, { params, query }) => {
    const space = context.space(params.spaceId ?? '', 'read');
    const status = query.status ?? 'open';
    const all = context.store
      .children('changeRequest', space.id)
      .filter((row) => row.status === status)
      .filter((row) => query.contributor === undefined || row.contributors.includes(query.contributor))
      .reverse();
    return pageOfList(context, all, {
      of: space.id,
      query,
      key: (row) => [row.order, row.id],
      descending: true,
      view: (request) => changeRequestView(context, { space, request }),
    });
  },

  'changeRequests.create': (context, { params, body }) => {
    const space = context.space(params.spaceId ?? '', 'edit');
    const number = space.changeRequests + 1;
    const request = context.store.put('changeRequest', {
      ...context.fresh('cr', space.org),
      space: space.id,
      number,
      status: 'draft',
      subject: body.subject ?? '',
      createdBy: context.user,
      contributors: [context.user],
      updatedAt: context.at,
      revision: space.revision,
      revisionInitial: space.revision,
    });
    context.store.put('space', { ...space, changeRequests: number });
    return changeRequestView(context, { space, request });
  },

  'changeRequests.get': (context, { params }) =>
    changeRequestView(context, discussedIn(context, params, 'read')),

  'changeRequests.update': (context, { params, body }) => {
    const { space, request: row } = discussedIn(context, params, 'edit');
    if (row.status === 'merged') throw conflict('the change request is merged');
    const status = body.status as ChangeRequestRow['status'] | undefined;
    const change = { ...defined({ subject: body.subject, status }), updatedAt: context.at };
    const request = context.store.put('changeRequest', { ...row, ...change });
    return changeRequestView(context, { space, request });
  },

  'changeRequests.merge': (context, { params }) => {
    const { space, request: row } = discussedIn(context, params, 'review');
    demandActive(row);
    demandUnlocked(space);
    const primary = revisionOf(context, space.revision);
    const content = merged(ancestorOf(context, row), primary, revisionOf(context, row.revision));
    if (content === null) return { revision: row.revision, result: 'conflicts' };
    const change = { type: 'merge', message: row.subject || `Change request ${row.number}`, content };
    const made = commit(context, { space, revision: primary }, change, [row.revision]);
    const end = { status: 'merged', revisionMerged: made.id, updatedAt: context.at } as const;
    context.store.put('changeRequest', { ...row, ...end });
    return { revision: made.id, result: 'merge' };
  },

  'changeRequests.pull': (context, { params }) => {
    const { space, request: row } = discussedIn(context, params, 'edit');
    demandActive(row);
    const own = revisionOf(context, row.revision);
    const content = merged(ancestorOf(context, row), own, revisionOf(context, space.revision));
    if (content === null) return { revision: row.revision, result: 'conflicts' };
    const changeRequest = { ...row, revisionMergedAncestor: space.revision };
    const change = { type: 'update', message: 'Updated from the primary content', content };
    const made = commit(context, { space, revision: own, changeRequest }, change, [space.revision]);
    return { revision: made.id, result: 'update' };
  },

  'changeRequests.pdf': (context, { params, query }) => {
    const version = versionOf(context, params, 'read');
    if (query.only === true && query.page === undefined) throw invalid('query.page: only needs a page');
    const page = query.page === undefined ? undefined : pageIn(version, query.page);
    const of = page === undefined ? version.revision.id : `${version.revision.id}-${page.id}`;
    return { url: `${context.base}/files/pdf/${of}${query.only === true ? '-only' : ''}.pdf` };
  },
};

type RevisionContent = Pick<RevisionRow, 'pages' | 'files' | 'reusableContents'>;

/**
 * `into` with the changes from `base` to `from`; null if both changed the same page in different ways, or one deleted
 * a page that the other changed.
 */
function merged(base: RevisionContent, into: RevisionContent, from: RevisionContent): RevisionContent | null {
  const before = byId(base.pages);
  const ours = byId(into.pages);
  const theirs = byId(from.pages);
  for (const [id, page] of before) {
    const [mine, other] = [ours.get(id), theirs.get(id)];
    if (!same(mine, page) && !same(other, page) && !same(mine, other)) return null;
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

function same(left: StoredPage | undefined, right: StoredPage | undefined): boolean {
  return isDeepStrictEqual(left && { ...left, pages: [] }, right && { ...right, pages: [] });
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
