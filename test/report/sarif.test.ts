/** SARIF of diagnostics has the fields that its specification and GitHub require, for any texts and names. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import type { Log } from 'sarif';
import { expect, test } from 'vitest';
import { validationAsSarif } from '../../src/report/diagnostics/sarif.ts';
import type { Diagnostic } from '../../src/util/diagnostic.ts';
import { folder, octavo } from '../cli/octavo.ts';

const text = { type: 'object', required: ['text'], properties: { text: { type: 'string', minLength: 1 } } };
const location = {
  type: 'object',
  required: ['physicalLocation'],
  properties: {
    physicalLocation: {
      type: 'object',
      required: ['artifactLocation', 'region'],
      properties: {
        artifactLocation: {
          type: 'object',
          required: ['uri'],
          // A relative reference, or a file.
          properties: { uri: { type: 'string', pattern: "^(file:///)?[A-Za-z0-9._~!'()*%/-]+$" } },
        },
        region: {
          type: 'object',
          required: ['startLine'],
          additionalProperties: false,
          properties: {
            startLine: { type: 'integer', minimum: 1 },
            startColumn: { type: 'integer', minimum: 1 },
            endLine: { type: 'integer', minimum: 1 },
            endColumn: { type: 'integer', minimum: 1 },
          },
        },
      },
    },
    message: text,
  },
};

/** Requirements of sections 3.13 to 3.30 of the specification for the used properties, and of GitHub for uploads. */
const schema = {
  type: 'object',
  required: ['version', '$schema', 'runs'],
  additionalProperties: false,
  properties: {
    $schema: { const: 'https://json.schemastore.org/sarif-2.1.0.json' },
    version: { const: '2.1.0' },
    runs: {
      type: 'array',
      minItems: 1,
      items: {
        type: 'object',
        required: ['tool', 'results', 'columnKind'],
        additionalProperties: false,
        properties: {
          columnKind: { const: 'utf16CodeUnits' },
          tool: {
            type: 'object',
            required: ['driver'],
            properties: {
              driver: {
                type: 'object',
                required: ['name', 'rules', 'semanticVersion'],
                properties: {
                  rules: {
                    type: 'array',
                    uniqueItems: true,
                    items: {
                      type: 'object',
                      required: ['id', 'shortDescription', 'fullDescription', 'help'],
                      additionalProperties: false,
                      properties: {
                        id: { type: 'string', minLength: 1 },
                        shortDescription: text,
                        fullDescription: text,
                        help: text,
                      },
                    },
                  },
                },
              },
            },
          },
          results: {
            type: 'array',
            items: {
              type: 'object',
              required: ['ruleId', 'ruleIndex', 'level', 'message', 'locations'],
              additionalProperties: false,
              properties: {
                ruleId: { type: 'string' },
                ruleIndex: { type: 'integer', minimum: 0 },
                level: { enum: ['error', 'warning', 'note'] },
                message: text,
                locations: { type: 'array', minItems: 1, maxItems: 1, items: location },
                relatedLocations: { type: 'array', minItems: 1, items: location },
              },
            },
          },
        },
      },
    },
  },
};

const isValid = new Ajv({ strict: false }).compile(schema);

function sarif(diagnostics: readonly Diagnostic[]): Log {
  const log: unknown = JSON.parse(
    validationAsSarif.result(
      { diagnostics, sources: new Map([['docs/acme.yaml', '']]), organizations: 1, objects: 1, overlays: 0 },
      { color: false, width: 80 },
    ),
  );
  expect(isValid(log), JSON.stringify(isValid.errors)).toBe(true);
  return log as Log;
}

const at = { file: 'docs/a b#c.yaml', line: 3, column: 5, endLine: 3, endColumn: 9 };

test('gives each problem its rule, level and place', () => {
  const log = sarif([
    {
      severity: 'error',
      code: 'value',
      message: 'it is wrong',
      at,
      address: 'teams/a',
      suggestion: 'fix it\nnow',
    },
    { severity: 'warning', code: 'base', message: 'hm', at: { ...at, file: '/tmp/x.yaml' } },
    {
      severity: 'hint',
      code: 'value',
      message: 'psst',
      related: [{ message: 'first', at }, { message: 'nowhere' }],
    },
    { severity: 'error', code: 'usage', message: 'no place' },
  ]);
  const [run] = log.runs;
  expect(run?.tool.driver.rules?.map(({ id }) => id)).toEqual(['base', 'usage', 'value']);
  expect(run?.results?.map(({ ruleIndex, level }) => [ruleIndex, level])).toEqual([
    [2, 'error'],
    [0, 'warning'],
    [2, 'note'],
    [1, 'error'],
  ]);
  const [first, second, third, last] = run?.results ?? [];
  expect(first?.message.text).toBe('it is wrong (teams/a)\nhelp: fix it\nnow');
  expect(first?.locations).toEqual([
    {
      physicalLocation: {
        artifactLocation: { uri: 'docs/a%20b%23c.yaml' },
        region: { startLine: 3, startColumn: 5, endLine: 3, endColumn: 9 },
      },
    },
  ]);
  expect(second?.locations?.[0]?.physicalLocation?.artifactLocation?.uri).toBe('file:///tmp/x.yaml');
  expect(third?.locations).toEqual(first?.locations);
  expect(third?.relatedLocations).toHaveLength(1);
  expect(last?.locations?.[0]?.physicalLocation).toEqual({
    artifactLocation: { uri: 'docs/acme.yaml' },
    region: { startLine: 1 },
  });
});

test('writes an empty list without problems and escapes hostile texts', () => {
  expect(sarif([]).runs[0]?.results).toEqual([]);
  const [result] =
    sarif([
      { severity: 'error', code: 'value', message: 'a\u001b[31m\u202e', at: { ...at, file: 'c:\\x.yaml' } },
    ]).runs[0]?.results ?? [];
  expect(result?.message.text).toBe('a\\u{1b}[31m\\u{202e}');
  expect(result?.locations?.[0]?.physicalLocation?.artifactLocation?.uri).toBe('c%3A/x.yaml');
});

test('is written by validate next to its text', async () => {
  const cwd = folder({
    'acme.yaml':
      'octavo: 1\norganization: { id: org_acme, title: Acme }\nteams:\n  writers: { titel: Writers }\n',
  });
  const ran = await octavo(['validate', '--format', 'text', '--format', 'sarif=octavo.sarif'], { cwd });
  expect(ran).toMatchObject({ code: 1, stdout: '' });
  expect(ran.stderr).toContain('unknown key "titel"');
  const log = JSON.parse(readFileSync(join(cwd, 'octavo.sarif'), 'utf8')) as Log;
  expect(isValid(log), JSON.stringify(isValid.errors)).toBe(true);
  const result = log.runs[0]?.results?.find(({ message }) => message.text?.includes('"titel"'));
  expect(result?.locations?.[0]?.physicalLocation).toEqual({
    artifactLocation: { uri: 'acme.yaml' },
    region: { startLine: 4, startColumn: 14, endLine: 4, endColumn: 19 },
  });
});
