/** The JSON Schema accepts and rejects the same documents as the loader. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Ajv } from 'ajv';
import { expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { kinds } from '../../src/kinds/index.ts';
import { manifestJsonSchema, rulesJsonSchema } from '../../src/manifest/schema/json-schema.ts';
import { testJsonSchema } from '../../src/run/testing/test-schema.ts';

const compiled = (schema: object) => new Ajv({ strict: false, validateFormats: false }).compile(schema);
const check = compiled(manifestJsonSchema(kinds));
const [checkTests, checkRules] = [compiled(testJsonSchema()), compiled(rulesJsonSchema())];

const examples = path.join(import.meta.dirname, '..', '..', 'examples');
// Only overlays may remove keys with null.
const files = readdirSync(examples, { recursive: true, encoding: 'utf8' }).filter(
  (name) => name.endsWith('.yaml') && !name.includes('environments') && isManifest(name),
);

/** A list of records that a manifest includes. */
function isManifest(name: string): boolean {
  return !/^- \{ key:/m.test(readFileSync(path.join(examples, name), 'utf8'));
}

test.each(files)('accepts examples/%s', (name) => {
  const documents = parseAllDocuments(readFileSync(path.join(examples, name), 'utf8'));
  for (const document of Array.isArray(documents) ? documents : []) {
    const value = document.toJS() as Record<string, unknown>;
    const own = name.endsWith('.test.yaml') ? checkTests : name.endsWith('rules.yaml') ? checkRules : check;
    own(value);
    expect(own.errors ?? []).toEqual([]);
  }
});

test.each([
  ['a wrong version', { octavo: 2, organization: 'o' }],
  ['no organization', { octavo: 1 }],
  ['an overlay without a name', { octavo: 1, overlay: true }],
  ['id and match', { octavo: 1, organization: { id: 'o', match: { title: 'O' } } }],
  ['an unknown key', { octavo: 1, organization: 'o', team: {} }],
  ['the key that is the organization itself', { octavo: 1, organization: 'o', teams: { organization: {} } }],
  [
    'an unknown field to ignore',
    { octavo: 1, organization: 'o', teams: { a: { lifecycle: { ignore: ['x'] } } } },
  ],
  ['an unknown field', { octavo: 1, organization: 'o', teams: { a: { titel: 'A' } } }],
  ['a long title', { octavo: 1, organization: 'o', teams: { a: { title: 'x'.repeat(65) } } }],
  ['null where nothing can be removed', { octavo: 1, organization: 'o', teams: { a: { title: null } } }],
  ['an unknown value of a closed list', { octavo: 1, organization: 'o', sites: { s: { visibility: 'x' } } }],
  ['text for a truth value', { octavo: 1, organization: { id: 'o', sso: 'yes' } }],
  ['a bad proxy', { octavo: 1, organization: 'o', sites: { s: { proxy: 'https://a.b/c' } } }],
  ['a number for text', { octavo: 1, organization: 'o', teams: { a: { title: 3 } } }],
  [
    'a bad slug',
    { octavo: 1, organization: 'o', openapi: { Bad_Slug: { source: { url: 'https://a.b/c' } } } },
  ],
  [
    'a link with the keys of a section',
    {
      octavo: 1,
      organization: 'o',
      sites: { s: { sections: { g: { url: 'https://acme.dev/', path: 'forum' } } } },
    },
  ],
])('rejects %s', (_what, document) => {
  expect(check(document)).toBe(false);
});

test('accepts interpolation for any type, null for clearable fields and unknown values for open enums', () => {
  check({
    octavo: 1,
    $schema: 'x',
    'x-anchor': {},
    organization: { id: '${env:ORG}', sso: '${env:SSO}', defaultRole: null },
    sites: {
      s: {
        title: 'Site',
        type: 'new-one',
        proxy: '${env:PROXY}',
        adaptiveContent: { enabled: '${env:ON}' },
        adaptiveSchema: '${json:x.json}',
      },
    },
    settings: { prune: '${env:PRUNE}', limits: { deletes: '${env:MOST}' }, protect: 'sites/**' },
    teams: '${yaml:teams.yaml}',
    openapi: { pets: { source: { url: '${env:BASE}/openapi.json' } } },
    collections: {
      c: { title: '${env:A_VARIABLE_WITH_A_LONG_NAME} and ${env:ANOTHER_ONE_WITH_A_LONGER_NAME:-x}' },
    },
    spaces: { a: { was: 'b', lifecycle: { protect: '${env:PROTECT}', ignore: 'title' } } },
  });
  expect(check.errors ?? []).toEqual([]);
});

test.each([
  ['an unknown expectation', { tests: { a: { expect: { step: {} } } } }],
  ['an unknown action', { tests: { a: { expect: { steps: { 'teams/docs': 'created' } } } } }],
  ['nothing that is expected', { tests: { a: {} } }],
])('rejects %s in the schema of tests', (_what, value) => {
  expect(checkTests(value)).toBe(false);
});

test('accepts lists that only add, in manifests and overlays', () => {
  const fits = (members: unknown, more: object = { organization: 'org_acme' }) =>
    check({ octavo: 1, ...more, teams: { a: { members } } });
  expect(fits({ add: { 'ada@acme.dev': 'owner' } })).toBe(true);
  expect(fits({ add: '${yaml:people.yaml}' })).toBe(true);
  expect(fits({ add: { 'ada@acme.dev': 'boss' } })).toBe(false);
  expect(fits({ add: {}, 'ada@acme.dev': 'owner' })).toBe(false);
  expect(fits({ add: null })).toBe(false);
  expect(fits({ add: { 'ada@acme.dev': null } }, { overlay: 'prod' })).toBe(true);
  expect(check({ octavo: 1, organization: { id: 'o', emailDomains: { add: [] } } })).toBe(true);
  expect(check({ octavo: 1, organization: { id: 'o', emailDomains: { remove: [] } } })).toBe(false);
});
