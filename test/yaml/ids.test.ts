/** Ids are inserted into manifests as text: one more entry, no other change, and never in a mapping of two objects. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Document, isNode, visit } from 'yaml';
import { registry } from '../../src/kinds/index.ts';
import { disk, type ManifestFiles, withTexts } from '../../src/manifest/files/disk.ts';
import { loadWorkspace } from '../../src/manifest/load-workspace.ts';
import type { DesiredTree } from '../../src/tree/desired-tree.ts';
import { type Data, isDataMap, literal } from '../../src/yaml/data.ts';
import { LineTable } from '../../src/yaml/line-table.ts';
import { parseYaml } from '../../src/yaml/parse.ts';
import { flowEntry } from '../../src/yaml/print.ts';
import { Problems } from '../../src/yaml/problems.ts';
import { pathAt, readSource, sourceData } from '../../src/yaml/source.ts';
import { update } from '../../src/yaml/update.ts';
import { workspaces } from '../support/arbitrary.ts';
import { withDataAt } from '../support/data-at.ts';
import { tries } from '../support/runs.ts';

/** The text with the ids of the objects whose keys are marked with «». */
function insert(marked: string, ...ids: string[]) {
  const keys: { line: number; column: number }[] = [];
  const text = marked
    .replace(/^\uFEFF/, '')
    .split('\n')
    .map((line, index) => {
      let plain = line;
      for (let at = plain.indexOf('«'); at >= 0; at = plain.indexOf('«')) {
        keys.push({ line: index + 1, column: at + 1 });
        plain = plain.replace('«', '').replace('»', '');
      }
      return plain;
    });
  const bom = marked.startsWith('\uFEFF') ? '\uFEFF' : '';
  return insertIds(
    bom + text.join('\n'),
    keys.map((key, index) => ({ ...key, id: ids[index] ?? `id_${index + 1}` })),
  );
}

/** The text with an `id` first in the mappings whose keys are at these places. */
function insertIds(text: string, targets: readonly { line: number; column: number; id: string }[]) {
  const own = text.replace(/^\uFEFF/, '');
  const documents = readSource(own) ?? [];
  const table = new LineTable(own);
  const wanted = documents.map(({ root }) => sourceData(root));
  for (const target of targets) {
    const found = pathAt(documents, table.offsetOf(target));
    if (found === undefined) throw new Error(`no key at ${target.line}:${target.column}`);
    const { document, path } = found;
    wanted[document] = withDataAt(
      wanted[document] ?? null,
      path,
      (value) => new Map<string, Data>([['id', literal(target.id)], ...(isDataMap(value) ? value : [])]),
    );
  }
  return update(text, wanted);
}

const lines = (...all: string[]) => `${all.join('\n')}\n`;

