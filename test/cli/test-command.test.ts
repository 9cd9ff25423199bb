/** `octavo test`: findings of configuration tests, and the files they may not read. */
import { mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, relative } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Api, ApiInput } from '../../src/contract/api.ts';
import type { OperationId } from '../../src/contract/index.ts';
import { registry } from '../../src/kinds/index.ts';
import { disk } from '../../src/manifest/files/disk.ts';
import { stageMaker } from '../../src/run/rehearse/stage.ts';
import { runTest } from '../../src/run/testing/run-test.ts';
import { parseTests } from '../../src/run/testing/test-file.ts';
import { seededService } from '../../src/server/memory.ts';
import { folder, octavo, root, start } from './octavo.ts';

const manifest = `octavo: 1
organization: org_acme
teams:
  docs: { title: Docs }
  ops: { title: Ops }
`;

const seed = JSON.stringify({
  organizations: [{ id: 'org_acme', title: 'Acme', teams: [{ id: 'team_docs', title: 'Handbook' }] }],
});

/** A project with the manifest and one test file. */
function project(tests: string, more: Readonly<Record<string, string>> = {}): string {
  return folder({
    'octavo.config.yaml': 'file: docs\n',
    'docs/acme.yaml': manifest,
    'seed.json': seed,
    'tests/acme.test.yaml': tests,
    ...more,
  });
}

const run = (cwd: string, ...args: string[]) => octavo(['test', ...args], { cwd });

const examples = readdirSync(join(root, 'examples'), { recursive: true, encoding: 'utf8' }).filter((name) =>
  name.endsWith('.test.yaml'),
);

test('accepts the owner of the local service as a member of a team', async () => {
  const tests = 'tests:\n  one: { given: { manifests: ../docs }, expect: { steps: {} } }\n';
  const owned = `${manifest}  own: { title: Own, members: { owner@octavo.example: owner, ben@acme.dev: member } }\n`;
  expect(await run(project(tests, { 'docs/acme.yaml': owned }))).toMatchObject({ code: 0 });
});

test('compares the findings of rules with the expected ones', async () => {
  const rules =
    'rules: { quiet: { when: { kind: team }, message: no, severity: warning }, strict: { most: 1, message: no } }\n';
  const expecting = (findings: string) => `tests:\n  rules:\n    expect:\n      findings: ${findings}\n`;
  const all =
    '[{ address: teams/docs, rule: quiet }, { address: teams/ops, rule: quiet }, { address: organization, rule: strict }]';
  expect(await run(project(expecting(all), { 'octavo.rules.yaml': rules }))).toMatchObject({ code: 0 });
  const missed = await run(project(expecting('[]'), { 'octavo.rules.yaml': rules }));
  expect(missed.code).toBe(1);
  expect(missed.stdout).toContain('findings: 3 found and not expected');
  expect(missed.stdout).toContain('+ organization  strict');
  const broken = await run(project(expecting('[]'), { 'octavo.rules.yaml': 'rules: { x: {} }\n' }));
  expect(broken.code).toBe(1);
  expect(broken.stderr).toContain('the rule x has no message');
});

test.each(examples)('passes for the example %s', async (name) => {
  const ran = await run(join(root, 'examples'), name);
  expect(ran, ran.stdout).toMatchObject({ code: 0, stderr: '' });
  expect(ran.stdout).toMatch(/\d tests passed\.\n$/);
});

test('passes for the expected plan, with the manifests of the configuration', async () => {
  const cwd = project(
    `tests:
  from nothing:
    expect:
      steps: { teams/docs: create, teams/ops: [create] }
  renamed back:
    given: { seed: ../seed.json }
    manifests: [../docs/acme.yaml, ../more/docs.yaml]
    expect:
      steps:
        teams/docs: { action: update, fields: { title: { from: Handbook, to: Docs } } }
        teams/ops: create
      access: []
`,
    { 'more/docs.yaml': 'octavo: 1\norganization: org_acme\nteams: { docs: { id: team_docs } }\n' },
  );
  const twice = await run(cwd);
  expect(twice.stdout).toContain('✓ tests/acme.test.yaml: renamed back\n');
  expect(twice).toMatchObject({ code: 0, stderr: '' });
  expect(twice.stdout).toMatch(/2 tests passed\.\n$/);
});

