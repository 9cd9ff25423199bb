import type { OperationOutput } from '../../contract/index.ts';
import { defined } from '../../util/defined.ts';
import { picked } from '../../util/picked.ts';
import { rankOf } from '../access.ts';
import type { Context } from '../context.ts';
import type { CustomFieldRow, SpecRow, SpecVersionRow, TranslationRow } from '../store/rows.ts';
import { newer } from './content.ts';

export function customFieldView(context: Context, row: CustomFieldRow): OperationOutput<'customFields.get'> {
  return {
    ...picked(row, 'id', 'name', 'title', 'description', 'placeholder'),
    ...picked(row, 'type', 'options', 'createdAt', 'updatedAt'),
    urls: { location: `${context.base}/v1/orgs/${row.org}/custom-fields/${row.name}` },
    permissions: permissions(context, row.org, 'admin'),
  };
}

/** The current specification until a new source is processed. */
export function shownSpec(context: Context, row: SpecRow): SpecRow {
  const { readyAt, formerVersion, lastVersion: _new, lastProcessErrorCode: _code, ...rest } = row;
  if (readyAt === undefined || context.at >= readyAt) return row;
  return { ...rest, processingState: 'pending', ...defined({ lastVersion: formerVersion }) };
}

export function specView(context: Context, stored: SpecRow): OperationOutput<'openapi.get'> {
  const row = shownSpec(context, stored);
  return {
    object: 'openapi-spec',
    ...picked(row, 'id', 'createdAt', 'updatedAt', 'slug', 'sourceURL'),
    ...newer(context, { visibility: row.visibility ?? 'private' }),
    ...picked(row, 'processingState', 'lastVersion', 'lastProcessedAt', 'lastProcessErrorCode'),
    ...newer(context, { lastProcessedErrorCount: row.lastProcessErrorCode === undefined ? 0 : 1 }),
    permissions: permissions(context, row.org, 'create'),
    urls: {
      location: `${context.base}/v1/orgs/${row.org}/openapi/${row.slug}`,
      app: `${context.base}/app/${row.org}/openapi/${row.slug}`,
    },
  };
}

export function specVersionView(context: Context, spec: SpecRow, row: SpecVersionRow) {
  return {
    object: 'openapi-spec-version',
    ...picked(row, 'id', 'createdAt', 'url'),
    urls: { location: `${context.base}/v1/orgs/${row.org}/openapi/${spec.slug}/versions/${row.id}` },
  };
}

export function translationView(context: Context, row: TranslationRow): OperationOutput<'translations.get'> {
  return {
    object: 'translation-settings',
    ...picked(row, 'id', 'title', 'languages', 'createdAt', 'updatedAt'),
    permissions: permissions(context, row.org, 'create'),
    urls: { location: `${context.base}/v1/orgs/${row.org}/translations/${row.id}` },
  };
}

function permissions(context: Context, org: string, edit: 'admin' | 'create') {
  const rank = context.rankIn(org);
  return { view: rank >= rankOf('read'), edit: rank >= rankOf(edit) };
}
