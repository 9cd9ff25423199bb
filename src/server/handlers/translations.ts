/** Handlers of translation settings (API document, "Translations"). */
import type { translations } from '../../contract/translations.ts';
import type { Context } from '../context.ts';
import { notFound } from '../errors.ts';
import type { HandlersOf } from '../handler.ts';
import { pageOfRows } from '../paging.ts';
import type { Role, TranslationRow } from '../rows.ts';
import { translationView } from '../views/settings.ts';

function settings(context: Context, params: Readonly<Record<string, string>>, least: Role): TranslationRow {
  const org = context.org(params.organizationId ?? '', least);
  const row = context.store.get('translation', params.translationSettingsId ?? '');
  if (row === undefined || row.org !== org.id) throw notFound('translation settings');
  return row;
}

/** Handlers of translation settings. */
export const translationHandlers: HandlersOf<typeof translations> = {
  'translations.list': (context, { params, query }) => {
    const org = context.org(params.organizationId ?? '', 'read');
    return pageOfRows(context, 'translation', org.id, {
      query,
      view: (row) => translationView(context, row),
    });
  },

  'translations.create': (context, { params, body }) => {
    const org = context.org(params.organizationId ?? '', 'create');
    const row: TranslationRow = {
      id: context.id('tr'),
      org: org.id,
      title: body.title,
      languages: [],
      createdAt: context.at,
      updatedAt: context.at,
      order: context.store.next(),
    };
    context.store.put('translation', row);
    return translationView(context, row);
  },

  'translations.get': (context, { params }) => translationView(context, settings(context, params, 'read')),

  'translations.put': (context, { params, body }) => {
    const row = { ...settings(context, params, 'create'), title: body.title, updatedAt: context.at };
    context.store.put('translation', row);
    return translationView(context, row);
  },

  'translations.delete': (context, { params }) => {
    context.store.remove('translation', settings(context, params, 'create').id);
  },
};
