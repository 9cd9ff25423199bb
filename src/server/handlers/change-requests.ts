/** Handlers of change requests (API document, "Change requests"). */
import type { changeRequests } from '../../contract/change-requests.ts';
import { defined } from '../../util/defined.ts';
import type { ChangeRequestRow } from '../content-rows.ts';
import type { Context } from '../context.ts';
import { conflict, invalid } from '../errors.ts';
import type { HandlersOf, PathParams } from '../handler.ts';
import { merged } from '../merging.ts';
import { pageOfList } from '../paging.ts';
import { changeRequestOf, commit, demandUnlocked, pageIn, revisionOf, versionOf } from '../revisions.ts';
import type { Role, SpaceRow } from '../rows.ts';
import { changeRequestView } from '../views/discussion.ts';

function request(context: Context, params: PathParams, least: Role): [SpaceRow, ChangeRequestRow] {
  const space = context.space(params.spaceId ?? '', least);
  return [space, changeRequestOf(context, space, params.changeRequestId ?? '')];
}

function ancestorOf(context: Context, row: ChangeRequestRow) {
  return revisionOf(context, row.revisionMergedAncestor ?? row.revisionInitial);
}

function demandActive(row: ChangeRequestRow): void {
  if (row.status === 'merged' || row.status === 'archived')
    throw conflict(`the change request is ${row.status}`);
}

/** Handlers of change requests. */
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
      view: (row) => changeRequestView(context, space, row),
    });
  },

  'changeRequests.create': (context, { params, body }) => {
    const space = context.space(params.spaceId ?? '', 'edit');
    const number = space.changeRequests + 1;
    const row: ChangeRequestRow = {
      id: context.id('cr'),
      org: space.org,
      space: space.id,
      number,
      status: 'draft',
      subject: body.subject ?? '',
      createdBy: context.user,
      contributors: [context.user],
      createdAt: context.at,
      updatedAt: context.at,
      revision: space.revision,
      revisionInitial: space.revision,
      order: context.store.next(),
    };
    context.store.put('changeRequest', row);
    context.store.put('space', { ...space, changeRequests: number });
    return changeRequestView(context, space, row);
  },

  'changeRequests.get': (context, { params }) => {
    const [space, row] = request(context, params, 'read');
    return changeRequestView(context, space, row);
  },

  'changeRequests.update': (context, { params, body }) => {
    const [space, row] = request(context, params, 'edit');
    if (row.status === 'merged') throw conflict('the change request is merged');
    const status = body.status as ChangeRequestRow['status'] | undefined;
    const changed: ChangeRequestRow = {
      ...row,
      ...defined({ subject: body.subject, status }),
      updatedAt: context.at,
    };
    context.store.put('changeRequest', changed);
    return changeRequestView(context, space, changed);
  },

  'changeRequests.merge': (context, { params }) => {
    const [space, row] = request(context, params, 'review');
    demandActive(row);
    demandUnlocked(space);
    const primary = revisionOf(context, space.revision);
    const content = merged(ancestorOf(context, row), primary, revisionOf(context, row.revision));
    if (content === null) return { revision: row.revision, result: 'conflicts' };
    const change = { type: 'merge', message: row.subject || `Change request ${row.number}`, content };
    const made = commit(context, { space, revision: primary }, change, [row.revision]);
    context.store.put('changeRequest', {
      ...row,
      status: 'merged',
      revisionMerged: made.id,
      updatedAt: context.at,
    });
    return { revision: made.id, result: 'merge' };
  },

  'changeRequests.pull': (context, { params }) => {
    const [space, row] = request(context, params, 'edit');
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
