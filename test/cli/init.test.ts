/** `octavo init`: asked on a terminal or told by flags, it writes all files or none, and what it writes works. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pipelines } from '../../src/cli/init/pipelines.ts';
import { type Service, startService } from '../../src/server/index.ts';
import { folder, octavo, root, start } from './octavo.ts';

const read = (cwd: string, name: string) => readFileSync(join(cwd, name), 'utf8');
const files = (cwd: string) =>
  readdirSync(cwd, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(cwd.length + 1))
    .filter((name) => !/w\.db|^\.octavo\//.test(name))
    .sort();

const token = 'token-of-the-tests';
const env = { OCTAVO_TOKEN: token };
let service: Service;

beforeAll(async () => {
  const teams = ['Platform', 'Writers'].map((title) => ({ id: `team_${title}`, title }));
  const sites = [{ id: 'site_status', title: 'Status' }];
  const seed = { organizations: [{ id: 'org_acme', title: 'Acme', teams, sites }] };
  service = await startService({ data: ':memory:', token, seed });
});
afterAll(() => service.close());

/** A folder beside the service. */
function live(more: Readonly<Record<string, string>> = {}) {
  return { cwd: folder(more), baseUrl: service.url };
}

describe('with flags', () => {
  test('an id alone: settings, a manifest that is valid and plans nothing, lines for git', async () => {
    const { cwd, baseUrl } = live({ '.gitignore': 'node_modules' });
    const args = ['init', '--yes', '--base-url', baseUrl, '--organization', 'org_acme'];
    const { code, stdout, stderr } = await octavo(args, { cwd, env });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/Next:\n {2}export OCTAVO_TOKEN=[^\n]*\n {2}octavo doctor/);
    expect(files(cwd)).toEqual([
      '.gitignore',
      'docs/octavo.yaml',
      'octavo.config.yaml',
      'tests/workspace.test.yaml',
    ]);
    expect(await octavo(['test'], { cwd })).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/1 test passed\.\n$/),
    });
    expect(read(cwd, '.gitignore')).toMatch(/^node_modules\n\.octavo\/\n/);
    expect(read(cwd, 'octavo.config.yaml')).toContain(`baseUrl: ${baseUrl}\nfile: docs\n`);
    expect((await octavo(['validate', '--lint', 'error'], { cwd, env })).code).toBe(0);
    expect((await octavo(['fmt', '--check'], { cwd, env })).code).toBe(0);
    const plan = await octavo(['plan', '--detailed-exitcode'], { cwd, env });
    expect(plan.code).toBe(0);
    expect(plan.stdout).toContain('No changes');
  });

  test('from live: the next plan is empty, and nothing is unmanaged', async () => {
    const { cwd, baseUrl } = live();
    const args = ['init', '--yes', '--base-url', baseUrl, '--from-live', '--dir', '.', '--ci', 'gitlab'];
    const { code, stderr } = await octavo(args, { cwd, env });
    expect(stderr).toContain('Organization: Acme (org_acme)');
    expect(code).toBe(0);
    expect(files(cwd)).toContain('.gitlab-ci.yml');
    expect(read(cwd, '.gitlab-ci.yml')).toContain('octavo validate -f .\n');
    const plan = await octavo(['plan', '--detailed-exitcode'], { cwd, env });
    expect(plan.code).toBe(0);
    // The first test passes, without a token.
    const tested = await octavo(['test'], { cwd });
    expect(tested, tested.stdout).toMatchObject({ code: 0, stderr: '' });
    const { stdout } = await octavo(['list', '--offline', '--format', 'names'], { cwd, env });
    expect(stdout).toMatch(/teams\/platform\n[\s\S]*sites\/status\n/);
  });

  test.each(['github', 'gitlab'])('pages of Octavo are not named as if they were here: %s', async (ci) => {
    const { cwd, baseUrl } = live();
    const args = ['init', '--yes', '--base-url', baseUrl, '--organization', 'org_acme', '--ci', ci];
    const { stdout } = await octavo(args, { cwd, env });
    const texts = [stdout, ...files(cwd).map((name) => read(cwd, name))];
    const named = texts.flatMap((text) => text.match(/docs\/[\w/-]+\.md.{0,10}/g) ?? []);
    expect(named.length).toBeGreaterThan(1);
    for (const name of named) expect(name).toMatch(/\.md of Octavo/);
  });

  test('no file is written over, and none is left behind', async () => {
    const { cwd, baseUrl } = live({ 'docs/octavo.yaml': 'mine: true\n' });
    const args = ['init', '--yes', '--base-url', baseUrl, '--organization', 'org_acme'];
    const { code, stderr } = await octavo(args, { cwd, env });
    expect(code).toBe(1);
    expect(stderr).toContain('error[init-exists]: docs/octavo.yaml exists already');
    expect(files(cwd)).toEqual(['docs/octavo.yaml']);
    writeFileSync(join(cwd, 'octavo.config.yaml'), '');
    expect((await octavo(['init', '--yes'], { cwd, env })).stderr).toContain(
      'octavo.config.yaml exists already',
    );
  });

  test('an organization that is not there, with those that are', async () => {
    const { cwd, baseUrl } = live();
    const args = ['init', '--yes', '--base-url', baseUrl, '--from-live', '--organization', 'nobody'];
    const { code, stderr } = await octavo(args, { cwd, env });
    expect(code).toBe(1);
    expect(stderr).toContain('the token can see no "nobody"');
    expect(stderr).toContain('pass one with --organization: org_acme (Acme)');
    expect(files(cwd)).toEqual([]);
  });

  test('a file where a folder must be: nothing stays', async () => {
    const { cwd, baseUrl } = live({ docs: 'a file\n' });
    const args = ['init', '--yes', '--base-url', baseUrl, '--organization', 'org_acme', '--ci', 'github'];
    const { code, stderr } = await octavo(args, { cwd, env });
    expect(code).toBe(1);
    expect(stderr).toContain('cannot write docs/octavo.yaml');
    expect(files(cwd)).toEqual(['docs']);
  });

  test.each([
    [['init'], 'init asks on a terminal, and there is none'],
    [['init', '--yes'], 'pass --base-url'],
    [['init', '--yes', '--base-url', 'acme.dev/v1'], 'error[base-url]'],
    [
      ['init', '--yes', '--base-url', 'local', '--organization', 'x', '--dir', '../out'],
      'a folder inside of this one',
    ],
    [['init', '--yes', '--base-url', 'local', '--organization', 'x', '--dir', 'a.yaml'], 'not a file'],
    [['init', '--yes', '--base-url', 'local', '--from-live', '--organization', 'nobody'], 'nothing is live'],
    [['init', '--yes', '--base-url', 'local:x.db'], 'pass --organization'],
    [['init', '--yes', '--base-url', 'local', '--organization', 'Acme Inc'], '"Acme Inc" is no id'],
    [['init', '--ci', 'jenkins'], '--ci cannot be "jenkins"'],
  ])('%j', async (args, text) => {
    const cwd = folder({});
    const { code, stderr } = await octavo(args, { cwd, env });
    expect(code).toBe(1);
    expect(stderr).toContain(text);
    expect(files(cwd)).toEqual([]);
  });
});