const failing = `tests:
  fine:
    expect: {}
  wrong:
    given: { seed: ../seed.json, variables: { TITLE: Docs } }
    expect:
      steps:
        teams/docs: create
        teams/ops: { action: create, fields: { title: { to: Operations } } }
        teams/more: delete
      refusals: [{ address: teams/docs, guard: protected }]
      access: [{ person: ada@acme.dev, on: teams/docs, from: none, to: read }]
`;

test('prints expected and actual values with their position', async () => {
  const cwd = project(failing);
  const { code, stdout, stderr } = await run(cwd, 'tests');
  expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
  expect(stdout).toBe(`✓ tests/acme.test.yaml: fine
✗ tests/acme.test.yaml: wrong
    tests/acme.test.yaml:11:18: error[test]: refusals: 1 expected and not found
    - teams/docs  protected
    tests/acme.test.yaml:9:55: error[test]: steps: 2 expected and not found, 1 found and not expected
      teams/docs  create
    - teams/more  delete
      teams/ops  create
    - teams/ops  title: → "Operations"
    + teams/ops  title: → "Ops"
    tests/acme.test.yaml:12:16: error[test]: access: 1 expected and not found
    - ada@acme.dev  teams/docs  none → read

1 of 2 tests failed.
`);
});

test('writes JSON and annotations', async () => {
  const cwd = project(failing);
  const json = await run(cwd, '--format', 'json', '--format', 'github=log.txt');
  const { tests, notRun } = JSON.parse(json.stdout) as {
    notRun: number;
    tests: readonly { name: string; failures: readonly { message: string }[] }[];
  };
  expect(notRun).toBe(0);
  expect(
    tests.map(({ name, failures }) => [name, failures.map(({ message }) => message.split(':')[0])]),
  ).toEqual([
    ['fine', []],
    ['wrong', ['refusals', 'steps', 'access']],
  ]);
  const { readFileSync } = await import('node:fs');
  const github = readFileSync(join(cwd, 'log.txt'), 'utf8');
  expect(github).toMatch(
    /^::error file=tests\/acme\.test\.yaml,line=11,.*::refusals: 1 expected and not found%0A- teams\/docs/m,
  );
});

test('uses given manifests as the base, and deletes objects that the manifests lack, also with ids', async () => {
  const before = `octavo: 1
organization: { id: org_acme, title: Acme }
members: { ada@acme.dev: { role: admin }, bob@acme.dev: { role: read } }
spaces: { guide: { id: sp_guide, title: Guide } }
teams:
  docs: { id: team_of_the_app, title: Docs, members: { bob@acme.dev: member } }
  old: { title: Old }
sites:
  hub: { id: site_hub, title: Hub, sections: { one: { id: section_of_the_app, title: One, spaces: { a: { space: guide } } } } }
`;
  const after = before.replace('  old: { title: Old }\n', '').replace('title: One', 'title: Two');
  const cwd = project(
    `tests:
  removed and renamed:
    given: { manifests: ../before.yaml }
    manifests: ../after.yaml
    expect:
      steps:
        teams/old: delete
        sites/hub/sections/one: { action: update, fields: { title: { from: One, to: Two } } }
  as it was:
    given: { manifests: ../before.yaml }
    manifests: ../before.yaml
    expect: { steps: {}, access: [] }
  cannot be given:
    given: { seed: sample, manifests: ../before.yaml }
    manifests: ../before.yaml
    expect: {}
`,
    { 'before.yaml': before, 'after.yaml': after },
  );
  const { stdout } = await run(cwd);
  expect(stdout).toContain('✓ tests/acme.test.yaml: removed and renamed\n');
  expect(stdout).toContain('✓ tests/acme.test.yaml: as it was\n');
  expect(stdout).toMatch(/✗ tests\/acme\.test\.yaml: cannot be given\n {4}tests\/acme\.test\.yaml:1\d:/);
  expect(stdout).toMatch(/1 of 3 tests failed\.\n$/);
});

