/** `octavo init`: writes all files or none, without prompting, and the files work. */
import { lstatSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import pipelines from '../../src/cli/init/pipelines.json' with { type: 'json' };
import { type Service, startService } from '../../src/server/index.ts';
import { folder, octavo, root } from './octavo.ts';

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

/** A folder, and the URL of the service. */
function live(more: Readonly<Record<string, string>> = {}) {
  return { cwd: folder(more), baseUrl: service.url };
}

describe('octavo init', () => {
  test('writes settings, an empty valid manifest and .gitignore lines for an organization id', async () => {
    const { cwd, baseUrl } = live({ '.gitignore': 'node_modules' });
    const args = ['init', '--base-url', baseUrl, '--organization', 'org_acme'];
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
    expect(await octavo(['validate'], { cwd, env })).toMatchObject({ code: 0, stderr: '' });
    expect((await octavo(['fmt', '--check'], { cwd, env })).code).toBe(0);
    const plan = await octavo(['plan', '--detailed-exitcode'], { cwd, env });
    expect(plan.code).toBe(0);
    expect(plan.stdout).toContain('No changes');
  });

  test.each(['env', 'flag'])(
    'leaves a service outside of the folder to OCTAVO_BASE_URL (%s)',
    async (how) => {
      const cwd = folder({});
      const baseUrl = `local:${join(folder({}), 'x.db')}`;
      const given = { OCTAVO_BASE_URL: baseUrl };
      const args = ['init', '--organization', 'org_acme', '--dir', '.'];
      const ran = await (how === 'env'
        ? octavo(args, { cwd, env: given })
        : octavo([...args, '--base-url', baseUrl], { cwd }));
      expect(ran.stdout).toContain(`Next:\n  export OCTAVO_BASE_URL=${baseUrl}\n  octavo doctor`);
      expect(read(cwd, 'octavo.config.yaml')).not.toContain('baseUrl');
      expect(read(cwd, '.gitignore')).toBe('.octavo/\n');
      expect(await octavo(['plan'], { cwd, env: given })).toMatchObject({ code: 0 });
      expect((await octavo(['plan'], { cwd })).stderr).toContain('error[no-base-url]');
    },
  );

  test('writes manifests with an empty plan and a passing test with --from-live', async () => {
    const { cwd, baseUrl } = live();
    const args = ['init', '--base-url', baseUrl, '--from-live', '--dir', '.', '--ci', 'gitlab'];
    const { code, stderr } = await octavo(args, { cwd, env });
    expect(stderr).toContain('Organization: org_acme');
    expect(stderr).toContain('Not exported:\n');
    expect(code).toBe(0);
    expect(files(cwd)).toContain('.gitlab-ci.yml');
    expect(read(cwd, '.gitlab-ci.yml')).toContain('script: [octavo ci plan -f .]\n');
    const plan = await octavo(['plan', '--detailed-exitcode'], { cwd, env });
    expect(plan.code).toBe(0);
    // The generated test passes without a token.
    const tested = await octavo(['test'], { cwd });
    expect(tested, tested.stdout).toMatchObject({ code: 0, stderr: '' });
    const { stdout } = await octavo(['list', '--offline', '--format', 'names'], { cwd, env });
    expect(stdout).toMatch(/teams\/platform\n[\s\S]*sites\/status\n/);
  });

  test('completes a run that was killed, after any number of its files', async () => {
    const { cwd, baseUrl } = live();
    const args = ['init', '--base-url', baseUrl, '--from-live', '--ci', 'gitlab'];
    expect(await octavo(args, { cwd, env })).toMatchObject({ code: 0 });
    const whole = files(cwd);
    expect(whole.length).toBeGreaterThan(4);
    const last = 'octavo.config.yaml';
    const others = whole.filter((name) => name !== last);
    for (let count = 0; count <= others.length; count += 1) {
      const kept = others.slice(0, count).map((name) => [name, read(cwd, name)] as const);
      const again = folder(Object.fromEntries(kept));
      const ran = await octavo(args, { cwd: again, env });
      expect(ran, ran.stderr).toMatchObject({ code: 0 });
      expect(files(again)).toEqual(whole);
      for (const name of whole) expect(read(again, name)).toBe(read(cwd, name));
    }
  });

  test.each(['github', 'gitlab'])('names pages of Octavo as such, not as local files: %s', async (ci) => {
    const { cwd, baseUrl } = live();
    const args = ['init', '--base-url', baseUrl, '--organization', 'org_acme', '--ci', ci];
    const { stdout } = await octavo(args, { cwd, env });
    const texts = [stdout, ...files(cwd).map((name) => read(cwd, name))];
    const named = texts.flatMap((text) => text.match(/docs\/[\w/-]+\.md.{0,10}/g) ?? []);
    expect(named.length).toBeGreaterThan(1);
    for (const name of named) expect(name).toMatch(/\.md of Octavo/);
  });

  test('overwrites no file, and then writes none', async () => {
    const { cwd, baseUrl } = live({ 'docs/octavo.yaml': 'mine: true\n' });
    const args = ['init', '--base-url', baseUrl, '--organization', 'org_acme'];
    const { code, stderr } = await octavo(args, { cwd, env });
    expect(code).toBe(1);
    expect(stderr).toContain('error[exists]: docs/octavo.yaml already exists');
    expect(files(cwd)).toEqual(['docs/octavo.yaml']);
    writeFileSync(join(cwd, 'octavo.config.yaml'), '');
    expect((await octavo(['init'], { cwd, env })).stderr).toContain('octavo.config.yaml already exists');
  });

  test('lists existing organizations if the given one does not exist', async () => {
    const { cwd, baseUrl } = live();
    const args = ['init', '--base-url', baseUrl, '--from-live', '--organization', 'nobody'];
    const { code, stderr } = await octavo(args, { cwd, env });
    expect(code).toBe(1);
    expect(stderr).toContain('organizations is called "nobody"');
    expect(stderr).toContain('pass one with --organization: org_acme (Acme)');
    expect(files(cwd)).toEqual([]);
  });

  test('writes no file if a file is in the place of a folder', async () => {
    const { cwd, baseUrl } = live({ docs: 'a file\n' });
    const args = ['init', '--base-url', baseUrl, '--organization', 'org_acme', '--ci', 'github'];
    const { code, stderr } = await octavo(args, { cwd, env });
    expect(code).toBe(1);
    expect(stderr).toContain('cannot write docs/octavo.yaml');
    expect(files(cwd)).toEqual(['docs']);
  });

  test.each([
    [['init'], 'pass --base-url'],
    [['init', '--base-url', 'acme.dev/v1'], 'error[base-url]'],
    [
      ['init', '--base-url', 'local', '--organization', 'x', '--dir', '../out'],
      'not a folder inside of this one',
    ],
    [['init', '--base-url', 'local', '--organization', 'x', '--dir', 'a.yaml'], 'not a folder'],
    [['init', '--base-url', 'local', '--from-live', '--organization', 'nobody'], 'no organizations yet'],
    [['init', '--base-url', 'local:x.db'], 'with --organization'],
    [['init', '--base-url', 'local', '--organization', 'Acme Inc'], 'no organizations yet'],
    [['init', '--ci', 'jenkins'], '--ci cannot be "jenkins"'],
  ])('rejects %j without writing files', async (args, text) => {
    const cwd = folder({});
    const { code, stderr } = await octavo(args, { cwd, env });
    expect(code).toBe(1);
    expect(stderr).toContain(text);
    expect(files(cwd)).toEqual([]);
  });
});

test('pipelines equal the examples', () => {
  for (const [path, text] of Object.entries(pipelines.github ?? {})) {
    const name = path.replace('.github/workflows/octavo-', '');
    expect(text).toBe(read(root, `examples/ci/github/${name}`));
    expect(text).toMatch(/-f docs|octavo/);
  }
  expect(pipelines.gitlab?.['.gitlab-ci.yml']).toBe(read(root, 'examples/ci/gitlab.yml'));
});

test('follows a link of .gitignore inside the folder, and rejects one that points outside', async () => {
  const init = (cwd: string) =>
    octavo(['init', '--base-url', 'http://127.0.0.1:1', '--organization', 'org_acme'], {
      cwd,
      env: { ...env, OCTAVO_ALLOW_HTTP: '1' },
    });
  const cwd = folder({ ignored: 'node_modules\n' });
  symlinkSync('ignored', join(cwd, '.gitignore'));
  expect(await init(cwd)).toMatchObject({ code: 0 });
  expect(read(cwd, 'ignored')).toMatch(/^node_modules\n\.octavo\/\n/);
  expect(lstatSync(join(cwd, '.gitignore')).isSymbolicLink()).toBe(true);
  const elsewhere = folder({ ignored: 'mine\n' });
  const other = folder({});
  symlinkSync(join(elsewhere, 'ignored'), join(other, '.gitignore'));
  const { code, stderr } = await init(other);
  expect(code).toBe(1);
  expect(stderr).toContain('cannot write .gitignore: it is a link to a place outside of this folder');
  expect(read(elsewhere, 'ignored')).toBe('mine\n');
});
