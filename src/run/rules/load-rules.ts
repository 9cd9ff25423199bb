/**
 * The rules that judge plans: `octavo.rules.yaml` at the root of the repository, in the version of the base, so that a pull request
 * cannot change the rules that it is judged by. Without a base, the work tree's version applies.
 */
import { realpathSync } from 'node:fs';
import path from 'node:path';
import type { ExemptionSource, FoundExemptions } from '../../forge/exemptions.ts';
import type { PlanRule } from '../../kinds/rules/rules.ts';
import { disk } from '../../manifest/files/disk.ts';
import { rootAbove } from '../../manifest/files/git.ts';
import { gitFiles } from '../../manifest/files/git-files.ts';
import { rulesFile } from '../../manifest/files/paths.ts';
import { onGitError, type Repository } from '../../manifest/files/repository.ts';
import { invalidRules, type RulesText, readRules } from '../../manifest/read-rules.ts';
import type { BaseAbout } from '../../past/base/load-base.ts';
import { findRepository, openIn } from '../../past/base/repository.ts';
import type { FoundRecord } from '../../past/record/applied-record.ts';
import { allRecords, type FoundRecords } from '../../past/record/find-record.ts';
import type { ManifestSource } from '../../past/workspace.ts';
import type { JudgingRule } from '../../review/rules.ts';
import type { DesiredTree } from '../../tree/desired-tree.ts';
import { defined } from '../../util/defined.ts';
import { type Diagnostic, hasErrors } from '../../util/diagnostic.ts';
import { addressMatcher } from '../../util/glob.ts';
import { userError } from '../../util/user-error.ts';
import { startOf } from '../../yaml/problems.ts';
import { bindingChanges, configFiles, configIn } from './binding.ts';

/** Keyed by the label of the organization. */
export type RulesByLabel = ReadonlyMap<string, readonly JudgingRule[]>;

export interface RulesRequest {
  /** Base named by a flag; a base that the checkout configures has no influence on rules. */
  readonly base?: string | undefined;
  readonly offline?: boolean | undefined;
  readonly exemptions?: ExemptionSource | undefined;
}

interface RulesBase {
  readonly trees: readonly DesiredTree[];
  readonly about: BaseAbout;
  readonly found?: FoundRecords | undefined;
}

/** @throws DiagnosticError if the rules of the base, or the ones replacing them, are invalid. */
export async function loadRules(source: ManifestSource, request: RulesRequest, of: RulesBase) {
  const { repository, isSame } = await repositoryOf(source).catch(
    onGitError(() => ({ repository: undefined, isSame: true })),
  );
  const own = await readRules(disk, path.join(repository?.root ?? source.cwd, rulesFile), source.cwd);
  const known = isSame ? { commit: of.about.commit, found: of.found } : {};
  const base = await baseRules(source, request, { own, repository, ...known });
  const text = usable(base, own);
  const notes = text === own ? [] : compared(base, own);
  const labels = [...new Set(text.rules.flatMap(({ exempt }) => exempt?.label ?? []))];
  const teams = [...new Set(text.rules.flatMap(({ exempt }) => exempt?.team ?? []))];
  const found =
    labels.length + teams.length === 0 ? undefined : await request.exemptions?.({ labels, teams });
  const rules = new Map(of.trees.map((tree) => [tree.label, judging(tree, text, found)]));
  // Changes since the base in what binds an apply.
  const files = repository && configFiles(realpathSync(source.cwd), repository.root);
  const binding =
    files && base.commit !== undefined
      ? bindingChanges(
          (await configIn(await gitFiles(repository, { treeish: base.commit, paths: files }), files)) ?? {},
          (await configIn(disk, files)) ?? {},
        )
      : [];
  return { rules, notes, binding: notes.length === 0 ? binding : [...binding, rulesFile] };
}

export function judging(
  tree: DesiredTree,
  { rules, at }: Pick<RulesText, 'rules' | 'at'>,
  found: FoundExemptions | undefined,
): readonly JudgingRule[] {
  return rules.map((rule) => ({
    ...rule,
    ...(rule.when?.address === undefined ? {} : { appliesTo: addressMatcher(rule.when.address, tree.label) }),
    place: `${rule.at.file}:${rule.at.line}${at}`,
    ...defined({ lifted: liftOf(rule, found) }),
  }));
}

