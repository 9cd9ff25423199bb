import * as z from 'zod';
import { once } from './once.ts';
import { listOf, operationsIn, pagedShape } from './operation.ts';
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

/** Body of an import. */
export const importBody = once(() =>
  z.strictObject({
    url: uri(),
    source: openEnum(
      'website',
      'docx',
      'markdown',
      'html',
      'zip',
      'confluence',
      'github-wiki',
      'notion',
      'google-docs',
    ),
  }),
);

/** Operations on the content of a space (API document, "Space content"). */
export const spaceContent = {
  'spaceContent.search': operation({
    method: 'GET',
    path: '/v1/spaces/{spaceId}/search',
    summary: 'Search in a space',
    query: searchQuery,
    response: () => listOf(foundPage()),
  }),
  'spaceContent.get': operation({
    method: 'GET',
    path: '/v1/spaces/{spaceId}/content',
    summary: 'Read the current revision of a space',
    query: () => z.strictObject(readShape()),
    response: revision,
  }),
  'spaceContent.import': operation({
    method: 'POST',
    path: '/v1/spaces/{spaceId}/content/import',
    summary: 'Import content into a space',
    body: importBody,
    success: 201,
    response: importResult,
    needs: 'document',
  }),
  'spaceContent.pages': operation({
    method: 'GET',
    path: '/v1/spaces/{spaceId}/content/pages',
    summary: 'Read the pages of a space',
    query: () => z.strictObject(readShape()),
    response: pageList,
  }),
  'spaceContent.listFiles': operation({
    method: 'GET',
    path: '/v1/spaces/{spaceId}/content/files',
    summary: 'List the files of a space',
    query: () => z.strictObject({ ...pagedShape(), ...readShape() }),
    response: () => listOf(file()),
  }),
  'spaceContent.getFile': operation({
    method: 'GET',
    path: '/v1/spaces/{spaceId}/content/files/{fileId}',
    summary: 'Read a file of a space',
    query: () => z.strictObject(readShape()),
    response: file,
  }),
  'spaceContent.listFileBacklinks': operation({
    method: 'GET',
    path: '/v1/spaces/{spaceId}/content/files/{fileId}/backlinks',
    summary: 'List what links to a file of a space',
    query: () => z.strictObject(pagedShape()),
    response: () => listOf(reference()),
    needs: 'document',
  }),
  'spaceContent.getPage': operation({
    method: 'GET',
    path: '/v1/spaces/{spaceId}/content/page/{pageId}',
    summary: 'Read a page of a space',
    query: () => z.strictObject({ format: format().optional(), ...readShape() }),
    response: page,
  }),
  'spaceContent.listPageLinks': operation({
    method: 'GET',
    path: '/v1/spaces/{spaceId}/content/page/{pageId}/links',
    summary: 'List the links in a page of a space',
    query: () => z.strictObject({ ...pagedShape(), status: z.enum(linkStatuses).optional() }),
    response: linkList,
    needs: 'document',
  }),
};
