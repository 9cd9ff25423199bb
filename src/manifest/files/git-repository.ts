/** The repository of a work tree, by git itself. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Git } from './git.ts';
import {
  type Commit,
  type CommitRange,
  GitError,
  type GitObject,
  type NewCommit,
  type OpenRepository,
  type RefChange,
  type RefFailure,
  type Refs,
  type RemoteName,
  type Repository,
  type TrackedFile,
  type TreeContent,
} from './repository.ts';

/** Hooks, tags and submodules are only for branches. */
const fetching = ['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', '--no-recurse-submodules'];

export class GitRepository implements Repository {
  readonly root: string;
  readonly settings: ReadonlyMap<string, string>;
  readonly sleep = wait;
  readonly #git: Git;

  constructor(git: Git, root: string, settings: ReadonlyMap<string, string> = new Map()) {
    this.#git = git;
    this.root = root;
    this.settings = settings;
  }

  find(name: string, mostBytes: number): Promise<GitObject | undefined> {
    return this.#git.objects(this.root).find(name, mostBytes);
  }

  /** In a partial clone, each read would fetch one object, and git requests all objects of a diff together. */
  async prefetch(treeish: string, paths: readonly string[]): Promise<void> {
    if (!this.settings.has('extensions.partialclone')) return;
    const nothing = await this.writeTree({ texts: {} });
    const command = ['diff-tree', '-r', '--shortstat', '--no-renames', '--no-ext-diff', '--no-textconv'];
    await this.#run([...command, nothing, treeish, '--', ...manifestPatterns(paths)]);
  }

  async mergeBase(commits: readonly string[]): Promise<string | undefined> {
    const { stdout } = await this.#git.attempt(this.root, ['merge-base', '--octopus', ...commits]);
    return String(stdout).trim() || undefined;
  }

  independent(commits: readonly string[]): Promise<readonly string[]> {
    return this.#parts(['merge-base', '--independent', ...commits], '\n');
  }

