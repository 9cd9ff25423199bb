/** Plans and drift reports name an expiring certificate, even without changes, and list it as dangerous in its last week. */
import { X509Certificate } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { certificate, otherCertificate } from '../support/certificate.ts';
import { seed } from '../support/harness.ts';
import { folder, octavo, type Ran } from './octavo.ts';
import { served } from './served.ts';

const manifest = (organization: string) => `octavo: 1
organization: ${organization}
members: { ada@acme.dev: { role: admin } }
samlProviders:
  okta: { label: Okta, ssoURL: https://okta.example/sso, certificate: "\${file:okta.txt}" }
`;
const required = '{ id: org_acme, sso: true }';

/** The manifests, applied while the certificate was valid; `at` runs a command at a later time. */
async function workspace(organization: string) {
  const { env } = await served({ seed });
  const cwd = folder({ 'docs/acme.yaml': manifest(organization), 'docs/okta.txt': certificate });
  const at = (now: string, ...args: string[]): Promise<Ran> =>
    octavo([...args, '-f', 'docs'], { cwd, env, now: () => Date.parse(now) });
  const applied = await at('2119-06-01', 'apply', '--auto-approve');
  expect(applied).toMatchObject({ code: 0, stderr: expect.not.stringContaining('expires') });
  return { at, cwd, env };
}

const warning = (days: number, day: string) =>
  `certificate expires on 2120-01-01, in ${days} days${day === '' ? '' : `: ${day}`}`;
/** The text without line wrapping. */
const inLine = (text: string) => text.replace(/\s+/g, ' ');
const fingerprint = (text: string) => new X509Certificate(text).fingerprint256.slice(0, 23);
const everyone = 'everyone has to sign in through SSO';

test.each([
  ['2119-12-05', required, warning(27, everyone), false],
  ['2119-12-26', required, warning(6, everyone), true],
  ['2119-12-26', 'org_acme', warning(6, ''), false],
  ['2120-03-01', required, `certificate expired on 2120-01-01: ${everyone}`, true],
])('at %s with %s, plan and drift report: %s', async (now, organization, text, isDanger) => {
  const { at } = await workspace(organization);
  for (const command of ['plan', 'drift']) {
    const shown = await at(now, command);
    expect(shown.code).toBe(0);
    expect(inLine(shown.stderr)).toContain(text);
    if (isDanger) expect(inLine(shown.stdout)).toContain(`Dangerous ! samlProviders/okta ${text}`);
    else expect(shown.stdout).not.toContain('Dangerous');
    const comment = await at(now, command, '--format', 'markdown');
    expect(comment.stdout).toContain(`> ⚠ **Risks** \`samlProviders/okta\` ${text}`);
    const { organizations } = JSON.parse((await at(now, command, '--format', 'json')).stdout);
    expect(organizations[0].review.expiring).toEqual([
      { address: 'samlProviders/okta', text, ...(isDanger && { severe: true }) },
    ]);
    const page = await at(now, command, '--format', 'html');
    expect(page.stdout).toContain(text);
  }
});

test('a saved plan with an expiring certificate can be applied', async () => {
  const { at, cwd, env } = await workspace(required);
  writeFileSync(
    join(cwd, 'docs/more.yaml'),
    'octavo: 1\norganization: org_acme\nteams: { a: { title: A } }\n',
  );
  const saved = await at('2119-12-26', 'plan', '--out', 'plan.json');
  expect(inLine(saved.stdout)).toContain(`! samlProviders/okta ${warning(6, everyone)}`);
  const ran = await octavo(['apply', 'plan.json'], { cwd, env });
  expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining('1 created') });
});

test.each(['text', 'markdown', 'html'])(
  'a changed certificate is told by subject, fingerprint and end, not by its letters: %s',
  async (format) => {
    const { at, cwd } = await workspace('org_acme');
    writeFileSync(join(cwd, 'docs/okta.txt'), otherCertificate);
    const { stdout } = await at('2119-06-01', 'plan', '--format', format);
    const told = `CN=acme, SHA-256 ${fingerprint(certificate)}…, until 2120-01-01`;
    const now = `CN=other, O=Acme, SHA-256 ${fingerprint(otherCertificate)}…, until 2126-11-05`;
    expect(inLine(stdout)).toContain(told);
    expect(inLine(stdout)).toContain(now);
    // The page also has the requests, as they are sent.
    expect(stdout.replace(/<pre[\s\S]*?<\/pre>/g, '')).not.toContain('MIIB');
  },
);
