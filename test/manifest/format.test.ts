/** Formatting of manifests is idempotent, keeps their meaning and loses no comment. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CST, Lexer, parseAllDocuments } from 'yaml';
import { registry } from '../../src/kinds/index.ts';
import { formatText } from '../../src/manifest/format/format-text.ts';
import { dataOf, sameData } from '../../src/yaml/data.ts';
import { documentText } from '../../src/yaml/print.ts';
import { readSource, readSourceText, sourceData } from '../../src/yaml/source.ts';
import { SourceTexts } from '../../src/yaml/source-texts.ts';
import { patience, portion, tries } from '../support/runs.ts';
import { Dice, TextMaker } from '../support/yaml-texts.ts';

/** Formats the text and expects that formatting it again does not change it. */
function formatted(text: string): string {
  const result = formatText(text, { registry });
  if (!('text' in result)) throw new Error(result.problem);
  expect(formatText(result.text, { registry })).toEqual(result);
  return result.text;
}

describe('formats', () => {
  test.each([
    ['indentation', 'a:\n    b:\n          c: 1\n', 'a:\n  b:\n    c: 1\n'],
    ['items of lists', 'a:\n- 1\n-   x: 1\n    y: 2\n', 'a:\n  - 1\n  - x: 1\n    y: 2\n'],
    [
      'comments',
      'a:\n    # b\n    b: 1\n    # end of a\n# c\nc: 1\n',
      'a:\n  # b\n  b: 1\n  # end of a\n\n# c\nc: 1\n',
    ],
    [
      'deeper comments',
      'a:\n    b:\n        c: 1\n        # of b\n    d: 2\n',
      'a:\n  b:\n    c: 1\n    # of b\n  d: 2\n',
    ],
    [
      'blocks of text',
      'a: |\n      x\n        y\n\n      z\nb: >-\n  x\n',
      'a: |\n  x\n    y\n\n  z\n\nb: >-\n  x\n',
    ],
    ['blocks that say how deep they are', 'a:\n    b: |2\n        x\n', 'a:\n  b: |2\n      x\n'],
    [
      'texts of several lines',
      'a:\n    b: "x\n      y"\n    c: p\n      q\n',
      'a:\n  b: "x\n    y"\n  c: p\n    q\n',
    ],
    ['blank lines', '\n\na: 1\n\n\n\nb: 2\n\n', 'a: 1\n\nb: 2\n'],
    ['sections', 'a: 1\nb: 2\nc:\n  d: 1\ne: 2\n', 'a: 1\nb: 2\n\nc:\n  d: 1\n\ne: 2\n'],
    ['ends of lines', 'a: 1   \nb: 2', 'a: 1\nb: 2\n'],
    ['ends of lines of Windows', 'a: 1 \r\nb:\r\n    c: 2\r\n', 'a: 1\r\n\r\nb:\r\n  c: 2\r\n'],
    ['a byte-order mark', '\uFEFFa: 1\n', '\uFEFFa: 1\n'],
    [
      'quotes',
      "a: 'x'\nb: \"w\"\nc: 'yes'\nd: 'it''s'\ne: 'a\"b'\n",
      'a: x\nb: w\nc: "yes"\nd: it\'s\ne: \'a"b\'\n',
    ],
    ['quotes of keys', '"a": 1\n"yes": 2\n\'b c\': 3\n', 'a: 1\n"yes": 2\nb c: 3\n'],
    ['spaces', 'a:   1\nb :  {x: 1,y: [1,2 ]}\nc: { }\n', 'a: 1\nb: { x: 1, y: [1, 2] }\nc: {}\n'],
    ['a value that is only an anchor', 'a: {x: &b}\n', 'a: { x: &b }\n'],
    ['JSON', '{"a":1,"b":["x"]}\n', '{ "a": 1, "b": [x] }\n'],
    [
      'braces over several lines',
      'a: {\n    x: 1, # c\n    y: 2\n  }\n',
      'a: {\n    x: 1, # c\n    y: 2\n  }\n',
    ],
    ['documents', '--- # one\na: 1\n---\nb:\n    c: 2\n...\n', '--- # one\na: 1\n---\nb:\n  c: 2\n...\n'],
    ['nothing but comments', '# a\n', '# a\n'],
  ])('%s', (_name, before, after) => {
    expect(formatted(before)).toBe(after);
  });
});