test('passes for expected refusals, and prints the help of others', async () => {
  const lost = `octavo: 1
organization: org_acme
spaces: { guide: { title: Guide } }
`;
  const cwd = project(
    `tests:
  expected:
    manifests: ../lost.yaml
    expect: { refusals: [{ address: spaces/guide, guard: missing }] }
  not expected:
    manifests: ../lost.yaml
    expect: { steps: {} }
`,
    { 'lost.yaml': lost },
  );
  const { stdout, code } = await run(cwd);
  expect(code).toBe(1);
  expect(stdout).toContain('✓ tests/acme.test.yaml: expected\n');
  expect(stdout).toMatch(
    /\+ spaces\/guide {2}missing\n {4}error\[test\]: space .*\(spaces\/guide\)\n {4}help: /,
  );
});

test('reports errors of manifests with their position', async () => {
  const cwd = project('tests: { broken: { manifests: ../broken.yaml, expect: {} } }\n', {
    'broken.yaml': 'octavo: 1\norganization: org_acme\nteams: { docs: { titel: Docs } }\n',
  });
  const { stdout, code, stderr } = await run(cwd);
  expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
  expect(stdout).toContain('tests/acme.test.yaml:1:31: error[test]: the test cannot run');
  expect(stdout).toContain('broken.yaml:3:18: ');
  expect(stdout).toContain('help: did you mean');
});

test('uses no variable of the environment, and sends no request', async () => {
  const requested: string[] = [];
  const server = createServer((request, response) => {
    requested.push(String(request.url));
    response.end('{}');
  });
  server.listen(0, '127.0.0.1');
  await new Promise((done) => server.once('listening', done));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const cwd = project(
    `tests:
  variables of the test:
    manifests: ../filled.yaml
    variables: { TITLE: Docs }
    expect: { steps: { samlProviders/okta: { action: create, fields: { label: { to: Docs } } } } }
  a variable of the environment:
    manifests: ../filled.yaml
    expect: {}
  a file that is not there:
    manifests: ../outside.yaml
    expect: {}
`,
    {
      'filled.yaml': `octavo: 1
organization: org_acme
samlProviders:
  okta: { label: "\${env:TITLE}", entityID: "https://a.example", ssoURL: "https://a.example/sso", certificate: "\${secret:CERT}" }
`,
      'outside.yaml':
        'octavo: 1\norganization: org_acme\nteams: { docs: { title: "${file:../../etc/passwd}" } }\n',
    },
  );
  const env = {
    OCTAVO_BASE_URL: url,
    OCTAVO_TOKEN: 'tok-3n-0f-somebody',
    CERT: 'VERY-S3CRET',
    TITLE: 'Stolen',
  };
  const ran = await octavo(['test', '--format', 'json'], { cwd, env });
  expect(ran.code).toBe(1);
  const { tests } = JSON.parse(ran.stdout) as {
    tests: readonly { failures: readonly { message: string }[] }[];
  };
  expect(tests[0]?.failures).toEqual([]);
  expect(tests[1]?.failures[1]?.message).toContain('environment variable TITLE is not set');
  expect(tests[2]?.failures[1]?.message).toContain('outside');
  expect(ran.stdout + ran.stderr).not.toMatch(/VERY-S3CRET|tok-3n|Stolen|root:/);
  expect(requested).toEqual([]);
});

