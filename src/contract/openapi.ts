import * as z from 'zod';
import { once } from './once.ts';
import { operationsIn, pageOf } from './operation.ts';
import { openAPISpec, openAPISpecContent, openAPISpecVersion } from './resources/settings.ts';
import { uri } from './values.ts';

const operation = operationsIn('OpenAPI specifications');
const all = '/v1/orgs/{organizationId}/openapi';
const one = `${all}/{specSlug}`;

/** The source of a specification: an address, or (in some deployments) its text. */
const specSource = once(() => z.looseObject({ url: uri(2048).optional(), text: z.string().optional() }));

const specSlug = (pattern: RegExp) => z.string().min(1).max(100).regex(pattern);

/** Operations on OpenAPI specifications (API document, "OpenAPI specifications"). */
export const openapi = {
  'openapi.list': operation(
    `GET ${all}`,
    'List the OpenAPI specifications of an organization',
    pageOf(openAPISpec),
  ),
  'openapi.create': operation(`POST ${all}`, 'Create an OpenAPI specification', {
    body: () => z.strictObject({ slug: specSlug(/^[a-z0-9]+(?:-[a-z0-9]+)*$/), source: specSource() }),
    newer: { needs: '2026', fields: () => ({ slug: specSlug(/^[a-zA-Z0-9]+(?:-[a-zA-Z0-9]+)*$/) }) },
    success: 201,
    response: openAPISpec,
  }),
  'openapi.get': operation(`GET ${one}`, 'Read an OpenAPI specification', { response: openAPISpec }),
  'openapi.put': operation(`PUT ${one}`, 'Create or update an OpenAPI specification', {
    body: () => z.strictObject({ source: specSource() }),
    response: openAPISpec,
  }),
  'openapi.update': operation(`PATCH ${one}`, 'Change who can read an OpenAPI specification', {
    body: () => z.strictObject({ visibility: z.enum(['private', 'public']) }),
    response: openAPISpec,
    needs: '2026',
  }),
  'openapi.delete': operation(`DELETE ${one}`, 'Delete an OpenAPI specification', { success: 205 }),
  'openapi.listVersions': operation(
    `GET ${one}/versions`,
    'List the versions of a specification',
    pageOf(openAPISpecVersion),
  ),
  'openapi.getLatestVersion': operation(
    `GET ${one}/versions/latest`,
    'Read the latest version of a specification',
    { response: openAPISpecVersion },
  ),
  'openapi.getLatestContent': operation(
    `GET ${one}/versions/latest/content`,
    'Read the content of the latest version',
    { response: openAPISpecContent },
  ),
  'openapi.getVersion': operation(`GET ${one}/versions/{versionId}`, 'Read a version of a specification', {
    response: openAPISpecVersion,
  }),
  'openapi.getVersionContent': operation(
    `GET ${one}/versions/{versionId}/content`,
    'Read the content of a version',
    { response: openAPISpecContent },
  ),
};
