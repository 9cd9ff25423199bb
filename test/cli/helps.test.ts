/** The help of each code of commands, followed: then the command does what was meant. A code without a row fails. */
import { chmodSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Service, startService } from '../../src/server/index.ts';
import { type DiagnosticCode, diagnosticCodes } from '../../src/util/diagnostic-codes.ts';
import { seed } from '../support/harness.ts';
import { type Env, followHelp, local, type Row, write } from './helps.ts';
import { manifest, root } from './octavo.ts';

let service: Service;
/** Another server, which responds with other JSON or a web page. */
let stranger: string;
const other = createServer(({ url }, response) => {
  response
    .writeHead(200)
    .end(url?.startsWith('/page') === true ? '<!doctype html><title>Welcome</title>' : '{"id": 7}');
});
beforeAll(async () => {
  service = await startService({ data: ':memory:', seed });
  await new Promise<void>((done) => other.listen(0, '127.0.0.1', done));
  stranger = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
});
afterAll(async () => {
  other.close();
  await service.close();
});

const served = (more: Env = {}) => ({ OCTAVO_BASE_URL: service.url, OCTAVO_TOKEN: service.token, ...more });
const apply = ['apply', '--auto-approve'];
const plan = ['plan', '--out', 'p.json'];
const changed = manifest.replace('title: Writers', 'title: Authors, was: Writers');
const tests = (steps: string) =>
  `tests:\n  all:\n    given: { manifests: before.yaml }\n    manifests: acme.yaml\n    expect: { steps: ${steps} }\n`;
const before = 'octavo: 1\norganization: { id: org_acme, title: Acme }\n';
const team = ['organizationId=org_acme', '-F', 'title=New'];
const created = '+ platform';

