import type { changeRequestContent } from '../../contract/change-requests.ts';
import type { spaceContent } from '../../contract/space-content.ts';
import { backlinksOfFile, linksOfPages } from '../content/links.ts';
import { fileIn, importInto, listFiles, pageIn, versionOf } from '../content/revisions.ts';
import { searchSpace } from '../content/search.ts';
import { conflict } from '../errors.ts';
import type { HandlersOf } from '../handler.ts';
import { fileView, pageView, readingOf, revisionView } from '../views/revision.ts';

export const spaceContentHandlers: HandlersOf<typeof spaceContent> = {
  'spaceContent.search': (context, { params, query }) =>
    searchSpace(context, context.space(params.spaceId ?? '', 'read'), query),

  'spaceContent.get': (context, { params, query }) => {
    const { space, revision } = versionOf(context, params, 'read');
    return revisionView(context, space, revision, readingOf(query));
  },

  'spaceContent.import': (context, { params, body }) => {
    const version = versionOf(context, params, 'edit');
    const status = version.changeRequest?.status;
    if (status === 'merged' || status === 'archived') throw conflict(`the change request is ${status}`);
    return importInto(context, version, body);
  },

  'spaceContent.pages': (context, { params, query }) => {
    const { space, revision } = versionOf(context, params, 'read');
    return { pages: revision.pages.map((page) => pageView(context, space, page, readingOf(query))) };
  },

  'spaceContent.listFiles': (context, { params, query }) =>
    listFiles(context, versionOf(context, params, 'read'), query),

  'spaceContent.getFile': (context, { params, query }) =>
    fileView(context, fileIn(versionOf(context, params, 'read'), params), readingOf(query)),

  'spaceContent.listFileBacklinks': (context, { params, query }) => {
    const version = versionOf(context, params, 'read');
    return backlinksOfFile(context, { ...version, file: fileIn(version, params), query });
  },

  'spaceContent.getPage': (context, { params, query }) => {
    const version = versionOf(context, params, 'read');
    return pageView(context, version.space, pageIn(version, params.pageId ?? ''), readingOf(query));
  },

  'spaceContent.listPageLinks': (context, { params, query }) => {
    const version = versionOf(context, params, 'read');
    const page = { ...pageIn(version, params.pageId ?? ''), pages: [] };
    const changeRequest = version.changeRequest !== undefined;
    return linksOfPages(context, { ...version, changeRequest, pages: [page], query });
  },
};

/** The version follows from the parameters, so the handlers are the same. */
export const changeRequestContentHandlers: HandlersOf<typeof changeRequestContent> = {
  'changeRequestContent.get': spaceContentHandlers['spaceContent.get'],
  'changeRequestContent.import': spaceContentHandlers['spaceContent.import'],
  'changeRequestContent.pages': spaceContentHandlers['spaceContent.pages'],
  'changeRequestContent.listFiles': spaceContentHandlers['spaceContent.listFiles'],
  'changeRequestContent.getFile': spaceContentHandlers['spaceContent.getFile'],
  'changeRequestContent.listFileBacklinks': spaceContentHandlers['spaceContent.listFileBacklinks'],
  'changeRequestContent.getPage': spaceContentHandlers['spaceContent.getPage'],
  'changeRequestContent.listPageLinks': spaceContentHandlers['spaceContent.listPageLinks'],
};
