/** Invisible characters are shown as escapes, and visible ones are not changed. */
import { expect, test } from 'vitest';
import { safeJson, safeText } from '../../src/report/text/safe-text.ts';

const invisible = [
  ...[0x00ad, 0x034f, 0x061c, 0x115f, 0x1160, 0x17b4, 0x17b5, 0x180e, 0x200b, 0x200c, 0x200d, 0x200e, 0x202e],
  ...[0x2028, 0x2060, 0x2064, 0x2800, 0x3164, 0xfe00, 0xfe0e, 0xfe0f, 0xfeff, 0xffa0, 0xfff9],
  ...[0x1d173, 0xe0001, 0xe0041, 0xe007f, 0xe0100, 0xe01ef],
];

test.each(invisible)('shows U+%i as an escape outside of emoji', (point) => {
  const character = String.fromCodePoint(point);
  const shown = `\\u{${point.toString(16)}}`;
  for (const [before, after] of [
    ['Platf', 'orm'],
    ['', ''],
    ['1', ' '],
    ['é', '日'],
  ] as const) {
    expect(safeText(before + character + after)).toBe(before + shown + after);
    const json = JSON.stringify(before + character + after);
    expect(safeJson(json)).toMatch(/^"[^\p{DI}\u2028\u2029\u2800]*"$/u);
    expect(JSON.parse(safeJson(json))).toBe(before + character + after);
  }
});

const emoji = '👋 ❤️ ☎︎ 👩‍💻 👨‍👩‍👧‍👦 🏳️‍🌈 👍🏽 🧑🏽‍🚀 1️⃣ #️⃣ 🇩🇪 🏴󠁧󠁢󠁥󠁮󠁧󠁿 ©️'.split(' ');
test.each([...emoji, 'Ünïcode', '日本語', 'می\u200Cخواهم', 'क्\u200Dष', 'e\u0301'])(
  'does not change %s',
  (text) => {
    expect(safeText(`a ${text} b`)).toBe(`a ${text} b`);
    expect(safeJson(`"a ${text} b"`)).toBe(`"a ${text} b"`);
  },
);

test('shows characters beyond the end of an emoji as escapes', () => {
  expect(safeText('❤\uFE0F\uFE0F')).toBe('❤\uFE0F\\u{fe0f}');
  expect(safeText('👋\u200D')).toBe('👋\\u{200d}');
  expect(safeText('1\uFE0F')).toBe('1\\u{fe0f}');
});
