/** Certificates that no one can sign in with are reported, also from overlays and secrets, and never shown. */
import { expect, test } from 'vitest';
import { registry } from '../../src/kinds/index.ts';
import { loadWorkspace } from '../../src/manifest/load-workspace.ts';
import { folder } from '../cli/octavo.ts';
import { certificate, certificateBody } from '../support/certificate.ts';

const day = 24 * 3600 * 1000;
const inTime = Date.parse('2026-06-01');

async function told(value: string, more: object = {}, files: Readonly<Record<string, string>> = {}) {
  const text = `octavo: 1\norganization: org_1\nsamlProviders:\n  okta:\n    label: Okta\n    certificate: ${value}\n`;
  const cwd = folder({ 'a.yaml': text, 'okta.txt': certificate, ...files });
  const options = { paths: [], overlays: [], env: {}, cwd, registry, now: inTime, ...more };
  const { diagnostics } = await loadWorkspace({ ...options, purpose: 'check' });
  return diagnostics.map(
    ({ severity, message, at, suggestion }) =>
      `${severity} ${at?.file}:${at?.line}:${at?.column} ${message} → ${suggestion}`,
  );
}

test.each([
  ['the text of a file', '${file:okta.txt}'],
  ['a text block', `|\n      ${certificate.trim().replaceAll('\n', '\n      ')}`],
  ['without its first and last line', certificateBody],
  ['from a secret that is not set here', '${secret:NONE}'],
])('accepts a certificate: %s', async (_form, value) => {
  expect((await told(value)).filter((line) => !line.startsWith('hint'))).toEqual([]);
});

test.each([
  [
    'okta.pem',
    'error a.yaml:6:18 certificate is the name of a file, not a certificate → write certificate: ${file:path} to use the text of a file',
  ],
  [
    '"-----BEGIN PRIVATE KEY-----\\nMIIE\\n-----END PRIVATE KEY-----"',
    'error a.yaml:6:18 certificate is a private key, not a certificate → use the certificate that belongs to the key, and replace the key if it was committed',
  ],
  ...['x', 'MIIC', '"-----BEGIN CERTIFICATE-----\\nMIIC\\n-----END CERTIFICATE-----"'].map((value) => [
    value,
    'warning a.yaml:6:18 certificate is not a certificate in PEM form: no one can sign in with it → copy it from the identity provider, from -----BEGIN CERTIFICATE----- to -----END CERTIFICATE-----',
  ]),
])('reports an invalid certificate: %s', async (value, expected) => {
  expect(await told(String(value))).toEqual([expected]);
});

test('checks a secret without showing it', async () => {
  const found = await told('${secret:CERT}', { env: { CERT: 'hush-hush' } });
  expect(found).toMatchObject([expect.stringMatching(/^warning .* not a certificate in PEM form/)]);
  expect(found.join('')).not.toContain('hush');
});

test('checks the dates if a clock is given', async () => {
  const value = '${file:okta.txt}';
  expect(await told(value, { now: undefined })).toEqual([]);
  const at = (now: number) => told(value, { now });
  expect(await at(Date.parse('2120-01-01') + day)).toMatchObject([
    expect.stringContaining('certificate expired on 2120-01-01 → use the current certificate'),
  ]);
  expect(await at(Date.parse('2119-12-02') - 1)).toEqual([]);
  expect(await at(Date.parse('2119-12-25T12:00:00Z'))).toMatchObject([
    expect.stringContaining('certificate expires on 2120-01-01, in 7 days → use the current certificate'),
  ]);
  expect(await at(Date.parse('2019-12-31'))).toMatchObject([
    expect.stringContaining('certificate is not valid before 2020-01-01 → use the current certificate'),
  ]);
});

test.each([
  ['2119-12-25T23:59:59Z', 'expires on 2120-01-01, in 7 days'],
  ['2119-12-31T23:00:00Z', 'expires on 2120-01-01, in 1 day'],
  ['2120-01-01T00:00:00Z', 'expires on 2120-01-01, today'],
  ['2120-01-02T00:00:00Z', 'expired on 2120-01-01'],
])('reports expiry earlier if sign-in through SSO is required: %s', async (now, expected) => {
  const sso = { 'b.yaml': 'octavo: 1\norganization: { id: org_1, sso: true }\n' };
  const found = await told('${file:okta.txt}', { now: Date.parse(now) }, sso);
  expect(found).toMatchObject([
    expect.stringContaining(`certificate ${expected}: everyone has to sign in through SSO →`),
  ]);
});

test('checks an overlay that is not selected', async () => {
  const overlay = 'octavo: 1\noverlay: staging\nsamlProviders: { okta: { certificate: staging.pem } }\n';
  expect(await told('${file:okta.txt}', {}, { 'staging.yaml': overlay })).toMatchObject([
    expect.stringMatching(/^error staging.yaml:3:39 certificate is the name of a file/),
  ]);
});