describe('an id', () => {
  test.each<[string, string, string]>([
    ['block', lines('«a»:', '  title: A'), lines('a:', '  id: id_1', '  title: A')],
    [
      'deeper',
      lines('t:', '    «a»:', '        title: A'),
      lines('t:', '    a:', '        id: id_1', '        title: A'),
    ],
    [
      'comments stay with what follows them',
      lines('«a»: # one', '# two', '  # three', '', '  title: A # four', '# five', 'b: {}'),
      lines('a: # one', '  id: id_1', '# two', '  # three', '', '  title: A # four', '# five', 'b: {}'),
    ],
    [
      'CRLF',
      '«a»: # one\r\n  # two\r\n  title: A\r\n',
      'a: # one\r\n  id: id_1\r\n  # two\r\n  title: A\r\n',
    ],
    ['CRLF in braces', '«a»: {\r\n  title: A }\r\n', 'a: {\r\n  id: id_1,\r\n  title: A }\r\n'],
    [
      'mixed line ends',
      '«a»:\r\n  «b»:\n    c: 1\r\n',
      'a:\r\n  id: id_1\r\n  b:\n    id: id_2\n    c: 1\r\n',
    ],
    ['byte-order mark', '\uFEFF«a»: {}\n', '\uFEFFa: { id: id_1 }\n'],
    ['no line end at the end', '«a»:\n  title: A', 'a:\n  id: id_1\n  title: A'],
    [
      'a mapping below its tag',
      lines('«a»:', '  !!map', '  title: A'),
      lines('a:', '  !!map', '  id: id_1', '  title: A'),
    ],
    [
      'an anchored first key',
      lines('«a»:', '  &k title: A', '  b: *k'),
      lines('a:', '  id: id_1', '  &k title: A', '  b: *k'),
    ],
    [
      'an explicit key',
      lines('? «a»', ': title: A', '  b: 1'),
      lines('? a', ': id: id_1', '  title: A', '  b: 1'),
    ],
    [
      'an explicit first key',
      lines('«a»:', '  ? title', '  : A'),
      lines('a:', '  id: id_1', '  ? title', '  : A'),
    ],
    [
      'a merge key',
      lines('x: &x { b: 1 }', '«a»:', '  <<: *x', '  c: 2'),
      lines('x: &x { b: 1 }', 'a:', '  id: id_1', '  <<: *x', '  c: 2'),
    ],
    [
      'a merge key in braces',
      lines('x: &x { b: 1 }', '«a»: { <<: *x }'),
      lines('x: &x { b: 1 }', 'a: { id: id_1, <<: *x }'),
    ],
    [
      'a literal text',
      lines('«a»:', '  title: |-', '    id: no', '  b: 1'),
      lines('a:', '  id: id_1', '  title: |-', '    id: no', '  b: 1'),
    ],
    [
      'a list behind the key',
      lines('«a»:', '  b:', '  - c: 1'),
      lines('a:', '  id: id_1', '  b:', '  - c: 1'),
    ],
    ['braces', '«a»: { title: A }\n', 'a: { id: id_1, title: A }\n'],
    ['tight braces', '«a»: {title: A}\n', 'a: {id: id_1, title: A}\n'],
    ['braces with blanks', '«a»: {   title: A,   }\n', 'a: {   id: id_1, title: A,   }\n'],
    [
      'nested braces',
      '«a»: { «b»: { «c»: {} }, «d»: { e: 1 } }\n',
      'a: { id: id_1, b: { id: id_2, c: { id: id_3 } }, d: { id: id_4, e: 1 } }\n',
    ],
    [
      'braces over lines',
      lines('«a»: { # one', '    # two', '    title: A, # three', '}'),
      lines('a: { # one', '    id: id_1,', '    # two', '    title: A, # three', '}'),
    ],
    ['braces below the key', lines('«a»:', '  { title: A }'), lines('a:', '  { id: id_1, title: A }')],
    [
      'JSON',
      '{"«x»": 0}'.replace('"«x»": 0', '«"a"»: {"title": "A"}'),
      '{"a": {"id": "id_1", "title": "A"}}',
    ],
    ['JSON, empty', '{«"a"»: {}}', '{"a": { "id": "id_1" }}'],
    ['empty braces', '«a»: {} # one\n', 'a: { id: id_1 } # one\n'],
    ['a blank in braces', '«a»: { }\n', 'a: { id: id_1 }\n'],
    ['a comment in braces', lines('«a»: { # one', '  }'), lines('a: { id: id_1 # one', '  }')],
    ['nothing', lines('«a»:', 'b: 1'), lines('a: { id: id_1 }', 'b: 1')],
    ['nothing, at the end', '«a»:', 'a: { id: id_1 }'],
    [
      'nothing but comments',
      lines('«a»: # one', '  # two', 'b: 1'),
      lines('a: { id: id_1 } # one', '  # two', 'b: 1'),
    ],
    ['nothing, CRLF', '«a»:\r\nb: 1\r\n', 'a: { id: id_1 }\r\nb: 1\r\n'],
    ['nothing in braces', '{ «a»: , «b», c: 1 }\n', '{ a: { id: id_1 } , b: { id: id_2 }, c: 1 }\n'],
    ['null', lines('«a»: ~ # one', '«b»: null'), lines('a: { id: id_1 } # one', 'b: { id: id_2 }')],
    [
      'documents',
      lines('--- # one', '«a»: {}', '...', '---', '«a»:', '  b: 1', '---', '«a»: ~'),
      lines(
        '--- # one',
        'a: { id: id_1 }',
        '...',
        '---',
        'a:',
        '  id: id_2',
        '  b: 1',
        '---',
        'a: { id: id_3 }',
      ),
    ],
    [
      'keys beyond ASCII',
      lines('«Größe 👋»: {}', '«日本»:', '  «שלום»: { a: 1 }'),
      lines('Größe 👋: { id: id_1 }', '日本:', '  id: id_2', '  שלום: { id: id_3, a: 1 }'),
    ],
    [
      'quoted keys',
      lines(`«"a: b"»: {}`, `«'it''s'»:`, '  b: 1'),
      lines('"a: b": { id: id_1 }', `'it''s':`, '  id: id_2', '  b: 1'),
    ],
    [
      'blanks around the colon',
      lines('«a»  :   # one', '  b: 1'),
      lines('a  :   # one', '  id: id_1', '  b: 1'),
    ],
  ])('is inserted into this layout: %s', (_name, before, after) => {
    const { text, refused } = insert(before);
    expect(refused).toEqual([]);
    expect(text).toBe(after);
    const problems = new Problems();
    parseYaml('a.yaml', text.replace(/^\uFEFF/, ''), problems);
    expect(problems.sorted()).toEqual([]);
  });
});

