/** Untrusted zip archives: their files, or undefined if they are damaged or too large. */
import { zipSync } from 'fflate';
import { expect, test } from 'vitest';
import { unzip } from '../../src/server/content/importing.ts';

const text = (content: string) => Buffer.from(content);

test('returns deflated and stored files without folders', () => {
  const files = { 'a.md': text('# A'), 'img/': new Uint8Array(), 'img/b.png': text('PNG'), 'é.md': text('') };
  for (const level of [0, 9] as const) {
    const read = unzip(zipSync(files, { level })) ?? [];
    expect(read.map(({ name, bytes }) => [name, Buffer.from(bytes).toString()])).toEqual([
      ['a.md', '# A'],
      ['img/b.png', 'PNG'],
      ['é.md', ''],
    ]);
  }
});

test('keeps the bytes of an archive with many pieces', () => {
  const long = Buffer.from(Array.from({ length: 100_000 }, (_, at) => (at * 7919) % 251));
  expect(Buffer.from(unzip(zipSync({ long, short: text('x') }))?.[0]?.bytes ?? []).equals(long)).toBe(true);
});

test.each([
  ['nothing', new Uint8Array()],
  ['text', text('no archive')],
  ['half an archive', zipSync({ 'a.md': text('# A '.repeat(1000)) }, { level: 0 }).subarray(0, 2000)],
  ['half a deflated one', zipSync({ a: Buffer.from('0123456789abcdef'.repeat(40)) }).subarray(0, 45)],
])('rejects %s', (_, bytes) => {
  expect(unzip(bytes)).toBeUndefined();
});

test('rejects damaged data', () => {
  const bytes = zipSync({ 'a.md': text('one two three four five six seven '.repeat(20)) });
  bytes.fill(0xff, 40, 60);
  expect(unzip(bytes)).toBeUndefined();
});

test('rejects too many entries', () => {
  const entries = (count: number) =>
    zipSync(Object.fromEntries(Array.from({ length: count }, (_, at) => [`${at}.md`, text('x')])));
  expect(unzip(entries(1000))).toHaveLength(1000);
  expect(unzip(entries(1001))).toBeUndefined();
});

test('rejects a bomb regardless of its header', () => {
  const bomb = zipSync({ zeros: new Uint8Array(24 * 2 ** 20) }, { level: 1 });
  expect(bomb.length).toBeLessThan(2 ** 20);
  expect(unzip(bomb)).toBeUndefined();
  const lying = Buffer.from(bomb);
  lying.writeUInt32LE(10, 22);
  lying.writeUInt32LE(10, lying.lastIndexOf(Buffer.from([0x50, 0x4b, 1, 2])) + 24);
  expect(unzip(lying)).toBeUndefined();
});

test('rejects several files that together unpack to too much', () => {
  const zeros = new Uint8Array(11 * 2 ** 20);
  expect(unzip(zipSync({ zeros }, { level: 1 }))).toHaveLength(1);
  expect(unzip(zipSync({ zeros, more: zeros }, { level: 1 }))).toBeUndefined();
});