test.each([
  ['an unknown key', 'tests: { a: { expect: { step: {} } } }\n', /acme\.test\.yaml:1:25.*did you mean steps/],
  [
    'an unknown action',
    'tests:\n  a:\n    expect:\n      steps:\n        teams/docs: created\n',
    /acme\.test\.yaml:5:21/,
  ],
  ['no expectations', 'tests: { a: {} }\n', /acme\.test\.yaml:1:/],
  [
    'two documents',
    'tests: { a: { expect: {} } }\n---\ntests: {}\n',
    /one document --> tests\/acme\.test\.yaml:3:1/,
  ],
  ['nothing', '', /acme\.test\.yaml:1:1/],
  ['a list', '- a\n', /acme\.test\.yaml:1:1/],
  ['no tests', 'tests: {}\n', /no tests in \./],
  ['broken YAML', 'tests: { a: [\n', /acme\.test\.yaml:\d/],
  [
    'a manifest that is missing',
    'tests: { a: { manifests: ../none, expect: {} } }\n',
    /acme\.test\.yaml:1:26/,
  ],
  [
    'a path outside',
    'tests: { a: { given: { seed: ../../x.json }, expect: {} } }\n',
    /outside of the project --> tests\/acme\.test\.yaml:1:30/,
  ],
  ['an absolute path', 'tests: { a: { manifests: [/etc/passwd], expect: {} } }\n', /outside of the project/],
  ['an overlay outside', 'tests: { a: { overlays: ../../x.yaml, expect: {} } }\n', /outside of the project/],
  ['a link outside', 'tests: { a: { manifests: ../link, expect: {} } }\n', /outside of the project/],
  [
    'a seed that is none',
    'tests: { a: { given: { seed: ../docs/acme.yaml }, expect: {} } }\n',
    /cannot read the seed file/,
  ],
  [
    'converging with refusals',
    'tests: { a: { expect: { converges: true, refusals: [{ address: a, guard: b }] } } }\n',
    /a plan with refusals is not applied/,
  ],
])('rejects %s at its position', async (_name, text, pattern) => {
  const cwd = project(text);
  symlinkSync('/etc', join(cwd, 'link'));
  const { code, stdout, stderr } = await run(cwd);
  expect(code).toBe(1);
  const shown = (stdout + stderr).replaceAll(/\s+/g, ' ');
  expect(shown).toMatch(pattern);
  expect(shown).not.toMatch(/ at .*\.ts:/);
});

test('reports all problems of all files together, and paths that do not exist', async () => {
  const cwd = project('tests: { a: { expekt: {} } }\n', { 'tests/more.test.yaml': 'tests: { b: [] }\n' });
  const { stderr } = await run(cwd);
  expect(stderr).toContain('tests/acme.test.yaml:1:');
  expect(stderr).toContain('tests/more.test.yaml:1:');
  expect((await run(cwd, 'none')).stderr).toContain('none: no such file');
  mkdirSync(join(cwd, 'empty'));
  expect((await run(cwd, 'empty')).stderr).toContain('no tests in empty');
});

test('stops between tests on Ctrl-C, and prints results', async () => {
  const many = Array.from(
    { length: 40 },
    (_, at) => `  number ${at}: { expect: { steps: { teams/docs: create, teams/ops: create } } }\n`,
  );
  const cwd = project(`tests:\n${many.join('')}`);
  const running = start(['test'], { cwd });
  setTimeout(() => running.kill('SIGINT'), 30);
  const { code, stdout } = await running.ended;
  expect(code).toBe(130);
  expect(stdout).toMatch(/Interrupted: \d+ tests? not run\.\n$/);
});

test('does not read test files as manifests without "octavo:"', async () => {
  const cwd = project('tests: { a: { expect: {} } }\n', {
    'docs/more.test.yaml': 'octavo: 1\norganization: org_acme\nteams: { more: { title: More } }\n',
    'docs/other.yaml': 'tests: {}\n',
  });
  const { stdout, stderr } = await octavo(['validate', '-f', '.'], { cwd });
  expect(stdout).toContain('3 objects');
  expect(stderr).not.toContain('acme.test.yaml');
  expect(stderr).toContain('docs/other.yaml');
});

