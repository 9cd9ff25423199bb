import * as z from 'zod';
import { once } from './once.ts';
import { operationsIn, pageOf } from './operation.ts';
import { space } from './resources/space.ts';
import { contentLevel, flags, hint, maybe, positionBy, resource, roles, urls } from './values.ts';

const collection = resource('collection', () => ({
  title: z.string(),
  description: maybe(z.string()),
  organization: z.string(),
  parent: maybe(z.string()),
  defaultLevel: hint(...roles, 'inherit').nullable(),
  urls: urls('location', 'app'),
  permissions: flags('view', 'admin', 'viewInviteLinks', 'create'),
}));

const operation = operationsIn('Collections');
const one = '/v1/collections/{collectionId}';

/** The neighbor of a piece of content: a space, or (in some deployments) a collection. */
const contentAnchor = once(() =>
  z.discriminatedUnion('type', [
    z.strictObject({ type: z.literal('space'), space: z.string() }),
    z.strictObject({ type: z.literal('collection'), collection: z.string() }),
  ]),
);

/** Body of a move of content: an absent parent keeps the current one, null means the organization's root. */
export const contentMove = once(() =>
  z.strictObject({
    parent: z.string().nullable().optional(),
    position: positionBy(contentAnchor()).optional(),
  }),
);

/** Body of a transfer to another organization. */
export const contentTransfer = once(() => z.strictObject({ organization: z.string() }));

/** Operations on collections (API document, "Collections"). */
export const collections = {
  'collections.get': operation(`GET ${one}`, 'Read a collection', {
    response: collection,
  }),
  'collections.delete': operation(`DELETE ${one}`, 'Delete a collection', {
    success: 205,
  }),
  'collections.update': operation(`PATCH ${one}`, 'Change a collection', {
    body: () =>
      z.strictObject({
        title: z.string().max(50).optional(),
        description: z.string().max(100).optional(),
        defaultLevel: contentLevel().optional(),
      }),
    response: collection,
  }),
  'collections.listSpaces': operation(`GET ${one}/spaces`, 'List the spaces of a collection', pageOf(space)),
  'collections.move': operation(`POST ${one}/move`, 'Move a collection within its organization', {
    body: contentMove,
    response: collection,
  }),
  'collections.transfer': operation(`POST ${one}/transfer`, 'Transfer a collection to another organization', {
    body: contentTransfer,
    response: collection,
  }),
  'collections.list': operation(
    'GET /v1/orgs/{organizationId}/collections',
    'List the collections of an organization',
    pageOf(collection, () => ({
      nested: z.boolean().optional().describe('List nested collections too (default true)'),
    })),
  ),
  'collections.create': operation('POST /v1/orgs/{organizationId}/collections', 'Create a collection', {
    body: () => z.strictObject({ title: z.string().max(50).optional(), parent: z.string().optional() }),
    success: 201,
    response: collection,
  }),
};
