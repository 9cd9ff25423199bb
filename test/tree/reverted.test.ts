/** Changes of a run to a value are reverted entry by entry; changes of others to other entries are kept. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { reverted } from '../../src/tree/additive.ts';
import { tries } from '../support/runs.ts';

const names = ['a', 'b', 'c', 'd', 'e', 'f'];
const list = fc.shuffledSubarray(names);
const schema = fc
  .dictionary(fc.constantFrom(...names), fc.constantFrom(1, 2, 3), { noNullPrototype: true })
  .map((properties) => ({ type: 'object', properties }));

test('reverts exactly the list entries that the run added or removed', () => {
  fc.assert(
    fc.property(list, list, list, (before, after, live) => {
      const back = reverted(live, before, after) as readonly string[];
      const isOwn = (name: string) => before.includes(name) !== after.includes(name);
      const expected = names.filter((name) => (isOwn(name) ? before : live).includes(name));
      expect([...back].sort()).toEqual(expected);
    }),
    tries(200),
  );
});

test('restores the former order of a list that no one else changed', () => {
  fc.assert(
    fc.property(list, list, (before, after) => {
      expect(reverted(after, before, after)).toEqual(before);
    }),
    tries(200),
  );
});

test('reverts exactly the mapping entries that the run changed', () => {
  fc.assert(
    fc.property(schema, schema, schema, (before, after, live) => {
      const back = reverted(live, before, after) as typeof live;
      const of = (value: typeof live, name: string) => value.properties[name];
      for (const name of names) {
        const isOwn = of(before, name) !== of(after, name);
        expect(of(back, name)).toBe(of(isOwn ? before : live, name));
      }
    }),
    tries(200),
  );
});
