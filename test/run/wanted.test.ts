/** Edits of manifests: each change is written, and an impossible change does not affect the others. */
import { expect, test } from 'vitest';
import type { Workspace } from '../../src/manifest/load-workspace.ts';
import type { AcceptedChange } from '../../src/run/write-back/acceptance.ts';
import { type ManifestPlace, WantedManifests } from '../../src/run/write-back/wanted.ts';
import { dataOf } from '../../src/yaml/data.ts';

type Projection = (wanted: WantedManifests) => void;

const at = (...path: readonly (string | number)[]): ManifestPlace => ({ file: 'a.yaml', document: 0, path });
const to = (what: string): AcceptedChange => ({
  ...{ label: 'acme', address: '', what },
  at: { file: 'a.yaml', line: 1, column: 1, endLine: 1, endColumn: 1 },
});

/** The edited text, and the reasons of refused changes. */
function written(text: string, project: Projection) {
  const workspace = { files: ['a.yaml'], sources: new Map([['a.yaml', text]]) } as unknown as Workspace;
  const wanted = new WantedManifests(workspace);
  project(wanted);
  const { texts, refused } = wanted.make(() => text);
  return {
    text: texts.get('a.yaml') ?? text,
    refused: refused.map(({ what, reason }) => `${what}: ${reason}`).sort(),
  };
}

const manifest = `sections:
  old:
    title: Old
    sections:
      # about a
      a: { title: A } # first
      b: { title: B }
  group:
    title: Group
    sections:
      c: { title: C }
`;

test.each([0, 1, 2])('finds an entry by its original place after %i moves', (moves) => {
  const a = ['sections', 'old', 'sections', 'a'] as const;
  const result = written(manifest, (wanted) => {
    const title = () => wanted.set(at(...a, 'title'), 'New', to('title'));
    if (moves === 0) title();
    wanted.move(at(...a), at('sections', 'group', 'sections', 'a'), to('move a'));
    if (moves === 1) title();
    wanted.move(at('sections', 'group'), at('more', 'group'), to('move group'));
    if (moves === 2) title();
    wanted.remove(at('sections', 'old'), to('remove old'));
    const another = dataOf({ title: 'Another' });
    wanted.set(at('sections', 'old'), another, to('add'), { among: ['old', 'group'], isNew: true });
    wanted.order(at('sections', 'group', 'sections'), ['a', 'c'], to('order'));
  });
  const expected = `sections:
  old:
    title: Another
more:
  group:
    title: Group
    sections:
      # about a
      a: { title: New } # first
      c: { title: C }
`;
  expect(result).toEqual({ text: expected, refused: [] });
});

test('finds list items by their original index after others were removed', () => {
  const text = 'list:\n  - { id: a }\n  - { id: b }\n  - { id: c }\n';
  const result = written(text, (wanted) => {
    wanted.remove(at('list', 0), to('remove a'));
    wanted.set(at('list', 2, 'id'), 'd', to('set c'));
    wanted.remove(at('list', 1), to('remove b'));
    wanted.remove(at('list', 1), to('remove b again'));
  });
  expect(result).toEqual({
    text: 'list:\n  - { id: d }\n',
    refused: ['remove b again: its value is not a mapping'],
  });
});

test('creates missing mappings below a template entry, and inserts the first entry first', () => {
  const result = written('a:\n  use: t\nb:\nc: { x: 1 }\n', (wanted) => {
    wanted.set({ ...at('a', 'sections', 's', 'title'), made: 1 }, 'T', to('inside'));
    wanted.set(at('b', 'id'), 'i', to('empty'), { isFirst: true });
    wanted.set(at('c', 'id'), 'j', to('first'), { isFirst: true });
    wanted.set(at('c', 'y', 'z', 'deep'), 1, to('too deep'));
    wanted.set({ ...at('a', 'use', 'x'), made: 1 }, 1, to('text'));
  });
  expect(result).toEqual({
    text: 'a:\n  use: t\n  sections:\n    s:\n      title: T\nb: { id: i }\nc: { id: j, x: 1 }\n',
    refused: ['text: its value is not a mapping', 'too deep: its parent is not written here'],
  });
});

test('refuses an impossible change with its reason and makes the others', () => {
  const text = 'base: &base { x: 1 }\na:\n  <<: *base\n  y: 2\nb: "${yaml:b.yaml}"\nc: { z: 1 }\n';
  const result = written(text, (wanted) => {
    wanted.set(at('base', 'x'), 2, to('anchor'));
    wanted.set(at('b', 'x'), 2, to('included'));
    wanted.remove(at('a', 'x'), to('merged'));
    wanted.set(at('c', 'z'), 2, to('fine'));
    wanted.set(at('c', 'z'), 3, to('taken'), { isNew: true });
  });
  expect(result.text).toBe(text.replace('z: 1', 'z: 2'));
  expect(result.refused).toEqual([
    'anchor: it has the anchor &base, which *base uses elsewhere',
    'included: it is included from another file',
    'merged: it comes from a merge key (<<)',
    'taken: there is an entry z already',
  ]);
  const removed = written(text, (wanted) => {
    wanted.remove(at('base'), to('anchor'));
    wanted.remove(at('a'), to('its alias'));
  });
  expect(removed.text).toBe('b: "${yaml:b.yaml}"\nc: { z: 1 }\n');
  expect(removed.refused).toEqual([]);
  const shared = written(text, (wanted) => {
    wanted.remove(at('base'), to('shared'));
    wanted.set(at('c', 'z'), 2, to('fine'));
  });
  expect(shared).toEqual({
    text: text.replace('z: 1', 'z: 2'),
    refused: ['shared: other values of the file would change too'],
  });
});

test('refuses only the moves that comments prevent', () => {
  const text = 'a:\n  # about x\n  x: 1\n  # about y\n  y: 2\nb: { z: 3 }\nc:\n  # about x\n  x: 4\n';
  const result = written(text, (wanted) => {
    for (const key of ['x', 'y']) wanted.move(at('a', key), at('b', key), to(`move ${key}`));
    wanted.set(at('c', 'x'), 5, to('set'));
  });
  expect(result).toEqual({
    text: text.replace('x: 4', 'x: 5'),
    refused: ['move x: a comment would be lost', 'move y: a comment would be lost'],
  });
});

test('keeps an entry that cannot be inserted, and its parent', () => {
  const text = 'old:\n  a: { x: 1 }\nnew:\n  a: { x: 2 }\n';
  const result = written(text, (wanted) => {
    const move = to('move');
    wanted.move(at('old', 'a'), at('new', 'a'), move);
    wanted.remove(at('old'), to('remove'), [move]);
  });
  expect(result).toEqual({
    text,
    refused: [
      'move: there is an entry a already',
      'remove: what is inside cannot be moved: there is an entry a already',
    ],
  });
});

test('swaps two entries', () => {
  const result = written('one:\n  a: { x: 1 }\ntwo:\n  a: { x: 2 }\n', (wanted) => {
    wanted.move(at('one', 'a'), at('two', 'a'), to('there'));
    wanted.move(at('two', 'a'), at('one', 'a'), to('back'));
  });
  expect(result).toEqual({ text: 'one:\n  a: { x: 2 }\ntwo:\n  a: { x: 1 }\n', refused: [] });
});
