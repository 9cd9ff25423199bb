import type { changeRequestContent } from '../../contract/change-requests.ts';
import { named } from '../../contract/operation.ts';
import type { spaceContent } from '../../contract/space-content.ts';
import { backlinksOfFile, linksOfPages } from '../content/links.ts';
import { fileIn, importInto, listFiles, pageIn, versionOf } from '../content/revisions.ts';
import { searchSpace } from '../content/search.ts';
import type { HandlersOf } from '../handler.ts';
import { fileView, pageView, readingOf, revisionView } from '../views/revision.ts';

type OfSpaces = HandlersOf<typeof spaceContent>;
type Shared = keyof typeof changeRequestContent extends `changeRequestContent.${infer Name}` ? Name : never;

/** Shared by spaces and change requests: the version follows from the parameters. */
const shared: { readonly [Name in Shared]: OfSpaces[`spaceContent.${Name}`] } = {
  get: (context, { params, query }) => {
    const { space, revision } = versionOf(context, params, 'read');
    return revisionView(context, space, revision, readingOf(query));
  },

  import: (context, { params, body }) => importInto(context, versionOf(context, params, 'edit'), body),

  pages: (context, { params, query }) => {
    const { space, revision } = versionOf(context, params, 'read');
    return { pages: revision.pages.map((page) => pageView(context, space, page, readingOf(query))) };
  },

  listFiles: (context, { params, query }) => listFiles(context, versionOf(context, params, 'read'), query),

  getFile: (context, { params, query }) =>
    fileView(context, fileIn(versionOf(context, params, 'read'), params), readingOf(query)),

  listFileBacklinks: (context, { params, query }) => {
    const version = versionOf(context, params, 'read');
    return backlinksOfFile(context, { ...version, file: fileIn(version, params), query });
  },

  getPage: (context, { params, query }) => {
    const version = versionOf(context, params, 'read');
    return pageView(context, version.space, pageIn(version, params.pageId ?? ''), readingOf(query));
  },

  listPageLinks: (context, { params, query }) => {
    const version = versionOf(context, params, 'read');
    const page = { ...pageIn(version, params.pageId ?? ''), pages: [] };
    const changeRequest = version.changeRequest !== undefined;
    return linksOfPages(context, { ...version, changeRequest, pages: [page], query });
  },
};

export const spaceContentHandlers: OfSpaces = {
  'spaceContent.search': (context, { params, query }) =>
    searchSpace(context, context.space(params.spaceId ?? '', 'read'), query),
  ...named('spaceContent', shared),
};

export const changeRequestContentHandlers: HandlersOf<typeof changeRequestContent> = named(
  'changeRequestContent',
  shared,
);
