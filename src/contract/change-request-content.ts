/** Operations on the content of a change request (API document, "Change request content"). */
import * as z from 'zod';
import { listOf, operation, pagedShape } from './operation.ts';
import { file, importResult, linkList, page, pageList, reference, revision } from './resources/content.ts';
import { importBody, readShape } from './space-content.ts';
import { format } from './values.ts';

const section = 'Change request content';
const content = '/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content';

/** Operations on the content of change requests, by name. */
export const changeRequestContent = {
  'changeRequestContent.get': operation({
    method: 'GET',
    path: content,
    summary: 'Read the revision of a change request',
    section,
    query: () => z.strictObject(readShape()),
    success: 200,
    response: revision,
  }),
  'changeRequestContent.import': operation({
    method: 'POST',
    path: `${content}/import`,
    summary: 'Import content into a change request',
    section,
    body: importBody,
    success: 201,
    response: importResult,
  }),
  'changeRequestContent.pages': operation({
    method: 'GET',
    path: `${content}/pages`,
    summary: 'Read the pages of a change request',
    section,
    query: () => z.strictObject(readShape()),
    success: 200,
    response: pageList,
  }),
  'changeRequestContent.listFiles': operation({
    method: 'GET',
    path: `${content}/files`,
    summary: 'List the files of a change request',
    section,
    query: () => z.strictObject({ ...pagedShape(), ...readShape() }),
    success: 200,
    response: () => listOf(file()),
  }),
  'changeRequestContent.getFile': operation({
    method: 'GET',
    path: `${content}/files/{fileId}`,
    summary: 'Read a file of a change request',
    section,
    query: () => z.strictObject(readShape()),
    success: 200,
    response: file,
  }),
  'changeRequestContent.listFileBacklinks': operation({
    method: 'GET',
    path: `${content}/files/{fileId}/backlinks`,
    summary: 'List what links to a file of a change request',
    section,
    query: () => z.strictObject(pagedShape()),
    success: 200,
    response: () => listOf(reference()),
  }),
  'changeRequestContent.getPage': operation({
    method: 'GET',
    path: `${content}/page/{pageId}`,
    summary: 'Read a page of a change request',
    section,
    query: () => z.strictObject({ format: format().optional(), ...readShape() }),
    success: 200,
    response: page,
  }),
  'changeRequestContent.listPageLinks': operation({
    method: 'GET',
    path: `${content}/page/{pageId}/links`,
    summary: 'List the links in a page of a change request',
    section,
    query: () => z.strictObject(pagedShape()),
    success: 200,
    response: linkList,
  }),
};
