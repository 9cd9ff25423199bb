/** Random requests for the contract: valid, nearly valid and hostile. References are often existing ids. */
import fc from 'fast-check';
import * as z from 'zod';
import { type OperationId, operationIds, operationOf } from '../../src/contract/index.ts';
import { anyCodePoint } from '../support/code-points.ts';

/** A request as sent. */
export interface WireRequest {
  readonly id: OperationId;
  readonly method: string;
  readonly target: string;
  readonly headers: Record<string, string>;
  readonly body: Buffer | undefined;
}

const hostileText = fc.oneof(
  fc.constantFrom(
    '',
    '\0',
    '__proto__',
    'constructor',
    '../../etc/passwd',
    '..%2f..',
    "' OR 1=1 --",
    '%',
    '\u202e',
    '\ud800',
  ),
  fc.constantFrom(
    '😀'.repeat(60),
    'x'.repeat(70_000),
    '-1',
    '1e400',
    'null',
    'true',
    '"',
    '\\',
    '\r\nX: y',
    '9'.repeat(40),
  ),
  fc.string({ unit: anyCodePoint, maxLength: 20 }),
);

const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  hostileText,
  fc.constantFrom<unknown>(null, true, -1, 1e308, 0.1, Number.MAX_SAFE_INTEGER, [], {}, [[[]]]),
  fc.constant({ type: 'site-section', siteSection: 'x', extra: { __proto__: 1 } }),
  fc.jsonValue({ maxDepth: 3 }),
);

/** Values that a schema accepts; strings are often one of `ids`. */
function valid(schema: z.ZodType, ids: readonly string[], name = ''): fc.Arbitrary<unknown> {
  if (schema instanceof z.ZodOptional) return valid(schema.unwrap() as z.ZodType, ids, name);
  if (schema instanceof z.ZodNullable) {
    return fc.oneof(fc.constant(null), valid(schema.unwrap() as z.ZodType, ids, name));
  }
  if (schema instanceof z.ZodUnion)
    return fc.oneof(...schema.options.map((one) => valid(one as z.ZodType, ids, name)));
  if (schema instanceof z.ZodEnum) return fc.constantFrom(...Object.values(schema.enum));
  if (schema instanceof z.ZodLiteral) return fc.constantFrom(...schema.values);
  if (schema instanceof z.ZodBoolean) return fc.boolean();
  if (schema instanceof z.ZodNumber) return fc.integer({ min: 0, max: 1000 });
  if (schema instanceof z.ZodArray)
    return fc.array(valid(schema.element as z.ZodType, ids, name), { maxLength: 4 });
  if (schema instanceof z.ZodRecord) {
    return fc.dictionary(
      fc.constantFrom('stage', 'reviewed', 'user_rex', 'user_gus', ...ids.slice(0, 3)),
      valid(schema.valueType as z.ZodType, ids),
      { maxKeys: 3 },
    );
  }
  if (schema instanceof z.ZodObject) return validObject(schema, ids);
  return validText(schema, ids, name);
}

function validObject(schema: z.ZodObject, ids: readonly string[]): fc.Arbitrary<Record<string, unknown>> {
  const shape = (Object.entries(schema.shape) as [string, z.ZodType][]).filter(([name]) => name !== 'page');
  const required = shape.filter(([, field]) => !(field instanceof z.ZodOptional)).map(([name]) => name);
  return fc.record(Object.fromEntries(shape.map(([name, field]) => [name, valid(field, ids, name)])), {
    requiredKeys: required,
  });
}

function validText(schema: z.ZodType, ids: readonly string[], name: string): fc.Arbitrary<unknown> {
  const known = (schema.meta() as { knownValues?: string[] } | undefined)?.knownValues ?? [];
  if (known.length > 0) return fc.constantFrom(...known);
  if (schema instanceof z.ZodURL) return fc.constantFrom('http://127.0.0.1:9/x', 'https://example.com/a.md');
  if (name === 'emoji') return fc.constantFrom('1f600', '🚀', 'x');
  if (name === 'proxy') return fc.constantFrom('acme.dev/docs', 'acme.dev');
  if (name === 'emailDomains') return fc.constantFrom('acme.dev', 'acme.example');
  if (name in idFields) return fc.constantFrom(...likely(idFields[name] ?? '', ids));
  return fc.oneof(
    {
      weight: 6,
      arbitrary: fc.constantFrom('guides', 'a-b', 'Guide to all', 'docs', 'x9', 'petstore', 'reviewed'),
    },
    { weight: 1, arbitrary: fc.string({ maxLength: 60 }) },
  );
}

/** Body fields that are references, with the parameter of the same kind. */
const idFields: Readonly<Record<string, string>> = {
  spaceId: 'spaceId',
  space: 'spaceId',
  spaces: 'spaceId',
  collection: 'collectionId',
  parent: 'collectionId',
  organization: 'otherOrganization',
  site: 'siteId',
  sectionId: 'siteSectionId',
  siteSection: 'siteSectionId',
  defaultSiteSection: 'siteSectionId',
  sections: 'siteSectionId',
  siteSpace: 'siteSpaceId',
  defaultSiteSpace: 'siteSpaceId',
  id: 'siteSectionId',
  defaultTeam: 'teamId',
  members: 'userId',
  add: 'userId',
  remove: 'userId',
  page: 'pageId',
};

