import * as z from 'zod';
import { once } from './once.ts';
import { listOf, operationsIn, pagedShape } from './operation.ts';
import { translationSettings } from './resources/settings.ts';

const operation = operationsIn('Translations');
const all = '/v1/orgs/{organizationId}/translations';
const body = once(() => z.strictObject({ title: z.string().min(1).max(100) }));

/** Operations on translation settings (API document, "Translations"). */
export const translations = {
  'translations.list': operation({
    path: all,
    summary: 'List the translation settings of an organization',
    query: () => z.strictObject(pagedShape()),
    response: () => listOf(translationSettings()),
    needs: 'document',
  }),
  'translations.create': operation({
    method: 'POST',
    path: all,
    summary: 'Create translation settings',
    body: body,
    success: 201,
    response: translationSettings,
    needs: 'document',
  }),
  'translations.get': operation({
    path: `${all}/{translationSettingsId}`,
    summary: 'Read translation settings',
    response: translationSettings,
    needs: 'document',
  }),
  'translations.put': operation({
    method: 'PUT',
    path: `${all}/{translationSettingsId}`,
    summary: 'Change translation settings',
    body: body,
    response: translationSettings,
    needs: 'document',
  }),
  'translations.delete': operation({
    method: 'DELETE',
    path: `${all}/{translationSettingsId}`,
    summary: 'Delete translation settings',
    success: 205,
    needs: 'document',
  }),
};
