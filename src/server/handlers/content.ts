import type { changeRequestContent } from '../../contract/change-requests.ts';
import type { spaceContent } from '../../contract/space-content.ts';
import type { Context } from '../context.ts';
import { conflict } from '../errors.ts';
import type { HandlersOf, PathParams } from '../handler.ts';
import { linksOfPages } from '../links.ts';
import type { PageQuery } from '../paging.ts';
import {
  importInto,
  listBacklinks,
  listFiles,
  pageIn,
  type ReadQuery,
  readFile,
  readPage,
  readPages,
  readRevision,
  versionOf,
} from '../revisions.ts';
import { searchSpace } from '../search.ts';

const shared = {
  get: (context: Context, { params, query }: { params: PathParams; query: ReadQuery }) =>
    readRevision(context, versionOf(context, params, 'read'), query),

  pages: (context: Context, { params, query }: { params: PathParams; query: ReadQuery }) =>
    readPages(context, versionOf(context, params, 'read'), query),

  listFiles: (context: Context, { params, query }: { params: PathParams; query: ReadQuery & PageQuery }) =>
    listFiles(context, versionOf(context, params, 'read'), query),

  getFile: (context: Context, { params, query }: { params: PathParams; query: ReadQuery }) =>
    readFile(context, versionOf(context, params, 'read'), params, query),

  listFileBacklinks: (context: Context, { params, query }: { params: PathParams; query: PageQuery }) =>
    listBacklinks(context, versionOf(context, params, 'read'), params, query),

  getPage: (context: Context, { params, query }: { params: PathParams; query: ReadQuery }) =>
    readPage(context, versionOf(context, params, 'read'), params, query),

  listPageLinks: (
    context: Context,
    { params, query }: { params: PathParams; query: Parameters<typeof linksOfPages>[1]['query'] },
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
