/** `--format json=FILE` of a run: the content after each kind of ending, without secrets. */
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { loadCommand } from '../../src/cli/line/list.ts';
import { commandNames } from '../../src/cli/line/names.ts';
import { type RunDocument, runJsonSchema } from '../../src/run/results/run-schema.ts';
import type { FaultRule } from '../../src/server/index.ts';
import { folder, octavo, start } from './octavo.ts';
import { served } from './served.ts';

const check = new Ajv2020({ strict: false }).compile(runJsonSchema());

const secret = 'sso-cert-5f3a9b71c2';
const manifest = `octavo: 1
organization: { id: org_acme, title: Acme }
teams:
  platform: { title: Platform }
  writers: { title: Writers }
collections:
  docs: { title: Docs }
`;

/** A service with an empty organization, a folder with manifests, and the environment for commands. */
async function setUp(faults: readonly FaultRule[] = [], files: Readonly<Record<string, string>> = {}) {
  const { service, env } = await served({ faults });
  const cwd = folder({ 'acme.yaml': manifest, ...files });
  return { service, cwd, env };
}

/** The run document in a file, which must match its schema. */
function reportIn(cwd: string, name = 'report.json') {
  const { run, digest, diagnostics = [] } = JSON.parse(readFileSync(join(cwd, name), 'utf8')) as RunDocument;
  check({ format: 1, digest, diagnostics, run });
  expect(check.errors ?? []).toEqual([]);
  return { ...run, digest, diagnostics };
}

const both = ['--format', 'text', '--format', 'json=report.json'];

test('includes each step of an apply with calls, durations and created id', async () => {
  const { cwd, env, service } = await setUp([
    { type: 'status', operations: ['teams.create'], status: 429, times: 1 },
  ]);
  const ran = await octavo(['apply', '--auto-approve', ...both], { cwd, env });
  expect(ran).toMatchObject({ code: 0 });
  const report = reportIn(cwd);
  expect(report).toMatchObject({
    command: 'apply',
    baseUrl: service.url,
    outcome: 'complete',
    exitCode: 0,
    diagnostics: [],
    counts: { done: 3, failed: 0, notStarted: 0 },
    organizations: [{ label: 'org_acme', id: 'org_acme', pending: [] }],
  });
  expect(ran.stdout).toContain(report.digest?.slice(0, 12));
  expect(Date.parse(report.endedAt) - Date.parse(report.startedAt)).toBe(report.milliseconds);
  const steps = report.organizations[0]?.steps ?? [];
  expect(steps.map(({ address, outcome }) => `${address} ${outcome}`).sort()).toEqual([
    'collections/docs done',
    'teams/platform done',
    'teams/writers done',
  ]);
  const ids = service.store.every('team').map(({ id }) => id);
  const teams = steps.filter(({ kind }) => kind === 'team');
  expect(teams.map(({ id }) => id).sort()).toEqual([...ids].sort());
  const calls = teams.flatMap((step) => step.calls.filter(({ operation }) => operation === 'teams.create'));
  expect(calls.map(({ attempts, status }) => [attempts, status]).sort()).toEqual([
    [1, 201],
    [2, 201],
  ]);
  // A second run replaces the report.
  await octavo(['plan', ...both], { cwd, env });
  expect(reportIn(cwd)).toMatchObject({
    command: 'plan',
    outcome: 'complete',
    counts: { planned: 0, done: 0 },
  });
});

test('includes planned steps, and refused changes', async () => {
  const { cwd, env } = await setUp();
  expect(await octavo(['plan', '--detailed-exitcode', ...both], { cwd, env })).toMatchObject({ code: 2 });
  expect(reportIn(cwd)).toMatchObject({ outcome: 'complete', exitCode: 2, counts: { planned: 3 } });
  // A space that does not exist cannot be created.
  writeFileSync(join(cwd, 'acme.yaml'), `${manifest}spaces:\n  guides: { title: Guides }\n`);
  expect(await octavo(['plan', ...both], { cwd, env })).toMatchObject({ code: 3 });
  expect(reportIn(cwd)).toMatchObject({ outcome: 'refused', exitCode: 3 });
  expect(await octavo(['apply', '--auto-approve', ...both], { cwd, env })).toMatchObject({ code: 1 });
  const report = reportIn(cwd);
  expect(report).toMatchObject({ outcome: 'refused', exitCode: 1, diagnostics: [{ code: 'refused' }] });
  expect(report.counts.notStarted).toBeGreaterThan(0);
});

