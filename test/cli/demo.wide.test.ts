/** The demo: its steps, its commands run by hand, its cleanup, and its requirements. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folder, octavo, root, start } from './octavo.ts';

const folderIn = (text: string) => /^ {2}(\/\S+)$/m.exec(text)?.[1] ?? '';

test('the demo runs nine steps, and deletes its folder', async () => {
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

test('the demo prints the output of its commands, and keeps a working folder with --keep', async () => {
  // Configuration, manifests and variables of the parent folder do not matter.
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

test('a folder that is not empty is rejected', async () => {
  const cwd = folder({ 'a.txt': 'mine' });
  const ran = await octavo(['demo', '--keep', '.'], { cwd });
  expect(ran).toMatchObject({ code: 1, stdout: '' });
  expect(ran.stderr).toContain('error[demo]: the folder . is not empty');
});

test('a missing git is reported', async () => {
  const ran = await octavo(['demo'], { env: { PATH: folder({}) } });
  expect(ran).toMatchObject({ code: 1, stdout: '' });
  expect(ran.stderr).toContain('the demo needs git: git is not installed, or not on the PATH');
});

test('Ctrl-C ends the demo after the current command, and deletes the folder', async () => {
  const demo = start(['demo']);
  await demo.stdout.until('2. Cleo opens a pull request');
  demo.kill('SIGINT');
  const { code, stdout } = await demo.ended;
  expect(code).toBe(130);
  expect(stdout).not.toContain('That is all');
  expect(existsSync(folderIn(stdout))).toBe(false);
});
