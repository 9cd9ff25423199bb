/** Two spellings of one value are equal; two values are a difference. */
import { describe, expect, test } from 'vitest';
import { kinds } from '../../src/kinds/index.ts';
import type { Field } from '../../src/kinds/parts/field.ts';
import type { Value } from '../../src/kinds/parts/payload.ts';
import { sameField } from '../../src/tree/difference.ts';
import { certificate, certificateBody } from '../support/certificate.ts';

const fieldOf = (name: string): Field => {
  const dot = name.indexOf('.');
  const field = kinds.find((one) => one.name === name.slice(0, dot))?.fields[name.slice(dot + 1)];
  if (field === undefined) throw new Error(`there is no field ${name}`);
  return field;
};
const same = (name: string, one: Value, other: Value) =>
  [sameField(fieldOf(name), one, other), sameField(fieldOf(name), other, one)].join();

const wrapped = (columns: number, eol: string) =>
  certificateBody
    .replace(/\s/g, '')
    .replace(new RegExp(`.{${columns}}`, 'g'), `$&${eol}`)
    .trim();
const framed = (body: string, eol: string) =>
  `-----BEGIN CERTIFICATE-----${eol}${body}${eol}-----END CERTIFICATE-----${eol}`;

describe('a certificate', () => {
  const bare = certificateBody.replace(/\s/g, '');
  test.each([
    ['base64 in one line', bare],
    ['without padding', bare.replace(/=+$/, '')],
    ['wrapped at 64', wrapped(64, '\n')],
    ['wrapped at 76, with CRLF', wrapped(76, '\r\n')],
    ['framed in one line', framed(bare, '\n')],
    ['framed, wrapped at 76', framed(wrapped(76, '\n'), '\n')],
    ['framed, with CRLF', certificate.replaceAll('\n', '\r\n')],
    ['indented', framed(wrapped(64, '\n  '), '\n')],
    ['without its last line end', certificate.trim()],
  ])('equals the same certificate %s', (_form, text) => {
    expect(same('samlProvider.certificate', certificate, text)).toBe('true,true');
  });

  test.each([
    ['other bytes', framed(`${bare.slice(0, -8)}AAAAAAAA`, '\n')],
    ['letters in another case', bare.toLowerCase()],
    ['spaces where line ends were', certificate.trim().replaceAll('\n', ' ')],
    ['no text at all', ''],
  ])('differs from a certificate with %s', (_form, text) => {
    expect(same('samlProvider.certificate', certificate, text)).toBe('false,false');
  });
});

const urlFields = [
  'samlProvider.ssoURL',
  'organization.logo',
  'link.url',
  'redirect.to',
  'customization.privacyPolicy.url',
  'customization.header.logo.light',
];

describe('a URL', () => {
  test.each(urlFields)('equals every other spelling: %s', (name) => {
    for (const other of ['https://ACME.okta.com', 'HTTPS://acme.okta.com/', 'https://acme.okta.com:443/./'])
      expect(same(name, other, 'https://acme.okta.com/')).toBe('true,true');
    expect(same(name, 'https://acme.okta.com/A', 'https://acme.okta.com/a')).toBe('false,false');
    expect(same(name, 'http://acme.okta.com/', 'https://acme.okta.com/')).toBe('false,false');
  });

  test('equals other spellings inside of a value', () => {
    const link = (url: string, title = 'A') => [{ title, to: { kind: 'url', url } }];
    expect(same('customization.header.links', link('https://ACME.dev'), link('https://acme.dev/'))).toBe(
      'true,true',
    );
    expect(
      same(
        'customization.header.links',
        link('https://x.dev', 'http://A'),
        link('https://x.dev', 'http://a/'),
      ),
    ).toBe('false,false');
    expect(same('openapiSpec.source', { url: 'https://ACME.dev' }, { url: 'https://acme.dev/' })).toBe(
      'true,true',
    );
  });

  test('is compared as text if the field accepts any text', () => {
    for (const name of ['team.title', 'samlProvider.entityID', 'redirect.source', 'section.path'])
      expect(same(name, 'https://ACME.dev', 'https://acme.dev/')).toBe('false,false');
    expect(same('space.customFields', { url: 'https://ACME.dev' }, { url: 'https://acme.dev/' })).toBe(
      'false,false',
    );
  });
});