const rows: Partial<Record<DiagnosticCode, Row>> = {
  'base-url': {
    wrong: ['plan', '--base-url', 'local:'],
    help: 'local:octavo.db',
    right: [['plan', '--base-url', 'local:octavo.db']],
    shows: created,
  },
  'no-base-url': {
    env: () => ({}),
    wrong: ['plan'],
    help: '--base-url local runs the embedded service',
    right: [['plan', '--base-url', 'local']],
    shows: created,
  },
  'token-file': {
    env: () => ({ OCTAVO_BASE_URL: service.url }),
    wrong: ['plan', '--token-file', 'token.txt'],
    help: 'cannot read the token file token.txt',
    change: (cwd) => write('token.txt', service.token)(cwd),
    shows: created,
  },
  'no-token': {
    env: () => ({ OCTAVO_BASE_URL: service.url }),
    wrong: ['plan'],
    help: 'OCTAVO_TOKEN',
    rightEnv: served,
    shows: created,
  },
  token: {
    env: () => served({ OCTAVO_TOKEN: 'of another' }),
    wrong: ['plan'],
    help: 'OCTAVO_TOKEN',
    rightEnv: served,
    shows: created,
  },
  usage: { wrong: ['fmt', '-', 'acme.yaml'], help: 'one after the other', right: [['fmt']], shows: '' },
  file: {
    wrong: ['api', 'teams.create', 'organizationId=org_acme', '-F', 'title=@title.txt'],
    help: 'title.txt',
    env: served,
    change: write('title.txt', 'From a file'),
    shows: 'From a file',
  },
  base: {
    wrong: ['plan', '-f', 'acme.yaml', '--base', 'main'],
    help: '--base path/to/folder',
    files: { 'before/acme.yaml': manifest },
    right: [['plan', '-f', 'acme.yaml', '--base', 'before']],
    shows: 'base before',
  },
  'no-such-person': {
    env: served,
    wrong: ['access', '--of', 'bb@acme.dev'],
    help: 'bob@acme.dev',
    right: [['access', '--of', 'bob@acme.dev']],
    shows: 'bob@acme.dev',
  },
  'no-such-address': {
    wrong: ['plan', '--target', 'teams/platfrm'],
    help: 'teams/platform',
    right: [['plan', '--target', 'teams/platform']],
    shows: '1 to create',
  },
  lock: {
    wrong: [...apply, '--lock', 'loacl'],
    help: 'local',
    right: [[...apply, '--lock', 'local']],
    shows: '2 created',
  },
  shard: {
    wrong: ['plan', '--shard', '3'],
    help: '2/16',
    right: [['plan', '--shard', '1/1']],
    shows: created,
  },
  'format-file': {
    wrong: ['plan', '--format', 'json=gone/p.json'],
    help: 'name another file with --format',
    right: [['plan', '--format', 'text', '--format', 'json=p.json']],
    shows: created,
  },
  'max-rps': { wrong: ['plan', '--max-rps', '0'], help: 'leave it out', right: [['plan']], shows: created },
  parallelism: {
    wrong: [...apply, '--parallelism', '0'],
    help: 'leave it out',
    right: [apply],
    shows: '2 created',
  },
  approved: {
    wrong: ['apply', '--approved', 'p'],
    help: 'a file of plan --out',
    right: [plan, ['apply', '--approved', 'p.json', '--auto-approve']],
    shows: '2 created',
  },
  'unexpected-plan': {
    before: [apply, plan],
    meanwhile: write('acme.yaml', changed),
    wrong: ['apply', '--approved', 'p.json', '--auto-approve'],
    help: 'review the plan as it is now',
    right: [plan, ['apply', '--approved', 'p.json', '--auto-approve']],
    shows: '1 updated',
  },
  'plan-stale': {
    before: [plan],
    meanwhile: write('acme.yaml', manifest.replace('Writers', 'Authors')),
    wrong: ['apply', 'p.json'],
    help: 'plan and review again',
    right: [plan, ['apply', 'p.json']],
    shows: '2 created',
  },
  'plan-file': {
    files: { 'p.json': '{}' },
    wrong: ['apply', 'p.json'],
    help: 'save one with octavo plan --out',
    right: [plan, ['apply', 'p.json']],
    shows: '2 created',
  },
  out: {
    wrong: ['plan', '--out', 'gone/p.json'],
    help: 'name another file with --out',
    right: [plan, ['show', 'p.json']],
    shows: created,
  },
  refused: {
    files: { 'before/acme.yaml': `${manifest}  third: { title: Third, lifecycle: { protect: true } }\n` },
    before: [[...apply, '-f', 'before']],
    wrong: [...apply, '-f', 'acme.yaml', '--base', 'before'],
    help: 'the plan shows how to allow each',
    change: write(
      'acme.yaml',
      `${manifest}settings: { protect: ["!teams/third"], limits: { deletePercent: null } }\n`,
    ),
    shows: '1 deleted',
  },
  'not-approved': {
    wrong: ['apply'],
    help: 'octavo apply again with --auto-approve',
    right: [apply],
    shows: '2 created',
  },
  'read-only': {
    files: { 'acme.yaml': manifest.replace('teams:', 'teams: ') },
    meanwhile: (cwd) => chmodSync(join(cwd, 'acme.yaml'), 0o444),
    wrong: ['fmt'],
    help: 'make it writable',
    change: (cwd) => chmodSync(join(cwd, 'acme.yaml'), 0o644),
    shows: 'acme.yaml',
  },
  exists: {
    files: { 'octavo.config.yaml': 'baseUrl: local:w.db\n' },
    env: () => ({}),
    wrong: ['init'],
    help: 'octavo doctor checks it',
    right: [['doctor']],
    shows: 'the embedded service',
  },
  operation: {
    env: served,
    wrong: ['api', 'orgs.lst'],
    help: 'orgs.list',
    right: [['api', 'orgs.list']],
    shows: 'org_acme',
  },
  'api-input': {
    env: served,
    wrong: ['api', 'teams.create', 'organizationId=org_acme'],
    help: 'title',
    right: [['api', 'teams.create', ...team]],
    shows: 'New',
  },
  body: {
    env: served,
    files: { 'b.json': '{ "title": "Other" }' },
    wrong: ['api', 'teams.create', ...team, '--input', 'b.json'],
    help: 'pass one of the two',
    right: [['api', 'teams.create', 'organizationId=org_acme', '--input', 'b.json']],
    shows: 'Other',
  },
  field: {
    env: served,
    wrong: ['api', 'teams.create', 'organizationId=org_acme', '-F', 'title'],
    help: '-F field=value',
    right: [['api', 'teams.create', ...team]],
    shows: 'New',
  },
  paginate: {
    env: served,
    wrong: ['api', 'orgs.get', 'organizationId=org_acme', '--paginate'],
    help: 'leave out --paginate',
    right: [['api', 'orgs.get', 'organizationId=org_acme']],
    shows: 'org_acme',
  },
  'api-connection': {
    env: () => served({ OCTAVO_BASE_URL: 'http://127.0.0.1:1' }),
    wrong: ['plan'],
    help: 'base URL',
    rightEnv: served,
    shows: created,
  },
  'api-shape': {
    env: () => served({ OCTAVO_BASE_URL: `${stranger}/shape` }),
    wrong: ['plan'],
    help: 'check that the base URL is the address of the API',
    rightEnv: served,
    shows: created,
  },
  'api-response': {
    env: () => served({ OCTAVO_BASE_URL: `${stranger}/page` }),
    wrong: ['plan'],
    help: 'check that the base URL is the address of the API',
    rightEnv: served,
    shows: created,
  },
  'api-status': {
    env: served,
    wrong: ['api', 'teams.get', 'organizationId=org_acme', 'teamId=none'],
    help: '404',
    right: [['api', 'teams.list', 'organizationId=org_acme']],
    shows: 'items',
  },
  'embedded-service': {
    files: { 'dir/x': '' },
    env: () => ({ OCTAVO_BASE_URL: 'local:dir' }),
    wrong: ['plan'],
    help: 'cannot start',
    rightEnv: local,
    shows: created,
  },
  'test-file': {
    files: { 'before.yaml': before },
    wrong: ['test'],
    help: 'tests/workspace.test.yaml',
    change: write('workspace.test.yaml', tests('{ teams/platform: create, teams/writers: create }')),
    shows: 'passed',
  },
  test: {
    files: { 'before.yaml': before, 'acme.test.yaml': tests('{ teams/platform: create }') },
    wrong: ['test'],
    shown: '✗ acme.test.yaml',
    help: 'teams/writers',
    change: write('acme.test.yaml', tests('{ teams/platform: create, teams/writers: create }')),
    shows: 'passed',
  },
  seed: {
    files: { 's.json': '[]' },
    wrong: ['api', 'orgs.list', '--seed', 's.json'],
    help: '--seed sample',
    right: [['api', 'orgs.list', '--seed', 'sample']],
    shows: 'items',
  },
  faults: {
    files: { 'f.json': '{ "faults": [{ "type": "slow" }] }' },
    wrong: ['serve', '--port', '0', '--faults', 'f.json'],
    help: 'f.json',
    change: write('f.json', '{ "faults": [] }'),
    shows: 'Serving on',
    isServer: true,
  },
  variant: {
    wrong: ['serve', '--port', '0', '--variant', 'text=colapsed'],
    help: 'collapsed',
    right: [['serve', '--port', '0', '--variant', 'text=collapsed']],
    shows: 'Serving on',
    isServer: true,
  },
  port: {
    wrong: ['serve', '--port', '70000'],
    help: 'at most 65535',
    right: [['serve', '--port', '0']],
    shows: 'Serving on',
    isServer: true,
  },
  host: {
    wrong: ['serve', '--port', '0', '--host', '0.0.0.0'],
    help: 'leave --host out',
    right: [['serve', '--port', '0']],
    shows: 'Serving on',
    isServer: true,
  },
  'allow-fetch': {
    wrong: ['serve', '--port', '0', '--allow-fetch', 'https://x y'],
    help: '--allow-fetch docs.example.com',
    right: [['serve', '--port', '0', '--allow-fetch', 'docs.example.com']],
    shows: 'Serving on',
    isServer: true,
  },
  'unknown-run': {
    before: [apply],
    wrong: ['undo', 'r-none', '--auto-approve'],
    help: 'r-',
    right: (help) => [['undo', /r-[0-9a-z]+-[0-9a-f]{8}/.exec(help)?.[0] ?? '', '--auto-approve']],
    shows: '2 deleted',
  },
  'unknown-topic': {
    wrong: ['explain', 'sectoin'],
    help: 'section',
    right: [['explain', 'section']],
    shows: 'site',
  },
  init: {
    wrong: ['init', '--dir', '../x', '--base-url', 'local:w.db'],
    help: '--dir docs',
    right: [['init', '--dir', 'docs', '--base-url', 'local:w.db', '--organization', 'org_acme']],
    shows: 'docs',
  },
  accept: {
    wrong: ['mv', 'teams/platform', 'teams/writers'],
    help: 'writers',
    right: [['mv', 'teams/platform', 'teams/base']],
    shows: 'base',
  },
};

