/** Numbers agree with their nouns. */
import { expect, test } from 'vitest';
import { countOf } from '../../src/util/count.ts';

test.each([
  [0, 'space', '0 spaces'],
  [1, 'space', '1 space'],
  [2, 'space', '2 spaces'],
  [2, 'entry', '2 entries'],
  [2, 'key', '2 keys'],
])('writes %i %s as %s', (number, noun, text) => {
  expect(countOf(number, noun)).toBe(text);
});
