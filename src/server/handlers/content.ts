import type { changeRequestContent } from '../../contract/change-requests.ts';
import type { spaceContent } from '../../contract/space-content.ts';
import type { Context } from '../context.ts';
import { conflict } from '../errors.ts';
import type { HandlersOf, PathParams } from '../handler.ts';
import { backlinksOfFile, linksOfPages } from '../links.ts';
import type { PageQuery } from '../paging.ts';
import { fileIn, importInto, listFiles, pageIn, type ReadQuery, versionOf } from '../revisions.ts';
import { searchSpace } from '../search.ts';
import { fileView, pageView, readingOf, revisionView } from '../views/revision.ts';

interface ContentRead<Q = ReadQuery> {
  readonly params: PathParams;
  readonly query: Q;
}

const shared = {
  get: (context: Context, { params, query }: ContentRead) => {
    const { space, revision } = versionOf(context, params, 'read');
    return revisionView(context, space, revision, readingOf(query));
  },

  pages: (context: Context, { params, query }: ContentRead) => {
    const { space, revision } = versionOf(context, params, 'read');
    return { pages: revision.pages.map((page) => pageView(context, space, page, readingOf(query))) };
  },

  listFiles: (context: Context, { params, query }: ContentRead<ReadQuery & PageQuery>) =>
    listFiles(context, versionOf(context, params, 'read'), query),

  getFile: (context: Context, { params, query }: ContentRead) =>
    fileView(context, fileIn(versionOf(context, params, 'read'), params), readingOf(query)),

  listFileBacklinks: (context: Context, { params, query }: ContentRead<PageQuery>) => {
    const version = versionOf(context, params, 'read');
    return backlinksOfFile(context, { ...version, file: fileIn(version, params), query });
  },

  getPage: (context: Context, { params, query }: ContentRead) => {
    const version = versionOf(context, params, 'read');
    return pageView(context, version.space, pageIn(version, params.pageId ?? ''), readingOf(query));
  },

  listPageLinks: (
    context: Context,
    { params, query }: ContentRead<Parameters<typeof linksOfPages>[1]['query']>,
  ) => {
    const version = versionOf(context, params, 'read');
    const page = { ...pageIn(version, params.pageId ?? ''), pages: [] };
    const changeRequest = version.changeRequest !== undefined;
    return linksOfPages(context, { ...version, changeRequest, pages: [page], query });
  },
};

export const spaceContentHandlers: HandlersOf<typeof spaceContent> = {
  'spaceContent.search': (context, { params, query }) =>
    searchSpace(context, context.space(params.spaceId ?? '', 'read'), query),
  'spaceContent.get': shared.get,
  'spaceContent.import': (context, { params, body }) =>
    importInto(context, versionOf(context, params, 'edit'), body),
  'spaceContent.pages': shared.pages,
  'spaceContent.listFiles': shared.listFiles,
  'spaceContent.getFile': shared.getFile,
  'spaceContent.listFileBacklinks': shared.listFileBacklinks,
  'spaceContent.getPage': shared.getPage,
  'spaceContent.listPageLinks': shared.listPageLinks,
};

export const changeRequestContentHandlers: HandlersOf<typeof changeRequestContent> = {
  'changeRequestContent.get': shared.get,
  'changeRequestContent.import': (context, { params, body }) => {
    const version = versionOf(context, params, 'edit');
    const status = version.changeRequest?.status;
    if (status === 'merged' || status === 'archived') throw conflict(`the change request is ${status}`);
    return importInto(context, version, body);
  },
  'changeRequestContent.pages': shared.pages,
  'changeRequestContent.listFiles': shared.listFiles,
  'changeRequestContent.getFile': shared.getFile,
  'changeRequestContent.listFileBacklinks': shared.listFileBacklinks,
  'changeRequestContent.getPage': shared.getPage,
  'changeRequestContent.listPageLinks': shared.listPageLinks,
};
