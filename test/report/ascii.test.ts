/** Terminals that only show ASCII. */
import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { isAsciiTerminal } from '../../src/cli/show/view-for.ts';
import { renderPlan } from '../../src/report/plan/text.ts';
import { inAscii } from '../../src/report/text/ascii.ts';
import { everything } from './plan-samples.ts';

test('prints a plan in ASCII with distinct signs', () => {
  const text = [...inAscii([renderPlan(everything, { color: false, width: 80 })])].join('');
  expect(text).toMatch(/^[\n\x20-\x7e]*$/);
  expect(text).toContain('title         "Acme" -> "Acme Corporation"');
  expect(text).toContain('-/+ 1 replace');
  expect(text).toContain('\\u{1f44b}');
});

test.each([
  [true, {}, false],
  [true, { LANG: 'en_US.UTF-8' }, false],
  [true, { LANG: 'C.utf8' }, false],
  [true, { LANG: 'C' }, true],
  [true, { LC_ALL: 'POSIX', LANG: 'en_US.UTF-8' }, true],
  [true, { LC_ALL: '', LANG: 'en_US.UTF-8' }, false],
  [true, { LANG: 'de_DE.ISO-8859-1' }, true],
  [true, { TERM: 'linux', LANG: 'en_US.UTF-8' }, true],
  [false, { LANG: 'C' }, false],
])('recognizes an ASCII terminal (TTY: %s) by %j', (isTTY, env, expected) => {
  expect(isAsciiTerminal(Object.assign(new Writable(), { isTTY }), env)).toBe(expected);
});
