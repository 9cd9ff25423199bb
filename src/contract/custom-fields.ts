import * as z from 'zod';
import { once } from './once.ts';
import { operationsIn, pageOf } from './operation.ts';
import { customField, customFieldTypes } from './resources/settings.ts';
import { openEnum } from './values.ts';

const operation = operationsIn('Custom fields', 'document');
const all = '/v1/orgs/{organizationId}/custom-fields';
const changeable = once(() => ({
  title: z.string().max(100).optional(),
  description: z.string().max(200).optional(),
  placeholder: z.string().max(100).optional(),
  options: z.array(z.string()).min(1).max(50).optional(),
}));

/** Operations on custom fields (API document, "Custom fields"). */
export const customFields = {
  'customFields.list': operation(
    `GET ${all}`,
    'List the custom fields of an organization',
    pageOf(customField),
  ),
  'customFields.create': operation(`POST ${all}`, 'Create a custom field', {
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
  }),
  'customFields.get': operation(`GET ${all}/{fieldName}`, 'Read a custom field', { response: customField }),
  'customFields.delete': operation(`DELETE ${all}/{fieldName}`, 'Delete a custom field', { success: 204 }),
  'customFields.update': operation(`PATCH ${all}/{fieldName}`, 'Change a custom field', {
    body: () => z.strictObject(changeable()),
    response: customField,
  }),
};
