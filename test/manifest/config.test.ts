/** `octavo.config.yaml` is read by its schema: defaults are filled in, and every problem has its place. */
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
])('%j is accepted, by its JSON Schema too', async (text, expected) => {
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
])('%j is refused at its place, and by its JSON Schema', async (text, expected) => {
  expect(await shown(text)).toEqual(expected);
  expect(check(parse(text))).toBe(false);
});

test('all problems are reported at once', async () => {
  expect(await shown('tokenfile: x\nparallelism: lots\nfile: {}\n')).toHaveLength(3);
});

test.each([
  ['a: [\n', 'yaml'],
  ['baseUrl: a\n---\nbaseUrl: b\n', 'config'],
  ['file: a\nfile: b\n', 'duplicate-key'],
])('%j is refused, and nothing throws', async (text, code) => {
  const { config, diagnostics } = await parseConfig('c.yaml', text);
  expect(diagnostics.map((problem) => problem.code)).toContain(code);
  expect(config.parallelism).toBe(8);
});
