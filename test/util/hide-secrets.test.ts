/** Secrets are hidden in texts from outside in every spelling. */
import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { clean } from '../../src/client/service-message.ts';
import { hideKnownSecrets } from '../../src/util/hide-secrets.ts';
import { Secret } from '../../src/util/secret.ts';
import { patience, tries } from '../support/runs.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

const certificate = 'S3cr3t-"quoted" first line\nsecond/line ünï +x\r\nthird line of it';
const held = new Secret('${secret:CERT}', certificate);

test.each([
  ['as it is', certificate],
  ['in JSON', JSON.stringify({ certificate })],
  ['twice in JSON', JSON.stringify({ body: JSON.stringify({ certificate }) })],
  ['in a URL', `/v1/x?c=${encodeURIComponent(certificate)}`],
  ['in a form', `c=${new URLSearchParams({ c: certificate }).toString()}`],
  ['on one line', certificate.replace(/\s+/g, ' ')],
  ['without whitespace', certificate.replace(/\s+/g, '')],
  ['line by line', certificate.split(/\s*\n/).join(' is bad, and ')],
  ['in HTML', certificate.replaceAll('"', '&quot;')],
  ['cut off', `${certificate.slice(0, 20)}…`],
])('hides a secret %s', (_name, text) => {
  const shown = hideKnownSecrets(`no good: ${text} (400)`);
  expect(shown).toMatch(/^no good: .*\(secret\).*\(400\)$/s);
  expect(shown).not.toMatch(/S3cr3t|second|quoted|third/);
  expect(held.toString()).toBe('(secret)');
});

test('hides a secret before the message is cut or reflowed', () => {
  const long = clean(`${'x'.repeat(290)} ${certificate}`);
  expect(long).not.toContain('S3cr3t');
  expect(clean(`certificate ${certificate} is not good`)).toBe('certificate (secret) is not good');
});

test.each([
  ['the key alone', 'the key do-not-show-1x is not valid'],
  ['in capitals', 'THE KEY DO-NOT-SHOW-1X IS NOT VALID'],
  ['its end', 'the key …-show-1x is not valid'],
  ['its beginning', 'the key do-not-sho… is not valid'],
  ['in Base64', `the key ${Buffer.from('do-not-show-1x').toString('base64')} is not valid`],
  ['inside of Base64', `the key ${Buffer.from('me:do-not-show-1x!').toString('base64url')} is not valid`],
  ['the whole text', 'the key https://only-here.example/x?key=do-not-show-1x is not valid'],
])('hides a secret inside a longer text: %s', (_name, text) => {
  const url = new Secret(
    'https://only-here.example/x?key=${secret:KEY}',
    'https://only-here.example/x?key=do-not-show-1x',
    ['do-not-show-1x'],
  );
  const encoded = /[A-Za-z0-9_-]*(?:G8tbm90|vLW5vd|by1ub3)[A-Za-z0-9_-]*/;
  const shown = hideKnownSecrets(text);
  expect(shown).toMatch(/^the key .*\(secret\).* is not valid$/i);
  expect(shown).not.toMatch(/not-sho|show-1x/i);
  expect(shown).not.toMatch(encoded);
  expect(hideKnownSecrets('https://only-here.example/x is there')).toBe(
    'https://only-here.example/x is there',
  );
  expect(url.toString()).toBe('(secret)');
});

test('hides any remainder of a secret at the end of a cut text', () => {
  const url = new Secret(
    'https://only-here.example/x?key=${secret:KEY}&y',
    'https://only-here.example/x?key=do-not-show-1x&y',
    ['do-not-show-1x'],
  );
  expect(hideKnownSecrets('no source at https://only-here.example/x?key=do-n…')).toBe(
    'no source at (secret)…',
  );
  expect(hideKnownSecrets('no source at https://only-here.example/x?key=…')).toBe(
    'no source at https://only-here.example/x?key=…',
  );
  expect(url.toString()).toBe('(secret)');
});

test('hides the credentials of a secret URL but not its scheme', () => {
  const url = new Secret('${secret:HOOK}', 'https://ada:hunter2@hooks.example/T0123456789');
  expect(hideKnownSecrets('https://other.example/ is there')).toBe('https://other.example/ is there');
  expect(hideKnownSecrets('https://ada:hunt… is not')).toBe('(secret)… is not');
  expect(hideKnownSecrets('…e/T0123456789 is not')).toBe('…(secret) is not');
  expect(url.reveal()).toContain('T0123456789');
});

test('matches short secrets by case', () => {
  const short = new Secret('${secret:NAME}', 'QWZX');
  expect(hideKnownSecrets('org_qwzx has QWZX')).toBe('org_qwzx has (secret)');
  expect(short.reveal()).toBe('QWZX');
});

test('hides short secrets only as whole words', () => {
  const short = new Secret('${secret:PIN}', 'a7');
  expect(hideKnownSecrets('pin a7 is bad, a77 is not')).toBe('pin (secret) is bad, a77 is not');
  expect(short.reveal()).toBe('a7');
});

test('hides the longer of two secrets with the same beginning whole', () => {
  const both = [new Secret('${secret:KEY}', 'do-not-tell'), new Secret('${secret:KEY_2}', 'do-not-tell-9z')];
  expect(hideKnownSecrets('the key do-not-tell-9z is not valid')).toBe('the key (secret) is not valid');
  expect(both.map((one) => one.reveal().length)).toEqual([11, 14]);
});

test('hides two secrets with a common beginning, and that beginning alone', () => {
  const both = [new Secret('${secret:A}', 'as-others-1234567'), new Secret('${secret:B}', 'as-others-8812')];
  const text = 'as-others-8812 and as-others-1234567, cut off: as-others-123';
  expect(hideKnownSecrets(text)).toBe('(secret) and (secret), cut off: (secret)');
  expect(both.map((one) => one.reveal().length)).toEqual([17, 14]);
});

test('hides any text in any of its spellings', { timeout: patience(30_000) }, async () => {
  let tried = 0;
  await fc.assert(
    fc.asyncProperty(fc.string({ minLength: 5, maxLength: 60, unit: 'grapheme' }), async (value) => {
      // Secrets without references are forgotten by the collector, and only between two turns of the event loop.
      await turn();
      tried += 1;
      if (tried % 100 === 0) collect();
      fc.pre(value.trim().length >= 5 && !/^[\s(secrt)]+$/.test(value));
      const secret = new Secret('${secret:ANY}', value);
      for (const text of [value, JSON.stringify(value), value.trim().replace(/\s+/g, ' ')])
        expect(hideKnownSecrets(`<<${text}>>`)).toContain(secret.toString());
    }),
    tries(200),
  );
});
