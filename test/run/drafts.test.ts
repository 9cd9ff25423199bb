/** Drafts of manifests: whatever the order in which changes are added, and a change that cannot be made holds up no other. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Workspace } from '../../src/manifest/load-workspace.ts';
import { Drafts, type ManifestPlace } from '../../src/run/write-back/drafts.ts';
import { dataOf } from '../../src/yaml/data.ts';
import { tries } from '../support/runs.ts';

interface Change {
  readonly what: string;
}

type Add = (drafts: Drafts<Change>) => void;

const at = (...path: readonly string[]): ManifestPlace => ({ file: 'a.yaml', document: 0, path });

/** The text after changes in some order, and the reasons of those that were refused. */
function drafted(text: string, adds: readonly Add[]) {
  const workspace = { files: ['a.yaml'], sources: new Map([['a.yaml', text]]) } as unknown as Workspace;
  const drafts = new Drafts<Change>(workspace);
  for (const add of adds) add(drafts);
  const { texts, refused } = drafts.make(() => text);
  return {
    text: texts.get('a.yaml') ?? text,
    refused: refused.map(({ change, reason }) => `${change.what}: ${reason}`).sort(),
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

const changes: readonly Add[] = [
  (drafts) => drafts.set(at('sections', 'old', 'sections', 'a', 'title'), 'New', { what: 'title' }),
  (drafts) =>
    drafts.move(
      at('sections', 'old', 'sections', 'a'),
      at('sections', 'group', 'sections'),
      { what: 'move a' },
      {},
    ),
  (drafts) => drafts.remove(at('sections', 'old'), { what: 'remove old' }, []),
  (drafts) =>
    drafts.add(
      at('sections', 'old'),
      dataOf({ title: 'Another' }),
      { what: 'add' },
      { among: ['old', 'group'] },
    ),
  (drafts) => drafts.order(at('sections', 'group', 'sections'), ['a', 'c'], { what: 'order' }),
  (drafts) => drafts.move(at('sections', 'group'), at('more'), { what: 'move group' }, {}),
];

test('changes give the same text in every order', () => {
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
  fc.assert(
    fc.property(fc.shuffledSubarray([...changes], { minLength: changes.length }), (adds) => {
      expect(drafted(manifest, adds)).toEqual({ text: expected, refused: [] });
    }),
    tries(200),
  );
});

test('a change that cannot be made is refused with its reason, and the others are made', () => {
  const text = 'base: &base { x: 1 }\na:\n  <<: *base\n  y: 2\nb: "${yaml:b.yaml}"\nc: { z: 1 }\n';
  const result = drafted(text, [
    (drafts) => drafts.set(at('base', 'x'), 2, { what: 'anchor' }),
    (drafts) => drafts.set(at('b', 'x'), 2, { what: 'included' }),
    (drafts) => drafts.unset(at('a', 'x'), { what: 'merged' }),
    (drafts) => drafts.set(at('c', 'z'), 2, { what: 'fine' }),
    (drafts) => drafts.add(at('c', 'z'), 3, { what: 'taken' }, {}),
    (drafts) => drafts.remove(at('base'), { what: 'shared' }, []),
  ]);
  expect(result.text).toBe(text.replace('z: 1', 'z: 2'));
  expect(result.refused).toEqual([
    'anchor: it has the anchor &base, which *base uses elsewhere',
    'included: it is included from another file',
    'merged: it comes from a merge key (<<)',
    'shared: the file would mean something else as well',
    'taken: there is an entry z already',
  ]);
});

test('nothing is removed while something that has to move out of it cannot', () => {
  const move = { what: 'move' };
  const result = drafted('old:\n  a: { x: 1 }\nnew:\n  a: { x: 2 }\n', [
    (drafts) => drafts.move(at('old', 'a'), at('new'), move, {}),
    (drafts) => drafts.remove(at('old'), { what: 'remove' }, [move]),
  ]);
  expect(result.text).toBe('old:\n  a: { x: 1 }\nnew:\n  a: { x: 2 }\n');
  expect(result.refused).toEqual([
    'move: there is an entry a already',
    'remove: what is inside cannot be moved: there is an entry a already',
  ]);
});