test('fails a plan that does not converge, unless converges is false', async () => {
  const cwd = project('');
  const { tests } = await parseTests(
    'a.test.yaml',
    'tests:\n  a: { expect: {} }\n  b: { expect: { converges: false } }\n',
  );
  const outcomes = await Promise.all(
    tests.map((located) =>
      runTest(located, {
        files: disk,
        ...{ file: 'a.test.yaml', cwd, registry, usual: { files: ['docs'], overlays: [] } },
        rules: { text: undefined, rules: [], diagnostics: [], name: '', at: '' },
        keepsIds: () => true,
        isInterrupted: () => false,
        start: async ({ trees }) => {
          const clock = { now: () => 0, random: Math.random };
          const organizations = trees.map(({ id = '' }) => ({ id, title: id }));
          const copy = (options: Parameters<typeof seededService>[1]) =>
            seededService({ organizations }, options);
          const stage = await stageMaker({ copy, clock })({ reads: [], calls: [] });
          // A service that changes each title.
          const send = (operation: OperationId, input: ApiInput) =>
            stage.api.send(
              operation,
              operation === 'teams.create' ? { ...input, body: { title: 'Other' } } : input,
            );
          return {
            ...stage,
            api: { ...stage.api, all: stage.api.all.bind(stage.api), send: send as Api['send'] },
          };
        },
      }),
    ),
  );
  expect(outcomes.map(({ failures }) => failures.map(({ message }) => message))).toEqual([
    ['the plan does not converge: applied, another plan is not empty'],
    [],
  ]);
  expect(outcomes[0]?.failures[0]?.related?.length).toBeGreaterThan(0);
});

describe('rejects files outside the project', () => {
  const secret = 'top-secret-text: [';
  const one = 'tests:\n  one: { given: { manifests: ../docs }, manifests: ../docs, expect: { steps: {} } }\n';
  const elsewhere = () => folder({ 'a.yaml': secret, 'b.test.yaml': secret });
  const usual = 'tests:\n  one: { expect: { steps: {} } }\n';

  test.each([
    ['a link in a folder of manifests', one, 'docs/z.yaml', 'a.yaml'],
    ['a link in a folder of tests', one, 'tests/z.test.yaml', 'b.test.yaml'],
    ['rules behind a link', one, 'octavo.rules.yaml', 'a.yaml'],
  ])('through %s', async (_what, tests, name, target) => {
    const cwd = project(tests);
    symlinkSync(join(elsewhere(), target), join(cwd, name));
    const { code, stdout, stderr } = await run(cwd);
    expect(code).toBe(1);
    expect(stdout + stderr).toMatch(/it is outside of|not a regular file but a symbolic link/);
    expect(stdout + stderr).not.toContain('top-secret');
  });

  test('named by the configuration', async () => {
    const cwd = project(usual, {
      'octavo.config.yaml': `file: ${relative(folder({}), elsewhere())}/a.yaml\n`,
    });
    const { code, stdout, stderr } = await run(cwd);
    expect(code).toBe(1);
    expect(stdout + stderr).toContain('it is outside of');
    expect(stdout + stderr).not.toContain('top-secret');
  });
});

test('accepts objects with ids and equal names, as in an export', async () => {
  const duplicates = (kind: string, fields: string) =>
    `${kind}:\n${['one', 'two', 'three'].map((key) => `  ${key}: { id: x_${kind}_${key}, ${fields} }\n`).join('')}`;
  const indented = (text: string) => text.replace(/^/gm, '    ').trimEnd();
  const links = indented(duplicates('shareLinks', 'name: Same'));
  const cwd = project(
    'tests:\n  one: { given: { manifests: ../docs }, manifests: ../docs, expect: { steps: {} } }\n',
    {
      'docs/acme.yaml': `octavo: 1
organization: org_acme
${duplicates('teams', 'title: Same')}${duplicates('translations', 'title: Same')}${duplicates('samlProviders', 'label: Same, entityID: same')}sites:
  hub:
    title: Hub
${links}
`,
    },
  );
  expect(await run(cwd)).toMatchObject({ code: 0, stdout: expect.stringContaining('1 test passed') });
});
