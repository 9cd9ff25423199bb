/** Generated manifests: every YAML reader reads the same data, and the layout is that of hand-written files. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { type Data, dataOf, isDataMap, literal } from '../../src/yaml/data.ts';
import { plainOf } from '../../src/yaml/located.ts';
import { parseYaml } from '../../src/yaml/parse.ts';
import { documentText, entriesText, flowEntry, scalarText } from '../../src/yaml/print.ts';
import { Problems } from '../../src/yaml/problems.ts';
import { anyCodePoint } from '../support/code-points.ts';
import { patience, tries } from '../support/runs.ts';

const odd = [
  '',
  ' ',
  'yes',
  'No',
  'on',
  'y',
  '~',
  'null',
  'Null',
  'true',
  'TRUE',
  '0x10',
  '0o17',
  '017',
  '1e3',
  '1.5',
  '1_000',
  '.5',
  '+1',
  '-',
  '--- a',
  '12:30',
  '190:20:30',
  '2024-01-01',
  '2024-01-01T10:00:00Z',
  '2024-01-01 10:00:00 -5',
  '.inf',
  '-.INF',
  '.nan',
  '<<',
  '=',
  '*a',
  '&a',
  '!a',
  '? a',
  ': a',
  '- a',
  '# a',
  'a # b',
  'a: b',
  'a:',
  'a:b',
  'a,b',
  '[a]',
  '{a}',
  '%a',
  '@a',
  '`a`',
  '"a"',
  "'a'",
  "it's",
  '| a',
  '> a',
  'a\nb',
  'a\n',
  '\na',
  'a\n\nb\n',
  'a\n\n',
  ' a\nb',
  'a \nb',
  'a\n b\n  c',
  'a\n# b\n--- c\n...',
  'a\tb\nc',
  'a\r\nb',
  'a\r',
  '\t',
  'a\\nb',
  'a\\',
  '\\',
  '\u0000',
  '\u007f',
  '\u0085',
  '\u00a0',
  '\u2028',
  '\u202e',
  '\ufeff',
  '\uffff',
  '👋',
  '👨‍👩‍👧',
  '🏴\u{e0067}\u{e007f}',
  'a\u200db',
  'שלום',
  '日本語 ガイド',
  'é',
  '${env:HOME}',
  '$${a}',
  '${',
  'a ${b}\nc',
  '3 days',
  '2fa',
  '2024 roadmap',
];

const texts = fc.oneof(
  fc.constantFrom(...odd),
  fc.tuple(fc.constantFrom(...odd), fc.constantFrom(...odd)).map((parts) => parts.join('')),
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  fc.string({ unit: anyCodePoint, maxLength: 8 }),
);
const numbers = fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }));
const scalars = fc.oneof(texts, texts, texts, numbers, fc.boolean(), fc.constant(null));
// In manifests, `<<` merges even if it is quoted, and keys are not interpolated.
const keys = texts.filter((key) => !key.includes('${') && key !== '<<');

const { value: values } = fc.letrec<{ value: Data }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    scalars,
    fc.array(tie('value'), { maxLength: 4 }),
    fc
      .uniqueArray(fc.tuple(keys, tie('value')), { maxLength: 4, selector: ([key]) => key })
      .map((entries): Data => new Map(entries)),
  ),
}));

/** The data as plain values, with `${` escaped. */
function written(value: Data): unknown {
  if (typeof value === 'string') return value.replaceAll('${', () => '$${');
  if (Object.is(value, -0)) return 0;
  if (Array.isArray(value)) return value.map(written);
  if (isDataMap(value)) return entries([...value].map(([key, inner]) => [key, written(inner)]));
  return value;
}

/** Mappings as lists of entries, to compare their order. */
function entries(list: readonly (readonly [string, unknown])[]): unknown {
  return { entries: list };
}

function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered);
  if (value instanceof Map)
    return entries([...value].map(([key, inner]) => [key as string, ordered(inner)] as const));
  return value;
}

function unordered(value: Data): unknown {
  if (isDataMap(value)) return Object.fromEntries([...value].map(([key, inner]) => [key, unordered(inner)]));
  return Array.isArray(value) ? value.map(unordered) : written(value);
}

test(
  'writes data that every YAML reader reads unchanged, in order',
  () => {
    fc.assert(
      fc.property(values, (value) => {
        const text = entriesText(literal(new Map([['top', value]])), 0);
        const wanted = written(new Map([['top', value]]));
        for (const options of [{ schema: 'core' }, { version: '1.1' }] as const)
          expect(ordered(parse(text, { ...options, mapAsMap: true, merge: false }))).toEqual(wanted);
        const problems = new Problems();
        const [own] = parseYaml('a.yaml', text, problems);
        expect(problems.sorted()).toEqual([]);
        expect(own && plainOf(own)).toEqual(unordered(new Map([['top', value]])));
      }),
      { ...tries(800), endOnFailure: true },
    );
  },
  patience(60_000),
);

test('writes text in braces that YAML reads unchanged', () => {
  fc.assert(
    fc.property(keys, texts, (key, text) => {
      const line = `{ ${flowEntry(key, literal(text))} }`;
      expect(ordered(parse(line, { mapAsMap: true }))).toEqual(written(new Map([[key, text]])));
    }),
    tries(500),
  );
});

test('quotes only text that would be misread or is hard to read', () => {
  const plain = [
    'Guides',
    "What's new?",
    'Q&A',
    'ada@acme.dev',
    'https://acme.dev/a?b=c',
    '3 days',
    '2024-roadmap',
    'C++ (beta)',
    '日本語',
  ];
  for (const text of plain) expect(scalarText(text)).toBe(text);
  for (const text of [
    'yes',
    '0x10',
    '~',
    '',
    '1e3',
    '2024-01-01',
    '12:30',
    'a: b',
    'a #b',
    ' a',
    'null',
    '🎉',
  ])
    expect(scalarText(text)).toBe(JSON.stringify(text));
  expect(scalarText('a\u202eb\u00a0c')).toBe(String.raw`"a\u202eb\u00a0c"`);
  expect(scalarText('👨‍👩‍👧')).toBe('"👨‍👩‍👧"');
});

test('lays out a document with empty lines between its top-level entries', () => {
  const data = new Map<string, Data>([
    ['octavo', 1],
    ['organization', dataOf({ id: 'org_a', emailDomains: ['acme.dev'], nested: [{ a: 1, b: [] }, ['c']] })],
    [
      'teams',
      new Map([
        ['2', dataOf({ title: 'Two', members: {} })],
        ['1', dataOf({ text: 'a\n\n  b\n' })],
      ]),
    ],
  ]);
  expect(documentText(literal(data))).toBe(`octavo: 1

organization:
  id: org_a
  emailDomains:
    - acme.dev
  nested:
    - a: 1
      b: []
    - - c

teams:
  "2":
    title: Two
    members: {}
  "1":
    text: |
      a

        b
`);
});
