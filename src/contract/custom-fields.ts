import * as z from 'zod';
import { once } from './once.ts';
import { listOf, operationsIn, pagedShape } from './operation.ts';
import { customField, customFieldTypes } from './resources/settings.ts';
import { openEnum } from './values.ts';

const operation = operationsIn('Custom fields');
const all = '/v1/orgs/{organizationId}/custom-fields';
const changeable = once(() => ({
  title: z.string().max(100).optional(),
  description: z.string().max(200).optional(),
  placeholder: z.string().max(100).optional(),
  options: z.array(z.string()).min(1).max(50).optional(),
}));

/** Operations on custom fields (API document, "Custom fields"). */
export const customFields = {
  'customFields.list': operation({
    path: all,
    summary: 'List the custom fields of an organization',
    query: () => z.strictObject(pagedShape()),
    response: () => listOf(customField()),
    needs: 'document',
  }),
  'customFields.create': operation({
    method: 'POST',
    path: all,
    summary: 'Create a custom field',
    body: () =>
      z.strictObject({
        name: z
          .string()
          .min(1)
          .max(50)
          .regex(/^[a-z_\-0-9]+$/),
        type: openEnum(...customFieldTypes),
        ...changeable(),
      }),
    success: 201,
    response: customField,
    needs: 'document',
  }),
  'customFields.get': operation({
    path: `${all}/{fieldName}`,
    summary: 'Read a custom field',
    response: customField,
    needs: 'document',
  }),
  'customFields.delete': operation({
    method: 'DELETE',
    path: `${all}/{fieldName}`,
    summary: 'Delete a custom field',
    success: 204,
    needs: 'document',
  }),
  'customFields.update': operation({
    method: 'PATCH',
    path: `${all}/{fieldName}`,
    summary: 'Change a custom field',
    body: () => z.strictObject(changeable()),
    response: customField,
    needs: 'document',
  }),
};
