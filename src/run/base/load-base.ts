/** Loads the base: the manifests as a git ref, a folder or the last apply had them, one tree per organization. */
import path from 'node:path';
import { disk } from '../../manifest/disk.ts';
import { GitError, type Repository } from '../../manifest/git.ts';
import { gitFiles, manifestPatterns } from '../../manifest/git-files.ts';
import { loadWorkspace, type Workspace } from '../../manifest/load-workspace.ts';
import type { DesiredTree } from '../../tree/desired-tree.ts';
import { defined } from '../../util/defined.ts';
import { type Diagnostic, hasErrors } from '../../util/diagnostic.ts';
import { append } from '../../util/lists.ts';
import { unreachable } from '../../util/unreachable.ts';
import { userError } from '../../util/user-error.ts';
import { findRecord } from '../record/find-record.ts';
import type { ManifestSource } from '../workspace.ts';
import { type Ahead, aheadOf, type BaseAndHead, baseAhead } from './ahead.ts';
import { mergedFiles } from './merge.ts';
import { refuseMoved } from './moved.ts';
import { inCommit, loadFrom, undeclared } from './read-base.ts';
import { manifestPaths, repositoryFor } from './repository.ts';
import { differencesFrom, requireSameView } from './work-tree.ts';

/** The base of each organization, by its label. An organization that has none is planned without. */
export type Bases = ReadonlyMap<string, DesiredTree>;

/**
 * What to do with a base that has commits that HEAD lacks, other than refuse it: plan what a `merge` gives, plan from the
 * `merge-base`, or `allow` it.
 */
export type Behind = 'merge' | 'merge-base' | 'allow';

/** Which base to load. */
export interface BaseChoice {
  /** A folder, `applied`, a git ref, or `ref:path` for manifests that were elsewhere. */
  readonly name: string;
  readonly behind?: Behind | undefined;
  /** True where no remote may be asked for records. */
  readonly offline?: boolean | undefined;
}

/** A base, with what was noticed while it was loaded. */
export interface LoadedBase {
  readonly bases: Bases;
  /** What the base is, for reports. */
  readonly about: BaseAbout;
  readonly notes: readonly Diagnostic[];
  /** The manifests that a merge gives; absent where those of the work tree are planned. */
  readonly merged?: Workspace;
}

/** What a plan was compared with. */
export interface BaseAbout {
  readonly name: string;
  /** Absent for folders, and where organizations have different ones. */
  readonly commit?: string;
  /** How a base was dealt with that is ahead of HEAD. */
  readonly behind?: Behind;
}

/** Loads the base of that name. Throws a DiagnosticError where there is none, and where it is ahead of the manifests. */
export async function loadBase(
  source: ManifestSource,
  choice: BaseChoice,
  own: Workspace,
): Promise<LoadedBase> {
  try {
    return await new BaseLoader(source, choice, own).load();
  } catch (error) {
    if (error instanceof GitError)
      throw userError('base', `cannot read the base ${choice.name}: ${error.message}`);
    throw error;
  }
}

/** A commit to read the base from, as it was found. */
interface BaseCommit {
  readonly name: string;
  readonly commit: string;
  /** Where the manifests are in it, relative to the root of the repository; today's paths by default. */
  readonly at?: string | undefined;
}

class BaseLoader {
  readonly #source: ManifestSource;
  readonly #choice: BaseChoice;
  readonly #own: Workspace;
  readonly #notes: Diagnostic[] = [];
  readonly #loaded = new Map<string, Promise<Bases>>();
  #merged: Workspace | undefined;
  #sameView: Promise<void> | undefined;
  #behind: Behind | undefined;

  /** `own`: the manifests of the work tree. */
  constructor(source: ManifestSource, choice: BaseChoice, own: Workspace) {
    this.#source = source;
    this.#choice = choice;
    this.#own = own;
  }

