/** OpenAPI specifications that an organization keeps by slug. */

import * as z from 'zod';
import type { OperationOutput } from '../contract/index.ts';
import { once } from '../contract/once.ts';
import { defined } from '../util/defined.ts';
import { body, bodyField, textOf } from './fields.ts';
import type { Kind } from './kind.ts';

/** API document, "OpenAPI specifications". */
export const openapiSpec: Kind = {
  name: 'openapiSpec',
  noun: 'OpenAPI spec',
  description: 'An OpenAPI specification; the key is its slug.',
  places: [{ parent: 'organization', key: 'openapi', shape: 'map', ordered: false }],
  key: { is: 'field', field: 'slug' },
  keySchema: bodyField('openapi.create', 'slug'),
  fields: {
    slug: {
      type: 'value',
      schema: bodyField('openapi.create', 'slug'),
      description: 'Slug that pages refer to the specification by.',
      example: 'petstore',
      change: 'replace',
    },
    source: {
      type: 'value',
      schema: once(() =>
        z.strictObject({
          url: z
            .url()
            .max(2048)
            .meta({
              description: 'Address of the specification.',
              examples: ['https://acme.dev/openapi.json'],
            }),
        }),
      ),
      description: 'Where the service fetches the specification from.',
      example: { url: 'https://acme.dev/openapi.json' },
    },
  },
  identities: [{ field: 'slug' }],
  scope: 'organization',
  unique: [{ field: 'slug', within: 'organization' }],
  idParam: 'specSlug',
  cost: 'its versions are lost, and pages made from it break',
  again: {
    lost: 'its former versions are lost',
    impossible: ({ source }) =>
      source === undefined ? 'it was not fetched from a URL, and its text is in no journal' : undefined,
  },
  reads: { list: { operation: 'openapi.list', per: 'organization' }, get: { operation: 'openapi.get' } },
  // The API addresses a specification by its slug, so the slug is its id here.
  fromRemote: ({ slug, sourceURL }: OperationOutput<'openapi.get'>) => {
    const url = textOf(sourceURL);
    return { id: slug, fields: { slug, ...defined({ source: url === undefined ? url : { url } }) } };
  },
  calls: {
    create: (context) => {
      const all = body(context.fields, ['slug', 'source']);
      return { call: { operation: 'openapi.create', params: context.params, body: all }, fields: all };
    },
    update: (context) => [
      { operation: 'openapi.put', params: context.params, body: { source: context.fields.source ?? null } },
    ],
    delete: (context) => ({ operation: 'openapi.delete', params: context.params }),
  },
};
