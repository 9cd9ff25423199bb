/** Operations on change requests (API document, "Change requests"). */
import * as z from 'zod';
import { listOf, operation, pagedShape } from './operation.ts';
import { changeRequest, mergeResult } from './resources/discussion.ts';
import { openEnum } from './values.ts';

const section = 'Change requests';
const one = '/v1/spaces/{spaceId}/change-requests/{changeRequestId}';

/** Operations on change requests, by name. A change request is named by its id or its number in the space. */
export const changeRequests = {
  'changeRequests.list': operation({
    method: 'GET',
    path: '/v1/spaces/{spaceId}/change-requests',
    summary: 'List the change requests of a space',
    section,
    query: () =>
      z.strictObject({
        ...pagedShape(),
        status: openEnum('draft', 'open', 'archived', 'merged').optional().describe('Default: open'),
        contributor: z.string().optional().describe('Id of a user'),
      }),
    success: 200,
    response: () => listOf(changeRequest()),
  }),
  'changeRequests.create': operation({
    method: 'POST',
    path: '/v1/spaces/{spaceId}/change-requests',
    summary: 'Create a change request',
    section,
    body: () => z.strictObject({ subject: z.string().max(100).optional() }),
    success: 201,
    response: changeRequest,
  }),
  'changeRequests.get': operation({
    method: 'GET',
    path: one,
    summary: 'Read a change request',
    section,
    success: 200,
    response: changeRequest,
  }),
  'changeRequests.update': operation({
    method: 'PATCH',
    path: one,
    summary: 'Change a change request',
    section,
    body: () =>
      z.strictObject({
        subject: z.string().max(100).optional(),
        status: openEnum('draft', 'open', 'archived').optional(),
      }),
    success: 200,
    response: changeRequest,
  }),
  'changeRequests.merge': operation({
    method: 'POST',
    path: `${one}/merge`,
    summary: 'Merge a change request into its space',
    section,
    success: 200,
    response: mergeResult,
  }),
  'changeRequests.pull': operation({
    method: 'POST',
    path: `${one}/update`,
    summary: 'Pull primary content into a change request',
    section,
    success: 200,
    response: mergeResult,
  }),
  'changeRequests.pdf': operation({
    method: 'GET',
    path: `${one}/pdf`,
    summary: 'Get the address of a PDF of a change request',
    section,
    query: () =>
      z.strictObject({
        only: z.boolean().optional().describe('PDF for the given page only'),
        page: z.string().optional().describe('Id of a page'),
      }),
    success: 200,
    response: () => z.looseObject({ url: z.string() }),
  }),
};
