import { defineKind, type Kind } from './kind.ts';
import { valueField } from './parts/fields.ts';

/** API document, "Translations". */
export const translation: Kind = defineKind({
  name: 'translation',
  needs: 'document',
  noun: 'translation',
  description: 'Translation settings.',
  manifest: { places: [{ parent: 'organization', key: 'translations' }] },
  body: 'translations.create',
  fields: {
    title: valueField('Title of the translation.', 'French', { trait: { is: 'title' } }),
  },
  identity: { by: [{ field: 'title' }], idParam: 'translationSettingsId' },
  reads: {
    list: { operation: 'translations.list', per: 'organization' },
    get: { operation: 'translations.get' },
  },
  calls: {
    create: { operation: 'translations.create', fields: ['title'] },
    update: 'translations.put',
    delete: 'translations.delete',
  },
  display: { unseen: 'translations' },
  deletion: { cost: 'its settings are lost', again: { lost: 'its languages are lost' } },
});
