import * as z from 'zod';
import type { OperationOutput } from '../contract/index.ts';
import { once } from '../contract/once.ts';
import { defined } from '../util/defined.ts';
import { bodyField, textOf } from './fields.ts';
import { defineKind, type Kind } from './kind.ts';

/** API document, "OpenAPI specifications". */
export const openapiSpec: Kind = defineKind({
  name: 'openapiSpec',
  noun: 'OpenAPI spec',
  description: 'An OpenAPI specification; the key is its slug.',
  manifest: {
    places: [{ parent: 'organization', key: 'openapi' }],
    key: { is: 'field', field: 'slug' },
    keySchema: bodyField('openapi.create', 'slug'),
  },
  body: 'openapi.create',
  fields: {
    slug: {
      description: 'Slug that pages refer to the specification by.',
      example: 'petstore',
      change: 'replace',
    },
    source: {
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
  identity: {
    by: [{ field: 'slug' }],
    unique: [{ field: 'slug', within: 'organization' }],
    idParam: 'specSlug',
  },
  reads: { list: { operation: 'openapi.list', per: 'organization' }, get: { operation: 'openapi.get' } },
  // The API addresses a specification by its slug, so the slug is its id here.
  fromRemote: ({ slug, sourceURL }: OperationOutput<'openapi.get'>) => {
    const url = textOf(sourceURL);
    return { id: slug, fields: { slug, ...defined({ source: url === undefined ? url : { url } }) } };
  },
  calls: {
    create: { operation: 'openapi.create', fields: ['slug', 'source'] },
    update: (context) => [
      { operation: 'openapi.put', params: context.params, body: { source: context.fields.source ?? null } },
    ],
    delete: 'openapi.delete',
  },
  deletion: {
    cost: 'its versions are lost, and pages made from it break',
    again: {
      lost: 'its former versions are lost',
      impossible: ({ source }) =>
        source === undefined ? 'it was not fetched from a URL, and its text is in no journal' : undefined,
    },
  },
});
