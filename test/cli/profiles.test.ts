/** Services with either API (profile): detected, pinned, reported, and stored in saved plans. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Form } from '../../src/contract/form.ts';
import { sampleSeed, startService } from '../../src/server/index.ts';
import { folder, octavo } from './octavo.ts';
import { served } from './served.ts';

async function serve(own: Form) {
  const { env } = await served({ seed: sampleSeed, form: own });
  return env;
}

const head = 'octavo: 1\norganization: { id: org_acme }\n';
const fields = `${head}customFields:\n  stage: { type: text, title: Stage }\nteams:\n  t: { title: Team }\n`;

describe.each([
  ['document', undefined],
  ['2026', 'this service has no custom fields'],
] as const)('a service with the API %s', (profile, problem) => {
  test('rejects fields it does not have at their position, and accepts others', async () => {
    const env = await serve(profile);
    const cwd = folder({ 'acme.yaml': fields });
    const planned = await octavo(['plan'], { cwd, env });
    if (problem === undefined) {
      expect(planned.code).toBe(0);
      expect(planned.stdout).toContain('customFields/stage');
    } else {
      expect(planned.code).toBe(1);
      expect(planned.stderr.replace(/\s+/g, ' ')).toContain(`error[not-in-service]: ${problem}`);
      expect(planned.stderr).toContain('acme.yaml:4:');
      writeFileSync(join(cwd, 'acme.yaml'), fields.replace(/customFields:[\s\S]*(?=teams:)/, ''));
      expect(await octavo(['plan'], { cwd, env })).toMatchObject({ code: 0 });
    }
    const pinned = folder({ 'acme.yaml': `${fields}settings: { service: { profile: "${profile}" } }\n` });
    const checked = await octavo(['validate'], { cwd: pinned });
    expect(checked.code).toBe(problem === undefined ? 0 : 1);
  });

  test('is reported by doctor, and its export has an empty plan', async () => {
    const env = await serve(profile);
    const cwd = folder({ 'acme.yaml': head });
    const { stdout } = await octavo(['doctor'], { cwd, env });
    const shown = stdout.replace(/\s+/g, ' ');
    if (profile === 'document') expect(shown).not.toContain('form of the service');
    else expect(shown).toContain(`form of the service: ${profile}`);
    const out = await octavo(['export', '--organization', 'org_acme'], { cwd: folder({}), env });
    expect(out.code).toBe(0);
    expect(out.stdout.includes('customFields:')).toBe(profile === 'document');
    writeFileSync(join(cwd, 'acme.yaml'), out.stdout);
    const planned = await octavo(['plan'], { cwd, env });
    expect(planned.stdout).toContain('No changes. Live state matches the manifests.');
  });
});

test('a plan for a service with another API is stale', async () => {
  const text = `${head}teams:\n  t: { title: Team }\n`;
  const cwd = folder({ 'acme.yaml': text });
  const newer = await startService({ data: ':memory:', seed: sampleSeed, form: '2026' });
  const env = { OCTAVO_BASE_URL: newer.url, OCTAVO_TOKEN: newer.token };
  expect((await octavo(['plan', '--out', 'plan.json'], { cwd, env })).code).toBe(0);
  await newer.close();
  const port = Number(new URL(newer.url).port);
  const other = await startService({ data: ':memory:', seed: sampleSeed, port });
  onTestFinished(() => other.close());
  const stale = await octavo(['apply', 'plan.json'], { cwd, env: { ...env, OCTAVO_TOKEN: other.token } });
  expect(stale.code).toBe(1);
  expect(stale.stderr.replace(/\s+/g, ' ')).toContain(
    'the plan was made for a service of the form 2026, and this one is document',
  );
});

test('serve rejects an unknown profile and lists the known ones', async () => {
  const { code, stderr } = await octavo(['serve', '--profile', '2027']);
  expect(code).toBe(1);
  expect(stderr.replace(/\s+/g, ' ')).toContain('--profile cannot be "2027"');
  expect(stderr.replace(/\s+/g, ' ')).toContain('use one of document, 2026');
});

test('settings with an unknown profile are rejected', async () => {
  for (const profile of ['newest', '2026', 'document+sort']) {
    const cwd = folder({ 'acme.yaml': `${head}settings: { service: { profile: ${profile} } }\n` });
    const { code, stderr } = await octavo(['validate'], { cwd });
    expect(code).toBe(1);
    expect(stderr.replace(/\s+/g, ' ')).toMatch(/acme\.yaml:3:\d+.*write document or "2026", in quotes/);
  }
});

test.each(['429', 'reset', 'lost-response'] as const)(
  'each object is created once if the first request fails: %s',
  async (how) => {
    const operations = [
      'spaces.create',
      'invites.create',
      'linkInvites.create',
      'redirects.create',
      'sites.publish',
    ] as const;
    const { service, env } = await served({
      seed: sampleSeed,
      form: '2026',
      faults: operations.map((operation) => ({
        ...(how === '429' ? { type: 'status' as const, status: 429 } : { type: how }),
        operations: [operation],
        times: 1,
      })),
    });
    const text = `${head}spaces:\n  one: { title: One and only }\nmembers:\n  eve@acme.example: { role: read }\nlinkInvites:\n  makers: { role: create }\nsites:\n  fresh:\n    title: Fresh\n    visibility: unlisted\n    published: true\n    spaces: { a: { space: { id: sp_api_guide } } }\n    redirects: { /a: { to: a } }\n`;
    const cwd = folder({ 'acme.yaml': text });
    for (let run = 0; run < 2; run += 1) await octavo(['apply', '--auto-approve'], { cwd, env });
    expect((await octavo(['plan', '--detailed-exitcode'], { cwd, env })).code).toBe(0);
    expect(service.store.every('space').filter(({ title }) => title === 'One and only')).toHaveLength(1);
    expect(service.store.every('redirect').filter(({ source }) => source === '/a')).toHaveLength(1);
    expect(service.store.every('site').find(({ title }) => title === 'Fresh')?.published).toBe(true);
    expect(service.store.every('invite').filter(({ role }) => role === 'create')).toHaveLength(1);
    expect(service.store.every('member').filter(({ email }) => email === 'eve@acme.example')).toHaveLength(1);
  },
);