test('includes a failed step with its error', async () => {
  const { cwd, env } = await setUp([{ type: 'status', operations: ['teams.create'], status: 403, times: 1 }]);
  expect(await octavo(['apply', '--auto-approve', ...both], { cwd, env })).toMatchObject({ code: 1 });
  const report = reportIn(cwd);
  expect(report).toMatchObject({ outcome: 'incomplete', exitCode: 1, counts: { done: 2, failed: 1 } });
  const failed = report.organizations[0]?.steps.find(({ outcome }) => outcome === 'failed');
  expect(failed?.error).toMatchObject({ operation: 'teams.create', method: 'PUT', status: 403 });
  expect(failed?.calls).toMatchObject([{ operation: 'teams.create', attempts: 1, status: 403 }]);
  expect(failed?.id).toBe(undefined);
});

test.each([
  ['manifests that are wrong', { 'acme.yaml': 'octavo: 1\nteams: [\n' }, {}, 'failed'],
  ['a token that is wrong', {}, { OCTAVO_TOKEN: 'another-one' }, 'failed'],
  ['nobody to approve', {}, {}, 'refused'],
])('includes the outcome and the error of %s', async (_, files, more, outcome) => {
  const { cwd, env } = await setUp([], files);
  const ran = await octavo(['apply', ...both], { cwd, env: { ...env, ...more } });
  expect(ran.code).toBe(1);
  const report = reportIn(cwd);
  expect(report).toMatchObject({ outcome, exitCode: 1 });
  expect(report.diagnostics[0]?.code).toBeTypeOf('string');
  expect(ran.stderr).toContain(`error[${report.diagnostics[0]?.code}]`);
});

test('includes a stale plan and an unreachable service', async () => {
  const { cwd, env, service } = await setUp();
  expect(await octavo(['plan', '--out', 'plan.json'], { cwd, env })).toMatchObject({ code: 0 });
  writeFileSync(join(cwd, 'acme.yaml'), manifest.replace('Platform', 'Base'));
  expect(await octavo(['apply', 'plan.json', ...both], { cwd, env })).toMatchObject({ code: 1 });
  expect(reportIn(cwd)).toMatchObject({ outcome: 'refused', diagnostics: [{ code: 'plan-stale' }] });
  await service.close();
  expect(await octavo(['plan', '--format', 'json'], { cwd, env })).toMatchObject({ code: 1 });
  await octavo(['plan', ...both], { cwd, env });
  expect(reportIn(cwd)).toMatchObject({ command: 'plan', outcome: 'failed', organizations: [] });
  expect(reportIn(cwd).requests.failed).toBeGreaterThan(0);
});

test('includes an interrupted apply and a declined one', async () => {
  const { cwd, env } = await setUp([{ type: 'latency', operations: ['teams.create'], milliseconds: 200 }]);
  const child = start(['apply', '--auto-approve', '--parallelism', '1', ...both], { cwd, env });
  await child.stderr.until('✓');
  child.kill('SIGINT');
  expect(await child.ended).toMatchObject({ code: 130 });
  const report = reportIn(cwd);
  expect(report).toMatchObject({ outcome: 'interrupted', exitCode: 130 });
  expect(report.counts.done).toBeGreaterThan(0);
  expect(report.counts.notStarted).toBeGreaterThan(0);
  const declined = await octavo(['apply', ...both], {
    cwd,
    env: { ...env, CI: '1' },
    isTerminal: true,
    input: 'no',
  });
  expect(declined.code).toBe(1);
  expect(reportIn(cwd)).toMatchObject({ outcome: 'declined', exitCode: 1 });
});

