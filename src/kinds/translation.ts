/** Translation settings of an organization. */
import type { OperationOutput } from '../contract/index.ts';
import { body, bodyField, pick } from './fields.ts';
import type { Kind } from './kind.ts';

/** API document, "Translations". */
export const translation: Kind = {
  name: 'translation',
  noun: 'translation',
  description: 'Translation settings.',
  places: [{ parent: 'organization', key: 'translations', shape: 'map', ordered: false }],
  fields: {
    title: {
      type: 'value',
      schema: bodyField('translations.create', 'title'),
      description: 'Title of the translation.',
      example: 'French',
    },
  },
  identities: [{ field: 'title' }],
  scope: 'organization',
  idParam: 'translationSettingsId',
  cost: 'its settings are lost',
  again: { lost: 'its languages are lost' },
  reads: {
    list: { operation: 'translations.list', per: 'organization' },
    get: { operation: 'translations.get' },
  },
  fromRemote: (remote: OperationOutput<'translations.get'>) => ({
    id: remote.id,
    fields: pick(remote, ['title']),
  }),
  calls: {
    create: (context) => {
      const all = body(context.fields, ['title']);
      return { call: { operation: 'translations.create', params: context.params, body: all }, fields: all };
    },
    update: (context, changed) => [
      { operation: 'translations.put', params: context.params, body: body(context.fields, changed) },
    ],
    delete: (context) => ({ operation: 'translations.delete', params: context.params }),
  },
};
