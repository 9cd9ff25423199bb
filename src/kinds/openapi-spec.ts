import * as z from 'zod';
import type { OperationOutput } from '../contract/index.ts';
import { once } from '../contract/once.ts';
import { countOf } from '../util/count.ts';
import { defined } from '../util/defined.ts';
import { href } from '../util/href.ts';
import { isRecord, sameJson } from '../util/json.ts';
import { type CallContext, defineKind, type Kind } from './kind.ts';
import { body, bodyField, textOf, valueField } from './parts/fields.ts';
import { documentIn, isOpenapi, operationsIn, partsOf } from './parts/openapi-parts.ts';
import { type Call, mapOf, type Payload, type Value } from './parts/payload.ts';

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
    slug: valueField('Slug that pages refer to the specification by.', 'petstore', { change: 'replace' }),
    source: {
      schema: once(() =>
        z
          .strictObject({
            url: z
              .url()
              .max(2048)
              .meta({
                description: 'Address that the service fetches the specification from.',
                examples: ['https://acme.dev/openapi.json'],
              })
              .exactOptional(),
            file: z
              .string()
              .min(1)
              .meta({
                description:
                  'File with the specification, in YAML or JSON: a path relative to the manifest, inside the workspace folder.',
                examples: ['specs/petstore.yaml'],
              })
              .exactOptional(),
          })
          .refine(({ url, file }) => (url === undefined) !== (file === undefined), {
            error: 'must be { url: … } or { file: … }',
            when: ({ issues }) => issues.length === 0,
          }),
      ),
      description: 'Source of the specification: a URL, or a file of the workspace folder.',
      example: { url: 'https://acme.dev/openapi.json' },
      reads: 'parts',
      file: {
        is: 'an OpenAPI document: a mapping with openapi or swagger',
        read: (text, document) =>
          isOpenapi(document) ? { file: text, parts: partsOf(document) } : undefined,
      },
      same: isSameSource,
      risk: (before, after) => {
        const kept = new Set(operationsIn(partsIn(after)));
        const lost =
          isRecord(after) && 'parts' in after
            ? operationsIn(partsIn(before)).filter((name) => !kept.has(name)).length
            : 0;
        return lost === 0
          ? undefined
          : `${countOf(lost, 'operation')} ${lost === 1 ? 'is' : 'are'} no longer documented`;
      },
      oneWay: (to) =>
        isRecord(to) && to.url === undefined
          ? 'no journal has its former text; apply the manifests that have it'
          : undefined,
      detail: {
        operation: 'openapi.getLatestContent',
        isFor: (desired) => isRecord(desired) && 'parts' in desired,
        onceSettled: true,
        mayBeMissing: true,
        read: (response, value) => {
          const { filesystem = {} } = response as OperationOutput<'openapi.getLatestContent'>;
          const document = documentIn(filesystem);
          if (document === undefined && Object.keys(filesystem ?? {}).length > 0) return undefined;
          const url = defined({ url: mapOf(value)?.url });
          return { value: document === undefined ? url : { ...url, parts: partsOf(document) } };
        },
      },
    },
    visibility: {
      needs: '2026',
      schema: bodyField('openapi.update', 'visibility'),
      description: 'Who can read the specification: members of the organization, or everyone.',
      example: 'private',
      absent: 'private',
      reads: 'word',
      risk: (before, after) =>
        after !== 'public' || before === 'public'
          ? undefined
          : { text: 'readable by everyone', past: 'was made readable by everyone', severe: true },
    },
  },
  identity: {
    by: [{ field: 'slug' }],
    unique: [{ field: 'slug', within: 'organization' }],
    idParam: 'specSlug',
  },
  reads: { list: { operation: 'openapi.list', per: 'organization' }, get: { operation: 'openapi.get' } },
  // The API addresses a specification by its slug, so the slug serves as its id.
  fromRemote: ({ slug, sourceURL, visibility, processingState }: OperationOutput<'openapi.get'>) => {
    const url = textOf(sourceURL);
    const known = { source: url === undefined ? url : { url }, visibility: textOf(visibility) };
    return {
      id: slug,
      fields: { slug, ...defined(known) },
      ...(isDone(processingState) ? {} : { unsettled: true }),
    };
  },
  calls: {
    create: ({ fields, params }) => ({
      call: { operation: 'openapi.create', params, body: { ...body(fields, ['slug']), ...sourceOf(fields) } },
      fields: body(fields, ['slug', 'source']),
    }),
    update,
    delete: 'openapi.delete',
    notDone,
  },
  deletion: {
    cost: 'its versions are lost, and pages made from it break',
    again: {
      lost: 'its former versions are lost',
      impossible: ({ source }) =>
        isRecord(source) && source.url !== undefined
          ? undefined
          : 'it was not fetched from a URL, and no journal has its text',
    },
  },
});

/** A private source must never become public: closing comes first, opening last. */
function update({ fields, params }: CallContext, changed: readonly string[]): readonly Call[] {
  const { visibility = null } = fields;
  const calls: Call[] = [];
  if (changed.includes('source')) calls.push({ operation: 'openapi.put', params, body: sourceOf(fields) });
  if (!changed.includes('visibility')) return calls;
  const change: Call = { operation: 'openapi.update', params, body: { visibility } };
  return visibility === 'public' ? [...calls, change] : [change, ...calls];
}

function sourceOf({ source }: CallContext['fields']): Record<string, Payload> {
  if (source === undefined) return {};
  const { url, file } = mapOf(source) ?? {};
  return { source: url === undefined && file !== undefined ? { text: file } : defined({ url }) };
}

function partsIn(source: Value | undefined): Readonly<Record<string, unknown>> {
  return isRecord(source) && isRecord(source.parts) ? source.parts : {};
}

/** Compares URLs but not the documents behind them. */
function isSameSource(desired: Value, live: Value): boolean {
  if (!isRecord(desired) || !isRecord(live)) return false;
  const [wanted, url] = [textOf(desired.url), textOf(live.url)];
  if (wanted === undefined || url === undefined) return wanted === url && sameJson(desired.parts, live.parts);
  return wanted.trim().normalize('NFC') === url || href(wanted) === href(url);
}

function isDone(state: string): boolean {
  return state === 'complete';
}

function notDone(answer: unknown, { body: sent }: { readonly body: unknown }): string | undefined {
  if (!isRecord(answer) || !isRecord(sent) || !isRecord(sent.source)) return undefined;
  const { lastProcessErrorCode: code, processingState } = answer;
  const isText = typeof sent.source.text === 'string' && isDone(String(processingState));
  return isText && typeof code === 'string'
    ? `the service could not read the specification: ${code}`
    : undefined;
}
