/** Custom fields, OpenAPI specifications and translations, as responses show them (API document, same headings). */
import * as z from 'zod';
import { once } from '../once.ts';
import { flags, hint, maybe, resource, texts, urls } from '../values.ts';

/** Known types of custom fields. */
export const customFieldTypes = [
  'text',
  'number',
  'boolean',
  'tags',
  'select:single',
  'select:multi',
] as const;

/** A custom field of an organization; it is addressed by its name. */
export const customField = once(() =>
  z.looseObject({
    id: z.string(),
    name: z.string(),
    ...texts('title', 'description'),
    type: maybe(hint(...customFieldTypes)),
    placeholder: maybe(z.string()),
    options: maybe(z.array(z.string())),
    ...texts('createdAt', 'updatedAt'),
    urls: urls('location'),
    permissions: flags('view', 'edit'),
  }),
);

/** The value of one custom field of a space. */
export const customFieldValue = once(() =>
  z.looseObject({
    customField: maybe(customField()),
    value: maybe(z.union([z.string(), z.number(), z.boolean(), z.array(z.string())])),
  }),
);

/** An OpenAPI specification; it is addressed by its slug. */
export const openAPISpec = resource('openapi-spec', () => ({
  ...texts('createdAt', 'updatedAt'),
  slug: z.string(),
  sourceURL: maybe(z.string()),
  visibility: maybe(hint('private', 'public')),
  processingState: hint('pending', 'progress', 'complete'),
  ...texts('lastVersion', 'lastProcessedAt'),
  lastProcessErrorCode: maybe(hint('FETCH_TIMEOUT', 'FETCH_ERROR', 'PARSE_ERROR')),
  permissions: flags('view', 'edit'),
  urls: urls('location', 'app'),
}));

/** A version of a specification. */
export const openAPISpecVersion = resource('openapi-spec-version', () => ({
  createdAt: maybe(z.string()),
  url: z.string(),
  urls: urls('location'),
}));

/** The content of one version. */
export const openAPISpecContent = once(() =>
  z.looseObject({ filesystem: maybe(z.record(z.string(), z.unknown())), url: maybe(z.string()) }),
);

/** Translation settings of an organization. */
export const translationSettings = resource('translation-settings', () => ({
  title: z.string(),
  languages: maybe(z.array(z.string())),
  ...texts('createdAt', 'updatedAt'),
  permissions: flags('view', 'edit'),
  urls: urls('location'),
}));
