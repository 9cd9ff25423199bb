/** A run that reads a part of a repository warns if it deletes an object that a manifest elsewhere declares. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { git, initRepository } from './git.ts';
import { folder, octavo } from './octavo.ts';

const env = { OCTAVO_BASE_URL: 'local:x.db' };
const teams = (...names: readonly string[]) =>
  `octavo: 1\norganization: org_acme\nteams:\n${names.map((name) => `  ${name.toLowerCase()}: { title: ${name} }\n`).join('')}`;

async function applied(files: Readonly<Record<string, string>>) {
  const cwd = folder({ '.gitignore': 'x.db*\n.octavo\n' });
  initRepository(cwd);
  const write = (all: Readonly<Record<string, string>>) => {
    for (const [name, text] of Object.entries(all)) {
      mkdirSync(join(cwd, name, '..'), { recursive: true });
      writeFileSync(join(cwd, name), text);
    }
    git(cwd, 'add', '-A');
    git(cwd, 'commit', '--quiet', '-m', 'x');
  };
  write(files);
  const record = ['apply', '-f', 'a', '--seed', 'sample', '--record', '--auto-approve'];
  expect(await octavo(record, { cwd, env })).toMatchObject({ code: 0 });
  const plan = async (...args: readonly string[]) => {
    const { stdout, stderr } = await octavo(['plan', ...args], { cwd, env });
    return { stdout, notes: stderr.replace(/\s+/g, ' ') };
  };
  return { write, plan };
}

test('a plan names the unread manifest that declares an object to be deleted', async () => {
  const { write, plan } = await applied({
    'a/x.yaml': teams('Red', 'Blue', 'Green'),
    'b/y.yaml': teams('Gold'),
  });
  write({ 'a/x.yaml': teams('Red'), 'b/y.yaml': teams('Gold', 'Blue', 'Green') });
  const { stdout, notes } = await plan('-f', 'a');
  expect(stdout).toContain('2 to delete');
  expect(stdout + notes).toMatch(
    /b\/y\.yaml declares teams\/\w+ and 1 other object, which this plan deletes: it does not read that file/,
  );
  for (const format of ['text', 'markdown', 'html', 'json']) {
    const shown = (await plan('-f', 'a', '--format', format)).stdout.replaceAll('\\', '');
    expect(shown.split('declared in b/y.yaml, which this plan does not read').length).toBeGreaterThan(2);
  }
  const both = await plan('-f', 'a', '-f', 'b/y.yaml');
  expect(both.stdout).toContain('0 to delete');
  expect(both.stdout + both.notes).not.toContain('this plan deletes');
  // Objects that the plan keeps are not counted.
  const part = await plan('-f', 'a', '--exclude', 'teams/blue');
  expect(part.stdout + part.notes).toContain('b/y.yaml declares teams/green, which this plan deletes');
});

test('a manifest of the run whose entry an overlay leaves out is not named', async () => {
  const { write, plan } = await applied({ 'a/x.yaml': teams('Red', 'Blue') });
  write({ 'o/less.yaml': 'octavo: 1\noverlay: less\norganization: org_acme\nteams: { blue: null }\n' });
  const { stdout, notes } = await plan('-f', 'a', '--overlay', 'o/less.yaml');
  expect(stdout).toContain('1 to delete');
  expect(stdout + notes).not.toContain('does not read that file');
});

test.each([
  ['of another organization', 'octavo: 1\norganization: org_other\nteams: { blue: { title: Blue } }\n'],
  ['that does not declare it', teams('Gold')],
  ['that is broken', 'octavo: 1\norganization: org_acme\nteams: [\n'],
])('a manifest %s is not named', async (_, text) => {
  const { write, plan } = await applied({ 'a/x.yaml': teams('Red', 'Blue') });
  write({ 'a/x.yaml': teams('Red'), 'b/y.yaml': text });
  const { stdout, notes } = await plan('-f', 'a');
  expect(stdout).toContain('1 to delete');
  expect(stdout + notes).not.toContain('b/y.yaml');
});
