/** No file is written through a link of a checkout: every path that a command writes, with each kind of link. */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { git, initRepository } from './git.ts';
import { folder, manifest, octavo } from './octavo.ts';

const local = { OCTAVO_BASE_URL: 'local:w.db' };

/** A command, the path that it writes, and the error that it ends with if a link is there. */
const written: readonly (readonly [path: string, code: string, args: readonly string[]])[] = [
  ['plan.json', 'out', ['plan', '--out', 'plan.json']],
  ['results/plan.json', 'out', ['plan', '--out', 'results/plan.json']],
  ['plan.md', 'format-file', ['plan', '--format', 'markdown=plan.md']],
  ['results/plan.html', 'format-file', ['plan', '--format', 'html=results/plan.html']],
  ['apply.json', 'format-file', ['apply', '--auto-approve', '--format', 'json=apply.json']],
  ['drift.md', 'format-file', ['drift', '--format', 'markdown=drift.md']],
  ['.octavo/journal', 'journal', ['apply', '--auto-approve']],
  // A result of an earlier run is removed first.
  ['octavo-ci/plan.md', '', ['ci', 'plan', '--base', 'none']],
  ['octavo-ci/.gitignore', 'ci', ['ci', 'plan', '--base', 'none']],
];

/** Replaces the path, or its folder, by a link out of the checkout. */
const links: Readonly<Record<string, (cwd: string, outside: string, name: string) => void>> = {
  'a link to a file': (cwd, outside, name) => symlinkSync(join(outside, 'kept'), join(cwd, name)),
  'a link to a folder': (cwd, outside, name) => symlinkSync(outside, join(cwd, name)),
  'a dangling link': (cwd, outside, name) => symlinkSync(join(outside, 'new'), join(cwd, name)),
  'a link in the place of its folder': (cwd, outside, name) => symlinkSync(outside, join(cwd, dirname(name))),
};

describe.each(Object.entries(links))('%s', (kind, place) => {
  const isFolder = kind.includes('its folder');
  test.each(written.filter(([name]) => !isFolder || name.includes('/')))(
    'is not followed at %s',
    async (name, code, args) => {
      // A file that does not exist yet has no link.
      const cwd = folder({ 'acme.yaml': manifest });
      const outside = join(folder({ 'outside/kept': 'kept' }), 'outside');
      initRepository(cwd);
      if (!isFolder) mkdirSync(dirname(join(cwd, name)), { recursive: true });
      place(cwd, outside, name);
      const ran = await octavo(args, { cwd, env: local });
      expect(ran.stderr).toContain(code === '' || isFolder ? '' : `error[${code}]`);
      expect(ran.code, ran.stdout).toBe(code === '' && !isFolder ? 0 : 1);
      expect(readdirSync(outside)).toEqual(['kept']);
      expect(readFileSync(join(outside, 'kept'), 'utf8')).toBe('kept');
      expect(existsSync(join(outside, 'new'))).toBe(false);
    },
  );
});

describe('a folder that git tracks', () => {
  const own = written.filter(([name]) => /^(?:\.octavo|octavo-ci)\//.test(name));
  const more = [
    ['.octavo/journal', 'journal', ['apply', '--auto-approve', 'plan.json']],
    ['.octavo/journal', 'journal', ['undo']],
    ['.octavo/journal', 'ci', ['ci', 'plan', '--base', 'none']],
  ] as const;
  test.each([...own, ...more])('is not used for %s (%s, %j)', async (name, code, args) => {
    const cwd = folder({ 'acme.yaml': manifest, '.gitignore': 'w.db*\nplan.json\n' });
    initRepository(cwd);
    expect((await octavo(['plan', '--out', 'plan.json'], { cwd, env: local })).code).toBe(0);
    const run = (await octavo(['apply', '--auto-approve'], { cwd, env: local })).code;
    expect(run).toBe(0);
    const brought = `${name}/brought`.replace('/plan.md/', '/').replace('/.gitignore/', '/');
    mkdirSync(dirname(join(cwd, brought)), { recursive: true });
    writeFileSync(join(cwd, brought), 'mine');
    git(cwd, 'add', '--force', brought);
    const before = readdirSync(join(cwd, '.octavo/journal'));
    const ran = await octavo(args, { cwd, env: local });
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain(
      `error[${code === '' ? 'ci' : code}]: git tracks ${brought}, which Octavo writes`,
    );
    expect(readdirSync(join(cwd, '.octavo/journal'))).toEqual(before);
  });
});

test('a link outside of a checkout is followed', async () => {
  const cwd = folder({ 'acme.yaml': manifest });
  const outside = folder({});
  symlinkSync(outside, join(cwd, 'results'));
  expect(await octavo(['plan', '--out', 'results/plan.json'], { cwd, env: local })).toMatchObject({
    code: 0,
  });
  expect(existsSync(join(outside, 'plan.json'))).toBe(true);
});

test('a journal is readable only by its owner', async () => {
  const cwd = folder({ 'acme.yaml': manifest });
  expect(await octavo(['apply', '--auto-approve'], { cwd, env: local })).toMatchObject({ code: 0 });
  const [journal = ''] = readdirSync(join(cwd, '.octavo/journal'));
  expect(statSync(join(cwd, '.octavo/journal', journal)).mode & 0o777).toBe(0o600);
});
