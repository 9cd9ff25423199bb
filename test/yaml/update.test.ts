/** Updates of YAML texts write exactly the wanted data, in any layout. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { commentsIn } from '../../src/yaml/comments.ts';
import {
  type Data,
  type DataPath,
  dataAt,
  dataOf,
  isDataList,
  isDataMap,
  sameData,
} from '../../src/yaml/data.ts';
import { readSource, sourceData } from '../../src/yaml/source.ts';
import { update } from '../../src/yaml/update.ts';
import { withDataAt } from '../support/data-at.ts';
import { patience, portion, runs, tries } from '../support/runs.ts';
import { Dice, TextMaker } from '../support/yaml-texts.ts';

const manifest = `# yaml-language-server: $schema=schema.json
octavo: 1
organization:
  id: org_1   # the id
  title: 'Acme'
  emailDomains: [acme.dev, acme.com] # domains

teams:
  # the platform
  platform:
    title: Platform # short
    members: { ada@acme.dev: owner, bob@acme.dev: member }
    # more about platform

  # writers
  writers:
    title: "Writers"
    members:
      ada@acme.dev: owner # boss
      # about kai
      kai@acme.dev: member

sites:
  hub: &hub
    title: |
      Long
      text
    sections:
      a: { title: A }
      # b is here
      b:
        title: B
      group:
        title: G
        sections:
          c: { title: C, path: c }
    shareLinks: {}
  other:
    <<: *hub
    title: *name
`.replace("title: 'Acme'", "title: &name 'Acme'");

/** A change of the data at a path; undefined removes it. */
type Change = (data: Data) => Data;

const set =
  (path: DataPath, value: unknown): Change =>
  (data) =>
    withDataAt(data, path, () => (value === undefined ? undefined : dataOf(value)));

/** Inserts new entries after the entry `after`, or first if it is undefined. */
const insert =
  (path: DataPath, entries: Readonly<Record<string, unknown>>, after?: string): Change =>
  (data) =>
    withDataAt(data, path, (value) => {
      const all = isDataMap(value) ? [...value] : [];
      const at = all.findIndex(([key]) => key === after) + 1;
      const added = Object.entries(entries).map(([key, one]) => [key, dataOf(one)] as const);
      return new Map([...all.slice(0, at), ...added, ...all.slice(at)]);
    });

const order =
  (path: DataPath, keys: readonly string[]): Change =>
  (data) =>
    withDataAt(data, path, (value) => {
      const map = isDataMap(value) ? value : new Map<string, Data>();
      const rest = [...map.keys()].filter((key) => !keys.includes(key));
      return new Map([...keys, ...rest].map((key) => [key, map.get(key) ?? null]));
    });

/** The text of one document after changes of its data. */
function updated(text: string, ...changes: readonly Change[]): string {
  const [document] = readSource(text) ?? [];
  const wanted = changes.reduce((data, change) => change(data), sourceData(document?.root));
  const result = update(text, [wanted]);
  expect(result.refused).toEqual([]);
  return result.text;
}

/** Reason for refusing a change; the text must not change. */
function refusal(text: string, change: Change): string | undefined {
  const result = update(text, [change(sourceData(readSource(text)?.[0]?.root))]);
  if (result.refused.length > 0) expect(result.text).toBe(text);
  return result.refused[0]?.reason;
}

/** Lines that differ between two texts, as in a diff. */
function lineDiff(before: string, after: string): readonly string[] {
  const [left, right] = [before.split('\n'), after.split('\n')];
  let start = 0;
  while (start < left.length && start < right.length && left[start] === right[start]) start += 1;
  let end = 0;
  while (end < left.length - start && end < right.length - start && left.at(-1 - end) === right.at(-1 - end))
    end += 1;
  return [
    ...left.slice(start, left.length - end).map((line) => `-${line}`),
    ...right.slice(start, right.length - end).map((line) => `+${line}`),
  ];
}

