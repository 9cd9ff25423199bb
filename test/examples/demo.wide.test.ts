/** The demo: its steps, its commands run by hand, its cleanup, and its requirements. */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folder, octavo, root } from '../cli/octavo.ts';
import { patience } from '../support/runs.ts';

const script = join(root, 'examples/demo/demo.sh');
const { PATH = '' } = process.env;

function demo(args: readonly string[], more: Readonly<Record<string, string>> = {}, cwd = root) {
  const { status, stdout, stderr } = spawnSync('/bin/bash', [script, ...args], {
    cwd,
    env: { PATH, ...more },
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

test('the demo runs nine steps, and deletes its folder', { timeout: patience(180_000) }, () => {
  const scratch = folder({});
  const { status, stdout, stderr } = demo([], { TMPDIR: scratch });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect([...stdout.matchAll(/^\d+\. .*$/gm)]).toHaveLength(9);
  expect(stdout).toContain('↕ collections/engineering/spaces/incidents');
  expect(stdout).toContain('title "Help" → "Support", path "help" → "support"');
  expect(stdout).toContain('looks like a rename of the team "Writers"');
  expect(stdout).toContain('1 change is refused; nothing will be applied.');
  expect(stdout).toContain('+    was: Writers');
  expect(stdout).toContain('Drift: changed outside git, will be reverted');
  expect(stdout).toContain('Undo of run r-');
  expect(stdout.match(/^No changes\. Live state matches the manifests\.$/gm)).toHaveLength(3);
  const picture = readFileSync(join(root, 'docs/demo.svg'), 'utf8').replaceAll('\u00a0', ' ');
  expect(picture).toContain(/Digest: \S+/.exec(stdout)?.[0]);
  expect(readdirSync(scratch)).toEqual([]);
});

test('the commands of the demo work by hand in the folder that it keeps', {
  timeout: patience(180_000),
}, async () => {
  // Configuration, manifests and variables of the parent folder do not matter.
  const around = folder({ 'octavo.config.yaml': 'baseUrl: http://nowhere.example\n', 'a.yaml': 'broken: [' });
  const env = { OCTAVO_BASE_URL: 'http://nowhere.example', OCTAVO_TOKEN: 'x', OCTAVO_FILE: 'nothing' };
  const cwd = join(around, 'kept');
  const { status, stdout, stderr } = demo(['kept'], env, around);
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  const empty = await octavo(['plan', '--base', 'applied'], { cwd });
  expect(stdout).toContain(`$ octavo plan\n${empty.stdout}`);
  const shown =
    /\$ octavo plan --base main --out plan\.json.*\n([\s\S]*?Digest: .+\n)/.exec(stdout)?.[1] ?? '';
  expect((await octavo(['show', 'plan.json'], { cwd })).stdout).toBe(shown);
  expect(stdout).toContain(`Everything is in ${cwd}: open demo.html`);
  expect(readFileSync(join(cwd, 'demo.html'), 'utf8')).toMatch(/^<!doctype html>[\s\S]*docs-team/i);
  // Not the code that newer versions of Node keep compiled, and so the commits have the same ids with each.
  const { stdout: committed } = spawnSync('git', ['ls-files'], { cwd, encoding: 'utf8' });
  expect(committed.trim().split('\n')).toEqual(['.gitignore', 'acme.yaml', 'octavo.config.yaml']);
  const people = readFileSync(join(cwd, 'acme.yaml'), 'utf8');
  writeFileSync(join(cwd, 'acme.yaml'), people.replace('title: Platform', 'title: Infrastructure'));
  const changed = await octavo(['plan'], { cwd });
  expect(changed.stdout).toContain('title "Platform" → "Infrastructure"');
});

test('the demo rejects a folder that is not empty', () => {
  expect(demo([folder({ 'a.txt': 'mine' })])).toMatchObject({
    status: 1,
    stdout: '',
    stderr: expect.stringContaining('is not empty'),
  });
});

test('the demo reports a missing git', () => {
  const bin = folder({ dirname: '#!/bin/sh\necho "${1%/*}"\n' });
  spawnSync('chmod', ['+x', join(bin, 'dirname')]);
  expect(demo([], { PATH: bin })).toEqual({
    status: 1,
    stdout: '',
    stderr: 'The demo failed: install git, and run it again\n',
  });
});

test('Ctrl-C ends the demo, and deletes the folder', { timeout: patience(90_000) }, async () => {
  const child = spawn('bash', [script], { cwd: root, env: { PATH }, detached: true });
  let text = '';
  await new Promise<void>((done) => {
    child.stdout.on('data', (chunk) => {
      text += String(chunk);
      if (text.includes('2. Cleo opens a pull request')) done();
    });
  });
  // A terminal sends the signal to each process of the group.
  process.kill(-(child.pid ?? Number.NaN), 'SIGINT');
  const [code, signal] = await new Promise<[number | null, string | null]>((done) =>
    child.once('close', (...end) => done(end)),
  );
  expect(code === 0 && signal === null).toBe(false);
  expect(text).not.toContain('Git follows');
  const name = /^ {2}(\/\S+)$/m.exec(text)?.[1] ?? '';
  expect(name).not.toBe('');
  expect(existsSync(name)).toBe(false);
});