describe('an id is not inserted', () => {
  test.each<[string, string, RegExp]>([
    ['an alias', lines('x: &x { b: 1 }', '«a»: *x'), /alias \*x/],
    ['an anchor', lines('«a»: &x { b: 1 }', 'c: *x'), /anchor &x/],
    ['an anchor on a block', lines('«a»: &x', '  b: 1', 'c: *x'), /anchor &x/],
    ['an anchor on nothing', lines('«a»: &x', 'c: *x'), /anchor &x/],
    ['a tagged null', '«a»: !!null\n', /tag/],
    ['an explicit key alone', lines('? «a»', 'b: 1'), /its key has no value/],
  ])('into %s', (_name, marked, reason) => {
    const { text, refused } = insert(marked);
    expect(text).toBe(marked.replace(/[«»]/g, ''));
    expect(refused).toMatchObject([{ reason: expect.stringMatching(reason) }]);
  });
});

const oddIds = [
  '123',
  '1e3',
  '0x1f',
  '0o7',
  'null',
  '~',
  'true',
  'yes',
  'y',
  'off',
  '1_000',
  '12:30',
  '2024-01-01',
  '.5',
  '.inf',
  '-1',
  '',
  ' a ',
  'a b',
  'a: b',
  '#a',
  '*a',
  '${env:HOME}',
  '$${a}',
  '"',
  '\\',
  "it's",
  'a\nb',
  '日本',
  '\u202e',
  '\u2028',
  '\u0085',
  '\uFEFFa',
  '{}',
  '[a',
  '---',
  '<<',
  '=',
  '@a',
  '%a',
  '!a',
];

test.each(oddIds)('writes the id %j as text for every reader', (id) => {
  const written = idEntry(id);
  expect(written).toMatch(/^id: [ -~\p{L}]*$/u);
  for (const text of [`a:\n  ${written}\n`, `a: { ${written} }\n`]) {
    const [located] = parseYaml('a.yaml', text, new Problems());
    expect(located).toMatchObject({
      entries: [{ value: { entries: [{ key: 'id', value: { value: id.replaceAll('${', () => '$${') } }] } }],
    });
  }
});

test.each(['site_abc', 'a', 'x.y-z_1', 'nullable'])('writes the id %j unquoted', (id) =>
  expect(idEntry(id)).toBe(`id: ${id}`),
);

function idEntry(id: string): string {
  return flowEntry('id', literal(id));
}

