import type { customFields } from '../../contract/custom-fields.ts';
import type { translations } from '../../contract/translations.ts';
import { defined } from '../../util/defined.ts';
import type { Context } from '../context.ts';
import { conflict, invalid } from '../errors.ts';
import type { HandlersOf } from '../handler.ts';
import { listIn } from '../paging.ts';
import type { CustomFieldRow } from '../store/rows.ts';
import { customFieldView, translationView } from '../views/settings.ts';

function checkOptions(options: readonly string[] | undefined): void {
  for (const option of options ?? []) {
    if (option.length < 1 || option.length > 40)
      throw invalid('body.options: each option has 1 to 40 characters');
  }
  if (new Set(options).size < (options?.length ?? 0)) throw invalid('body.options: duplicate option');
}

function demandOptions(context: Context, before: CustomFieldRow | undefined, after: CustomFieldRow): void {
  if (context.variants['select-options'] === 'accepted' || !after.type.startsWith('select:')) return;
  const options = new Set(after.options);
  if (options.size === 0) throw invalid('body.options: required for this type');
  for (const { value } of before === undefined ? [] : context.store.owned('fieldValue', before.id)) {
    const missing = [value].flat().find((one) => !options.has(String(one)));
    if (missing !== undefined) throw conflict(`body.options: a space has the value "${missing}"`);
  }
}

export const customFieldHandlers: HandlersOf<typeof customFields> = {
  'customFields.list': listIn('customField', 'read', customFieldView),

  'customFields.create': (context, { params, body }) => {
    const org = context.org(params.organizationId ?? '', 'admin');
    if (context.store.find('customField', org.id, body.name) !== undefined) {
      throw conflict(`custom field "${body.name}" already exists`);
    }
    checkOptions(body.options);
    const row: CustomFieldRow = {
      ...context.fresh('field', org.id),
      name: body.name,
      type: body.type,
      title: body.title ?? '',
      description: body.description ?? '',
      placeholder: body.placeholder ?? '',
      ...defined({ options: body.options }),
      updatedAt: context.at,
    };
    demandOptions(context, undefined, row);
    return customFieldView(context, context.store.put('customField', row));
  },

  'customFields.get': (context, { params }) =>
    customFieldView(context, context.orgObject('customField', params, 'read')),

  'customFields.delete': (context, { params }) => {
    const row = context.orgObject('customField', params, 'admin');
    for (const value of context.store.owned('fieldValue', row.id))
      context.store.remove('fieldValue', value.id);
    context.store.remove('customField', row.id);
  },

  'customFields.update': (context, { params, body }) => {
    const row = context.orgObject('customField', params, 'admin');
    checkOptions(body.options);
    const changed: CustomFieldRow = { ...row, ...defined(body), updatedAt: context.at };
    demandOptions(context, row, changed);
    return customFieldView(context, context.store.put('customField', changed));
  },
};

export const translationHandlers: HandlersOf<typeof translations> = {
  'translations.list': listIn('translation', 'read', translationView),

  'translations.create': (context, { params, body }) => {
    const org = context.org(params.organizationId ?? '', 'create');
    const own = { title: body.title, languages: [], updatedAt: context.at };
    const row = context.store.put('translation', { ...context.fresh('tr', org.id), ...own });
    return translationView(context, row);
  },

  'translations.get': (context, { params }) =>
    translationView(context, context.orgObject('translation', params, 'read')),

  'translations.put': (context, { params, body }) => {
    const row = context.orgObject('translation', params, 'create');
    const changed = context.store.put('translation', { ...row, title: body.title, updatedAt: context.at });
    return translationView(context, changed);
  },

  'translations.delete': (context, { params }) => {
    context.store.remove('translation', context.orgObject('translation', params, 'create').id);
  },
};
