/** Operations on change requests (API document, "Change requests"). */

import * as z from 'zod';
import { named, operationsIn, pagedShape, pageOf } from './operation.ts';
import { revision } from './resources/content.ts';
import { changeRequest, mergeResult } from './resources/discussion.ts';
import { contentOperations, readShape } from './space-content.ts';
import { openEnum } from './values.ts';

const operation = operationsIn('Change requests');
const one = '/v1/spaces/{spaceId}/change-requests/{changeRequestId}';

/** Operations on change requests, by name. A change request is named by its id or its number in the space. */
export const changeRequests = {
  'changeRequests.list': operation(
    'GET /v1/spaces/{spaceId}/change-requests',
    'List the change requests of a space',
    pageOf(changeRequest, () => ({
      status: openEnum('draft', 'open', 'archived', 'merged').optional().describe('Default: open'),
      contributor: z.string().optional().describe('Id of a user'),
    })),
  ),
  'changeRequests.create': operation('POST /v1/spaces/{spaceId}/change-requests', 'Create a change request', {
    body: () => z.strictObject({ subject: z.string().max(100).optional() }),
    success: 201,
    response: changeRequest,
  }),
  'changeRequests.get': operation(`GET ${one}`, 'Read a change request', { response: changeRequest }),
  'changeRequests.update': operation(`PATCH ${one}`, 'Change a change request', {
    body: () =>
      z.strictObject({
        subject: z.string().max(100).optional(),
        status: openEnum('draft', 'open', 'archived').optional(),
      }),
    response: changeRequest,
  }),
  'changeRequests.merge': operation(`POST ${one}/merge`, 'Merge a change request into its space', {
    response: mergeResult,
  }),
  'changeRequests.pull': operation(`POST ${one}/update`, 'Pull primary content into a change request', {
    response: mergeResult,
  }),
  'changeRequests.pdf': operation(`GET ${one}/pdf`, 'Get the address of a PDF of a change request', {
    query: () =>
      z.strictObject({
        only: z.boolean().optional().describe('PDF for the given page only'),
        page: z.string().optional().describe('Id of a page'),
      }),
    response: () => z.looseObject({ url: z.string() }),
  }),
};

const contentSection = 'Change request content';
const inContent = operationsIn(contentSection);
const content = contentOperations(contentSection, `${one}/content`, 'a change request', () =>
  z.strictObject(pagedShape()),
);

/** Operations on the content of change requests, by name. */
export const changeRequestContent = {
  'changeRequestContent.get': inContent(`GET ${one}/content`, 'Read the revision of a change request', {
    query: () => z.strictObject(readShape()),
    response: revision,
  }),
  ...named('changeRequestContent', content),
};
