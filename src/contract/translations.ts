import * as z from 'zod';
import { once } from './once.ts';
import { listOf, operation, pagedShape } from './operation.ts';
import { translationSettings } from './resources/settings.ts';

const section = 'Translations';
const all = '/v1/orgs/{organizationId}/translations';
const body = once(() => z.strictObject({ title: z.string().min(1).max(100) }));

/** Operations on translation settings (API document, "Translations"). */
export const translations = {
  'translations.list': operation({
    method: 'GET',
    path: all,
    summary: 'List the translation settings of an organization',
    section,
    query: () => z.strictObject(pagedShape()),
    success: 200,
    response: () => listOf(translationSettings()),
    needs: 'document',
  }),
  'translations.create': operation({
    method: 'POST',
    path: all,
    summary: 'Create translation settings',
    section,
    body: body,
    success: 201,
    response: translationSettings,
    needs: 'document',
  }),
  'translations.get': operation({
    method: 'GET',
    path: `${all}/{translationSettingsId}`,
    summary: 'Read translation settings',
    section,
    success: 200,
    response: translationSettings,
    needs: 'document',
  }),
  'translations.put': operation({
    method: 'PUT',
    path: `${all}/{translationSettingsId}`,
    summary: 'Change translation settings',
    section,
    body: body,
    success: 200,
    response: translationSettings,
    needs: 'document',
  }),
  'translations.delete': operation({
    method: 'DELETE',
    path: `${all}/{translationSettingsId}`,
    summary: 'Delete translation settings',
    section,
    success: 205,
    needs: 'document',
  }),
};
