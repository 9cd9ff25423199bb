/** Parsing and printing of durations. */
import { expect, test } from 'vitest';
import { durationText, parseDuration } from '../../src/util/duration.ts';

test.each([
  ['0', 0],
  ['0s', 0],
  ['30', 30_000],
  ['500ms', 500],
  ['1.5s', 1500],
  ['5m', 300_000],
  ['1h', 3_600_000],
  ['1m30s', 90_000],
])('parses %s as %i ms', (text, milliseconds) => {
  expect(parseDuration(text)).toBe(milliseconds);
});

test.each(['', 's', '-1s', '5 m', '5 minutes', '1d', '1s2', '1e3', '٣s', '9999999999s'])(
  'rejects %j',
  (text) => {
    expect(parseDuration(text)).toBeUndefined();
  },
);

test.each([
  [0, '0 s'],
  [1499, '1 s'],
  [60_000, '1 min'],
  [61_000, '1 min 1 s'],
  [3_600_000, '1 h'],
  [5_400_000, '1 h 30 min'],
  [-5, '0 s'],
])('writes %i ms as %s', (milliseconds, text) => {
  expect(durationText(milliseconds)).toBe(text);
});