describe('a value', () => {
  test.each([
    ['in its quotes, with its anchor', "title: 'A' # c\n", 'It is', "title: 'It is' # c\n"],
    ['plain where that is safe', 'title: A # c\n', 'B c', 'title: B c # c\n'],
    ['quoted where it would be something else', 'title: A\n', 'yes', 'title: "yes"\n'],
    ['quoted for readers of YAML 1.1', 'title: A\n', '12:30:45', 'title: "12:30:45"\n'],
    ['several lines as a block', 'title: A # c\n', 'x\ny', 'title: |- # c\n  x\n  y\n'],
    ['one line in place of a block', 'title: |+ # c\n  x\n  y\nb: 1\n', 'z', 'title: z # c\nb: 1\n'],
    ['in place of nothing', 'title: # c\nb: 1\n', 'z', 'title: z # c\nb: 1\n'],
    ['in braces', '{ "title": "A", b: 1 }\n', 'a, b', '{ "title": "a, b", b: 1 }\n'],
    ['null', 'title: A\n', null, 'title: null\n'],
    ['a number', 'title: A\r\nb: 1\r\n', 3, 'title: 3\r\nb: 1\r\n'],
    [
      'a mapping',
      'title: A # c\nb: 1\n',
      { x: 1, w: { z: 2 } },
      'title: # c\n  x: 1\n  w:\n    z: 2\nb: 1\n',
    ],
    ['a scalar in place of a mapping', 'title:\n  # in\n  x: 1\nb: 1\n', 'A', 'title: A\nb: 1\n'],
    ['at the end of a text without a line end', 'title: A', 'x\ny', 'title: |-\n  x\n  y'],
    ['behind a key that is written with ?', '? title\n: A\nb: 1\n', 'B', '? title\n: B\nb: 1\n'],
    ['on a line of its own', 'title:\n  # c\n  "A"\nb: 1\n', 'B', 'title:\n  # c\n  "B"\nb: 1\n'],
    ['of a compact list', 'title:\n- A # c\n- B\nb: 1\n', ['A', 'C'], 'title:\n- A # c\n- C\nb: 1\n'],
  ])('is written: %s', (_name, before, value, after) => {
    expect(updated(before, set(['title'], value))).toBe(after);
  });

  test('of a list changes only the differing items', () => {
    const after = updated(manifest, set(['organization', 'emailDomains'], ['acme.com', 'x.y']));
    expect(lineDiff(manifest, after)).toEqual([
      '-  emailDomains: [acme.dev, acme.com] # domains',
      '+  emailDomains: [acme.com, x.y] # domains',
    ]);
    const block = 'list:\n  - a # one\n  # two\n  - b\n  - c\n';
    expect(updated(block, set(['list'], ['a', 'c', 'd']))).toBe('list:\n  - a # one\n  - c\n  - d\n');
  });

  test('of a list keeps order and comments of equal items', () => {
    const text = 'list:\n  - a # first\n  - b\n  - a # second\n';
    expect(updated(text, set(['list'], ['a', 'a', 'b']))).toBe(
      'list:\n  - a # first\n  - a # second\n  - b\n',
    );
    expect(updated(text, set(['list'], ['a', 'b', 'a', 'a']))).toBe(`${text}  - a\n`);
  });

  test('of a mapping changes only the differing entries and keeps comments', () => {
    const value = { 'ada@acme.dev': 'member', 'kai@acme.dev': 'member', 'new@acme.dev': 'owner' };
    const after = updated(manifest, set(['teams', 'writers', 'members'], value));
    expect(lineDiff(manifest, after)).toEqual([
      '-      ada@acme.dev: owner # boss',
      '-      # about kai',
      '-      kai@acme.dev: member',
      '+      ada@acme.dev: member # boss',
      '+      # about kai',
      '+      kai@acme.dev: member',
      '+      new@acme.dev: owner',
    ]);
  });

  test('replaces an alias or a merged value, and is refused if other values share it', () => {
    const own = updated(manifest, set(['sites', 'other', 'title'], 'Own'));
    expect(lineDiff(manifest, own)).toEqual(['-    title: *name', '+    title: Own']);
    const merged = updated(manifest, set(['sites', 'other', 'visibility'], 'public'));
    expect(lineDiff(manifest, merged)).toEqual(['+    visibility: public']);
    const reason = (path: DataPath) => refusal(manifest, set(path, 'B'));
    expect(reason(['organization', 'title'])).toBe('it has the anchor &name, which *name uses elsewhere');
    expect(reason(['sites', 'hub', 'title'])).toBe('it has the anchor &hub, which *hub uses elsewhere');
    expect(refusal('a: &a { x: 1 }\nb: *a\n', set(['b', 'x'], 2))).toBe(
      'it is the alias *a, shared with others',
    );
    expect(refusal('a: !!str 5\n', set(['a'], 'b'))).toMatch(/^it has the tag /);
    expect(refusal('a: 1\na: 2\nb: 1\n', set(['c'], 2))).toBe('it has a key twice');
    expect(update('a: [\n', [null]).refused[0]?.reason).toBe('the file is not valid YAML');
    expect(refusal('a: &a { x: 1 }\nb: *a\n', set(['a'], undefined))).toBe(
      'other values of the file would change too',
    );
  });
});

