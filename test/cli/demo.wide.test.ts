/** The demo: its story, that its commands can be run by hand, that nothing stays behind, and what it needs. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folder, octavo, root, start } from './octavo.ts';

const folderIn = (text: string) => /^ {2}(\/\S+)$/m.exec(text)?.[1] ?? '';

test('the demo tells its story, and leaves nothing behind', async () => {
  const { code, stdout, stderr } = await octavo(['demo']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const titles = [...stdout.matchAll(/^\d+\. (.*)$/gm)].map(([, title]) => title);
  expect(titles).toHaveLength(9);
  expect(stdout).toContain('↕ collections/engineering/spaces/incidents');
  expect(stdout).toContain('title "Help" → "Support", path "help" → "support"');
  expect(stdout).toContain('looks like a rename of the team "Writers"');
  expect(stdout).toContain('1 change is refused; nothing will be applied.');
  expect(stdout).toContain('+    was: Writers');
  expect(stdout).toContain('Drift: changed outside git, will be reverted');
  expect(stdout).toContain('Undo of run r-');
  expect(stdout.match(/^No changes\. Live state matches the manifests\.$/gm)).toHaveLength(2);
  const picture = readFileSync(join(root, 'docs/demo.svg'), 'utf8').replaceAll('\u00a0', ' ');
  expect(picture).toContain(/Digest: \S+/.exec(stdout)?.[0]);
  expect(folderIn(stdout)).not.toBe('');
  expect(existsSync(folderIn(stdout))).toBe(false);
});

test('what it prints is what its commands print, and the folder that is kept goes on', async () => {
  // Nothing around it matters.
  const around = folder({ 'octavo.config.yaml': 'baseUrl: http://nowhere.example\n', 'a.yaml': 'broken: [' });
  const env = { OCTAVO_BASE_URL: 'http://nowhere.example', OCTAVO_TOKEN: 'x', OCTAVO_FILE: 'nothing' };
  const cwd = join(around, 'kept');
  const { code, stdout } = await octavo(['demo', '--keep', 'kept'], { cwd: around, env });
  expect(code).toBe(0);
  expect(folderIn(stdout)).toBe(cwd);
  const empty = await octavo(['plan', '--base', 'applied'], { cwd });
  expect(stdout).toContain(`$ octavo plan\n${empty.stdout}`);
  const shown =
    /\$ octavo plan --base main --out plan\.json.*\n([\s\S]*?Digest: .+\n)/.exec(stdout)?.[1] ?? '';
  expect((await octavo(['show', 'plan.json'], { cwd })).stdout).toBe(shown);
  expect(stdout).toContain(`Everything is in ${cwd}: open demo.html`);
  expect(readFileSync(join(cwd, 'demo.html'), 'utf8')).toMatch(/^<!doctype html>[\s\S]*docs-team/i);
  const people = readFileSync(join(cwd, 'acme.yaml'), 'utf8');
  writeFileSync(join(cwd, 'acme.yaml'), people.replace('title: Platform', 'title: Infrastructure'));
  const changed = await octavo(['plan'], { cwd });
  expect(changed.stdout).toContain('title "Platform" → "Infrastructure"');
});

test('a folder that holds something is not used', async () => {
  const cwd = folder({ 'a.txt': 'mine' });
  const ran = await octavo(['demo', '--keep', '.'], { cwd });
  expect(ran).toMatchObject({ code: 1, stdout: '' });
  expect(ran.stderr).toContain('error[demo]: the folder . is not empty');
});

test('without git it says what is missing', async () => {
  const ran = await octavo(['demo'], { env: { PATH: folder({}) } });
  expect(ran).toMatchObject({ code: 1, stdout: '' });
  expect(ran.stderr).toContain('the demo needs git: git is not installed, or not on the PATH');
});

test('Ctrl-C ends it after the command that runs, and the folder goes', async () => {
  const demo = start(['demo']);
  await demo.stdout.until('2. Cleo opens a pull request');
  demo.kill('SIGINT');
  const { code, stdout } = await demo.ended;
  expect(code).toBe(130);
  expect(stdout).not.toContain('That is all');
  expect(existsSync(folderIn(stdout))).toBe(false);
});