  async commits({ of, not, isFirstParent, skip, most, touching }: CommitRange): Promise<readonly Commit[]> {
    const patterns = touching && [
      ...manifestPatterns(touching.manifests),
      ...touching.files.map((file) => `:(literal)${file}`),
    ];
    const lines = await this.#parts(
      [
        'log',
        '--format=%H%x09%h%x09%T%x09%P%x09%ae%x09%ce%x09%s',
        ...(isFirstParent === true ? ['--first-parent'] : []),
        ...(skip === undefined ? [] : [`--skip=${skip}`]),
        ...(most === undefined ? [] : [`--max-count=${most}`]),
        of,
        ...(not === undefined ? [] : [`^${not}`]),
        '--',
        ...(patterns ?? []),
      ],
      '\n',
    );
    return lines.map((line) => {
      const [oid = '', short = '', tree = '', parents = '', author = '', committer = '', ...subject] =
        line.split('\t');
      const known = parents.split(' ').filter((parent) => parent !== '');
      return { oid, short, tree, parents: known, emails: [author, committer], subject: subject.join('\t') };
    });
  }

  async merge(ours: string, theirs: string) {
    const command = ['merge-tree', '--write-tree', '--name-only', '--no-messages', '-z', ours, theirs];
    // Attributes in the checkout could select merge drivers, which are programs, so the merge runs without a work tree and index.
    const empty = await mkdtemp(path.join(tmpdir(), 'octavo-merge-'));
    const [folder = ''] = await this.#parts(['rev-parse', '--absolute-git-dir'], '\n');
    const nothing = { GIT_DIR: folder, GIT_WORK_TREE: empty, GIT_INDEX_FILE: path.join(empty, 'index') };
    const { exitCode, stdout, problem } = await this.#git
      .attempt(empty, command, nothing)
      .finally(() => rm(empty, { recursive: true }));
    const [tree = '', ...conflicts] = partsOf(stdout, '\0');
    if (exitCode === 0) return { tree };
    if (exitCode === 1 && conflicts.length > 0) return { conflicts: [...new Set(conflicts)] };
    throw new GitError(/usage|unknown option/i.test(problem) ? 'git 2.38 or later is needed' : problem);
  }

  async tracked(paths: readonly string[], folders: readonly string[] = []): Promise<readonly TrackedFile[]> {
    const patterns = [
      ...paths.map((file) => `:(literal)${file}`),
      ...folders.map((name) => `:(glob)**/${name}/**`),
    ];
    const entries = await this.#parts(['ls-files', '--stage', '-v', '-z', '--', ...patterns], '\0');
    return entries.map((entry) => {
      const [, tag = '', mode = '', file = ''] = /^(\S) (\d+) \S+ \d\t(.*)$/s.exec(entry) ?? [];
      return { tag, mode, file };
    });
  }

  async renamedSince(commit: string): Promise<readonly (readonly [string, string])[]> {
    const comparing = ['diff-index', '--cached', '--no-ext-diff', '--no-textconv'];
    const listing = ['--find-renames', '--diff-filter=R', '--name-status', '-z'];
    const parts = await this.#parts([...comparing, ...listing, commit], '\0');
    return parts.flatMap((before, at) => (at % 3 === 1 ? [[before, parts[at + 1] ?? ''] as const] : []));
  }

  async search(commit: string, pattern: string): Promise<readonly string[]> {
    const command = ['grep', '-l', '-z', '-E', pattern, commit, '--', '*.yaml', '*.yml'];
    const { stdout } = await this.#git.attempt(this.root, command);
    return partsOf(stdout, '\0').map((name) => name.slice(name.indexOf(':') + 1));
  }

  async branch(): Promise<string | undefined> {
    const { stdout } = await this.#git.attempt(this.root, ['symbolic-ref', '--quiet', '--short', 'HEAD']);
    return String(stdout).trim() || undefined;
  }

  async isShallow(): Promise<boolean> {
    const [is] = await this.#parts(['rev-parse', '--is-shallow-repository'], '\n');
    return is === 'true';
  }

  async refs(remote: RemoteName, names: readonly string[]): Promise<Refs> {
    const command =
      remote === undefined
        ? ['for-each-ref', '--format=%(objectname)%09%(refname)', ...names]
        : ['ls-remote', '--quiet', '--', remote, ...names.map((name) => name.replace(/\/$/, '/*'))];
    const lines = await this.#parts(command, '\n');
    return new Map(lines.map((line) => line.split('\t')).map(([oid = '', ref = '']) => [ref, oid]));
  }

  async fetch(remote: string, refs: readonly string[]): Promise<void> {
    if (refs.length === 0) return;
    const lines = refs.map((ref) => `${ref}\n`).join('');
    await this.#git.withInput(this.root, [...fetching, '--stdin', '--', remote], lines);
  }

  /** Here in one transaction, which can fail because another process has the file of a ref open. */
  async changeRefs(remote: RemoteName, change: RefChange): Promise<RefFailure | undefined> {
    if (remote !== undefined) return this.#push(remote, change);
    const { from, to } = change;
    const lines = [...from].map(([ref, oid]) =>
      to === undefined
        ? `delete ${ref} ${oid}`
        : oid === undefined
          ? `create ${ref} ${to}`
          : `update ${ref} ${to} ${oid}`,
    );
    try {
      await this.#updateRefs(lines);
      return undefined;
    } catch (error) {
      if (!(error instanceof GitError)) throw error;
      return { type: 'other', problem: error.message };
    }
  }

  async setRef(ref: string, oid: string | undefined): Promise<void> {
    await this.#run(['update-ref', ...(oid === undefined ? ['-d', ref] : [ref, oid])]);
  }

  async writeTree(content: TreeContent): Promise<string> {
    if ('of' in content) return this.#treeWith(content.of, content.files);
    const entries: string[] = [];
    for (const [name, text] of Object.entries(content.texts)) {
      const oid = await this.#git.withInput(this.root, ['hash-object', '-w', '--stdin'], text);
      entries.push(`100644 blob ${oid}\t${name}\n`);
    }
    return this.#git.withInput(this.root, ['mktree'], entries.join(''));
  }

  async #treeWith(commit: string, files: readonly string[]): Promise<string> {
    const folder = await mkdtemp(path.join(tmpdir(), 'octavo-index-'));
    const index = { GIT_INDEX_FILE: path.join(folder, 'index') };
    try {
      await this.#run(['read-tree', commit], index);
      await this.#run(['--literal-pathspecs', 'add', '--', ...files], index);
      return await this.#run(['write-tree'], index);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  writeCommit({ tree, parents = [], message, author, time }: NewCommit): Promise<string> {
    const known: Record<string, string> = {};
    for (const role of ['AUTHOR', 'COMMITTER']) {
      if (author !== undefined) known[`GIT_${role}_NAME`] = author.name;
      if (author !== undefined) known[`GIT_${role}_EMAIL`] = author.email;
      if (time !== undefined) known[`GIT_${role}_DATE`] = time;
    }
    const command = ['commit-tree', tree, ...parents.flatMap((oid) => ['-p', oid]), '-m', message];
    return this.#run(command, known);
  }

  async #push(remote: string, { from, to }: RefChange): Promise<RefFailure | undefined> {
    // Repository hooks are meant for branches.
    const push = [
      'push',
      '--porcelain',
      '--no-verify',
      '--no-follow-tags',
      ...(to === undefined ? ['--prune'] : []),
      ...(from.size > 1 ? ['--atomic'] : []),
    ];
    const leases = [...from].map(([ref, oid]) => `--force-with-lease=${ref}:${oid ?? ''}`);
    const names = [...from.keys()];
    const outgoing = names.map((_, at) => `refs/octavo/outgoing/${to ?? 'none'}/${at}/ref`);
    const specs = names.map((ref, at) => `${patternOf(outgoing[at] ?? '')}:${patternOf(ref)}`);
    if (to !== undefined) await this.#updateRefs(outgoing.map((ref) => `update ${ref} ${to}`));
    try {
      const command = [...push, ...leases, '--', remote, ...specs];
      const { exitCode, stdout, problem } = await this.#git.attempt(this.root, command);
      if (exitCode === 0) return undefined;
      const said = String(stdout);
      // The ref had another commit when git pushed.
      if (/\[rejected\] \(stale info\)/.test(said)) return { type: 'stale', problem };
      const refusal = refusalIn(said);
      // Retry concurrent pushes, but not a refusal by the remote.
      const isFinal = refusal !== undefined && !/lock|update ref|reference|atomic/i.test(refusal);
      return { type: isFinal ? 'final' : 'other', problem: refusal ?? problem };
    } finally {
      if (to !== undefined) await this.#updateRefs(outgoing.map((ref) => `delete ${ref}`));
    }
  }

  async #updateRefs(lines: readonly string[]): Promise<void> {
    const input = lines.map((line) => `${line}\n`).join('');
    await this.#git.withInput(this.root, ['update-ref', '--stdin'], input);
  }

  async #run(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<string> {
    return String(await this.#git.run(this.root, args, env)).trim();
  }

  async #parts(args: readonly string[], end: '\n' | '\0'): Promise<readonly string[]> {
    return partsOf(await this.#git.run(this.root, args), end);
  }
}

