/** Edits of YAML texts: what is asked for and nothing else, in texts laid out in every way. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CST, Lexer } from 'yaml';
import { dataAt, sameData } from '../../src/manifest/edit/data.ts';
import { type DocumentEdit, editText, type TextEdit } from '../../src/manifest/edit/edit-text.ts';
import { pathAt } from '../../src/manifest/edit/locate.ts';
import { readSource, sourceData } from '../../src/manifest/edit/source.ts';
import { type Data, dataOf, isDataMap } from '../../src/manifest/emit/data.ts';
import { tries } from '../support/runs.ts';
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

/** One edit of a text with one document. */
function edited(text: string, ...edits: readonly DocumentEdit[]): string {
  const result = editText(
    text,
    edits.map((edit) => ({ ...edit, document: 0 })),
  );
  expect(result.refused).toEqual([]);
  return result.text;
}

/** The reason why an edit is refused; the text stays as it is. */
function refusal(text: string, edit: DocumentEdit): string | undefined {
  const result = editText(text, [{ ...edit, document: 0 }]);
  if (result.refused.length > 0) expect(result.text).toBe(text);
  return result.refused[0]?.reason;
}

/** The lines that two texts do not share, as a diff shows them. */
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
  ])('%s', (_name, before, value, after) => {
    expect(edited(before, { type: 'set', path: ['title'], value: dataOf(value) })).toBe(after);
  });

  test('of a list changes the items that differ', () => {
    const after = edited(manifest, {
      type: 'set',
      path: ['organization', 'emailDomains'],
      value: ['acme.com', 'x.y'],
    });
    expect(lineDiff(manifest, after)).toEqual([
      '-  emailDomains: [acme.dev, acme.com] # domains',
      '+  emailDomains: [acme.com, x.y] # domains',
    ]);
    const block = 'list:\n  - a # one\n  # two\n  - b\n  - c\n';
    expect(edited(block, { type: 'set', path: ['list'], value: ['a', 'c', 'd'] })).toBe(
      'list:\n  - a # one\n  - c\n  - d\n',
    );
  });

  test('of a mapping changes the entries that differ, and keeps comments', () => {
    const value = dataOf({ 'ada@acme.dev': 'member', 'kai@acme.dev': 'member', 'new@acme.dev': 'owner' });
    const after = edited(manifest, { type: 'set', path: ['teams', 'writers', 'members'], value });
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

  test('in place of an alias or a merged value is written out; what others share is refused', () => {
    const own = edited(manifest, { type: 'set', path: ['sites', 'other', 'title'], value: 'Own' });
    expect(lineDiff(manifest, own)).toEqual(['-    title: *name', '+    title: Own']);
    const merged = edited(manifest, { type: 'set', path: ['sites', 'other', 'visibility'], value: 'public' });
    expect(lineDiff(manifest, merged)).toEqual(['+    visibility: public']);
    const set = (path: readonly string[]) => refusal(manifest, { type: 'set', path, value: 'B' });
    expect(set(['organization', 'title'])).toBe('it has the anchor &name, which *name uses elsewhere');
    expect(set(['sites', 'hub', 'title'])).toBe('it has the anchor &hub, which *hub uses elsewhere');
    expect(set(['sites', 'other', 'sections', 'a', 'title'])).toBe('it comes from a merge key (<<)');
    expect(refusal('a: !!str 5\n', { type: 'set', path: ['a'], value: 'b' })).toMatch(/^it has the tag /);
    expect(refusal('a: ${yaml:x.yaml}\n', { type: 'insert', path: ['a'], entries: [['b', 1]] })).toBe(
      'it is included from another file',
    );
    expect(refusal('? a\n: 1\n', { type: 'set', path: ['a'], value: 2 })).toBe('its key is written with ?');
    expect(refusal('a: [\n', { type: 'set', path: ['a'], value: 2 })).toBe('the file is not valid YAML');
  });
});

