/** `octavo.config.yaml` is read by its schema: it gets defaults, and every problem has its place. */
import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { parseConfig } from '../../src/manifest/schema/read-config.ts';

const root = new URL('../../', import.meta.url);
const check = new Ajv({ strict: false }).compile(
  JSON.parse(readFileSync(new URL('schemas/config.schema.json', root), 'utf8')) as object,
);

const shown = async (text: string) =>
  (await parseConfig('c.yaml', text)).diagnostics.map(
    ({ code, message, at, suggestion }) => `${at?.line}:${at?.column} ${code}: ${message} (${suggestion})`,
  );

test.each([
  ['', { parallelism: 8 }],
  ['# nothing yet\n', { parallelism: 8 }],
  ['baseUrl: local\nfile: a.yaml\n', { baseUrl: 'local', file: ['a.yaml'], parallelism: 8 }],
  ['overlay: [prod, eu]\nparallelism: 64\n', { overlay: ['prod', 'eu'], parallelism: 64 }],
])('accepts %j, as does the JSON Schema', async (text, expected) => {
  expect(await parseConfig('c.yaml', text)).toEqual({ config: expected, diagnostics: [] });
  expect(check(parse(text) ?? {})).toBe(true);
});

test.each([
  ['baseURL: x\n', ['1:1 unknown-key: unknown setting "baseURL" (did you mean baseUrl?)']],
  [
    'parallelism: 65\n',
    ['1:14 value: parallelism must be at most 64, is 65 (write a whole number from 1 to 64)'],
  ],
  ['file: [a, 1]\n', ['1:11 value: file.1 must be text, is a number (1) (quote it: "1")']],
  ['- a\n', ['1:1 value: the document must be a mapping, is a list (undefined)']],
])('rejects %j at its place, as does the JSON Schema', async (text, expected) => {
  expect(await shown(text)).toEqual(expected);
  expect(check(parse(text))).toBe(false);
});

test('reports all problems of a file', async () => {
  expect(await shown('tokenfile: x\nparallelism: lots\nfile: {}\n')).toHaveLength(3);
});

test.each([
  ['a: [\n', 'yaml'],
  ['baseUrl: a\n---\nbaseUrl: b\n', 'config'],
  ['file: a\nfile: b\n', 'duplicate-key'],
])('rejects %j without throwing', async (text, code) => {
  const { config, diagnostics } = await parseConfig('c.yaml', text);
  expect(diagnostics.map((problem) => problem.code)).toContain(code);
  expect(config.parallelism).toBe(8);
});

const read = async (text: string) =>
  (await parseConfig('octavo.config.yaml', text)).diagnostics.map(
    ({ code, message, at, suggestion }) => `${code} ${at?.line}:${at?.column} ${message} → ${suggestion}`,
  );

test.each(['>=0.0.0', '0.x', '"*"', '^0.0.0 || ^9', '"0.0.0"'])(
  'allows version 0.0.0 with requires: %s',
  async (range) => {
    expect(await read(`requires: ${/[*^"]/.test(range) ? range : `"${range}"`}\nbase: none\n`)).toEqual([]);
  },
);

test.each(['>=0.1', '9', '">0.0.0 <0.1"'])(
  'rejects version 0.0.0 with requires: %s and checks no other setting',
  async (range) => {
    const plain = range.replaceAll('"', '');
    expect(await read(`settingOfNextYear: 1\nrequires: "${plain}"\nbase: []\n`)).toEqual([
      `version 2:11 this folder requires Octavo ${plain}, and this is 0.0.0 → install a version that it allows (docs/configuration.md#install), or change the range`,
    ]);
  },
);

test.each(['newest', '1.x.y.z', '=>1'])('rejects the invalid range requires: %s', async (range) => {
  expect(await read(`requires: "${range}"\n`)).toEqual([
    `config 1:11 requires must be a range of versions, is "${range}" → write one such as ">=0.1"`,
  ]);
});

test('rejects a value of requires that is not text', async () => {
  expect(await read('requires: [1]\n')).toMatchObject([expect.stringContaining('requires must be text')]);
  expect(await read('requires: 0\n')).toMatchObject([expect.stringContaining('requires must be text')]);
});
