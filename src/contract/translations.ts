import * as z from 'zod';
import { once } from './once.ts';
import { operationsIn, pageOf } from './operation.ts';
import { translationSettings } from './resources/settings.ts';

const operation = operationsIn('Translations', 'document');
const all = '/v1/orgs/{organizationId}/translations';
const body = once(() => z.strictObject({ title: z.string().min(1).max(100) }));

/** Operations on translation settings (API document, "Translations"). */
export const translations = {
  'translations.list': operation({
    route: `GET ${all}`,
    summary: 'List the translation settings of an organization',
    ...pageOf(translationSettings),
  }),
  'translations.create': operation({
    route: `POST ${all}`,
    summary: 'Create translation settings',
    body: body,
    success: 201,
    response: translationSettings,
  }),
  'translations.get': operation({
    route: `GET ${all}/{translationSettingsId}`,
    summary: 'Read translation settings',
    response: translationSettings,
  }),
  'translations.put': operation({
    route: `PUT ${all}/{translationSettingsId}`,
    summary: 'Change translation settings',
    body: body,
    response: translationSettings,
  }),
  'translations.delete': operation({
    route: `DELETE ${all}/{translationSettingsId}`,
    summary: 'Delete translation settings',
    success: 205,
  }),
};
