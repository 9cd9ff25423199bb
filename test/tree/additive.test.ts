/** Additive lists, merged with the live list and the list of the base. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ownPart, withAdded } from '../../src/tree/additive.ts';
import { tries } from '../support/runs.ts';

test('keeps live order and spelling, appends new items and removes items declared only in the base', () => {
  expect(withAdded(['a', 'b', 'x'], ['b', 'c', 'c '], ['a', 'b'])).toEqual(['b', 'x', 'c']);
  expect(withAdded([' b', 'x', 'x'], ['b'])).toEqual([' b', 'x', 'x']);
  expect(withAdded(undefined, ['b'], ['a'])).toEqual(['b']);
  const links = [{ title: 'Blog', to: { kind: 'url' } }];
  expect(withAdded([{ to: { kind: 'url' }, title: 'Blog ' }], links)).toEqual([
    { to: { kind: 'url' }, title: 'Blog ' },
  ]);
});

test('counts an item as live if the service may have stored it with other case, spaces or compatible letters', () => {
  expect(withAdded(['x', 'api guide'], ['API  Guide'])).toEqual(['x', 'api guide']);
  expect(withAdded(['\uFB01rst'], ['First'])).toEqual(['\uFB01rst']);
  // Each live item for one declared item only, and not for the former name of it, or another one that is declared.
  expect(withAdded(['api'], ['API', 'Api'])).toEqual(['api', 'Api']);
  expect(withAdded(['api'], ['API'], ['api'])).toEqual(['API']);
  expect(withAdded(['api'], ['API', 'api'])).toEqual(['api', 'API']);
  // Punctuation makes another item.
  expect(withAdded(['c', 'ab.test'], ['C#', 'a-b.test'])).toEqual(['c', 'ab.test', 'C#', 'a-b.test']);
});

test('matches entries of a mapping by key and prefers declared values', () => {
  expect(
    withAdded({ ada: 'owner', bob: 'member' }, { bob: 'owner' }, { ada: 'owner', bob: 'member' }),
  ).toEqual({
    bob: 'owner',
  });
  expect(withAdded({ ada: 'owner' }, { bob: 'member' })).toEqual({ ada: 'owner', bob: 'member' });
});

test('selects the live elements that the manifests declare', () => {
  expect(ownPart(['x', 'a '], ['a', 'b'])).toEqual(['a ']);
  expect(ownPart({ x: 'owner', a: 'member' }, { a: 'owner', b: 'owner' })).toEqual({ a: 'member' });
  expect(ownPart(undefined, ['a'])).toEqual([]);
});

const names = fc.uniqueArray(fc.constantFrom<string>('a', 'b', 'c', 'd', 'e', 'f'));

test('keeps elements of others, adds all declared ones and is idempotent', () => {
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
