/** Handlers of the content of spaces and change requests (API document, "Space content", "Change request content"). */
import type { changeRequestContent } from '../../contract/change-request-content.ts';
import type { spaceContent } from '../../contract/space-content.ts';
import { conflict } from '../errors.ts';
import type { HandlersOf } from '../handler.ts';
import { linksOfPages } from '../links.ts';
import {
  importInto,
  listBacklinks,
  listFiles,
  pageIn,
  readFile,
  readPage,
  readPages,
  readRevision,
  versionOf,
} from '../revisions.ts';
import { searchSpace } from '../search.ts';

/** Handlers of the content of spaces. */
export const spaceContentHandlers: HandlersOf<typeof spaceContent> = {
  'spaceContent.search': (context, { params, query }) =>
    searchSpace(context, context.space(params.spaceId ?? '', 'read'), query),

  'spaceContent.get': (context, { params, query }) =>
    readRevision(context, versionOf(context, params, 'read'), query),

  'spaceContent.import': (context, { params, body }) =>
    importInto(context, versionOf(context, params, 'edit'), body),

  'spaceContent.pages': (context, { params, query }) =>
    readPages(context, versionOf(context, params, 'read'), query),

  'spaceContent.listFiles': (context, { params, query }) =>
    listFiles(context, versionOf(context, params, 'read'), query),

  'spaceContent.getFile': (context, { params, query }) =>
    readFile(context, versionOf(context, params, 'read'), params, query),

  'spaceContent.listFileBacklinks': (context, { params, query }) =>
    listBacklinks(context, versionOf(context, params, 'read'), params, query),

  'spaceContent.getPage': (context, { params, query }) =>
    readPage(context, versionOf(context, params, 'read'), params, query),

  'spaceContent.listPageLinks': (context, { params, query }) => {
    const version = versionOf(context, params, 'read');
    const page = { ...pageIn(version, params.pageId ?? ''), pages: [] };
    return linksOfPages(context, { ...version, changeRequest: false, pages: [page], query });
  },
};

/** Handlers of the content of change requests. */
export const changeRequestContentHandlers: HandlersOf<typeof changeRequestContent> = {
  'changeRequestContent.get': (context, { params, query }) =>
    readRevision(context, versionOf(context, params, 'read'), query),

  'changeRequestContent.import': (context, { params, body }) => {
    const version = versionOf(context, params, 'edit');
    const status = version.changeRequest?.status;
    if (status === 'merged' || status === 'archived') throw conflict(`the change request is ${status}`);
    return importInto(context, version, body);
  },

  'changeRequestContent.pages': (context, { params, query }) =>
    readPages(context, versionOf(context, params, 'read'), query),

  'changeRequestContent.listFiles': (context, { params, query }) =>
    listFiles(context, versionOf(context, params, 'read'), query),

  'changeRequestContent.getFile': (context, { params, query }) =>
    readFile(context, versionOf(context, params, 'read'), params, query),

  'changeRequestContent.listFileBacklinks': (context, { params, query }) =>
    listBacklinks(context, versionOf(context, params, 'read'), params, query),

  'changeRequestContent.getPage': (context, { params, query }) =>
    readPage(context, versionOf(context, params, 'read'), params, query),

  'changeRequestContent.listPageLinks': (context, { params, query }) => {
    const version = versionOf(context, params, 'read');
    const page = { ...pageIn(version, params.pageId ?? ''), pages: [] };
    return linksOfPages(context, { ...version, changeRequest: true, pages: [page], query });
  },
};
