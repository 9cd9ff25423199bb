/** The JSON Schema, checked with a validator, and the manifest reader accept the same manifests. */
import { Ajv } from 'ajv';
import formats from 'ajv-formats';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { kinds } from '../../src/kinds/index.ts';
import type { Kind } from '../../src/kinds/kind.ts';
import { createRegistry } from '../../src/kinds/registry.ts';
import { loadWorkspace } from '../../src/manifest/load-workspace.ts';
import { manifestJsonSchema } from '../../src/manifest/schema/json-schema.ts';
import type { Diagnostic } from '../../src/util/diagnostic.ts';
import { isRecord } from '../../src/util/json.ts';
import { memoryFiles } from '../support/memory-files.ts';
import { portion, tries } from '../support/runs.ts';
import { documentsOf } from './schema-values.ts';

const schema = manifestJsonSchema(kinds);
const ajv = new Ajv({ strict: false, allErrors: true });
formats.default(ajv);
// The validator defines the format "uri"; here it is the URL parser of the platform, as in the reader.
ajv.addFormat('uri', (text: string) => URL.canParse(text));
const check = ajv.compile(schema);
const registry = createRegistry(kinds);

/** Errors that depend on other objects or files, which no schema can express. */
const beyondSchemas = new Set([
  'unknown-reference',
  'ambiguous-reference',
  'cyclic-reference',
  'missing-file',
  'match-invalidated',
  'id-claimed-twice',
  'value-wanted-twice',
  'indistinguishable',
  'not-in-service',
]);

/** Removes templates from the schema, since no schema can express how they expand. */
function withoutTemplates(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(withoutTemplates);
  if (!isRecord(part)) return part;
  const entries = Object.entries(part).map(([key, value]) => [
    key,
    key === 'properties' && isRecord(value) ? withoutTemplates(withoutUse(value)) : withoutTemplates(value),
  ]);
  const { anyOf, ...rest } = Object.fromEntries(entries) as Record<string, unknown>;
  const [own] = Array.isArray(anyOf) ? (anyOf as readonly object[]) : [];
  const isChoice = own !== undefined && Object.keys(own).join() === 'required';
  return { ...rest, ...(isChoice ? own : anyOf === undefined ? {} : { anyOf }) };
}

function withoutUse({
  use: _use,
  with: _with,
  each: _each,
  templates: _templates,
  ...rest
}: object & Record<string, unknown>) {
  return rest;
}

async function errorsOf(document: unknown): Promise<readonly Diagnostic[]> {
  const texts = {
    '/w/base.yaml': 'octavo: 1\norganization: org_acme\n',
    '/w/one.yaml': JSON.stringify(document),
  };
  const { diagnostics } = await loadWorkspace({
    paths: isOverlay(document) ? ['base.yaml', 'one.yaml'] : ['one.yaml'],
    overlays: [],
    env: {},
    cwd: '/w',
    registry,
    files: memoryFiles(texts),
    purpose: 'check',
  });
  return diagnostics.filter(
    ({ severity, code, message }) =>
      severity === 'error' &&
      !beyondSchemas.has(code) &&
      // An overlay may delete or lack a key depending on the manifest.
      !message.endsWith('is not in the manifests') &&
      !(isOverlay(document) && (message.endsWith('is missing') || code === 'exclusive-keys')),
  );
}

function isOverlay(document: unknown): boolean {
  return typeof document === 'object' && document !== null && Object.hasOwn(document, 'overlay');
}

/** Marks all objects as new, since the base manifest declares none. */
function withNew(map: unknown, kind: string): unknown {
  if (!isRecord(map)) return map;
  const entries = Object.entries(map).map(([key, value]) => {
    const [place] = registry.at(kind, key);
    if (place === undefined || place.place.shape === 'single' || !isRecord(value)) return [key, value];
    const marked = Object.entries(value).map(([name, one]) => [
      name,
      isRecord(one) ? { ...(withNew(one, place.kind.name) as object), new: true } : one,
    ]);
    return [key, Object.fromEntries(marked)];
  });
  return Object.fromEntries(entries);
}

/**
 * Whether the reader is more lenient than the schema: overlays may delete a key that is invalid, their references are not
 * checked, and keys and items next to a value to fill in are checked later.
 */