/** A workspace of one file in memory. */
function load(text: string) {
  const files: ManifestFiles = {
    ...withTexts(disk, new Map([['/w/acme.yaml', text]])),
    type: async () => 'file',
    real: async (file) => file,
  };
  return loadWorkspace({ paths: ['acme.yaml'], overlays: [], env: {}, cwd: '/w', registry, files });
}

function said({ data: { nodes, ...tree } }: DesiredTree, ids: ReadonlyMap<string, string> = new Map()) {
  const all = [...nodes.values()].map(({ at: _at, fieldAt: _fieldAt, ...node }) => {
    const id = node.id ?? ids.get(node.address);
    return id === undefined ? node : { ...node, id };
  });
  return { ...tree, nodes: all };
}

const styles = fc.record({
  indent: fc.integer({ min: 1, max: 6 }),
  indentSeq: fc.boolean(),
  lineWidth: fc.constantFrom(0, 20, 80),
  collectionStyle: fc.constantFrom('any' as const, 'block' as const, 'flow' as const),
  flowCollectionPadding: fc.boolean(),
  defaultKeyType: fc.constantFrom(null, 'QUOTE_DOUBLE' as const, 'QUOTE_SINGLE' as const),
  defaultStringType: fc.constantFrom('PLAIN' as const, 'QUOTE_DOUBLE' as const, 'BLOCK_LITERAL' as const),
  simpleKeys: fc.boolean(),
});

/** Decorations before or after nodes, by the number of the node. */
const decorations = fc.array(fc.constantFrom('none', 'none', 'before', 'behind', 'blank', 'braces'), {
  minLength: 1,
  maxLength: 40,
});

function decorate(document: Document, chosen: readonly string[]): void {
  let count = 0;
  visit(document, {
    Pair: (_index, { key, value }) => {
      const what = chosen[count % chosen.length];
      count += 1;
      if (!isNode(key)) return;
      if (what === 'before') key.commentBefore = ' before\n before';
      if (what === 'blank') key.spaceBefore = true;
      if (what === 'behind' && isNode(value)) value.comment = ' behind';
      if (what === 'braces' && isNode(value) && 'items' in value) value.flow = true;
    },
  });
}

test('keeps the meaning of any manifest in which ids are inserted', async () => {
  await fc.assert(
    fc.asyncProperty(
      workspaces('org_acme'),
      styles,
      decorations,
      fc.array(
        fc.oneof(fc.constantFrom(...oddIds.filter((id) => id !== '')), fc.stringMatching(/^[a-z0-9_]{1,9}$/)),
        { minLength: 1 },
      ),
      fc.boolean(),
      async (content, style, chosen, ids, isCrlf) => {
        const document = new Document(content, { aliasDuplicateObjects: false });
        decorate(document, chosen);
        const written = document.toString(style);
        const text = isCrlf ? written.replaceAll('\n', '\r\n') : written;
        const before = await load(text);
        fc.pre(before.diagnostics.length === 0);
        const tree = before.trees[0];
        if (tree === undefined) throw new Error('no tree');
        const targets = [...tree.nodes.values()]
          .filter(({ id, kind }) => {
            const {
              identity: { idParam },
              manifest: { key },
              name,
            } = registry.byName(kind);
            return (
              id === undefined && idParam !== undefined && key === undefined && name !== registry.root.name
            );
          })
          .map(({ address, at }, index) => ({
            address,
            line: at.line,
            column: at.column,
            id: ids[index % ids.length] ?? '',
          }));
        const result = insertIds(text, targets);
        expect(result.refused).toEqual([]);
        const after = await load(result.text);
        expect(after.diagnostics.filter(({ code }) => code !== 'id-claimed-twice')).toEqual([]);
        const byAddress = new Map(targets.map(({ address, id }) => [address, id]));
        expect(after.trees.map((one) => said(one))).toEqual([said(tree, byAddress)]);
        expect(result.text.includes('\r')).toBe(text.includes('\r'));
      },
    ),
    { ...tries(60) },
  );
});