describe('entries', () => {
  const plain = manifest.replace('&hub', '').replace('    <<: *hub\n', '');

  test('are added among their siblings, in their manner', () => {
    const team = dataOf({ title: 'New', members: { 'ada@acme.dev': 'owner' } });
    const after = edited(plain, {
      type: 'insert',
      path: ['teams'],
      entries: [['new', team]],
      place: { after: 'platform' },
    });
    expect(lineDiff(plain, after)).toEqual([
      '+  new:',
      '+    title: New',
      '+    members:',
      '+      ada@acme.dev: owner',
      '+',
    ]);
    const among = ['title', 'visibility', 'sections'];
    const set = { type: 'set', path: ['sites', 'hub', 'visibility'], value: 'public', among } as const;
    expect(lineDiff(plain, edited(plain, set))).toEqual(['+    visibility: public']);
    expect(
      edited('a: { x: 1 }\nb: { x: 2 }\n', {
        type: 'insert',
        path: [],
        entries: [['c', dataOf({ x: 3 })]],
      }),
    ).toBe('a: { x: 1 }\nb: { x: 2 }\nc: { x: 3 }\n');
    expect(
      edited(plain, { type: 'insert', path: ['translations'], entries: [['fr', dataOf({ title: 'F' })]] }),
    ).toBe(`${plain}\ntranslations:\n  fr:\n    title: F\n`);
    expect(edited('a:\n  - x: 1\n    y: 2\n', { type: 'set', path: ['a', 0, 'z'], value: 3 })).toBe(
      'a:\n  - x: 1\n    y: 2\n    z: 3\n',
    );
  });

  test('in braces over several lines keep their lines and comments', () => {
    const text = 'a: {\n  x: 1, # one\n  y: 2 # two\n}\n';
    expect(edited(text, { type: 'set', path: ['a', 'z'], value: 3 })).toBe(
      'a: {\n  x: 1, # one\n  y: 2, # two\n  z: 3\n}\n',
    );
    expect(edited(text, { type: 'remove', path: ['a', 'y'] })).toBe('a: {\n  x: 1 # one\n}\n');
    expect(edited(text, { type: 'remove', path: ['a', 'x'] })).toBe('a: {\n  y: 2 # two\n}\n');
    expect(edited('a: {x: 1, y: 2, z: 3}\n', { type: 'remove', path: ['a', 'y'] })).toBe('a: {x: 1, z: 3}\n');
    expect(edited('a: {x: 1, y: 2}\n', { type: 'order', path: ['a'], keys: ['y', 'x'] })).toBe(
      'a: {y: 2, x: 1}\n',
    );
  });

  test('are removed with their comments and one gap', () => {
    expect(lineDiff(plain, edited(plain, { type: 'remove', path: ['teams', 'platform'] }))).toEqual([
      '-  # the platform',
      '-  platform:',
      '-    title: Platform # short',
      '-    members: { ada@acme.dev: owner, bob@acme.dev: member }',
      '-    # more about platform',
      '-',
    ]);
    const both = edited(
      plain,
      { type: 'remove', path: ['teams', 'platform'] },
      { type: 'remove', path: ['teams', 'writers'] },
    );
    expect(both).toContain('# domains\n\nteams: {}\n\nsites:\n');
    expect(refusal('a: 1\n', { type: 'remove', path: ['a'] })).toBe('the document would be empty');
    expect(edited('a:\n  - x: 1\n    y: 2\n', { type: 'remove', path: ['a', 0, 'x'] })).toBe(
      'a:\n  - y: 2\n',
    );
  });

  test('are reordered and moved with their comments', () => {
    const after = edited(
      plain,
      { type: 'order', path: ['sites', 'hub', 'sections'], keys: ['b', 'a'] },
      {
        type: 'move',
        path: ['sites', 'hub', 'sections', 'b'],
        into: ['sites', 'hub', 'sections', 'group', 'sections'],
        place: { before: 'c' },
      },
    );
    expect(after).toContain(`    sections:
      a: { title: A }
      group:
        title: G
        sections:
          # b is here
          b:
            title: B
          c: { title: C, path: c }
`);
  });
});

test('edits of one text are made in their order, and one that is refused does not hold up the others', () => {
  const edits: readonly TextEdit[] = [
    { document: 0, type: 'insert', path: ['a'], entries: [['x', new Map([['w', 1]])]] },
    { document: 0, type: 'set', path: ['a', 'x', 'w'], value: 2 },
    { document: 0, type: 'set', path: ['b'], value: 'other' },
    { document: 1, type: 'set', path: ['c'], value: 'd' },
  ];
  const { text, refused } = editText('a: {}\nb: &b 1\nc: *b\n---\nc: c\n', edits);
  expect(text).toBe('a:\n  x:\n    w: 2\nb: &b 1\nc: *b\n---\nc: d\n');
  expect(refused).toEqual([
    { edit: edits[2], reason: 'it has the anchor &b, which *b uses elsewhere', offset: 6 },
  ]);
});

