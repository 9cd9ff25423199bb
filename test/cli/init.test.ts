/** `octavo init`: writes all files or none, without prompting, and the files work. */
import { lstatSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pipelines } from '../../src/cli/init/pipelines.ts';
import { readLine } from '../../src/cli/line/read-line.ts';
import { type Service, startService } from '../../src/server/index.ts';
import { commandBlocks, octavoLines } from '../docs/page.ts';
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
    expect((await octavo(['validate', '--lint', 'error'], { cwd, env })).code).toBe(0);
    expect((await octavo(['fmt', '--check'], { cwd, env })).code).toBe(0);
    const plan = await octavo(['plan', '--detailed-exitcode'], { cwd, env });
    expect(plan.code).toBe(0);
    expect(plan.stdout).toContain('No changes');
  });

  test('writes manifests with an empty plan and a passing test with --from-live', async () => {
    const { cwd, baseUrl } = live();
    const args = ['init', '--base-url', baseUrl, '--from-live', '--dir', '.', '--ci', 'gitlab'];
    const { code, stderr } = await octavo(args, { cwd, env });
    expect(stderr).toContain('Organization: org_acme');
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

describe('octavo init --skill', () => {
  const skill = '.agents/skills/octavo/SKILL.md';
  const init = (cwd: string, ...more: readonly string[]) =>
    octavo(['init', '--skill', ...more], { cwd, env });

  test('writes the skill and lines for AGENTS.md once in an existing workspace', async () => {
    const cwd = folder({ 'octavo.config.yaml': 'file: docs\n', 'AGENTS.md': '# Rules\nBe brief.' });
    const first = await init(cwd);
    expect(first).toEqual({ code: 0, stdout: `Written:\n  ${skill}\n  AGENTS.md\n`, stderr: '' });
    const written = [skill, 'AGENTS.md'].map((name) => read(cwd, name));
    expect(written[0]).toMatch(/^---\nname: octavo\ndescription: \S[^\n]{1,1023}\n---\n/);
    expect(written[1]).toMatch(/^# Rules\nBe brief\.\n\n<!-- octavo -->\n[\s\S]*<!-- \/octavo -->\n$/);
    expect(written[1]).toContain(`\`${skill}\``);
    const second = await init(cwd);
    expect(second).toEqual({ code: 0, stdout: 'Nothing to write: the skill is here already.\n', stderr: '' });
    expect([skill, 'AGENTS.md'].map((name) => read(cwd, name))).toEqual(written);
    expect(files(cwd)).toEqual([skill, 'AGENTS.md', 'octavo.config.yaml'].sort());
  });

  test('writes the other files of a new workspace, too', async () => {
    const { cwd, baseUrl } = live();
    const { code, stdout } = await init(cwd, '--base-url', baseUrl, '--organization', 'org_acme');
    expect(code).toBe(0);
    expect(stdout).toContain(`  ${skill}\n  .gitignore\n  AGENTS.md\n`);
    expect(files(cwd)).toEqual(expect.arrayContaining([skill, 'AGENTS.md', 'octavo.config.yaml']));
  });

  test('writes no file of a new workspace if another skill exists', async () => {
    const { cwd, baseUrl } = live({ [skill]: 'mine\n' });
    expect(await init(cwd, '--base-url', baseUrl, '--organization', 'org_acme')).toMatchObject({ code: 1 });
    expect(files(cwd)).toEqual([skill]);
  });

  test('names only commands, flags and topics that exist, and no command block changes the service', async () => {
    const cwd = folder({});
    await init(cwd);
    const pages = [read(cwd, skill), read(cwd, 'AGENTS.md')];
    const typed = pages.flatMap((page) =>
      commandBlocks(page).flatMap(({ commands }) => octavoLines(commands)),
    );
    expect(typed.length).toBeGreaterThan(8);
    const named = pages.flatMap((page) =>
      [...page.matchAll(/`(octavo [^`<]+)`/g)].map(([, line = '']) => line),
    );
    expect(named).toContain('octavo apply');
    for (const line of [...typed, ...named]) {
      const words = line
        .split(/\s+/)
        .slice(1)
        .map((word) => word.replace(/'/g, ''));
      await expect(readLine(words), line).resolves.toBeDefined();
      if (words[0] !== 'explain') continue;
      expect(await octavo(words, { cwd }), line).toMatchObject({ code: 0 });
    }
    expect(typed.filter((line) => /^octavo (apply|undo|unlock|ci|api)\b/.test(line))).toEqual([]);
  });

  test.each([
    ['another skill', { [skill]: 'mine\n' }, `${skill} already exists, with different content`],
    ['a file in place of a folder', { '.agents': 'mine\n' }, `cannot write ${skill}`],
    ['a folder in place of AGENTS.md', { 'AGENTS.md/x': '' }, 'cannot write AGENTS.md'],
  ])('keeps %s', async (_, there, text) => {
    const cwd = folder(there);
    const { code, stderr } = await init(cwd);
    expect(code).toBe(1);
    expect(stderr).toContain(text);
    for (const [name, content] of Object.entries(there)) expect(read(cwd, name)).toBe(content);
  });

  test('follows a link inside the folder, and rejects one that points outside', async () => {
    const cwd = folder({ 'CLAUDE.md': '# Rules\n' });
    symlinkSync('CLAUDE.md', join(cwd, 'AGENTS.md'));
    expect(await init(cwd)).toMatchObject({ code: 0 });
    expect(read(cwd, 'CLAUDE.md')).toMatch(/^# Rules\n\n<!-- octavo -->/);
    expect(lstatSync(join(cwd, 'AGENTS.md')).isSymbolicLink()).toBe(true);
    const elsewhere = folder({ 'AGENTS.md': '# Of others\n' });
    for (const name of ['AGENTS.md', '.agents']) {
      const other = folder({});
      symlinkSync(join(elsewhere, name === 'AGENTS.md' ? name : ''), join(other, name));
      const { code, stderr } = await init(other);
      expect({ name, code }).toEqual({ name, code: 1 });
      expect(stderr).toContain('a link to a place outside of');
      expect(files(elsewhere)).toEqual(['AGENTS.md']);
      expect(read(elsewhere, 'AGENTS.md')).toBe('# Of others\n');
    }
  });
});