test('files that cannot be written are rejected before the first request', async () => {
  const { cwd, env, service } = await setUp();
  mkdirSync(join(cwd, 'inner'));
  const apply = (...args: string[]) => octavo(['apply', '--auto-approve', ...args], { cwd, env });
  const cases: [string[], RegExp][] = [
    [
      ['--format', 'json=missing/r.json'],
      /error\[format-file\]: cannot write missing\/r\.json: its folder does not exist/,
    ],
    [['--format', 'json=inner'], /error\[format-file\]: .*it is a folder/],
    [['--format', 'json=/dev/null'], /error\[format-file\]: .*it is not a regular file/],
  ];
  for (const [args, message] of cases) {
    const ran = await apply(...args);
    expect(ran).toMatchObject({ code: 1, stdout: '' });
    expect(ran.stderr).toMatch(message);
  }
  expect(service.store.every('team')).toHaveLength(0);
  expect(readdirSync(cwd).sort()).toEqual(['acme.yaml', 'inner']);
});

test('the JSON keeps the mode of its file', async () => {
  const { cwd, env } = await setUp();
  expect(await octavo(['plan', ...both], { cwd, env })).toMatchObject({ code: 0 });
  chmodSync(join(cwd, 'report.json'), 0o640);
  await octavo(['plan', ...both], { cwd, env });
  expect(statSync(join(cwd, 'report.json')).mode & 0o777).toBe(0o640);
  expect(readdirSync(cwd).sort()).toEqual(['acme.yaml', 'report.json']);
  expect(reportIn(cwd).command).toBe('plan');
});

test('includes neither a secret nor the token', async () => {
  const { cwd, env, service } = await setUp([], {
    'acme.yaml': `octavo: 1
organization: { id: org_acme, title: Acme }
samlProviders:
  okta:
    label: Okta
    entityID: https://okta.example/entity
    ssoURL: https://okta.example/sso
    certificate: \${secret:CERT}
`,
  });
  const ran = await octavo(['apply', '--auto-approve', ...both, '--format', 'ndjson=report.ndjson'], {
    cwd,
    env: { ...env, CERT: secret },
  });
  expect(ran.stderr).not.toContain(secret);
  for (const name of ['report.json', 'report.ndjson']) {
    const text = readFileSync(join(cwd, name), 'utf8');
    expect(text).toContain('org_acme');
    expect(text).not.toContain(secret);
    expect(text).not.toContain(service.token);
  }
});

test('includes a lock held by another apply', async () => {
  const { cwd, env } = await setUp([{ type: 'latency', operations: ['teams.create'], milliseconds: 400 }]);
  const first = start(['apply', '--auto-approve', '--parallelism', '1'], { cwd, env });
  await first.stdout.until('Digest');
  expect(await octavo(['apply', '--auto-approve', ...both], { cwd, env })).toMatchObject({ code: 1 });
  expect(reportIn(cwd)).toMatchObject({
    outcome: 'locked',
    diagnostics: [{ code: 'locked' }],
    organizations: [],
    requests: { sent: 0 },
  });
  expect(await first.ended).toMatchObject({ code: 0 });
});

test('is the document of each command with one plan, also of undo', async () => {
  for (const name of commandNames) {
    const { flags, makesPlan } = await loadCommand(name);
    expect({ name, makesPlan }).toEqual({
      name,
      makesPlan: ['plan', 'apply', 'undo', 'drift'].includes(name) ? true : undefined,
    });
    if ('autoApprove' in flags) expect(makesPlan, name).toBe(true);
  }
  const { cwd, env } = await setUp();
  expect(await octavo(['apply', '--auto-approve'], { cwd, env })).toMatchObject({ code: 0 });
  await octavo(['undo', '--out', 'undo.json', ...both], { cwd, env });
  expect(reportIn(cwd)).toMatchObject({ command: 'undo', counts: { done: 0 } });
  const planned = reportIn(cwd).counts.planned;
  expect(planned).toBeGreaterThan(0);
  expect(await octavo(['undo', '--auto-approve', ...both], { cwd, env })).toMatchObject({ code: 0 });
  expect(reportIn(cwd)).toMatchObject({ command: 'undo', outcome: 'complete', counts: { done: planned } });
});

test('is written on an immediate exit, too', async () => {
  const { cwd, env } = await setUp([{ type: 'latency', only: 'reads', milliseconds: 300 }]);
  const child = start(['plan', '--verbose', ...both], { cwd, env });
  await child.stderr.until('GET');
  child.kill('SIGTERM');
  child.kill('SIGTERM');
  expect(await child.ended).toMatchObject({ code: 143 });
  expect(reportIn(cwd)).toMatchObject({ outcome: 'interrupted', exitCode: 143 });
});
