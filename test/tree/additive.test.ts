/** Lists that only add, put together with what is live and what the base declared. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ownPart, withAdded } from '../../src/tree/additive.ts';
import { tries } from '../support/runs.ts';

test('items keep their live order and spelling, new ones come last, and items of the base alone go', () => {
  expect(withAdded(['a', 'b', 'x'], ['b', 'c', 'c '], ['a', 'b'])).toEqual(['b', 'x', 'c']);
  expect(withAdded([' b', 'x', 'x'], ['b'])).toEqual([' b', 'x', 'x']);
  expect(withAdded(undefined, ['b'], ['a'])).toEqual(['b']);
  const links = [{ title: 'Blog', to: { kind: 'url' } }];
  expect(withAdded([{ to: { kind: 'url' }, title: 'Blog ' }], links)).toEqual([
    { to: { kind: 'url' }, title: 'Blog ' },
  ]);
});

test('entries of a mapping are told apart by their keys, and own values win', () => {
  expect(
    withAdded({ ada: 'owner', bob: 'member' }, { bob: 'owner' }, { ada: 'owner', bob: 'member' }),
  ).toEqual({
    bob: 'owner',
  });
  expect(withAdded({ ada: 'owner' }, { bob: 'member' })).toEqual({ ada: 'owner', bob: 'member' });
});

test('what is live of the own elements is told from what others added', () => {
  expect(ownPart(['x', 'a '], ['a', 'b'])).toEqual(['a ']);
  expect(ownPart({ x: 'owner', a: 'member' }, { a: 'owner', b: 'owner' })).toEqual({ a: 'member' });
  expect(ownPart(undefined, ['a'])).toEqual([]);
});

const names = fc.uniqueArray(fc.constantFrom<string>('a', 'b', 'c', 'd', 'e', 'f'));

test('no element is lost that nobody declared, every own one is there, and a second time changes nothing', () => {
  fc.assert(
    fc.property(names, names, names, (live, own, former) => {
      const list = withAdded(live, own, former) as readonly string[];
      const asMap = (items: readonly string[]) => Object.fromEntries(items.map((item) => [item, 'x']));
      expect(Object.keys(withAdded(asMap(live), asMap(own), asMap(former)) as object).sort()).toEqual(
        [...list].sort(),
      );
      expect(list).toEqual(expect.arrayContaining([...own]));
      expect(list).toEqual(
        expect.arrayContaining(live.filter((item) => !former.includes(item) || own.includes(item))),
      );
      expect(list.filter((item) => !live.includes(item) && !own.includes(item))).toEqual([]);
      expect(list.filter((item) => former.includes(item) && !own.includes(item))).toEqual([]);
      expect(withAdded(list, own, former)).toEqual(list);
    }),
    tries(300),
  );
});