describe('entries', () => {
  const plain = manifest.replace('&hub', '').replace('    <<: *hub\n', '');

  test('are added among their siblings in the same style', () => {
    const team = { title: 'New', members: { 'ada@acme.dev': 'owner' } };
    expect(lineDiff(plain, updated(plain, insert(['teams'], { new: team }, 'platform')))).toEqual([
      '+  new:',
      '+    title: New',
      '+    members:',
      '+      ada@acme.dev: owner',
      '+',
    ]);
    const among = insert(['sites', 'hub'], { visibility: 'public' }, 'title');
    expect(lineDiff(plain, updated(plain, among))).toEqual(['+    visibility: public']);
    expect(updated('a: { x: 1 }\nb: { x: 2 }\n', set(['c'], { x: 3 }))).toBe(
      'a: { x: 1 }\nb: { x: 2 }\nc: { x: 3 }\n',
    );
    expect(updated(plain, set(['translations'], { fr: { title: 'F' } }))).toBe(
      `${plain}\ntranslations:\n  fr:\n    title: F\n`,
    );
    expect(updated('a:\n  - x: 1\n    y: 2\n', set(['a', 0, 'z'], 3))).toBe(
      'a:\n  - x: 1\n    y: 2\n    z: 3\n',
    );
    expect(updated('a:\n  - x: 1\n', insert(['a', 0], { z: 3 }))).toBe('a:\n  - z: 3\n    x: 1\n');
    expect(updated('# about a\na: 1', insert([], { z: { x: 3 } }))).toBe('z:\n  x: 3\n# about a\na: 1');
    expect(update('a: 1\n', [dataOf({ a: 1 }), dataOf({ b: 2 })]).text).toBe('a: 1\n---\nb: 2\n');
    expect(update('', [dataOf({ b: 2 })]).text).toBe('b: 2\n');
  });

  test('keep their lines and comments in braces over several lines', () => {
    const text = 'a: {\n  x: 1, # one\n  y: 2 # two\n}\n';
    expect(updated(text, set(['a', 'z'], 3))).toBe('a: {\n  x: 1, # one\n  y: 2, # two\n  z: 3\n}\n');
    expect(updated(text, set(['a', 'y'], undefined))).toBe('a: {\n  x: 1 # one\n}\n');
    expect(updated(text, set(['a', 'x'], undefined))).toBe('a: {\n  y: 2 # two\n}\n');
    expect(updated(text, order(['a'], ['y', 'x']))).toBe('a: {\n  y: 2, # two\n  x: 1 # one\n}\n');
    expect(updated('a: {x: 1, y: 2, z: 3}\n', set(['a', 'y'], undefined))).toBe('a: {x: 1, z: 3}\n');
    expect(updated('a: {x: 1, y: 2}\n', order(['a'], ['y', 'x']))).toBe('a: {y: 2, x: 1}\n');
    expect(refusal('a: { x: 1, # one\n  y: 2 }\n', set(['a', 'y'], undefined))).toBe(
      'comments inside its braces would change their places',
    );
    expect(updated('a: {\n  x: 1,\n  y: 2,\n}\n', set(['a', 'z'], [1]))).toBe(
      'a: {\n  x: 1,\n  y: 2,\n  z: [1],\n}\n',
    );
    expect(updated('{"a": {"b": "c"}}', set(['a', 'd'], 'e'))).toBe('{"a": {"b": "c", "d": "e"}}');
  });

  test('are removed with their comments and one blank line', () => {
    expect(lineDiff(plain, updated(plain, set(['teams', 'platform'], undefined)))).toEqual([
      '-  # the platform',
      '-  platform:',
      '-    title: Platform # short',
      '-    members: { ada@acme.dev: owner, bob@acme.dev: member }',
      '-    # more about platform',
      '-',
    ]);
    const both = updated(plain, set(['teams', 'platform'], undefined), set(['teams', 'writers'], undefined));
    expect(both).toContain('# domains\n\nteams: {}\n\nsites:\n');
    expect(refusal('a: 1\n', set(['a'], undefined))).toBe('the document would be empty');
    expect(updated('a:\n  - x: 1\n    y: 2\n', set(['a', 0, 'x'], undefined))).toBe('a:\n  - y: 2\n');
    const apart = 'a: 1\n\n# apart\n\nb: 2\nc: 3\n';
    expect(updated(apart, set(['b'], undefined))).toBe('a: 1\n\n# apart\n\nc: 3\n');
    expect(updated(apart, set(['a'], undefined))).toBe('# apart\n\nb: 2\nc: 3\n');
    expect(updated(apart, set(['b'], undefined), set(['c'], undefined))).toBe('a: 1\n\n# apart\n');
  });

  test('are reordered and moved with their comments', () => {
    const ordered = updated(plain, order(['sites', 'hub', 'sections'], ['b', 'a']));
    const [document] = readSource(ordered) ?? [];
    const data = sourceData(document?.root);
    const from = ['sites', 'hub', 'sections', 'b'];
    const to = ['sites', 'hub', 'sections', 'group', 'sections', 'b'];
    const b = withDataAt(dataAt(data, from) ?? null, ['title'], () => 'New');
    const wanted = [set(from, undefined), insert(to.slice(0, -1), { b: null }), set(to, b)].reduce(
      (all, change) => change(all),
      data,
    );
    const moved = update(ordered, [withDataAt(wanted, to, () => b)], [{ document: 0, from, to }]);
    expect(moved.refused).toEqual([]);
    expect(moved.text).toContain(`    sections:
      a: { title: A }
      group:
        title: G
        sections:
          # b is here
          b:
            title: New
          c: { title: C, path: c }
`);
    const emptied = 'a:\n  # x is here\n  x:\n    y: 1 # one\nb:\n  c: {}\n';
    const into = update(
      emptied,
      [dataOf({ a: {}, b: { c: { x: { y: 1 } } } })],
      [{ document: 0, from: ['a', 'x'], to: ['b', 'c', 'x'] }],
    );
    expect(into.text).toBe('a: {}\nb:\n  c:\n    # x is here\n    x:\n      y: 1 # one\n');
  });
});