  async load(): Promise<LoadedBase> {
    const { name } = this.#choice;
    if (name === 'applied') return this.#loadApplied();
    const folder = path.resolve(this.#source.cwd, name);
    if ((await disk.type(folder)) === 'folder') return this.#loadFolder(folder);
    const repository = await repositoryFor(this.#source);
    const base = await this.#named(repository);
    const found = await this.#loadCommit(repository, base);
    return this.#result(found, base.commit);
  }

  #result(bases: Bases, commit?: string): LoadedBase {
    const about = { name: this.#choice.name, ...defined({ commit, behind: this.#behind }) };
    // A merge may declare organizations that the work tree does not know.
    const { trees } = this.#merged ?? this.#own;
    const complete = new Map(trees.map((tree) => [tree.label, bases.get(tree.label) ?? undeclared(tree)]));
    return {
      bases: this.#choice.name === 'applied' ? bases : complete,
      about,
      notes: this.#notes,
      ...defined({ merged: this.#merged }),
    };
  }

  async #loadFolder(folder: string): Promise<LoadedBase> {
    const { behind, name } = this.#choice;
    if (behind !== undefined) {
      throw userError('base', `a folder has no history: ${name}`, 'name a git ref with --base');
    }
    const source = { ...this.#source, cwd: folder };
    const { found, missing } = await loadFrom(source, path.basename(folder), disk);
    if (found.size > 0) {
      this.#noteMissing(name, missing);
      return this.#result(found);
    }
    const files = this.#source.files.map((file) => path.join(name, file)).join(', ');
    throw userError(
      'base',
      `the base ${name} has no manifests in ${files}`,
      'name the folder that -f replaces',
    );
  }

  async #loadApplied(): Promise<LoadedBase> {
    const repository = await repositoryFor(this.#source);
    const bases = new Map<string, DesiredTree>();
    const commits = new Set<string>();
    for (const tree of this.#own.trees) {
      const { offline } = this.#choice;
      const { record, notes } = await findRecord(repository, tree, { offline: offline === true });
      append(this.#notes, notes);
      if (record === undefined) continue;
      const base = { name: `applied (${record.commit.slice(0, 12)})`, commit: record.commit };
      const found = await this.#loadCommit(repository, base);
      commits.add(base.commit);
      bases.set(tree.label, found.get(tree.label) ?? undeclared(tree));
    }
    if (this.#merged !== undefined && commits.size > 1) {
      throw userError(
        'base',
        'the organizations were applied from different commits, which cannot be merged at once',
        'name one of them with --base',
      );
    }
    const [commit] = commits;
    return this.#result(bases, commits.size === 1 ? commit : undefined);
  }

  /** The commit of a ref, or of `ref:path`. */
  async #named({ git, root }: Repository): Promise<BaseCommit> {
    const { name } = this.#choice;
    const colon = name.indexOf(':');
    const ref = colon < 0 ? name : name.slice(0, colon);
    const commit = await git.commitOf(root, ref);
    if (commit === undefined) {
      const hasCommits = (await git.commitOf(root, 'HEAD')) !== undefined;
      throw userError(
        'base',
        hasCommits ? `no git ref and no folder is named ${ref}` : 'the repository has no commits yet',
        hasCommits
          ? 'name a branch, a tag or a commit; in CI, fetch it first (a shallow clone holds only one commit)'
          : 'commit the manifests first, or plan without --base',
      );
    }
    if (colon < 0) return { name, commit };
    const given = name.slice(colon + 1);
    const at = /^\.\.?(\/|$)/.test(given)
      ? path.relative(root, path.resolve(this.#source.cwd, given))
      : given.replace(/\/+$/, '');
    return { name: ref, commit, at: at === '' ? '.' : at };
  }

  /** The base as that commit has it, once it is certain that HEAD lacks nothing of it. */
  async #loadCommit(repository: Repository, base: BaseCommit): Promise<Bases> {
    this.#sameView ??= requireSameView(repository, this.#source, this.#own.read ?? new Map());
    await this.#sameView;
    const commit = await this.#settle(repository, base);
    const key = `${commit} ${base.at ?? ''}`;
    const known = this.#loaded.get(key);
    if (known !== undefined) return known;
    const loading = this.#read(repository, { ...base, commit });
    this.#loaded.set(key, loading);
    return loading;
  }

  /** The commit to plan against. Throws a DiagnosticError (`base-ahead`) where nothing says how to go on. */
  async #settle(repository: Repository, { name, commit: base, at }: BaseCommit): Promise<string> {
    const { git, root } = repository;
    const { behind } = this.#choice;
    const head = (await git.commitOf(root, 'HEAD')) ?? base;
    const commits: BaseAndHead = { name, base, head };
    const paths = [...manifestPaths(this.#source), ...(at === undefined ? [] : [path.resolve(root, at)])];
    const read = [...(this.#own.read?.keys() ?? [])].map((file) => `:(literal)${file}`);
    if (behind === 'merge-base') this.#behind = behind;
    const ahead = await aheadOf(repository, commits, [...manifestPatterns(paths), ...read]);
    if (ahead === undefined) return base;
    this.#behind = behind;
    switch (behind) {
      case undefined:
        throw baseAhead(name, ahead);
      case 'allow':
        return base;
      case 'merge-base':
        return commonAncestor(name, ahead);
      case 'merge':
        await this.#merge(repository, commits);
        return base;
      default:
        return unreachable(behind);
    }
  }

  async #merge(repository: Repository, commits: BaseAndHead): Promise<void> {
    const { source: own, read } = { source: this.#source, read: this.#own.read ?? new Map() };
    const [uncommitted] = await differencesFrom(repository, commits.head, { source: own, read });
    if (uncommitted !== undefined) {
      throw userError(
        'base',
        `cannot merge what is not committed: ${uncommitted.file} ${uncommitted.how}`,
        'commit the manifests first',
      );
    }
    const files = await mergedFiles(repository, commits, manifestPaths(own));
    const { files: paths, ...source } = own;
    const merged = await loadWorkspace({ paths, ...source, files }).finally(() => files.close());
    if (hasErrors(merged.diagnostics)) {
      throw inCommit(merged, {
        where: `the merge with ${commits.name}`,
        wayOut: `merge ${commits.name}, mend it, and plan again`,
      });
    }
    this.#merged = merged;
  }

  async #read(repository: Repository, { name, commit, at }: BaseCommit): Promise<Bases> {
    const { root } = repository;
    const source = at === undefined ? this.#source : { ...this.#source, files: [path.resolve(root, at)] };
    const files = await gitFiles(repository, { treeish: commit, paths: manifestPaths(source) });
    const { found, missing } = await loadFrom(source, name, files).finally(() => files.close());
    if (found.size > 0) {
      this.#noteMissing(name, missing);
      return found;
    }
    if (at !== undefined) throw userError('base', `${name} has no manifests in ${at}`);
    const paths = manifestPaths({ ...this.#source, overlays: [] });
    await refuseMoved(repository, { name, commit, paths });
    const here = paths.map((file) => path.relative(root, file) || '.').join(', ');
    this.#noteMissing(name, [here]);
    return found;
  }

  /** Says which files and folders count as new, since renames in them show as deletes and creates. */
  #noteMissing(name: string, places: readonly string[]): void {
    if (places.length === 0) return;
    this.#notes.push({
      severity: 'warning',
      code: 'base',
      message: `${name} has no manifests in ${places.join(', ')}: everything there counts as added since`,
    });
  }
}

function commonAncestor(name: string, { mergeBase }: Ahead): string {
  if (mergeBase !== undefined) return mergeBase;
  throw userError('base', `HEAD and ${name} have no common ancestor`, 'name another ref with --base');
}
