/** Manifests of a commit, from real repositories and from a scripted git that counts and fails. */
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { Git } from '../../src/manifest/files/git.ts';
import { gitFiles } from '../../src/manifest/files/git-files.ts';
import { GitRepository } from '../../src/manifest/files/git-repository.ts';
import { git, initRepository } from '../cli/git.ts';

/** A repository of these files, in one commit. */
function repository(files: Readonly<Record<string, string | Uint8Array>>): string {
  const root = mkdtempSync(path.join(tmpdir(), 'octavo-git-files-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    writeFileSync(path.join(root, name), content);
  }
  initRepository(root);
  git(root, 'add', '.');
  git(root, 'commit', '--quiet', '-m', 'all');
  return root;
}

/** A scripted git. `started`: the arguments of each start so far. */
function scripted(script: string, longest?: number) {
  const folder = mkdtempSync(path.join(tmpdir(), 'octavo-scripted-git-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const log = path.join(folder, 'log');
  writeFileSync(log, '');
  writeFileSync(path.join(folder, 'git'), `#!/bin/sh\necho "$*" >> '${log}'\n${script}\n`);
  chmodSync(path.join(folder, 'git'), 0o755);
  const env = { ...process.env, PATH: `${folder}:${process.env.PATH}` };
  const started = () =>
    readFileSync(log, 'utf8')
      .split('\n')
      .filter((line) => line !== '');
  return { git: new Git(env, longest), started };
}

/** The files of HEAD. */
function filesOf(given: Git, root: string) {
  return gitFiles(new GitRepository(given, root), { treeish: 'HEAD', paths: [root] });
}

/** The git command that a process ran. */
const commandOf = (line: string) =>
  /(?:-C \S+|-c \S+) (?!-)(\S+)/.exec(line.replace(/ --literal-pathspecs/, ''))?.[1];

const real = `PATH="\${PATH#*:}" exec git "$@"`;

test('reads a thousand files with one process, byte for byte', async () => {
  const names = Array.from({ length: 1000 }, (_none, at) => `sites/${at % 10}/${at}.yaml`);
  const contents = names.map((name, at) =>
    at % 7 === 0 ? '' : `${name}\nblob 12\n${'x'.repeat((at % 90) * 1000)}`,
  );
  const root = repository({
    ...Object.fromEntries(names.map((name, at) => [name, contents[at] ?? ''])),
    'logo.png': Uint8Array.of(0, 10, 255, 10, 0),
  });
  const { git: counted, started } = scripted(real);
  const files = await filesOf(counted, root);
  const read = await Promise.all(names.map((name) => files.read(path.join(root, name))));
  expect(read.map((bytes) => Buffer.from(bytes).toString())).toEqual(contents);
  expect([...(await files.read(path.join(root, 'logo.png')))]).toEqual([0, 10, 255, 10, 0]);
  expect(started().map(commandOf)).toEqual(['cat-file']);
});

test('distinguishes folders, files and other objects', async () => {
  const root = repository({ 'docs/sites/a.yaml': 'a', 'other/b.yaml': 'b' });
  const head = { treeish: 'HEAD', paths: [path.join(root, 'docs'), path.join(root, 'docs/sites/a.yaml')] };
  const files = await gitFiles(new GitRepository(new Git(process.env), root), head);
  expect([...files.blobs.keys()]).toEqual(['docs/sites/a.yaml']);
  expect(await files.list(path.join(root, 'docs'))).toEqual([{ name: 'sites', type: 'folder' }]);
  expect(await files.type(path.join(root, 'docs/sites/a.yaml'))).toBe('file');
  expect(await files.type(path.join(root, 'other/b.yaml'))).toBe('file');
  expect(await files.type(path.join(root, 'other/c.yaml'))).toBe('missing');
  expect(await files.type(path.join(root, 'docs/sites/a.yaml/b'))).toBe('missing');
});

test('reads names with line breaks, quotes and any script', async () => {
  const names = ['a\nb.yaml', 'ü "x".yaml', 'deep/\u65e5\u672c/:(glob)*.yaml'];
  const root = repository(Object.fromEntries(names.map((name) => [name, name])));
  const files = await filesOf(new Git(process.env), root);
  expect([...files.blobs.keys()].sort()).toEqual([...names].sort());
  for (const name of names)
    expect(Buffer.from(await files.read(path.join(root, name))).toString()).toBe(name);
});

test('distinguishes links and submodules from files, also above a name', async () => {
  const root = repository({ 'real/a.yaml': 'a' });
  symlinkSync('real', path.join(root, 'link'));
  git(root, 'update-index', '--add', '--cacheinfo', `160000,${git(root, 'rev-parse', 'HEAD').trim()},module`);
  git(root, 'add', 'link');
  git(root, 'commit', '--quiet', '-m', 'more');
  const files = await gitFiles(new GitRepository(new Git(process.env), root), {
    treeish: 'HEAD',
    paths: [path.join(root, 'link/a.yaml'), path.join(root, 'module/a.yaml')],
  });
  expect(await files.type(path.join(root, 'link/a.yaml'))).toBe('missing');
  expect(await files.isLink?.(path.join(root, 'link'))).toBe(true);
  expect([...files.submodules.keys()]).toEqual(['module']);
});

test('reads a repository with SHA-256 ids', async () => {
  const root = mkdtempSync(path.join(tmpdir(), 'octavo-git-files-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  git(root, 'init', '--quiet', '--object-format=sha256');
  mkdirSync(path.join(root, 'docs'));
  writeFileSync(path.join(root, 'docs/a.yaml'), 'a');
  git(root, 'add', '.');
  git(root, '-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '--quiet', '-m', 'all');
  const files = await filesOf(new Git(process.env), root);
  expect([...files.blobs.values()]).toEqual([git(root, 'rev-parse', 'HEAD:docs/a.yaml').trim()]);
  expect(Buffer.from(await files.read(path.join(root, 'docs/a.yaml'))).toString()).toBe('a');
});

test('reports an unknown commit', async () => {
  const root = repository({ 'a.yaml': 'a' });
  const given = new GitRepository(new Git(process.env), root);
  const nowhere = { treeish: '1'.repeat(40), paths: [root] };
  await expect(gitFiles(given, nowhere)).rejects.toThrow(`git has no tree ${'1'.repeat(40)}^{tree}`);
});

test('reports a file that the commit lacks', async () => {
  const root = repository({ 'a.yaml': 'a' });
  const files = await filesOf(new Git(process.env), root);
  await expect(files.read(path.join(root, 'b.yaml'))).rejects.toThrow('it does not exist');
  expect(Buffer.from(await files.read(path.join(root, 'a.yaml'))).toString()).toBe('a');
});

test('fails only for the missing object', async () => {
  const root = repository({ 'a.yaml': 'a', 'b.yaml': 'b' });
  const oid = git(root, 'rev-parse', 'HEAD:a.yaml').trim();
  rmSync(path.join(root, '.git/objects', oid.slice(0, 2), oid.slice(2)));
  const files = await filesOf(new Git(process.env), root);
  await expect(files.read(path.join(root, 'a.yaml'))).rejects.toThrow(`git has no blob ${oid}`);
  expect(Buffer.from(await files.read(path.join(root, 'b.yaml'))).toString()).toBe('b');
});

/** Answers the request for the tree of HEAD and reads the next request. */
const id = '\\022\\064\\126\\170\\220'.repeat(4);
const listing = `read oid; case "$oid" in *tree*) printf '${'1'.repeat(40)} tree 34\\n100644 a.yaml\\000${id}\\n'; read oid;; esac`;

test.each([
  ['that fails', `${listing}; echo 'fatal: bad object store' >&2; exit 128`, 'bad object store'],
  ['that ends without a word', `${listing}; exit 0`, 'git ended too early'],
  [
    'that has no such object',
    `${listing}; echo "$oid missing"; read more`,
    'git has no blob 1234567890123456789012345678901234567890',
  ],
  ['that sends half of it', `${listing}; printf "$oid blob 9\\nhalf"; exit 0`, 'git ended too early'],
])('reports a git %s', async (_name, script, message) => {
  const files = await filesOf(scripted(script).git, '/');
  await expect(files.read('/a.yaml')).rejects.toThrow(message);
});

test('ends a git that does not respond', async () => {
  const files = await filesOf(scripted(`${listing}; exec sleep 60`, 300).git, '/');
  await expect(files.read('/a.yaml')).rejects.toThrow('git cat-file took longer than 0.3 seconds');
});

test('restarts a git that has ended for the next read', async () => {
  const oid = '1234567890123456789012345678901234567890';
  const once = `test -e "$0.once" || { : >"$0.once"; exit 1; }`;
  const { git: given } = scripted(`read oid; ${once}; echo "$oid blob 1"; echo a`);
  await expect(given.objects('/').find(oid, 9)).rejects.toThrow('git ended too early');
  expect(await given.objects('/').find(oid, 9)).toMatchObject({ oid, type: 'blob', size: 1 });
});