test('the path of a key and of a value are found by their places', () => {
  const text = 'a: 1\n---\nb:\n  c: { d: [x, y] }\n';
  const found = (part: string) => pathAt(readSource(text) ?? [], text.indexOf(part));
  expect(found('b:')).toEqual({ document: 1, path: ['b'] });
  expect(found('d:')).toEqual({ document: 1, path: ['b', 'c', 'd'] });
  expect(found('{ d')).toEqual({ document: 1, path: ['b', 'c'] });
  expect(found('y]')).toEqual({ document: 1, path: ['b', 'c', 'd', 1] });
  expect(found('---')).toBeUndefined();
});

/** A random edit of a document, at a place that it has. */
function randomEdit(dice: Dice, data: Data, document: number): TextEdit {
  const path: (string | number)[] = [];
  for (let value: Data | undefined = data; value !== undefined; value = dataAt(data, path)) {
    const keys: (string | number)[] = isDataMap(value)
      ? [...value.keys()]
      : Array.isArray(value)
        ? [...value.keys()]
        : [];
    if (keys.length === 0 || (path.length > 0 && dice.once(3))) break;
    path.push(keys[dice.below(keys.length)] ?? 0);
  }
  const value = dice.oneOf<Data>([
    'text',
    'two\nlines',
    'yes',
    '',
    ' # ',
    null,
    12,
    ['a', 'b'],
    new Map<string, Data>([
      ['k', 'v'],
      ['l', new Map([['m', [1]]])],
    ]),
  ]);
  const parent = path.slice(0, -1);
  const holder = dataAt(data, parent);
  switch (dice.below(4)) {
    case 0:
      return { document, type: 'remove', path };
    case 1:
      return { document, type: 'insert', path: parent, entries: [['new key', value]] };
    case 2:
      return {
        document,
        type: 'order',
        path: parent,
        keys: holder !== undefined && isDataMap(holder) ? [...holder.keys()].reverse() : [],
      };
    default:
      return { document, type: 'set', path, value };
  }
}

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

test('random edits of random texts give what was asked for, and touch no other line and no comment', () => {
  let made = 0;
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      const dice = new Dice(seed);
      const text = new TextMaker(dice).text();
      const documents = readSource(text.replace(/^\uFEFF/, ''));
      if (documents === undefined || documents.length === 0) return;
      const index = dice.below(documents.length);
      const before = sourceData(documents[index]?.root);
      const edit = randomEdit(dice, before, index);
      const result = editText(text, [edit]);
      if (result.refused.length > 0) {
        expect(result.text).toBe(text);
        return;
      }
      const after = readSource(result.text.replace(/^\uFEFF/, ''));
      for (const [other, document] of documents.entries()) {
        const now = sourceData(after?.[other]?.root);
        if (other !== index) expect(sameData(now, sourceData(document.root))).toBe(true);
        else if (edit.type === 'set') expect(sameData(dataAt(now, edit.path) ?? null, edit.value)).toBe(true);
        else if (edit.type === 'order') expect(sameData(sortedKeys(now), sortedKeys(before))).toBe(true);
      }
      if (result.text !== text) made += 1;
      if (edit.type === 'insert' || edit.type === 'order')
        expect(commentsOf(result.text)).toEqual(commentsOf(text));
      if (edit.type === 'insert') {
        const removed = lineDiff(text, result.text).filter((line) => line.startsWith('-'));
        expect(removed.length).toBeLessThan(6);
      }
    }),
    { ...tries(1500), endOnFailure: true },
  );
  expect(made).toBeGreaterThan(100);
}, 120_000);

/** Mappings without an order. */
function sortedKeys(data: Data): Data {
  if (Array.isArray(data)) return data.map(sortedKeys);
  if (!isDataMap(data)) return data;
  return new Map(
    [...data]
      .sort(([left], [right]) => (left < right ? -1 : 1))
      .map(([key, value]) => [key, sortedKeys(value)]),
  );
}
