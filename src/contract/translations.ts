import * as z from 'zod';
import { once } from './once.ts';
import { operationsIn, pageOf } from './operation.ts';
import { translationSettings } from './resources/settings.ts';

const operation = operationsIn('Translations', 'document');
const all = '/v1/orgs/{organizationId}/translations';
const body = once(() => z.strictObject({ title: z.string().min(1).max(100) }));

/** Operations on translation settings (API document, "Translations"). */
export const translations = {
  'translations.list': operation(
    `GET ${all}`,
    'List the translation settings of an organization',
    pageOf(translationSettings),
  ),
  'translations.create': operation(`POST ${all}`, 'Create translation settings', {
    body,
    success: 201,
    response: translationSettings,
  }),
  'translations.get': operation(`GET ${all}/{translationSettingsId}`, 'Read translation settings', {
    response: translationSettings,
  }),
  'translations.put': operation(`PUT ${all}/{translationSettingsId}`, 'Change translation settings', {
    body,
    response: translationSettings,
  }),
  'translations.delete': operation(`DELETE ${all}/{translationSettingsId}`, 'Delete translation settings', {
    success: 205,
  }),
};
