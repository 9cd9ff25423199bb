/** Drift reports name the author of each change if the service has audit events. */
import { expect, test } from 'vitest';
import { registry } from '../../src/kinds/index.ts';
import type { ReviewedPlan } from '../../src/review/reviewed-plan.ts';
import { withAuthors } from '../../src/run/facts/authors.ts';
import type { ServiceOptions } from '../../src/server/index.ts';
import { git, initRepository } from './git.ts';
import { folder, octavo, type Ran } from './octavo.ts';
import { served } from './served.ts';

const teams = Array.from({ length: 60 }, (_, at) => `  t${at}: { title: Team ${at} }`).join('\n');
const manifest = `octavo: 1
organization: { id: org_acme }
teams:
  platform: { title: Platform }
${teams}
`;

const people = [
  { id: 'user_ci', email: 'ci@acme.dev', role: 'admin', token: 'token-ci' },
  { id: 'user_ada', email: 'ada@acme.dev', role: 'admin', token: 'token-ada' },
] as const;

const seed = { organizations: [{ id: 'org_acme', title: 'Acme', members: [...people] }] };

async function applied(form: 'document' | '2026', more: Partial<ServiceOptions> = {}) {
  const calls: string[] = [];
  const { service } = await served({ seed, form, ...more });
  const cwd = folder({ 'docs/acme.yaml': manifest });
  initRepository(cwd);
  git(cwd, 'add', '.');
  git(cwd, 'commit', '--quiet', '-m', 'docs');
  const env = { OCTAVO_BASE_URL: service.url, OCTAVO_TOKEN: 'token-ci' };
  const later = () => Date.now() + 2 * 24 * 3600 * 1000 + 60_000;
  const run = (...args: string[]): Promise<Ran> => octavo([...args, '-f', 'docs'], { cwd, env, now: later });
  const first = await octavo(['apply', '-f', 'docs', '--auto-approve', '--record'], { cwd, env });
  expect(first).toMatchObject({ code: 0 });
  const { items } = (await (
    await fetch(`${service.url}/v1/orgs/org_acme/teams?limit=1000`, {
      headers: { authorization: 'Bearer token-ci' },
    })
  ).json()) as { items: readonly { id: string; title: string }[] };
  const send = async (method: string, title: string, body?: object) => {
    const { id } = items.find((one) => one.title === title) ?? {};
    const response = await fetch(`${service.url}/v1/orgs/org_acme/teams/${id}`, {
      method,
      headers: { authorization: 'Bearer token-ada', 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    expect(response.ok).toBe(true);
  };
  return { run, send, calls, cwd };
}

const author = 'changed 2 days ago by ada@acme.dev, through the API';

test('names the author of each changed or deleted object, in each format', async () => {
  const { run, send } = await applied('2026');
  await send('PATCH', 'Platform', { title: 'Plattform' });
  await send('DELETE', 'Team 7');
  const text = await run('drift');
  expect(text).toMatchObject({ code: 2 });
  expect(text.stdout.split(author)).toHaveLength(3);
  expect(text.stdout).toContain(`      ${author}\n`);
  expect(text.stdout).not.toContain('Who made');
  // A comment must not mention anyone, since that would notify them.
  const comment = (await run('drift', '--format', 'markdown')).stdout.replaceAll('@<!-- -->', '@');
  expect(comment).toMatch(new RegExp(`\\| ~ \\| .*platform.*<br>${author} \\|`));
  expect((await run('drift', '--format', 'html')).stdout).toContain(author);
  const { organizations } = JSON.parse((await run('drift', '--format', 'json')).stdout);
  expect(organizations[0].review.authors.found).toMatchObject([
    { address: 'teams/platform', text: author, at: expect.stringMatching(/Z$/) },
    { address: 'teams/t7', text: author },
  ]);
  // A plan does not request authors.
  expect((await run('plan')).stdout).not.toContain('ada@acme.dev');
});

test.each([
  ['forbidden', '403'],
  ['missing', '404'],
] as const)('prints one note if audit events are %s, and reports the same drift', async (access, status) => {
  const { run, send } = await applied('2026', { variants: { 'audit-events': access } });
  await send('PATCH', 'Platform', { title: 'Plattform' });
  await send('PATCH', 'Team 7', { title: 'Seven' });
  const { code, stdout } = await run('drift');
  expect(code).toBe(2);
  const note = `Who made the changes is not known: the service shows this token no audit events (status ${status}).`;
  expect(stdout.replace(/\s+/g, ' ').split(note)).toHaveLength(2);
  expect(stdout).not.toContain('ada@acme.dev');
});

test('omits authors if audit events fail', async () => {
  const { run, send } = await applied('2026', {
    faults: [{ type: 'status', operations: ['auditEvents.list'], status: 400 }],
  });
  await send('PATCH', 'Platform', { title: 'Plattform' });
  const { code, stdout } = await run('drift');
  expect(code).toBe(2);
  expect(stdout.replace(/\s+/g, ' ')).toContain(
    'Who made the changes is not known: auditEvents.list failed with status 400',
  );
});

test('asks for the authors of 50 objects at most, and reports the limit', async () => {
  const { run, send } = await applied('2026');
  for (let at = 0; at < 60; at += 1) await send('PATCH', `Team ${at}`, { title: `Renamed ${at}` });
  const { stdout } = await run('drift', '--show', 'all');
  expect(stdout.split(author)).toHaveLength(51);
  expect(stdout).toContain('Who made the changes was asked for 50 objects of 60.');
});

test('requests no audit events from the older API, or without drift', async () => {
  const { run, send } = await applied('document');
  await send('PATCH', 'Platform', { title: 'Plattform' });
  const { stdout, stderr } = await run('drift', '--verbose');
  expect(stdout + stderr).not.toMatch(/audit|Who made|by ada/);
  const other = await applied('2026');
  const quiet = await other.run('drift', '--verbose');
  expect(quiet.code).toBe(0);
  expect(quiet.stdout + quiet.stderr).not.toContain('audit');
});

test('ignores events of other objects, and API events up to the last apply', async () => {
  const at = (day: number) => new Date(Date.UTC(2026, 0, day)).toISOString();
  const event = (day: number, source: string, type: string, id = 'team_1') => ({
    id: String(day),
    occurredAt: at(day),
    action: 'x',
    actor: { type: 'user', id: 'u', label: `${source}-${day}` },
    source,
    target: { type, id },
  });
  const found = async (appliedAt: string | undefined, ...items: object[]) => {
    const api = { send: () => Promise.resolve({ items }), all: () => Promise.resolve([]) };
    const step = { id: 'update:teams/a', address: 'teams/a', kind: 'team', noun: 'team' };
    const organization = {
      label: 'o',
      organizationId: 'o',
      profile: '2026',
      review: { risks: {} },
      steps: [step],
      ids: { 'teams/a': 'team_1' },
    };
    const plan = { format: 1, organizations: [organization] } as unknown as ReviewedPlan;
    const pasts = new Map([['o', { time: appliedAt }]]);
    const shown = await withAuthors(plan, { api, registry, pasts, now: Date.parse(at(20)) });
    return shown.organizations[0]?.review?.authors?.found.map(({ text }) => text);
  };
  const ui = event(8, 'ui', 'Team');
  expect(
    await found(
      at(10),
      event(12, 'ui', 'space'),
      event(11, 'ui', 'team', 'team_2'),
      event(10, 'api', 'team'),
      ui,
    ),
  ).toEqual(['changed 12 days ago by ui-8, in the app']);
  expect(await found(at(10), event(12, 'api', 'team'))).toEqual([
    'changed 8 days ago by api-12, through the API',
  ]);
  expect(await found(undefined, event(10, 'api', 'team'))).toEqual([
    'changed 10 days ago by api-10, through the API',
  ]);
  expect(await found(at(10), event(9, 'api', 'team'))).toEqual([]);
  expect(await found(at(10), { ...ui, occurredAt: 'yesterday' })).toEqual([]);
  expect(await found(at(10), event(20, 'webhook', 'team'))).toEqual([
    'changed just now by webhook-20, source webhook',
  ]);
});
