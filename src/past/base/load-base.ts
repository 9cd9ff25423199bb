/** Loads the base: the manifests of a git ref, a folder or the last apply, one tree per organization. */

import path from 'node:path';
import { among } from '../../manifest/build/outline.ts';
import { disk, type ManifestFiles } from '../../manifest/files/disk.ts';
import { gitFiles } from '../../manifest/files/git-files.ts';
import { commitOf, GitError, headOf, isAncestor, type Repository } from '../../manifest/files/repository.ts';
import { loadWorkspace, type Workspace } from '../../manifest/load-workspace.ts';
import { rootAddress } from '../../tree/desired.ts';
import type { DesiredTree } from '../../tree/desired-tree.ts';
import { defined } from '../../util/defined.ts';
import { type Diagnostic, DiagnosticError, hasErrors } from '../../util/diagnostic.ts';
import { append } from '../../util/lists.ts';
import { unreachable } from '../../util/unreachable.ts';
import { userError } from '../../util/user-error.ts';
import { appliedRef, type FoundRecord } from '../record/applied-record.ts';
import { type FoundRecords, findRecords, nothingRecorded, remoteUnreachable } from '../record/find-record.ts';
import { type FormerScope, formerScope } from '../record/scope.ts';
import { requireSameService } from '../same-service.ts';
import type { ManifestSource } from '../workspace.ts';
import { aheadOf, type BaseAndHead, baseAhead, mergedFiles } from './ahead.ts';
import { type DeclaredElsewhere, declaredElsewhere, refuseMoved } from './moved.ts';
import { findRepository, manifestPaths, repositoryFor } from './repository.ts';
import { differencesFrom, refuseOtherText, requireSameView } from './work-tree.ts';

/** Keyed by label. An organization without a base is planned without one. */
export type Bases = ReadonlyMap<string, DesiredTree>;

/**
 * How to handle a base with commits that HEAD lacks, instead of refusing it: plan the result of a `merge`, plan this branch's `own`
 * change, or go `back` to HEAD.
 */
export type Behind = 'merge' | 'own' | 'back';

export interface BaseChoice {
  /**
   * A folder, `applied`, `applied,ref` to use a ref if there is no record, `none`, a git ref, or `ref:path` for manifests that had
   * another path (`ref:one,two` for several). Defaults to the last record, if it exists. Of `applied,ref`, the ref is merged.
   */
  readonly name?: string | undefined;
  readonly behind?: Behind | undefined;
  readonly offline?: boolean | undefined;
}

export interface LoadedBase {
  readonly bases: Bases;
  readonly about: BaseAbout;
  readonly notes: readonly Diagnostic[];
  /** Absent if records were not looked up. */
  readonly found?: FoundRecords;
  /** The merged manifests; absent if the work tree is planned. */
  readonly merged?: Workspace;
}

export interface BaseAbout {
  readonly name: string;
  readonly commits?: ReadonlyMap<string, string>;
  /** Commit of a base given by name, even if it has no manifests. */
  readonly commit?: string;
  readonly behind?: Behind;
  readonly elsewhere?: DeclaredElsewhere;
}

const applied = 'applied';
const none = 'none';

export async function loadBase(
  source: ManifestSource,
  choice: BaseChoice,
  own: Workspace,
): Promise<LoadedBase> {
  try {
    const loaded = await new BaseLoader(source, choice, own).load();
    const elsewhere = await declaredElsewhere(source, loaded.merged ?? own, loaded.bases);
    return { ...loaded, about: { ...loaded.about, elsewhere } };
  } catch (error) {
    if (error instanceof GitError)
      throw userError(
        'base',
        `cannot read the base ${choice.name ?? applied}: ${error.message}`,
        'fix that first; --base none plans without git, and then removals are not detected',
      );
    throw error;
  }
}

interface BaseCommit {
  readonly name: string;
  readonly commit: string;
  /** Paths relative to the root of the repository; today's by default. */
  readonly at?: readonly string[] | undefined;
  readonly scope?: FormerScope | undefined;
  /** The day of the recorded manifests, if anything in them ends. */
  readonly day?: string | undefined;
}

class BaseLoader {
  readonly #source: ManifestSource;
  readonly #choice: BaseChoice;
  readonly #own: Workspace;
  readonly #notes: Diagnostic[] = [];
  readonly #loaded = new Map<string, Promise<Bases>>();
  #merged: Workspace | undefined;
  readonly #mergedWith = new Set<string>();
  #sameView: Promise<void> | undefined;
  #behind: Behind | undefined;

