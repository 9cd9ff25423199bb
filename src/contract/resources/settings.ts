/** Custom fields, OpenAPI specifications and translations, as responses show them (API document, same headings). */
import * as z from 'zod';
import { once } from '../once.ts';
import { flags, hint, maybe, resource, urls } from '../values.ts';

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
    title: maybe(z.string()),
    description: maybe(z.string()),
    type: maybe(hint(...customFieldTypes)),
    placeholder: maybe(z.string()),
    options: maybe(z.array(z.string())),
    createdAt: maybe(z.string()),
    updatedAt: maybe(z.string()),
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
  createdAt: maybe(z.string()),
  updatedAt: maybe(z.string()),
  slug: z.string(),
  sourceURL: maybe(z.string()),
  visibility: maybe(hint('private', 'public')),
  processingState: hint('pending', 'progress', 'complete'),
  lastVersion: maybe(z.string()),
  lastProcessedAt: maybe(z.string()),
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
  createdAt: maybe(z.string()),
  updatedAt: maybe(z.string()),
  permissions: flags('view', 'edit'),
  urls: urls('location'),
}));