/** A value with one of its parts replaced by something hostile. */
function spoiled(value: unknown): fc.Arbitrary<unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return hostileValue;
  const names = [...Object.keys(value), 'bogus', '__proto__'];
  return fc.tuple(fc.constantFrom(...names), hostileValue).map(([name, part]) => {
    const entries = Object.entries(value).filter(([one]) => one !== name);
    return Object.fromEntries([...entries, [name, part]]);
  });
}

const rawBodies = fc.constantFrom<Buffer>(
  Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d]),
  Buffer.from('{"title":"\\ud800"}'),
  Buffer.from('{"__proto__":{"admin":true}}'),
  Buffer.from('{"title":"a\\u0000b"}'),
  Buffer.from('{"title":'),
  Buffer.from(`${'['.repeat(50_000)}${']'.repeat(50_000)}`),
  Buffer.from(`${'{"a":'.repeat(500)}1${'}'.repeat(500)}`),
  Buffer.from('{"a":1,"a":2}'),
  Buffer.from('nul'),
  Buffer.from('1e999'),
  Buffer.alloc(300_000, 0x20),
  Buffer.from(JSON.stringify({ title: 'y'.repeat(500_000) })),
);

/** Random requests; `ids` returns the existing ids, which may change during the run. */
export function hostileRequests(
  ids: () => readonly string[],
  tokens: readonly string[],
): fc.Arbitrary<WireRequest> {
  const made = fc.constantFrom(...operationIds).chain((id) => {
    const operation = operationOf(id);
    const known = ids();
    const body = operation.body === null ? fc.constant(undefined) : valid(operation.body, known);
    return fc.record({
      id: fc.constant(id),
      params: fc.tuple(
        ...operation.params.map((name) =>
          fc.oneof(
            { weight: 40, arbitrary: fc.constantFrom(...likely(name, known)) },
            { weight: 1, arbitrary: fc.constantFrom(...known) },
            { weight: 1, arbitrary: hostileText },
          ),
        ),
      ),
      query: fc.oneof(
        { weight: 12, arbitrary: operation.query === null ? fc.constant({}) : valid(operation.query, known) },
        { weight: 1, arbitrary: fc.dictionary(fc.constantFrom('page', 'limit', 'query', 'x'), hostileText) },
      ),
      body: fc.oneof(
        { weight: 14, arbitrary: body.map(json) },
        { weight: 3, arbitrary: body.chain(spoiled).map(json) },
        { weight: 1, arbitrary: rawBodies },
      ),
      token: fc.oneof({ weight: 20, arbitrary: fc.constant(tokens[0] ?? '') }, fc.constantFrom(...tokens)),
      type: fc.oneof({ weight: 20, arbitrary: fc.constant('application/json') }, fc.constant('text/plain')),
    });
  });
  return made.map(({ id, params, query, body, token, type }) => {
    const { method, path, params: names } = operationOf(id);
    const filled = path.replace(/\{(\w+)\}/g, (_all, name: string) =>
      encoded(params[names.indexOf(name)] ?? ''),
    );
    const search = new URLSearchParams();
    for (const [name, value] of Object.entries(query as object)) {
      for (const one of [value].flat()) search.append(name, String(one));
    }
    const headers: Record<string, string> = { authorization: `Bearer ${token}` };
    if (body !== undefined) headers['content-type'] = type;
    const target = search.size === 0 ? filled : `${filled}?${search}`;
    return { id, method, target: target.slice(0, 12_000), headers, body };
  });
}

/** Ids of the kind that a parameter names, by their prefix. */
function likely(name: string, ids: readonly string[]): readonly string[] {
  const prefixes: Record<string, string> = {
    organizationId: 'org_acme',
    otherOrganization: 'org_',
    collectionId: 'col_',
    spaceId: 'sp_',
    siteId: 'site_',
    siteSectionId: 'sect_',
    siteSectionGroupId: 'sgrp_',
    siteSpaceId: 'sitesp_',
    shareLinkId: 'share_',
    fileId: 'file_',
    pageId: 'page_',
    changeRequestId: 'cr_',
    commentId: 'com_',
    commentReplyId: 'rep_',
    inviteId: 'inv_',
    userId: 'user_',
    teamId: 'team_',
    samlProviderId: 'saml_',
    translationSettingsId: 'tr_',
    versionId: 'specv_',
  };
  const prefix = prefixes[name];
  const found =
    prefix === undefined
      ? ['petstore', 'stage', 'acme.example', 'new']
      : ids.filter((id) => id.startsWith(prefix));
  return found.length === 0 ? ids : found;
}

function json(value: unknown): Buffer | undefined {
  return value === undefined ? undefined : Buffer.from(JSON.stringify(value));
}

function encoded(text: string): string {
  try {
    return encodeURIComponent(text.slice(0, 3000));
  } catch {
    return '%ff%zz';
  }
}