test('refuses to move an entry whose comments have no place at the target', () => {
  const text = 'a:\n  # about x\n  x: 1\n  y: 2\nb: { z: 3 }\n';
  const wanted = [dataOf({ a: { y: 2 }, b: { z: 3, x: 1 } })];
  const moves = [{ document: 0, from: ['a', 'x'], to: ['b', 'x'] }];
  expect(update(text, wanted, moves)).toEqual({
    text,
    refused: [{ document: 0, path: ['a', 'x'], reason: 'a comment would be lost' }],
  });
  expect(update(text.replace('  # about x\n', ''), wanted, moves).text).toBe(
    'a:\n  y: 2\nb: { z: 3, x: 1 }\n',
  );
});

test('refuses to add an entry twice next to a key that is a mapping', () => {
  const text = '-\n  ? a:  #\n# c\n  k :  # d\n';
  const [[old]] = (readSource(text) ?? []).map(({ root }) => sourceData(root)) as [
    [ReadonlyMap<string, string>],
  ];
  const result = update(text, [[new Map([...old, ['new', 'x']])]]);
  expect(result).toMatchObject({ text, refused: [{ reason: 'other values of the file would change too' }] });
});

test('updates each document on its own, but none if one is refused', () => {
  const text = 'a: {}\nb: &b 1\nc: *b\n---\nc: c\n';
  const [first, second] = [dataOf({ a: { x: { w: 2 } }, b: 1, c: 1 }), dataOf({ c: 'd' })];
  expect(update(text, [first, second]).text).toBe('a:\n  x:\n    w: 2\nb: &b 1\nc: *b\n---\nc: d\n');
  const { text: same, refused } = update(text, [set(['b'], 2)(first), second]);
  expect(same).toBe(text);
  expect(refused).toEqual([
    { document: 0, path: ['b'], reason: 'it has the anchor &b, which *b uses elsewhere' },
  ]);
});