/** The repository of the working folder, if any: the checkout may choose which manifests are read. `isSame`: they are in it. */
async function repositoryOf(source: ManifestSource) {
  const manifests = await findRepository(source);
  const isOwn = manifests !== undefined && rootAbove(path.resolve(source.cwd)) === manifests.root;
  const own = isOwn ? manifests : await openIn(source)(source.cwd);
  const repository = own ?? manifests;
  return { repository, isSame: manifests?.root === repository?.root };
}

interface RulesSources {
  readonly own: RulesText;
  readonly repository: Repository | undefined;
  /** The base and the records, if they are in that repository. */
  readonly commit?: string | undefined;
  readonly found?: FoundRecords | undefined;
}

/** `commit`: the base, if it is a commit. */
type BaseRules = RulesText & { readonly commit?: string };

/** Uses the base named by a flag, else the last apply of any organization, else the configured base. */
async function baseRules(
  source: ManifestSource,
  { base, offline = false }: RulesRequest,
  { own, repository, commit, found }: RulesSources,
): Promise<BaseRules> {
  const { cwd } = source;
  const at = async (one: string) => (repository === undefined ? own : rulesAt(repository, source, one));
  if (base === 'none') return own;
  if (base !== undefined && base !== 'applied') {
    if (commit !== undefined) return at(commit);
    const folder = path.resolve(cwd, base);
    const root = (await openIn(source)(folder))?.root ?? folder;
    if ((await disk.type(folder)) === 'folder' && root !== repository?.root)
      return readRules(disk, path.join(root, rulesFile), cwd);
  }
  const applied = repository === undefined ? [] : await allRecords(repository, { offline, found });
  const latest = repository === undefined ? [] : await latestOf(repository, applied);
  const [first, ...others] = await Promise.all(latest.map(at));
  if (others.some(({ text }) => text !== first?.text)) throw apart(latest);
  if (first !== undefined) return first;
  return commit === undefined ? own : at(commit);
}

/** Commits that are not ancestors of another record's commit. Times are ignored, because they come from different machines. */
export async function latestOf(
  repository: Repository,
  records: readonly FoundRecord[],
): Promise<readonly string[]> {
  const commits = [...new Set(records.map(({ commit }) => commit))];
  if (commits.length < 2) return commits;
  return repository.independent(commits);
}

function apart(commits: readonly string[]): Error {
  const named = commits.map((commit) => commit.slice(0, 7)).join(' and ');
  return userError(
    'rules',
    `${rulesFile} differs between the commits that were applied last: ${named} are on different branches`,
    'apply a commit that has both, or pass --base <ref>',
  );
}

async function rulesAt(repository: Repository, { cwd }: ManifestSource, commit: string): Promise<BaseRules> {
  const file = path.join(repository.root, rulesFile);
  const files = await gitFiles(repository, { treeish: commit, paths: [file] });
  return { ...(await readRules(files, file, cwd, ` at ${commit.slice(0, 7)}`)), commit };
}

/** Invalid rules must not become the base, and cannot be used to evade the rules of the base. */
function compared(base: RulesText, own: RulesText): readonly Diagnostic[] {
  if (base.text === own.text) return [];
  if (hasErrors(own.diagnostics)) throw invalidRules(own);
  const message =
    base.text === undefined
      ? `${own.name} is new: it applies to no plan until it is in the base`
      : `${own.name} differs from the base: the rules of the base apply to this plan, ${base.name}${base.at}`;
  return [{ severity: 'hint', code: 'rules-changed', message }];
}

/** An invalid file in the base is replaced by the version that repairs it, and the plan reports that. */
function usable(base: RulesText, own: RulesText): RulesText {
  if (!hasErrors(base.diagnostics)) return base;
  if (base === own || own.text === undefined || hasErrors(own.diagnostics)) throw invalidRules(base);
  const names = own.rules.map(({ name }) => name).join(', ');
  const message = `${base.name}${base.at} is not valid, so the rules of this checkout apply: ${names === '' ? 'no rules' : names}`;
  const rule = { name: rulesFile, message, severity: 'warning', most: 0, at: startOf(own.name) } as const;
  return { ...own, rules: [...own.rules, rule] };
}

function liftOf({ exempt }: PlanRule, found: FoundExemptions | undefined): JudgingRule['lifted'] {
  if (exempt === undefined || found === undefined) return undefined;
  const { label = '', team = '' } = exempt;
  const [labeled, approved] = [found.labels.get(label), found.teams.get(team)];
  if (labeled !== undefined) return { by: labeled, why: `label ${label} on ${found.pull}` };
  if (approved === undefined) return undefined;
  return { by: approved, why: `approval of ${found.pull} for ${team}` };
}