export function openRepositoryWith(env: Readonly<Record<string, string | undefined>>): OpenRepository {
  return async (folder, longest) => {
    const git = new Git(env, longest);
    const found = await git.repositoryOf(folder);
    return found && new GitRepository(git, found.root, found.settings);
  };
}

function partsOf(output: Buffer, end: '\n' | '\0'): readonly string[] {
  return String(output)
    .split(end)
    .filter((part) => part !== '');
}

function manifestPatterns(paths: readonly string[]): readonly string[] {
  return paths.flatMap((file) =>
    /\.ya?ml$/i.test(file)
      ? [`:(literal)${file}`]
      : ['yaml', 'yml'].map((ending) => `:(glob,icase)${file.replace(/[[\]*?\\]/g, '\\$&')}/**/*.${ending}`),
  );
}

/**
 * A pattern that finds one ref. Git maps patterns by whole names, whereas a single name is also looked for among branches:
 *
 *   refs/octavo/applied/org_acme   may be the branch refs/heads/refs/octavo/applied/org_acme
 *   refs/octavo/applied/org_acm*e  is the ref
 */
function patternOf(ref: string): string {
  return `${ref.slice(0, -1)}*${ref.slice(-1)}`;
}

/** The remote's refusal in its own words, or undefined. */
function refusalIn(porcelain: string): string | undefined {
  return /^!\t\S+\t\[remote rejected\] \((.*)\)$/m.exec(porcelain)?.[1];
}
