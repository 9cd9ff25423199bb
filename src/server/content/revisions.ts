/** Reads and writes content of spaces and change requests: both are a space with one of its revisions. */

import type { Context, PathParams } from '../context.ts';
import { conflict, notFound } from '../errors.ts';
import { type PageQuery, pageOfList } from '../paging.ts';
import type { ChangeRequestRow, RevisionRow, Role, SpaceRow, StoredFile, StoredPage } from '../store/rows.ts';
import { fileView, type ReadQuery, readingOf } from '../views/revision.ts';
import { withImported } from './importing.ts';
import { flatPages, indexSpace } from './search.ts';

export interface Version {
  readonly space: SpaceRow;
  readonly revision: RevisionRow;
  readonly changeRequest?: ChangeRequestRow;
}

export interface Discussed {
  readonly space: SpaceRow;
  readonly request: ChangeRequestRow;
}

/** The change request that a path names by its id or its number, and its space. */
export function discussedIn(context: Context, params: PathParams, least: Role): Discussed {
  const { spaceId = '', changeRequestId = '' } = params;
  const space = context.space(spaceId, least);
  const byNumber = /^\d{1,9}$/.test(changeRequestId)
    ? context.store.find('changeRequest', space.id, String(Number(changeRequestId)))
    : undefined;
  const request = byNumber ?? context.store.get('changeRequest', changeRequestId);
  if (request === undefined || request.space !== space.id) throw notFound('change request');
  return { space, request };
}

export function versionOf(context: Context, params: PathParams, least: Role): Version {
  if (params.changeRequestId === undefined) {
    const space = context.space(params.spaceId ?? '', least);
    return { space, revision: revisionOf(context, space.revision) };
  }
  const { space, request } = discussedIn(context, params, least);
  return { space, changeRequest: request, revision: revisionOf(context, request.revision) };
}

export function revisionOf(context: Context, id: string): RevisionRow {
  const row = context.store.get('revision', id);
  if (row === undefined) throw notFound('revision');
  return row;
}

export function pageIn({ revision }: Version, id: string): StoredPage {
  const page = flatPages(revision.pages).find((one) => one.id === id);
  if (page === undefined) throw notFound('page');
  return page;
}

export function fileIn({ revision }: Version, { fileId }: PathParams): StoredFile {
  const file = revision.files.find(({ id }) => id === fileId);
  if (file === undefined) throw notFound('file');
  return file;
}

export function listFiles(context: Context, { revision }: Version, query: ReadQuery & PageQuery) {
  const { metadata } = readingOf(query);
  return pageOfList(context, revision.files, {
    of: revision.id,
    query,
    // The list is of one revision, which never changes.
    key: (_file, index) => [index],
    view: (file) => fileView(context, file, { metadata }),
  });
}

export function commit(
  context: Context,
  { space, revision, changeRequest }: Version,
  change: {
    type: string;
    message: string;
    content: Pick<RevisionRow, 'pages' | 'files' | 'reusableContents'>;
  },
  parents: readonly string[] = [],
): RevisionRow {
  const { store } = context;
  const made: RevisionRow = {
    ...context.fresh('rev', space.org),
    space: space.id,
    parents: [revision.id, ...parents],
    type: change.type,
    message: change.message,
    ...change.content,
  };
  store.put('revision', made);
  if (changeRequest === undefined) {
    const changed = { ...space, revision: made.id, updatedAt: context.at };
    store.put('space', changed);
    indexSpace(store, changed);
  } else {
    const contributors = [...new Set([...changeRequest.contributors, context.user])];
    store.put('changeRequest', { ...changeRequest, revision: made.id, contributors, updatedAt: context.at });
  }
  return made;
}

export function demandUnlocked(space: SpaceRow): void {
  if (space.editMode === 'locked') throw conflict('the space is locked for edits');
}

export function demandActive({ status }: ChangeRequestRow): void {
  if (status === 'merged' || status === 'archived') throw conflict(`the change request is ${status}`);
}

export function importInto(context: Context, version: Version, body: { source: string }) {
  const { revision, space, changeRequest } = version;
  if (changeRequest === undefined) demandUnlocked(space);
  else demandActive(changeRequest);
  const { prepared } = context;
  if (prepared.type !== 'import') throw new Error('an import was not prepared');
  const { imported } = prepared;
  const { imported: importedResources, total: totalResources } = imported;
  if (importedResources === 0) return { revision: revision.id, importedResources, totalResources };
  const { reusableContents } = revision;
  const content = { ...withImported(revision, imported), reusableContents };
  const made = commit(context, version, { type: 'edits', message: `Imported ${body.source}`, content });
  return { revision: made.id, importedResources, totalResources };
}
