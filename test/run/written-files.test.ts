/** Writing of files: drafts are never committed, links out of the repository are not followed, and help can be followed. */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, utimesSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { openForEdit } from '../../src/manifest/files/open-for-edit.ts';
import { workFolder } from '../../src/manifest/files/work-folder.ts';
import { writeAdvice } from '../../src/util/user-error.ts';
import { folder, octavo } from '../cli/octavo.ts';
import { killedAt } from '../support/killed-writes.ts';

const untidy = "octavo: 1\norganization: 'org_1'\n";
const git = (cwd: string, ...args: string[]) => execFileSync('git', args, { cwd, encoding: 'utf8' });

function open(cwd: string, name: string, command = 'fmt') {
  const expected = readFileSync(path.join(cwd, name), 'utf8');
  return openForEdit(name, { cwd, expected, toBeWritten: true, command });
}

describe('a draft', () => {
  test('of a killed process is ignored by git', async () => {
    const cwd = folder({ 'a.yaml': 'a: 1\n' });
    git(cwd, 'init', '--quiet');
    git(cwd, 'add', '.');
    git(cwd, '-c', 'user.name=a', '-c', 'user.email=a@b.c', 'commit', '--quiet', '-m', 'a');
    const file = path.join(cwd, 'a.yaml');
    await expect(killedAt(cwd, 4, async (killed) => killed.put(file, 'a: 2\n'))).rejects.toThrow('killed');
    expect(readFileSync(file, 'utf8')).toBe('a: 1\n');
    expect(readdirSync(cwd).length).toBe(3);
    expect(git(cwd, 'status', '--porcelain', '--untracked-files=all')).toBe('');
    workFolder.put(file, 'a: 2\n');
    expect(readFileSync(file, 'utf8')).toBe('a: 2\n');
  });

  test('may have any name', () => {
    const cwd = folder({});
    workFolder.put(path.join(cwd, '.gitignore'), '*.db\n');
    expect(readFileSync(path.join(cwd, '.gitignore'), 'utf8')).toBe('*.db\n');
  });

  test('is removed by the next write after an hour, but not earlier', () => {
    const cwd = folder({ 'a.yaml': 'a: 1\n' });
    for (const [name, hours] of [
      ['.octavo-draft-00000000', 2],
      ['.octavo-draft-11111111', 0],
    ] as const) {
      mkdirSync(path.join(cwd, name));
      const time = Date.now() / 1000 - hours * 3600;
      utimesSync(path.join(cwd, name), time, time);
    }
    const file = open(cwd, 'a.yaml');
    if ('code' in file) throw new Error(file.message);
    workFolder.write([{ ...file, text: 'a: 2\n' }], 'fmt');
    expect(readdirSync(cwd).sort()).toEqual(['.octavo-draft-11111111', 'a.yaml']);
  });
});

describe('a link', () => {
  function linked(inRepository: boolean) {
    const outer = folder({ 'shared.yaml': untidy, 'inner/b.yaml': untidy });
    const cwd = path.join(outer, 'inner');
    if (inRepository) git(outer, 'init', '--quiet');
    symlinkSync('../shared.yaml', path.join(cwd, 'a.yaml'));
    return { outer, cwd };
  }

  test.each(['fmt', 'drift --pin', 'drift --accept', 'export'])(
    'out of the repository is not followed by %s',
    (command) => {
      expect(open(linked(false).cwd, 'a.yaml', command)).toMatchObject({ code: 'link-outside' });
    },
  );

  test('within the repository is followed', () => {
    expect(open(linked(true).cwd, 'a.yaml')).toHaveProperty('real');
  });

  test('does not prevent fmt from formatting other files', async () => {
    const { outer, cwd } = linked(false);
    const { code, stdout, stderr } = await octavo(['fmt'], { cwd });
    expect({ code, stdout }).toEqual({ code: 1, stdout: 'b.yaml\n' });
    expect(stderr).toContain('error[link-outside]: a.yaml is a link to a place outside of the repository');
    expect(readFileSync(path.join(outer, 'shared.yaml'), 'utf8')).toBe(untidy);
    expect(readFileSync(path.join(cwd, 'b.yaml'), 'utf8')).not.toBe(untidy);
  });

  test('below the folder of an export is not followed', async () => {
    const outer = folder({ 'there/x': '' });
    const cwd = folder({ 'out/x': '' });
    symlinkSync(path.join(outer, 'there'), path.join(cwd, 'out/sites'));
    const args = [
      'export',
      '--split',
      '--out',
      'out',
      '--base-url',
      'local',
      '--seed',
      'sample',
      '--organization',
      'acme',
    ];
    const { code, stderr } = await octavo(args, { cwd });
    expect(code).toBe(1);
    expect(stderr).toContain('is behind a link to a place outside of out');
    expect(readdirSync(path.join(outer, 'there'))).toEqual(['x']);
    expect(readdirSync(path.join(cwd, 'out')).sort()).toEqual(['sites', 'x']);
  });
});

test.each([
  ['fmt', 'octavo fmt --diff shows what'],
  ['drift --accept', 'octavo drift --accept --dry-run shows what'],
  ['export', 'make it writable\n'],
])('suggests a fix that %s supports for a read-only file', (command, help) => {
  const cwd = folder({ 'a.yaml': 'a: 1\n' });
  chmodSync(path.join(cwd, 'a.yaml'), 0o444);
  const refused = open(cwd, 'a.yaml', command);
  expect('suggestion' in refused && refused.suggestion).toContain(help);
});

test('suggests to free space on a full disk, not to change permissions', () => {
  expect(writeAdvice(Object.assign(new Error(), { code: 'ENOSPC' }))).toBe('free some space');
  expect(writeAdvice(Object.assign(new Error(), { code: 'EACCES' }))).toContain('permissions');
});

test('makes a saved plan private to its owner', async () => {
  const cwd = folder({
    'a.yaml': 'octavo: 1\norganization: org_acme\nteams: { x: { title: Xx, was: [] } }\n',
  });
  const args = ['plan', '--out', 'plan.json', '--base-url', 'local', '--seed', 'sample'];
  expect(await octavo(args, { cwd })).toMatchObject({ code: 0 });
  expect(statSync(path.join(cwd, 'plan.json')).mode & 0o777).toBe(0o600);
});