test.each(Object.entries(rows))('the help of %s leads to what was meant', followHelp);

/** Situations that need git, forges, several processes or TLS: the tests in which what the help names is done. */
const elsewhere: Readonly<Partial<Record<DiagnosticCode, readonly [file: string, test: string]>>> = {
  // Its help is that of a connection that is refused.
  'api-timeout': ['client/retry.test.ts', 'a failed create reports whether it may have taken effect'],
  'base-ahead': ['cli/locks.wide.test.ts', 're-reads the record after waiting, and rejects an older commit'],
  'base-moved': ['cli/branches.wide.test.ts', 'suggests the former folder as the base of a renamed one'],
  changed: ['cli/pin.test.ts', 'writes no file if a file changes during the run, or on Ctrl-C'],
  ci: ['forge/events.wide.test.ts', 'applies a branch that the last record names, and no other'],
  'comment-body': ['forge/comment.wide.test.ts', 'rejects an empty body, and one with the token'],
  'comment-key': ['forge/comment.wide.test.ts', 'rejects an empty body, and one with the token'],
  'export-differs': ['run/export.test.ts', 'writes ids only for indistinguishable objects'],
  forge: ['forge/comment.wide.test.ts', 'waits as long as GitHub requests, up to a limit'],
  'forge-place': ['forge/comment.wide.test.ts', 'names the missing variable if the request is not known'],
  'ids-of-one-organization': ['cli/pin.test.ts', 'does not pin files that serve several organizations'],
  'interrupted-write': ['cli/killed-writes.wide.test.ts', 'is completed by the same command'],
  journal: ['cli/history.wide.test.ts', 'sends no request if the journal cannot be written'],
  locked: ['cli/locks.wide.test.ts', 'lists locks, asks, and removes the lock of a run'],
  'lock-lost': ['cli/locks.wide.test.ts', 'lists locks, asks, and removes the lock of a run'],
  'merge-conflict': ['cli/branches.wide.test.ts', 'names the files of a merge conflict'],
  'no-approval': [
    'forge/approval.wide.test.ts',
    'stores a plan as a check run of its commit, and finds it after the merge',
  ],
  'no-record': ['cli/record.wide.test.ts', 'works on its first run, and then on a new clone each time'],
  'not-in-service': ['cli/profiles.test.ts', 'rejects fields it does not have at their position'],
  'other-service': [
    'cli/service-records.wide.test.ts',
    'of another service is not replaced, and is not needed',
  ],
  proxy: ['client/proxy.test.ts', 'sends requests through the tunnel'],
  record: ['cli/saved-plan-more.wide.test.ts', 'records the commit of the plan with --record'],
  rehearsal: ['cli/rehearse.test.ts', 'prevents saving the plan if it fails'],
  'report-merge': ['cli/fleet.test.ts', 'names missing shards and incomplete runs'],
  'trusted-hosts': [
    'cli/service-token.wide.test.ts',
    'writes nothing if the host cannot be added to the list',
  ],
  'untrusted-host': ['cli/service-token.wide.test.ts', 'is shown once, stores "yes" only for the user'],
  'unfinished-run': [
    'cli/history.wide.test.ts',
    'is named by the next commands, which use its ids, until the next apply',
  ],
  write: ['cli/killed-writes.wide.test.ts', 'writes no file if one of them cannot be written'],
};

/** They have no help, or no known situation. */
const without: readonly DiagnosticCode[] = ['api-cancelled', 'format', 'system', 'bug'];

test('follows the help of every code of commands', () => {
  const codes = diagnosticCodes.slice(diagnosticCodes.indexOf('base-url'));
  const known = [...Object.keys(rows), ...Object.keys(elsewhere), ...without];
  expect([...codes].sort()).toEqual(known.sort());
});

test.each(Object.entries(elsewhere))('the help of %s is followed in %s', (_code, [file, name]) => {
  expect(readFileSync(join(root, 'test', file), 'utf8')).toContain(name);
});
