import * as z from 'zod';
import { once } from './once.ts';
import { listOf, named, operationsIn, pagedShape, pageOf } from './operation.ts';
import {
  file,
  foundPage,
  importResult,
  linkList,
  page,
  pageList,
  reference,
  revision,
} from './resources/content.ts';
import { format, linkStatuses, openEnum, uri } from './values.ts';

const operation = operationsIn('Space content');

/** Query parameters of every read of content. */
export const readShape = once(() => ({
  metadata: z.boolean().optional().describe('When false, mutable git metadata is left out (default true)'),
  computed: z.boolean().optional().describe('When false, content is not computed (default true)'),
}));

/** Query of a full-text search. */
export const searchQuery = once(() => z.strictObject({ ...pagedShape(), query: z.string().max(512) }));

const importBody = once(() =>
  z.strictObject({
    url: uri(),
    // biome-ignore format: a list of words
    source: openEnum(
      'website', 'docx', 'markdown', 'html', 'zip', 'confluence', 'github-wiki', 'notion', 'google-docs',
    ),
  }),
);

/** Query of the links in a space, or in a page of it. */
export const linkQuery = once(() =>
  z.strictObject({ ...pagedShape(), status: z.enum(linkStatuses).optional() }),
);

/**
 * Operations on content, of a space or a change request: `at` is its path, `noun` what has it, and `links` the query of the links in a
 * page.
 */
export function contentOperations<Q extends z.ZodObject>(
  section: string,
  at: string,
  noun: string,
  links: () => Q,
) {
  const operation = operationsIn(section);
  return {
    import: operation(`POST ${at}/import`, `Import content into ${noun}`, {
      body: importBody,
      success: 201,
      response: importResult,
      needs: 'document',
    }),
    pages: operation(`GET ${at}/pages`, `Read the pages of ${noun}`, {
      query: () => z.strictObject(readShape()),
      response: pageList,
    }),
    listFiles: operation(`GET ${at}/files`, `List the files of ${noun}`, {
      query: () => z.strictObject({ ...pagedShape(), ...readShape() }),
      response: () => listOf(file()),
    }),
    getFile: operation(`GET ${at}/files/{fileId}`, `Read a file of ${noun}`, {
      query: () => z.strictObject(readShape()),
      response: file,
    }),
    listFileBacklinks: operation(
      `GET ${at}/files/{fileId}/backlinks`,
      `List what links to a file of ${noun}`,
      { ...pageOf(reference), needs: 'document' },
    ),
    getPage: operation(`GET ${at}/page/{pageId}`, `Read a page of ${noun}`, {
      query: () => z.strictObject({ format: format().optional(), ...readShape() }),
      response: page,
    }),
    listPageLinks: operation(`GET ${at}/page/{pageId}/links`, `List the links in a page of ${noun}`, {
      query: links,
      response: linkList,
      needs: 'document',
    }),
  };
}

const at = '/v1/spaces/{spaceId}/content';
const content = contentOperations('Space content', at, 'a space', linkQuery);

/** Operations on the content of a space (API document, "Space content"). */
export const spaceContent = {
  'spaceContent.search': operation('GET /v1/spaces/{spaceId}/search', 'Search in a space', {
    query: searchQuery,
    response: () => listOf(foundPage()),
  }),
  'spaceContent.get': operation(`GET ${at}`, 'Read the current revision of a space', {
    query: () => z.strictObject(readShape()),
    response: revision,
  }),
  ...named('spaceContent', content),
};