function isLenient(document: unknown, found: readonly string[]): boolean {
  const text = JSON.stringify(document);
  const lists = found.map((one) => valueAt(document, one.split(' ')[0] ?? '')).filter(Array.isArray);
  if (lists.some((list) => JSON.stringify(list).includes('${'))) return true;
  if (found.some((one) => one.endsWith('name must be valid')))
    return isOverlay(document) || text.includes('${');
  return (
    found.some((one) => one.endsWith('additional properties')) && isOverlay(document) && text.includes('null')
  );
}

function valueAt(document: unknown, pointer: string): unknown {
  return pointer
    .split('/')
    .slice(1)
    .reduce<unknown>((inner, key) => (Object(inner) as Record<string, unknown>)[key], document);
}

let [accepted, refused] = [0, 0];

test('both accept or both reject each of 2,000 random documents', async () => {
  await fc.assert(
    fc.asyncProperty(documentsOf(withoutTemplates(schema) as typeof schema), async (random) => {
      const document = isOverlay(random) ? withNew(random, registry.root.name) : random;
      const isAccepted = check(document);
      const found = (check.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
      // A version that is filled in later is checked later.
      fc.pre(!JSON.stringify(document).includes('"octavo":"${'));
      fc.pre(!isLenient(document, found));
      const all = await errorsOf(document);
      // The type of a custom field is declared elsewhere, so the schema may accept a value that the declaration rejects. An overlay
      // may add or delete one of two keys that exclude each other.
      const elsewhere = /^customFields\.\S+ must be |must be \{ url: … \} or \{ file: … \}/;
      const errors = all.filter(({ message }) => !isAccepted || !elsewhere.test(message));
      const own = errors.map(({ code, address, message }) => `${code} ${address ?? ''}: ${message}`);
      if (isAccepted) accepted += 1;
      else refused += 1;
      if (isAccepted === (own.length === 0)) return;
      expect({ schema: isAccepted ? [] : found, reader: own }).toEqual(
        isAccepted
          ? { schema: [], reader: [] }
          : { schema: found, reader: expect.arrayContaining([expect.any(String)]) },
      );
    }),
    { ...tries(2000), endOnFailure: true },
  );
  // The test needs both accepted and rejected documents.
  expect(Math.min(accepted, refused)).toBeGreaterThan((accepted + refused) / 5);
});

/** A document with `new: true` in an object of the kind and in all its parents. */
function markedNew(kind: Kind, place: Kind['manifest']['places'][number]): Record<string, unknown> {
  const marker = kind.manifest.marker;
  const own = { new: true, ...(marker === undefined ? {} : { [marker]: kind.fields[marker]?.example }) };
  const inside = place.shape === 'single' ? own : { 'acme.dev': own };
  const document = { [place.key]: inside };
  if (place.parent === registry.root.name) return document;
  const parent = registry.byName(place.parent);
  const [above] = parent.manifest.places;
  if (above === undefined) throw new Error(`${parent.name} has no place`);
  const whole = markedNew(parent, above);
  const [map] = Object.values(whole);
  for (const entry of Object.values(Object(map) as object)) Object.assign(entry, document);
  return whole;
}

test('both accept "new" in an overlay for the same objects', async () => {
  const refusing: string[] = [];
  for (const kind of kinds.filter(({ manifest }) => manifest.whole === undefined))
    for (const place of kind.manifest.places) {
      const document = { octavo: 1, overlay: 'production', ...markedNew(kind, place) };
      const isRefused = (await errorsOf(document)).some(({ message }) => message.includes('"new"'));
      if (isRefused) refusing.push(kind.name);
      check(document);
      const found = (check.errors ?? []).filter(({ params }) => params.additionalProperty === 'new');
      expect(found.length > 0, `${kind.name} in ${place.parent}`).toBe(isRefused);
    }
  expect(refusing).toEqual(['customization']);
});

test.each([
  ['a customization from a variable or a file', { title: 'Hub', customization: '${env:LOOK}' }],
  [
    'a key `add` with a scalar value, which is a name',
    { title: 'Hub', sections: { a: { title: 'Api', path: 'api', localizedTitle: { add: 'Api' } } } },
  ],
])('both accept %s', async (_, hub) => {
  const document = { octavo: 1, organization: 'o', sites: { hub } };
  const reader = (await errorsOf(document)).map(({ message }) => message);
  expect({ reader, schema: check(document) }).toEqual({ reader: [], schema: true });
});

test('both reject a variable in place of the mapping `match`', async () => {
  const document = { octavo: 1, organization: { match: '${env:NAME}' } };
  expect(await errorsOf(document)).not.toEqual([]);
  expect(check(document)).toBe(false);
});

const specAt = (url: string) => ({ octavo: 1, organization: 'o', openapi: { pets: { source: { url } } } });

test.each([
  ['https://acme.dev/openapi.json', true],
  ['HTTPS://ACME.DEV', true],
  [' \t\u0001https://acme.dev/', true],
  ['ht\ntps://acme.dev/', true],
  ['git+ssh://acme.dev/x', true],
  ['localhost:8080/openapi.json', true],
  ['${env:BASE}/openapi.json', true],
  ['${env:BASE:-https://acme.dev}/openapi.json', true],
  ['https://${env:HOST}/openapi.json', true],
  ['acme.dev/openapi.json', false],
  ['www.acme.dev', false],
  ['//acme.dev/openapi.json', false],
  ['/openapi.json', false],
  ['https', false],
  ['3d://acme.dev', false],
  ['env:BASE}', true],
  ['', false],
])('both accept %j as a URL: %j', async (url, isUrl) => {
  expect({ url, reader: (await errorsOf(specAt(url))).length === 0, schema: check(specAt(url)) }).toEqual({
    url,
    reader: isUrl,
    schema: isUrl,
  });
});

// Editors define formats; without them, only the schema decides.
const bare = new Ajv({ strict: false, validateFormats: false }).compile(schema);

test('the schema accepts each URL that the reader accepts', async () => {
  const scheme = fc.constantFrom('https:', 'HTTP:', 'a+b-1.c:', 'ftp:', '', 'file:', '1:', ':');
  const odd = fc.constantFrom(
    ' ',
    '\t',
    '\n',
    '\u0000',
    '\u001f',
    '\u00a0',
    '\u2028',
    '\ufeff',
    '-',
    '${env:A}',
    '${file:b}',
  );
  const url = fc
    .tuple(fc.array(odd, { maxLength: 2 }), scheme, fc.array(odd, { maxLength: 1 }), fc.string())
    .map(([before, name, between, rest]) => [...before, name, ...between, rest].join(''));
  let accepted = 0;
  await fc.assert(
    fc.asyncProperty(url, async (text) => {
      const errors = await errorsOf(specAt(text));
      if (errors.length > 0) return;
      accepted += 1;
      expect(bare(specAt(text))).toBe(true);
    }),
    tries(1000),
  );
  expect(accepted).toBeGreaterThan(portion(300));
});

const entry = { space: 's' };
const none = (use: string) => ({ use, each: [] });

test.each([
  ['entries in both', { sections: { a: { spaces: { x: entry } } }, spaces: { b: entry } }, false],
  ['no entries in one', { sections: { a: { spaces: { x: entry } } }, spaces: {} }, true],
  ['no entries in the other', { sections: {}, spaces: { b: entry } }, true],
  ['what a template makes none of', { sections: { a: none('section') }, spaces: { b: entry } }, true],
  [
    'what a template makes none of in the other',
    { sections: { a: { spaces: { x: entry } } }, spaces: { b: none('space') } },
    true,
  ],
])('both check sections and spaces of one site: %s', async (_what, site, isRight) => {
  const templates = { section: { section: {} }, space: { siteSpace: {} } };
  const document = {
    octavo: 1,
    organization: 'o',
    spaces: { s: { id: 'sp_1' } },
    sites: { docs: { title: 'Docs', ...site } },
    templates,
  };
  const errors = (await errorsOf(document)).map(({ code, message }) => `${code}: ${message}`);
  expect({ errors, schema: check(document) }).toEqual({
    errors: isRight ? [] : [expect.stringMatching(/^exclusive-keys/)],
    schema: isRight,
  });
});
