/** `yaml` and the fast reader read the same values, places and problems in any text, or the fast one declines. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LineTable } from '../../src/yaml/line-table.ts';
import { parseAnyYaml } from '../../src/yaml/parse.ts';
import { readPlainYaml } from '../../src/yaml/plain-yaml.ts';
import { Problems } from '../../src/yaml/problems.ts';
import { patience, portion, tries } from '../support/runs.ts';
import { Dice, mangled, TextMaker } from '../support/yaml-texts.ts';

/** Fails if the readers differ; returns true if the fast one read the text, false if it declined. */
function agree(text: string): boolean {
  const source = { file: 'a.yaml', text, lines: new LineTable(text) };
  const fast = readPlainYaml(source);
  if (fast === undefined) return false;
  const problems = new Problems();
  const documents = parseAnyYaml(source, problems);
  expect({ text, documents: fast, problems: [] }).toEqual({ text, documents, problems: problems.sorted() });
  return true;
}

/** All YAML files of these folders. */
function textsIn(...folders: readonly string[]): readonly string[] {
  return folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.ya?ml$/.test(entry.name))
      .map((entry) => readFileSync(path.join(entry.parentPath, entry.name), 'utf8').replace(/^\uFEFF/, '')),
  );
}

const ours = textsIn('examples', 'test/scenarios', 'test/manifest');

test('reads more than 90% of our own manifests with the fast reader, as yaml does', () => {
  const read = ours.filter(agree);
  expect(ours.length).toBeGreaterThan(250);
  expect(read.length / ours.length).toBeGreaterThan(0.9);
});

test(
  'reads our own manifests as yaml does after random changes',
  () => {
    let read = 0;
    const small = ours.filter((text) => text.length < 3000);
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        const dice = new Dice(seed);
        if (agree(mangled(small[dice.below(small.length)] ?? '', dice))) read += 1;
      }),
      tries(1500),
    );
    expect(read).toBeGreaterThan(portion(300));
  },
  patience(60_000),
);

test(
  'reads any text as yaml does, before and after a few changes',
  () => {
    let read = 0;
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        const dice = new Dice(seed);
        const text = new TextMaker(dice).text();
        if (agree(text)) read += 1;
        if (agree(mangled(text, dice))) read += 1;
      }),
      tries(2000),
    );
    expect(read).toBeGreaterThan(portion(200));
  },
  patience(60_000),
);

/** Tokens that delimit values. */
const tokens = [
  'a',
  'b',
  '"a"',
  "'b'",
  '1',
  '-1',
  '~',
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  ' ',
  '#',
  '-',
  '|\n',
  '>-\n',
  "'",
  '"',
  '\\',
  ': ',
  ', ',
  '- ',
  ' #c',
  '\n',
  '\n',
  '\n ',
  '\n  ',
  '\n\n',
  '\n#c',
  '\n---\n',
  '[a',
  '{a: ',
  '{"a"',
  '\na: ',
  '\n- ',
] as const;

test(
  'reads a few tokens in any order as yaml does',
  () => {
    let read = 0;
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        const dice = new Dice(seed);
        const some = Array.from({ length: 2 + dice.below(7) }, () => dice.oneOf(tokens));
        const text = Array.from({ length: 1 + dice.below(12) }, () => some[dice.below(some.length)]);
        if (agree(text.join(''))) read += 1;
      }),
      tries(10_000),
    );
    expect(read).toBeGreaterThan(portion(2000));
  },
  patience(60_000),
);
