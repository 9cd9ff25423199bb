import * as z from 'zod';
import type { OperationOutput } from '../contract/index.ts';
import { once } from '../contract/once.ts';
import { defined } from '../util/defined.ts';
import { bodyField, textOf } from './fields.ts';
import { type CallContext, defineKind, type Kind } from './kind.ts';
import type { Call } from './payload.ts';

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
    visibility: {
      needs: 'specVisibility',
      schema: bodyField('openapi.update', 'visibility'),
      description: 'Who can read the specification: members of the organization, or everybody.',
      example: 'private',
      absent: 'private',
      reads: 'word',
      risk: (before, after) =>
        after !== 'public' || before === 'public'
          ? undefined
          : { text: 'readable by everybody', past: 'was made readable by everybody', grave: true },
    },
  },
  identity: {
    by: [{ field: 'slug' }],
    unique: [{ field: 'slug', within: 'organization' }],
    idParam: 'specSlug',
  },
  reads: { list: { operation: 'openapi.list', per: 'organization' }, get: { operation: 'openapi.get' } },
  // The API addresses a specification by its slug, so the slug is its id here.
  fromRemote: ({ slug, sourceURL, visibility }: OperationOutput<'openapi.get'>) => {
    const url = textOf(sourceURL);
    const known = { source: url === undefined ? url : { url }, visibility: textOf(visibility) };
    return { id: slug, fields: { slug, ...defined(known) } };
  },
  calls: {
    create: { operation: 'openapi.create', fields: ['slug', 'source'] },
    update,
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

/** No source is public that is not meant to be: closing comes first, opening last. */
function update({ fields, params }: CallContext, changed: readonly string[]): readonly Call[] {
  const { source = null, visibility = null } = fields;
  const calls: Call[] = [];
  if (changed.includes('source')) calls.push({ operation: 'openapi.put', params, body: { source } });
  if (!changed.includes('visibility')) return calls;
  const change: Call = { operation: 'openapi.update', params, body: { visibility } };
  return visibility === 'public' ? [...calls, change] : [change, ...calls];
}
