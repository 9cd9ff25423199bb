/** Invisible characters are shown as escapes, and visible ones are not changed. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { displayWidth, safeJson, safeText, wrap } from '../../src/report/text/safe-text.ts';
import { cpuOf } from '../support/cpu.ts';
import { tries } from '../support/runs.ts';

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

const copied = fc.oneof(
  fc.constantFrom(
    'protect: ["!sites/hub/sections/with-a-long-name"]',
    'was: "Old name of it"',
    'lifecycle: { ignore: [title, path], protect: false }',
    '/operations-research/product-release-process: { to: release }',
    'octavo apply --record --auto-approve',
    'octavo unlock r-mx156a4q-9d6e371f --lock git',
    'https://acme.example/a/very/long/path/of/a/page?with=a-query',
    `spaces/${'how-to-onboard-'.repeat(9)}`,
    `sites/${'ガイド-'.repeat(20)}`,
  ),
  fc.stringMatching(/^[a-z0-9/.-]{1,120}$/),
);
const prose = fc.stringMatching(/^[a-zé]{2,9}[.,]?$/);

test('what readers copy is never broken, at any width', () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof({ weight: 3, arbitrary: prose }, copied), { minLength: 1, maxLength: 30 }),
      fc.integer({ min: 1, max: 200 }),
      (parts, width) => {
        const lines = wrap(parts.join(' '), width);
        expect(lines.join(' ')).toBe(parts.join(' '));
        for (const part of parts) expect(lines.some((line) => line.includes(part))).toBe(true);
        // Prose fills the lines, and only what is copied is longer.
        for (const line of lines)
          if (displayWidth(line) > Math.max(10, width))
            expect(parts.some((part) => line.startsWith(part) && displayWidth(part) > 8)).toBe(true);
      },
    ),
    tries(300),
  );
});

test('wraps a long text in linear time', async () => {
  const time = (count: number) =>
    cpuOf(() => {
      wrap(`octavo "x ${'{ a: ["b" '.repeat(count)}`, 80);
      wrap('x'.repeat(count * 10), 80);
    });
  await time(1000);
  expect(await time(200_000)).toBeLessThan(40 * Math.max(0.02, await time(20_000)));
});
