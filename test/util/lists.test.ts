/** Lists of any length. */
import { expect, test } from 'vitest';
import { append, greatest } from '../../src/util/lists.ts';

const many = Array.from({ length: 300_000 }, (_, at) => at);

test('appends a list longer than the stack', () => {
  const list = [-1];
  append(list, many);
  expect([list.length, list.at(-1)]).toEqual([300_001, 299_999]);
});

test('returns the maximum of many numbers and of none', () => {
  expect(greatest(many, 3)).toBe(299_999);
  expect(greatest([], 3)).toBe(3);
});
