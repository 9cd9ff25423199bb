/** JSON text with sorted keys, whole and in pieces. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sameJson, stablePieces, stableStringify } from '../../src/util/json.ts';
import { Secret } from '../../src/util/secret.ts';
import { tries } from '../support/runs.ts';

/** Values that JSON cannot represent. */
const odd = fc.constantFrom(undefined, () => 1, new Date(0), new Secret('s3cret', 'TOKEN'), Number.NaN);

const values = fc.letrec<{ any: unknown }>((tie) => ({
  any: fc.oneof(
    { depthSize: 'large', withCrossShrink: true },
    fc.jsonValue({ maxDepth: 1 }),
    odd,
    fc.array(tie('any'), { maxLength: 4 }),
    fc.dictionary(fc.string({ maxLength: 3 }), tie('any'), { maxKeys: 4 }),
  ),
})).any;

test('splits a value into pieces that add up to its text, at any depth and indentation', () => {
  fc.assert(
    fc.property(values, fc.constantFrom(0, 2), fc.integer({ min: 0, max: 3 }), (part, indent, depth) => {
      // Large enough to be split.
      let value: unknown = Array.from({ length: 400 }, () => part);
      for (let at = 0; at < depth; at += 1) value = { z: [], [String(at)]: value, a: part, b: {} };
      expect([...stablePieces(value, indent)].join('')).toBe(stableStringify(value, indent));
    }),
    tries(100),
  );
});

test('writes the text of a copy with sorted keys', () => {
  const sorted = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(sorted);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value)
        .map(([key, inner]) => [key, sorted(inner)] as const)
        .sort(([left], [right]) => (left < right ? -1 : 1)),
    );
  };
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(stableStringify(value)).toBe(JSON.stringify(sorted(value)));
      expect(sameJson(value, sorted(value))).toBe(true);
    }),
    tries(300),
  );
});

test('does not change the value', () => {
  const value = { b: [{ d: 1, c: 2 }], a: {} };
  stableStringify(value);
  expect(JSON.stringify(value)).toBe('{"b":[{"d":1,"c":2}],"a":{}}');
});

test('never writes a large value as one piece', () => {
  const steps = Array.from({ length: 1000 }, (_, at) => ({ id: `step ${at}`, calls: [{ operation: 'x' }] }));
  const pieces = [...stablePieces({ organizations: [{ steps }] }, 2)];
  expect(pieces.every(({ length }) => length < 200)).toBe(true);
  expect(pieces.length).toBeLessThan(3 * steps.length);
});
