/** A person is the same in any spelling of their e-mail address. */
import { expect, test } from 'vitest';
import { registry } from '../../src/kinds/index.ts';
import { type Diagnostic, DiagnosticError } from '../../src/util/diagnostic.ts';
import { loadTexts, onlyTree } from '../support/harness.ts';

const head = 'octavo: 1\norganization: org_acme\n';
const jose = 'jos\u00E9@acme.dev';
const spellings = [
  ['ada@acme.dev', 'Ada@ACME.dev'],
  [jose, jose.normalize('NFD')],
] as const;

/** Each place that names people, for a key and its value. */
const places = {
  members: (key: string) => `members: { ${key}: { role: read } }`,
  team: (key: string) => `teams: { a: { title: A, members: { ${key}: owner } } }`,
  'team that adds': (key: string) => `teams: { a: { title: A, members: { add: { ${key}: owner } } } }`,
  access: (key: string) => `spaces: { g: { id: sp_g, access: { members: { ${key}: read } } } }`,
  'access on a site': (key: string) => `sites: { s: { title: Site, access: { members: { ${key}: read } } } }`,
  'access in a collection': (key: string) =>
    `collections: { c: { title: C, spaces: { g: { access: { members: { ${key}: read } } } } } }`,
  reviewers: (key: string) => `spaces: { g: { id: sp_g, mergeReviewers: { ${key}: required } } }`,
  'reviewers of all': (key: string) => `organization: { id: org_acme, mergeReviewers: { ${key}: required } }`,
};

const document = (rest: string) =>
  rest.startsWith('organization') ? `octavo: 1\n${rest}\n` : `${head}${rest}\n`;

const twice = (make: (key: string) => string, [one, other]: readonly [string, string]) => {
  const before = make('\0');
  const [start = '', end = ''] = before.split('\0');
  const value = /^: ((?:\{[^}]*\})|[a-z]+)/.exec(end)?.[1] ?? '';
  return `${start}${one}: ${value}, ${other}${end}`;
};

async function errorsOf(texts: Readonly<Record<string, string>>): Promise<readonly Diagnostic[]> {
  try {
    await loadTexts(texts);
    return [];
  } catch (error) {
    if (error instanceof DiagnosticError) return error.diagnostics;
    throw error;
  }
}

const placesOf = (diagnostics: readonly Diagnostic[]) =>
  diagnostics.map(({ code, at, related = [] }) => [code, at?.file, related[0]?.at?.file]);

for (const [name, make] of Object.entries(places)) {
  test(`${name}: reports two spellings of one address with both places, in one file and in two`, async () => {
    for (const pair of spellings) {
      const inOne = await errorsOf({ 'a.yaml': document(twice(make, pair)) });
      expect(placesOf(inOne)).toEqual([['duplicate-key', 'a.yaml', 'a.yaml']]);
      expect(inOne[0]?.at?.column).toBeGreaterThan(inOne[0]?.related?.[0]?.at?.column ?? Infinity);
      const inTwo = await errorsOf({
        'a.yaml': document(make(pair[0])),
        'b.yaml': document(make(pair[1]).replace(/(?:id: sp_g|title: \w+), /g, '')),
      });
      expect(placesOf(inTwo)).toEqual([['declared-twice', 'b.yaml', 'a.yaml']]);
    }
  });

  test(`${name}: removes a person in any spelling by an overlay`, async () => {
    for (const [one, other] of spellings) {
      const away = make(other)
        .replace(/(@\S+: )(?:\{[^}]*\}|[a-z]+)/i, '$1null')
        .replace(/(?:id: sp_g|title: \w+), /g, '');
      const overlay = document(away).replace('octavo: 1\n', 'octavo: 1\noverlay: production\n');
      const texts = { 'a.yaml': document(make(one)), 'o.yaml': overlay };
      const nodes = [...onlyTree(await loadTexts(texts, registry, {}, ['production'])).nodes.values()];
      expect(JSON.stringify(nodes.map(({ key, fields }) => [key, fields]))).not.toContain('@');
    }
  });
}

test('removes a person in any spelling next to the use of a template', async () => {
  const template = 'templates: { crew: { team: { title: A, members: { Ada@acme.dev: owner } } } }';
  const use = 'teams: { a: { use: crew, members: { ada@ACME.dev: null, bob@acme.dev: owner } } }';
  const workspace = await loadTexts({ 'a.yaml': `${head}${template}\n${use}\n` });
  expect(workspace.diagnostics).toEqual([]);
  expect(onlyTree(workspace).get('teams/a')?.fields.members).toEqual({ 'bob@acme.dev': 'owner' });
});

test.each([
  ['invisible characters', 'platform', 'plat\u200Bform'],
  ['a variation selector', 'platform', 'platform\uFE0F'],
  ['the form of letters', 'caf\u00E9', 'cafe\u0301'],
  ['letters joined in one', 'official', 'of\uFB01cial'],
])('reports two keys that differ only in %s with both places', async (_what, one, other) => {
  const texts = {
    'a.yaml': `${head}teams:\n  ${one}: { title: A }\n`,
    'b.yaml': `${head}teams:\n  ${other}: { title: B }\n`,
  };
  expect(placesOf(await errorsOf(texts))).toEqual([['key', 'b.yaml', 'a.yaml']]);
});