/** Random data at a random place of a document: set, removed, added, or in another order. */
function randomly(dice: Dice, data: Data): Random {
  const path: (string | number)[] = [];
  for (let value: Data | undefined = data; value !== undefined; value = dataAt(data, path)) {
    const keys: (string | number)[] = isDataMap(value)
      ? [...value.keys()]
      : isDataList(value)
        ? [...value.keys()]
        : [];
    if (keys.length === 0 || (path.length > 0 && dice.once(3))) break;
    path.push(keys[dice.below(keys.length)] ?? 0);
  }
  const value = dice.oneOf<unknown>([
    'text',
    'two\nlines',
    'yes',
    '',
    ' # ',
    null,
    12,
    ['a', 'b'],
    { k: 'v', l: { m: [1] } },
  ]);
  const holder = dataAt(data, path.slice(0, -1));
  const keys = isDataMap(holder) ? [...holder.keys()] : [];
  const parent = path.slice(0, -1);
  const kept = dice.oneOf<string | undefined>([undefined, ...keys]);
  const added = insert(parent, { 'new key': value }, kept);
  const isMap = isDataMap(holder);
  const all: readonly [Random, ...Random[]] = [
    { change: set(path, undefined), keepsAll: false },
    { change: set(path, value), keepsAll: false },
    { change: isMap ? added : set(path, value), keepsAll: isMap },
    { change: isMap ? order(parent, keys.reverse()) : set(path, value), keepsAll: isMap },
  ];
  return dice.oneOf(all);
}

interface Random {
  readonly change: Change;
  /** True if no data is removed. */
  readonly keepsAll: boolean;
}

function sortedComments(text: string): readonly string[] {
  return commentsIn(text)
    .map((one) => one.text)
    .sort();
}

test(
  'writes exactly the wanted data of random changes, and keeps other lines and comments',
  () => {
    let [made, refused] = [0, 0];
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const dice = new Dice(seed);
        const text = new TextMaker(dice).text();
        const documents = readSource(text.replace(/^\uFEFF/, ''));
        if (documents === undefined || documents.length === 0) return;
        const before = documents.map(({ root }) => sourceData(root));
        expect(update(text, before).text).toBe(text);
        const index = dice.below(documents.length);
        const { change, keepsAll } = randomly(dice, before[index] ?? null);
        const wanted = before.with(index, change(before[index] ?? null));
        const result = update(text, wanted);
        if (result.refused.length > 0) {
          expect(result.text).toBe(text);
          refused += 1;
          return;
        }
        const after = readSource(result.text.replace(/^\uFEFF/, ''))?.map(({ root }) => sourceData(root));
        expect(after?.length).toBe(wanted.length);
        expect(after?.every((data, at) => sameData(data, wanted[at] ?? null))).toBe(true);
        if (keepsAll) expect(sortedComments(result.text)).toEqual(sortedComments(text));
        if (result.text !== text) made += 1;
      }),
      { ...tries(1500), endOnFailure: true },
    );
    expect(made).toBeGreaterThan(portion(100));
    expect(refused).toBeLessThan(2 * made);
  },
  patience(120_000),
);

const manifests = ['examples', 'test/scenarios'].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.ya?ml$/.test(name))
    .map((name) => join(folder, name)),
);

test('keeps the bytes of every manifest of this repository if its data is unchanged', () => {
  expect(manifests.length).toBeGreaterThan(150);
  let refused = 0;
  for (const [seed, file] of manifests.entries()) {
    const text = readFileSync(file, 'utf8');
    const documents = readSource(text);
    if (documents === undefined) continue;
    const before = documents.map(({ root }) => sourceData(root));
    expect(update(text, before)).toEqual({ text, refused: [] });
    if (before.length === 0) continue;
    const dice = new Dice(seed);
    for (let count = 0; count < runs(5); count += 1) {
      const index = dice.below(before.length);
      const { change } = randomly(dice, before[index] ?? null);
      const wanted = before.with(index, change(before[index] ?? null));
      const result = update(text, wanted);
      if (result.refused.length > 0) refused += 1;
      else {
        const after = readSource(result.text)?.map(({ root }) => sourceData(root)) ?? [];
        expect(after.every((data, at) => sameData(data, wanted[at] ?? null))).toBe(true);
      }
    }
  }
  expect(refused).toBeLessThan(manifests.length / 4);
});
