/** Operations on change requests (API document, "Change requests"). */

import * as z from 'zod';
import { listOf, operationsIn, pagedShape } from './operation.ts';
import { file, importResult, linkList, page, pageList, reference, revision } from './resources/content.ts';
import { changeRequest, mergeResult } from './resources/discussion.ts';
import { importBody, readShape } from './space-content.ts';
import { format, openEnum } from './values.ts';

const operation = operationsIn('Change requests');
const one = '/v1/spaces/{spaceId}/change-requests/{changeRequestId}';

/** Operations on change requests, by name. A change request is named by its id or its number in the space. */
export const changeRequests = {
  'changeRequests.list': operation({
    method: 'GET',
    path: '/v1/spaces/{spaceId}/change-requests',
    summary: 'List the change requests of a space',
    query: () =>
      z.strictObject({
        ...pagedShape(),
        status: openEnum('draft', 'open', 'archived', 'merged').optional().describe('Default: open'),
        contributor: z.string().optional().describe('Id of a user'),
      }),
    response: () => listOf(changeRequest()),
  }),
  'changeRequests.create': operation({
    method: 'POST',
    path: '/v1/spaces/{spaceId}/change-requests',
    summary: 'Create a change request',
    body: () => z.strictObject({ subject: z.string().max(100).optional() }),
    success: 201,
    response: changeRequest,
  }),
  'changeRequests.get': operation({
    method: 'GET',
    path: one,
    summary: 'Read a change request',
    response: changeRequest,
  }),
  'changeRequests.update': operation({
    method: 'PATCH',
    path: one,
    summary: 'Change a change request',
    body: () =>
      z.strictObject({
        subject: z.string().max(100).optional(),
        status: openEnum('draft', 'open', 'archived').optional(),
      }),
    response: changeRequest,
  }),
  'changeRequests.merge': operation({
    method: 'POST',
    path: `${one}/merge`,
    summary: 'Merge a change request into its space',
    response: mergeResult,
  }),
  'changeRequests.pull': operation({
    method: 'POST',
    path: `${one}/update`,
    summary: 'Pull primary content into a change request',
    response: mergeResult,
  }),
  'changeRequests.pdf': operation({
    method: 'GET',
    path: `${one}/pdf`,
    summary: 'Get the address of a PDF of a change request',
    query: () =>
      z.strictObject({
        only: z.boolean().optional().describe('PDF for the given page only'),
        page: z.string().optional().describe('Id of a page'),
      }),
    response: () => z.looseObject({ url: z.string() }),
  }),
};

const contentOperation = operationsIn('Change request content');
const content = '/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content';

/** Operations on the content of change requests, by name. */
export const changeRequestContent = {
  'changeRequestContent.get': contentOperation({
    method: 'GET',
    path: content,
    summary: 'Read the revision of a change request',
    query: () => z.strictObject(readShape()),
    response: revision,
  }),
  'changeRequestContent.import': contentOperation({
    method: 'POST',
    path: `${content}/import`,
    summary: 'Import content into a change request',
    body: importBody,
    success: 201,
    response: importResult,
    needs: 'document',
  }),
  'changeRequestContent.pages': contentOperation({
    method: 'GET',
    path: `${content}/pages`,
    summary: 'Read the pages of a change request',
    query: () => z.strictObject(readShape()),
    response: pageList,
  }),
  'changeRequestContent.listFiles': contentOperation({
    method: 'GET',
    path: `${content}/files`,
    summary: 'List the files of a change request',
    query: () => z.strictObject({ ...pagedShape(), ...readShape() }),
    response: () => listOf(file()),
  }),
  'changeRequestContent.getFile': contentOperation({
    method: 'GET',
    path: `${content}/files/{fileId}`,
    summary: 'Read a file of a change request',
    query: () => z.strictObject(readShape()),
    response: file,
  }),
  'changeRequestContent.listFileBacklinks': contentOperation({
    method: 'GET',
    path: `${content}/files/{fileId}/backlinks`,
    summary: 'List what links to a file of a change request',
    query: () => z.strictObject(pagedShape()),
    response: () => listOf(reference()),
    needs: 'document',
  }),
  'changeRequestContent.getPage': contentOperation({
    method: 'GET',
    path: `${content}/page/{pageId}`,
    summary: 'Read a page of a change request',
    query: () => z.strictObject({ format: format().optional(), ...readShape() }),
    response: page,
  }),
  'changeRequestContent.listPageLinks': contentOperation({
    method: 'GET',
    path: `${content}/page/{pageId}/links`,
    summary: 'List the links in a page of a change request',
    query: () => z.strictObject(pagedShape()),
    response: linkList,
    needs: 'document',
  }),
};