describe('on a terminal', () => {
  const answer = async (
    running: ReturnType<typeof start>,
    dialogue: readonly (readonly [string, string])[],
  ) => {
    for (const [question, text] of dialogue) {
      await running.stderr.until(question);
      running.press(text);
    }
  };

  test('asks for what it does not know, again where an answer does not do', async () => {
    const { cwd, baseUrl } = live();
    const running = start(['init'], { cwd, env, isTerminal: true });
    await answer(running, [
      ['Address of the service', 'ftp://x\n'],
      ['is not an http(s) URL', `${baseUrl}\n`],
      ['Folder for the manifests [docs]', '\n'],
      ['Write what is live now', 'maybe\n'],
      ['write yes or no', 'no\n'],
      ['Pipelines?', 'githb\n'],
      ['did you mean github?', 'github\n'],
      ['Write these files?', '\n'],
    ]);
    const { code, stdout, stderr } = await running.ended;
    expect(code).toBe(0);
    expect(stderr).toContain('Organization: Acme (org_acme)');
    expect(stdout).toContain('new      .github/workflows/octavo-plan.yml');
    expect(read(cwd, '.github/workflows/octavo-plan.yml')).toContain('args: -f docs ');
    expect(existsSync(join(cwd, 'octavo.config.yaml'))).toBe(true);
  });

  test('the token is never asked for: only where it comes from', async () => {
    const cwd = folder({});
    const running = start(['init'], { cwd, isTerminal: true });
    await answer(running, [
      ['Address of the service', 'http://127.0.0.1:9\n'],
      ['Where will the token come from?', '2\n'],
      ['Path of the file [.octavo-token]', '\n'],
      ['Id of the organization', 'org_x\n'],
      ['Folder for the manifests', '.\n'],
      ['Pipelines?', '\n'],
      ['Write these files?', 'y\n'],
    ]);
    const { code, stdout, stderr } = await running.ended;
    expect(code).toBe(0);
    expect(stderr).toContain('cannot read the token file .octavo-token');
    expect(read(cwd, 'octavo.config.yaml')).toContain('tokenFile: ".octavo-token"\n');
    expect(read(cwd, '.gitignore')).toContain('.octavo-token\n');
    expect(read(cwd, 'octavo.yaml')).toContain('organization:\n  id: org_x\n');
    expect(stdout).toContain('put the token into .octavo-token');
  });

  test.each([
    ['Address of the service'],
    ['Folder for the manifests'],
    ['Write what is live now'],
    ['Pipelines?'],
    ['Write these files?'],
  ])('Ctrl-C at %s: nothing is written', async (last) => {
    const { cwd, baseUrl } = live();
    const running = start(['init'], { cwd, env, isTerminal: true });
    const all = [
      ['Address of the service', `${baseUrl}\n`],
      ['Folder for the manifests', '\n'],
      ['Write what is live now', 'yes\n'],
      ['Pipelines?', '\n'],
    ] as const;
    await answer(running, all.slice(0, all.findIndex(([question]) => question === last) >>> 0));
    await running.stderr.until(last);
    running.kill('SIGINT');
    const { code, stderr } = await running.ended;
    expect(code).toBe(130);
    expect(stderr).toContain('Interrupted. Nothing was written.');
    expect(files(cwd)).toEqual([]);
  });

  test('an embedded service that has no state is not asked, and makes no file', async () => {
    const cwd = folder({});
    const running = start(['init', '--dir', '.', '--ci', 'none'], { cwd, env, isTerminal: true });
    await answer(running, [
      ['Address of the service', 'local:new.db\n'],
      ['Id of the organization', 'org_x\n'],
      ['Write these files?', 'no\n'],
    ]);
    const { code, stderr } = await running.ended;
    expect(code).toBe(1);
    expect(stderr).toContain('Nothing was written.');
    expect(files(cwd)).toEqual([]);
  });

  test('no at the end, and the end of the input: nothing is written', async () => {
    const { cwd, baseUrl } = live();
    const running = start(['init', '--base-url', baseUrl, '--dir', 'x', '--ci', 'none', '--from-live'], {
      cwd,
      env,
      isTerminal: true,
    });
    await answer(running, [['Write these files?', 'no\n']]);
    expect((await running.ended).code).toBe(1);
    expect(files(cwd)).toEqual([]);
  });
});

test('pipelines are those of the examples', () => {
  for (const [path, text] of Object.entries(pipelines.github ?? {})) {
    const name = path.replace('.github/workflows/octavo-', '');
    expect(text).toBe(read(root, `examples/ci/github/${name}`));
    expect(text).toMatch(/-f docs|octavo/);
  }
  expect(pipelines.gitlab?.['.gitlab-ci.yml']).toBe(read(root, 'examples/ci/gitlab.yml'));
});