  constructor(source: ManifestSource, choice: BaseChoice, own: Workspace) {
    this.#source = source;
    this.#choice = choice;
    this.#own = own;
  }

  async load(): Promise<LoadedBase> {
    const { name } = this.#choice;
    if (name === none) return this.#nothing();
    const [, otherwise] = /^applied,(.+)$/s.exec(name ?? '') ?? [];
    if (name === undefined || name === applied || otherwise !== undefined)
      return this.#loadApplied(otherwise === undefined ? name : undefined, otherwise);
    const folder = path.resolve(this.#source.cwd, name);
    if ((await disk.type(folder)) === 'folder') return this.#loadFolder(folder);
    return this.#loadRef(name);
  }

  async #loadRef(name: string): Promise<LoadedBase> {
    const repository = await repositoryFor(this.#source);
    const base = await this.#named(repository, name);
    const found = await this.#loadCommit(repository, base);
    const commits = new Map([...found.keys()].map((label) => [label, base.commit]));
    return this.#result(found, { name, commits, commit: base.commit });
  }

  #result(bases: Bases, named: BaseAbout): LoadedBase {
    const about = { ...named, ...defined({ behind: this.#behind }) };
    // A merge may declare organizations that the work tree does not have.
    const { trees } = this.#merged ?? this.#own;
    const complete = new Map(trees.map((tree) => [tree.label, bases.get(tree.label) ?? undeclared(tree)]));
    return {
      bases: named.name === applied ? bases : complete,
      about,
      notes: this.#notes,
      ...defined({ merged: this.#merged }),
    };
  }

  async #nothing(): Promise<LoadedBase> {
    if (this.#choice.behind !== undefined)
      throw userError('base', 'there is no base that could be ahead', 'name one with --base');
    try {
      const repository = await findRepository(this.#source);
      if (repository !== undefined)
        await requireSameView(repository, this.#source, { read: this.#read, base: none });
    } catch (error) {
      // Without a base, git is not needed.
      if (!(error instanceof GitError)) throw error;
    }
    return { bases: new Map(), about: { name: none }, notes: this.#notes };
  }

  get #read(): ReadonlyMap<string, string> {
    return this.#own.read ?? new Map();
  }

  async #loadFolder(folder: string): Promise<LoadedBase> {
    const { behind, name = '' } = this.#choice;
    if (behind !== undefined) {
      throw userError('base', `a folder has no history: ${name}`, 'name a git ref with --base');
    }
    const source = { ...this.#source, cwd: folder, now: undefined };
    const { found, missing } = await loadFrom(source, path.basename(folder), disk, this.#own);
    if (found.size > 0) {
      this.#noteMissing(name, missing);
      return this.#result(found, { name });
    }
    const files = this.#source.files.map((file) => path.join(name, file)).join(', ');
    throw userError(
      'base',
      `the base ${name} has no manifests in ${files}`,
      'name the folder that -f replaces',
    );
  }

  /** Organizations without a record are planned without a warning, because none was requested. */
  async #loadApplied(name: string | undefined, otherwise?: string): Promise<LoadedBase> {
    const isDefault = name === undefined;
    const repository = isDefault ? await findRepository(this.#source) : await repositoryFor(this.#source);
    if (repository === undefined) return this.#nothing();
    const { trees } = this.#own;
    const found = await findRecords(repository, trees, { offline: this.#choice.offline === true });
    // The remote might have a newer record.
    if (found.unreachable !== undefined) throw remoteUnreachable(found.remote, found.unreachable);
    append(this.#notes, found.notes);
    const bases = new Map<string, DesiredTree>();
    const commits = new Map<string, string>();
    for (const tree of trees) {
      const record = found.records.get(tree.label);
      if (record === undefined) {
        if (!isDefault) this.#notes.push(nothingRecorded(tree.label, found));
        continue;
      }
      const wayOut = 'check OCTAVO_BASE_URL; if the service has moved, name the commit with --base <ref>';
      const { identity: here } = this.#source;
      requireSameService(`the record of ${tree.label}`, record.content.service, { here, wayOut });
      const former = (await this.#loadRecorded(repository, record, tree.label)).get(tree.label);
      commits.set(tree.label, record.commit);
      bases.set(tree.label, former ?? undeclared(tree));
    }
    if (isDefault && commits.size === 0)
      return { ...(await (otherwise === undefined ? this.#nothing() : this.#loadRef(otherwise))), found };
    if (this.#mergedWith.size > 1) {
      throw userError(
        'base',
        'the organizations were applied from different commits, which cannot be merged at once',
        'name one of them with --base',
      );
    }
    return { ...this.#result(bases, { name: applied, commits }), found };
  }

  async #loadRecorded(repository: Repository, record: FoundRecord, label: string): Promise<Bases> {
    const { commit, content, ids } = record;
    const scope = await formerScope(repository, this.#source, { recorded: content.scope, own: this.#own });
    if (scope !== undefined && scope.missing.length > 0) {
      this.#notes.push({
        severity: 'warning',
        code: 'no-record',
        message: `${commit.slice(0, 12)} was applied with ${scope.missing.join(', ')}, which this run does not read: removals there are not detected`,
        suggestion: 'pass them as well',
      });
    }
    const former = await this.#loadCommit(repository, {
      name: `applied (${commit.slice(0, 12)})`,
      commit,
      scope,
      day: content.day,
    });
    const isWhole = scope?.missing.length === 0 && this.#behind === undefined;
    const strange = [...ids.keys()].filter((address) => former.get(label)?.nodes.has(address) !== true);
    if (isWhole && strange.length > 0) {
      this.#notes.push({
        severity: 'warning',
        code: 'record',
        message: `the record of ${label} has ids of ${strange.slice(0, 5).join(', ')}, which the commit ${commit.slice(0, 12)} does not declare: octavo apply did not write it that way`,
        suggestion: `see who pushed ${appliedRef({ label })}: git log ${record.oid.slice(0, 12)}`,
      });
    }
    return former;
  }

  async #named(repository: Repository, name: string): Promise<BaseCommit> {
    const { root } = repository;
    const colon = name.indexOf(':');
    const ref = colon < 0 ? name : name.slice(0, colon);
    const commit = await commitOf(repository, ref);
    if (commit === undefined) {
      const hasCommits = (await headOf(repository)) !== undefined;
      throw userError(
        'base',
        hasCommits ? `there is no git ref or folder named ${ref}` : 'the repository has no commits yet',
        hasCommits
          ? 'name a branch, a tag or a commit; in CI, fetch it first (a shallow clone holds only one commit)'
          : 'commit the manifests first, or plan without a base: --base none',
      );
    }
    if (colon < 0) return { name, commit };
    const at = name
      .slice(colon + 1)
      .split(',')
      .map((given) =>
        /^\.\.?(\/|$)/.test(given)
          ? path.relative(root, path.resolve(this.#source.cwd, given))
          : given.replace(/\/+$/, ''),
      )
      .map((given) => given || '.');
    return { name: ref, commit, at };
  }

  async #loadCommit(repository: Repository, base: BaseCommit): Promise<Bases> {
    this.#sameView ??= requireSameView(repository, this.#source, { read: this.#read, base: 'some' });
    await this.#sameView;
    const commit = await this.#settle(repository, base);
    const key = JSON.stringify([commit, base.at, base.scope, base.day]);
    const known = this.#loaded.get(key);
    if (known !== undefined) return known;
    const loading = this.#readCommit(repository, { ...base, commit });
    this.#loaded.set(key, loading);
    return loading;
  }

  /** Returns the commit to plan against. Throws a DiagnosticError (`base-ahead`) if `behind` is not set. */
  async #settle(repository: Repository, { name, commit: base, at }: BaseCommit): Promise<string> {
    const { root } = repository;
    const { behind } = this.#choice;
    const head = (await headOf(repository)) ?? base;
    const [, target] = /^applied,([^:]+)$/.exec(this.#choice.name ?? '') ?? [];
    // A branch may have merged changes that are not applied yet: they are neither drift nor missing in the merge.
    const isMerged =
      behind === 'merge' && target !== undefined && (await isAncestor(repository, base, target));
    const commits: BaseAndHead = isMerged ? { name: target, base: target, head } : { name, base, head };
    const paths = [...manifestPaths(this.#source), ...(at ?? []).map((one) => path.resolve(root, one))];
    if (behind === 'own') this.#behind = behind;
    const ahead = await aheadOf(repository, commits, { manifests: paths, files: [...this.#read.keys()] });
    if (ahead === undefined) return base;
    this.#behind = behind;
    switch (behind) {
      case undefined:
        throw baseAhead(name, ahead);
      case 'back':
        return base;
      case 'own':
        if (ahead.mergeBase !== undefined) return ahead.mergeBase;
        throw userError('base', `HEAD and ${name} have no common ancestor`, 'name another ref with --base');
      case 'merge':
        await this.#merge(repository, commits);
        return base;
      default:
        return unreachable(behind);
    }
  }

  async #merge(repository: Repository, commits: BaseAndHead): Promise<void> {
    const { source: own, read } = { source: this.#source, read: this.#read };
    const [uncommitted] = await differencesFrom(repository, commits.head, { source: own, read });
    if (uncommitted !== undefined) {
      throw userError(
        'base',
        `cannot merge uncommitted changes: ${uncommitted.file} ${uncommitted.how}`,
        'commit the manifests first',
      );
    }
    this.#mergedWith.add(commits.base);
    const files = await mergedFiles(repository, commits, manifestPaths(own));
    const { files: paths, ...source } = own;
    const merged = await loadWorkspace({ paths, ...source, files });
    if (hasErrors(merged.diagnostics)) {
      throw inCommit(merged, {
        where: `the merge with ${commits.name}`,
        wayOut: `merge ${commits.name}, fix it, and plan again`,
      });
    }
    this.#merged = merged;
  }

  async #readCommit(repository: Repository, { name, commit, at, scope, day }: BaseCommit): Promise<Bases> {
    const { root } = repository;
    const moved = at?.map((one) => path.resolve(root, one));
    const now = day === undefined ? undefined : Date.parse(day);
    const source = { ...this.#source, ...scope?.source, ...(moved && { files: moved }), now };
    if (source.files.length === 0 && scope !== undefined) return new Map();
    const files = await gitFiles(repository, { treeish: commit, paths: manifestPaths(source) });
    const { found, missing } = await loadFrom(source, name, files, this.#own);
    if (at !== undefined && found.size === 0)
      throw userError('base', `${name} has no manifests in ${at.join(', ')}`);
    // A moved folder would look new, and objects removed from it would not be deleted.
    const today = manifestPaths({ ...source, overlays: [] });
    const paths = found.size === 0 ? today : missing.map((file) => path.resolve(source.cwd, file));
    if (paths.length > 0) await refuseMoved(repository, { name, commit, paths, all: today });
    this.#noteMissing(
      name,
      paths.map((file) => path.relative(root, file) || '.'),
    );
    return found;
  }

  /** Reports the files and folders that count as new: renames in them appear as deletes and creates. */
  #noteMissing(name: string, places: readonly string[]): void {
    if (places.length === 0) return;
    this.#notes.push({
      severity: 'warning',
      code: 'base',
      message: `${name} has no manifests in ${places.join(', ')}: everything there counts as added since`,
    });
  }
}

async function loadFrom(
  source: ManifestSource,
  name: string,
  files: ManifestFiles,
  own: Workspace,
): Promise<{ readonly found: Bases; readonly missing: readonly string[] }> {
  const { cwd, env, registry, parsed, now } = source;
  const given = source.files.length === 0 ? ['.'] : source.files;
  const types = await Promise.all(given.map((one) => files.type(path.resolve(cwd, one))));
  const paths = given.filter((_one, index) => types[index] !== 'missing');
  const missing = given.filter((_one, index) => types[index] === 'missing');
  if (paths.length === 0) return { found: new Map(), missing };
  const { overlays, overlayFiles: formerOverlays } = source;
  const workspace = await loadWorkspace({
    paths,
    overlays,
    env,
    cwd,
    registry,
    files,
    purpose: 'base',
    choose: own.outlines && among(own.trees),
    ...defined({ formerOverlays, parsed, now }),
  });
  const diagnostics = workspace.diagnostics.filter(({ code }) => code !== 'no-manifests');
  if (hasErrors(diagnostics)) {
    const wayOut = 'the base cannot be changed; name another one with --base, or plan without';
    throw inCommit({ ...workspace, diagnostics }, { where: `the base ${name}`, wayOut });
  }
  refuseOtherText(own, workspace, `the base ${name}`);
  return { found: new Map(workspace.trees.map((tree) => [tree.label, tree])), missing };
}

function inCommit(
  { diagnostics, sources }: Workspace,
  { where, wayOut }: { readonly where: string; readonly wayOut: string },
): DiagnosticError {
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  const problems = errors.map(({ message, suggestion, ...rest }) => ({
    ...rest,
    message: `in ${where}: ${message}`,
    suggestion: `${suggestion === undefined ? '' : `${suggestion}\n`}${wayOut}`,
  }));
  return new DiagnosticError(problems, sources);
}

function undeclared(tree: DesiredTree): DesiredTree {
  const root = tree.nodes.get(rootAddress);
  const nodes = root === undefined ? [] : [[rootAddress, { ...root, fields: {}, declares: [] }] as const];
  return tree.with({ nodes: new Map(nodes) });
}
