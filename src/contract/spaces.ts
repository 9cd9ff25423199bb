import * as z from 'zod';
import { contentMove, contentTransfer } from './collections.ts';
import { once } from './once.ts';
import { operationsIn, pageOf } from './operation.ts';
import { linkList } from './resources/content.ts';
import { customFieldValue } from './resources/settings.ts';
import { space } from './resources/space.ts';
import { linkQuery } from './space-content.ts';
import { contentLevel, languages, mergeRules } from './values.ts';

const operation = operationsIn('Spaces');
const one = '/v1/spaces/{spaceId}';

const customFieldInput = once(() =>
  z.union([z.string().max(256), z.number(), z.boolean(), z.array(z.string().max(256))]),
);

/** Initial content of a new space. */
const spaceTemplate = once(() =>
  z.strictObject({
    id: z
      .string()
      .min(1)
      .meta({ description: 'Id of the template.', examples: ['api-docs'] }),
    params: z
      .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
      .meta({ description: 'What the template asks for.', examples: [{ product: 'Acme' }] })
      .optional(),
  }),
);

const language = once(() => z.enum(languages));

/** Operations on spaces (API document, "Spaces"). */
export const spaces = {
  'spaces.list': operation('GET /v1/orgs/{organizationId}/spaces', 'List the spaces of an organization', {
    ...pageOf(space),
    needs: '2026',
  }),
  'spaces.create': operation('POST /v1/orgs/{organizationId}/spaces', 'Create a space', {
    body: () =>
      z.strictObject({
        title: z.string().max(50).optional(),
        emoji: z.string().max(50).optional(),
        parent: z.string().optional(),
        language: language().optional(),
        editMode: z.enum(['live', 'locked']).optional(),
        empty: z.literal(true).optional().describe('Without content; not with a template'),
        template: spaceTemplate().optional(),
      }),
    success: 201,
    response: space,
    needs: '2026',
  }),
  'spaces.get': operation(`GET ${one}`, 'Read a space', {
    query: () =>
      z.strictObject({
        shareKey: z.string().optional().describe('Resolves published URLs of share-link sites'),
      }),
    response: space,
  }),
  'spaces.delete': operation(`DELETE ${one}`, 'Delete a space (removed for good after 7 days)', {
    success: 205,
  }),
  'spaces.update': operation(`PATCH ${one}`, 'Change a space', {
    body: () =>
      z.strictObject({
        editMode: z.enum(['live', 'locked']).optional(),
        title: z.string().max(50).optional(),
        defaultLevel: contentLevel().optional(),
        emoji: z.string().max(50).optional(),
      }),
    newer: {
      needs: '2026',
      fields: () => ({
        language: language().optional(),
        mergeRules: mergeRules('none', 'inherit').optional(),
      }),
    },
    response: space,
  }),
  'spaces.duplicate': operation(`POST ${one}/duplicate`, 'Duplicate a space', {
    success: 201,
    response: space,
  }),
  'spaces.restore': operation(`POST ${one}/restore`, 'Restore a space deleted in the last 7 days', {
    response: space,
  }),
  'spaces.move': operation(`POST ${one}/move`, 'Move a space within its organization', {
    body: contentMove,
    response: space,
  }),
  'spaces.transfer': operation(`POST ${one}/transfer`, 'Transfer a space to another organization', {
    body: contentTransfer,
    response: space,
    needs: 'document',
  }),
  'spaces.links': operation(`GET ${one}/links`, 'List the links in a space', {
    query: linkQuery,
    response: linkList,
    needs: 'document',
  }),
  'spaces.getCustomFields': operation(`GET ${one}/custom-fields`, 'Read the custom field values of a space', {
    response: () => z.array(customFieldValue()),
    needs: 'document',
  }),
  'spaces.updateCustomFields': operation(`PATCH ${one}/custom-fields`, 'Set custom field values of a space', {
    body: () =>
      z.strictObject({
        values: z
          .record(z.string(), z.strictObject({ value: customFieldInput() }))
          .describe('Values by custom field name'),
      }),
    success: 204,
    needs: 'document',
  }),
};