test('sorts keys in the order of the reference with their comments, except in ordered mappings', () => {
  expect(
    formatted(`# yaml-language-server: $schema=schema.json
# About Acme
octavo: 1
x-defaults: { visibility: public }
sites:
  hub:
    sections:
      z: { path: z, title: Z }
      a: { spaces: { two: { space: b }, one: { space: a } }, title: A }
    # its name
    title: Hub
teams:
  b: { members: { z@x.y: owner, a@x.y: member }, title: B }
  a: { title: A }
organization: { title: Acme, id: org_acme }
`),
  ).toBe(`# yaml-language-server: $schema=schema.json
# About Acme
octavo: 1
organization: { id: org_acme, title: Acme }

teams:
  b: { title: B, members: { z@x.y: owner, a@x.y: member } }
  a: { title: A }

sites:
  hub:
    # its name
    title: Hub
    sections:
      z: { title: Z, path: z }
      a: { title: A, spaces: { two: { space: b }, one: { space: a } } }

x-defaults: { visibility: public }
`);
});

test('never moves an alias before its anchor', () => {
  const text = 'octavo: 1\nx-all: &all { title: All }\n\nteams:\n  a: *all\n  b:\n    <<: *all\n';
  expect(formatted(text)).toBe(text);
});

test('does not format invalid YAML', () => {
  expect(formatText('a: [\n', { registry })).toEqual({ problem: 'invalid' });
  expect(formatText(`a: ${'['.repeat(5000)}`, { registry })).toEqual({ problem: 'invalid' });
});

test('does not change a generated manifest', () => {
  const data = dataOf({
    octavo: 1,
    organization: { id: 'org_1', title: 'yes', emailDomains: ['a.b'] },
    teams: { a: { title: "it's: 1", members: {} }, '0x1': { title: 'x\ny\n' } },
    sites: { hub: { title: '', sections: { one: { title: ' a', spaces: { m: { space: 'g' } } } } } },
  });
  if (!(data instanceof Map)) throw new Error('no mapping');
  const text = `# yaml-language-server: $schema=x\n${documentText(data)}`;
  expect(formatted(text)).toBe(text);
});

/** The comments of a text, sorted. */
function commentsOf(text: string): readonly string[] {
  const found: string[] = [];
  let isScalar = false;
  for (const token of new Lexer().lex(text)) {
    const type = CST.tokenType(token);
    if (type === 'comment' && !isScalar) found.push(token.trimEnd());
    isScalar = type === 'scalar';
  }
  return found.sort();
}

function hasKeyTwice(text: string): boolean {
  const documents = parseAllDocuments(text);
  return [...documents].some(({ errors }) => errors.some(({ code }) => code === 'DUPLICATE_KEY'));
}

test(
  'formats random texts in one pass without changing their meaning',
  () => {
    let changed = 0;
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const text = new TextMaker(new Dice(seed)).text();
        const before = readSource(text.replace(/^\uFEFF/, ''));
        const result = formatText(text, { registry });
        if (before === undefined) {
          expect(result).toEqual({ problem: 'invalid' });
          return;
        }
        if (!('text' in result)) {
          // A duplicate key is a separate error, and such a text may remain unformatted.
          expect(hasKeyTwice(text), result.problem).toBe(true);
          return;
        }
        const after = readSource(result.text.replace(/^\uFEFF/, ''));
        expect(after?.length).toBe(before.length);
        for (const [index, { root }] of before.entries())
          expect(sameData(sourceData(root), sourceData(after?.[index]?.root))).toBe(true);
        expect(commentsOf(result.text)).toEqual(commentsOf(text));
        expect(formatText(result.text, { registry })).toEqual(result);
        if (result.text !== text) changed += 1;
      }),
      { ...tries(700), endOnFailure: true },
    );
    expect(changed).toBeGreaterThan(portion(50));
  },
  patience(120_000),
);

describe('parses a text', () => {
  const parsed = (text: string, until?: 'difference') => {
    let count = 0;
    const texts = new SourceTexts((one) => {
      count += 1;
      return readSourceText(one);
    });
    formatText(text, { registry, texts, ...(until && { until }) });
    return count;
  };
  const tidy = 'octavo: 1\norganization: org_1\n\nteams:\n  a: { title: Aa }\n  b: { title: Bb }\n';

  test('once if it is already formatted', () => {
    expect(parsed(tidy)).toBe(1);
  });

  test('once per further text that a pass produces', () => {
    expect(parsed(tidy.replace('\n\n', '\n'))).toBe(2);
    const untidy = tidy.replace('\n\n', '\n').replace('{ title: Aa }', "{  title: 'Aa' }");
    expect(parsed(untidy)).toBe(3);
    expect(parsed(untidy, 'difference')).toBe(2);
  });
});
