/** `octavo fmt`: formats files in place, lists unformatted files, and skips files that it cannot format. */
import { chmodSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folder, octavo } from './octavo.ts';

const untidy =
  "octavo:   1\norganization: { title: 'Acme',id: org_acme }\nteams:\n    a:\n        title: A # first\n";
const tidy = 'octavo: 1\norganization: { id: org_acme, title: Acme }\n\nteams:\n  a:\n    title: A # first\n';
const files = {
  'a.yaml': untidy,
  'b/tidy.yaml': tidy,
  'b/overlay.yml': 'octavo: 1\noverlay: test\nteams: {a:   {title: B}}\n',
  'compose.yaml': 'services:\n    web:   1\n',
};

test('formats the manifests of a folder, and no other files', async () => {
  const cwd = folder(files);
  const read = (name: string) => readFileSync(join(cwd, name), 'utf8');
  chmodSync(join(cwd, 'a.yaml'), 0o640);
  const before = { stdout: 'a.yaml\nb/overlay.yml\n', stderr: '' };
  expect(await octavo(['fmt', '--check'], { cwd })).toEqual({ code: 3, ...before });
  expect(read('a.yaml')).toBe(untidy);
  expect(await octavo(['fmt'], { cwd })).toEqual({ code: 0, ...before });
  expect(read('a.yaml')).toBe(tidy);
  expect(read('b/overlay.yml')).toBe('octavo: 1\noverlay: test\nteams: { a: { title: B } }\n');
  expect(read('compose.yaml')).toBe(files['compose.yaml']);
  expect(statSync(join(cwd, 'a.yaml')).mode & 0o777).toBe(0o640);
  expect(await octavo(['fmt', '--check', '.'], { cwd })).toEqual({ code: 0, stdout: '', stderr: '' });
  expect(await octavo(['fmt', 'compose.yaml'], { cwd })).toEqual({
    code: 0,
    stdout: '',
    stderr: 'compose.yaml: skipped: no "octavo:" key\n',
  });
});

test('prints differences of files and of stdin', async () => {
  const cwd = folder({ 'a.yaml': 'octavo: 1\norganization:   org_acme\n' });
  const diff = (name: string) =>
    `--- ${name}\n+++ ${name}\n@@ -1,2 +1,2 @@\n octavo: 1\n-organization:   org_acme\n+organization: org_acme\n`;
  expect((await octavo(['fmt', '--check', '--diff'], { cwd })).stdout).toBe(diff('a.yaml'));
  const input = readFileSync(join(cwd, 'a.yaml'), 'utf8');
  expect(await octavo(['fmt', '-'], { cwd, input })).toEqual({
    code: 0,
    stdout: 'octavo: 1\norganization: org_acme\n',
    stderr: '',
  });
  expect((await octavo(['fmt', '-', '--diff'], { cwd, input })).stdout).toBe(diff('<stdin>'));
  expect(await octavo(['fmt', '-', '--check'], { cwd, input })).toEqual({ code: 3, stdout: '', stderr: '' });
  expect((await octavo(['fmt', '-', 'a.yaml'], { cwd, input })).code).toBe(1);
});

test('reports a broken file with its position, and formats the others', async () => {
  const cwd = folder({ 'a.yaml': untidy, 'broken.yaml': 'octavo: 1\nteams: [\n' });
  const { code, stdout, stderr } = await octavo(['fmt'], { cwd });
  expect({ code, stdout }).toEqual({ code: 1, stdout: 'a.yaml\n' });
  expect(stderr).toContain('--> broken.yaml:2:');
  expect(readFileSync(join(cwd, 'broken.yaml'), 'utf8')).toBe('octavo: 1\nteams: [\n');
  expect((await octavo(['fmt', '-'], { cwd, input: 'a: [' })).stderr).toContain('--> <stdin>:1:');
  expect((await octavo(['fmt', 'missing'], { cwd })).stderr).toContain('missing');
});
