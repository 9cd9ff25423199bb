/**
 * The rules that judge plans: `octavo.rules.yaml` at the root of the repository, as the base has it, so that a pull request cannot
 * change what it is judged by. Without a base it is that of the work tree.
 */
import path from 'node:path';
import type { ExemptionSource, FoundExemptions } from '../../forge/exemptions.ts';
import type { PlanRule } from '../../kinds/rules.ts';
import { disk } from '../../manifest/files/disk.ts';
import { Git, GitError, type Repository } from '../../manifest/files/git.ts';
import { gitFiles } from '../../manifest/files/git-files.ts';
import { invalidRules, type RulesText, readRules } from '../../manifest/read-rules.ts';
import { rulesFile } from '../../manifest/schema/rules.ts';
import type { JudgingRule } from '../../plan/guards/guard.ts';
import type { DesiredTree } from '../../tree/desired-tree.ts';
import { defined } from '../../util/defined.ts';
import { type Diagnostic, hasErrors } from '../../util/diagnostic.ts';
import { matcherIn } from '../choices.ts';
import type { ManifestSource } from '../workspace.ts';
import type { BaseAbout } from './load-base.ts';
import { findRepository } from './repository.ts';

/** By the label of the organization. */
export type RulesByLabel = ReadonlyMap<string, readonly JudgingRule[]>;

interface RulesRequest {
  readonly trees: readonly DesiredTree[];
  readonly about: BaseAbout;
  readonly exemptions?: ExemptionSource | undefined;
}

/** @throws DiagnosticError if rules of the base, or those that would follow them, are not valid. */
export async function loadRules(
  source: ManifestSource,
  { trees, about, exemptions }: RulesRequest,
): Promise<{ readonly rules: RulesByLabel; readonly notes: readonly Diagnostic[] }> {
  const repository = await repositoryIn(source);
  const own = await readRules(disk, path.join(repository?.root ?? source.cwd, rulesFile), source.cwd);
  const known = new Map<string, Promise<RulesText>>();
  const chosen = new Map<string, RulesText>();
  for (const { label } of trees) {
    const commit = about.commits?.get(label);
    const key = commit ?? '';
    const reading = known.get(key) ?? baseRules(source, { repository, own, commit, about });
    known.set(key, reading);
    chosen.set(label, await reading);
  }
  const others = [...new Set(chosen.values())].filter((base) => base !== own);
  const notes = others.flatMap((base) => compared(base, own));
  const texts = [...chosen.values()].map((base) => usable(base, own));
  const found = await lift(
    texts.flatMap(({ rules }) => rules),
    exemptions,
  );
  const rules = new Map<string, readonly JudgingRule[]>();
  for (const [index, tree] of trees.entries()) {
    const text = texts[index];
    if (text !== undefined) rules.set(tree.label, await judging(tree, text, found));
  }
  return { rules, notes };
}

/** Rules as they judge the plan of a tree. */
export async function judging(
  tree: DesiredTree,
  { rules, at }: Pick<RulesText, 'rules' | 'at'>,
  found: FoundExemptions | undefined,
): Promise<readonly JudgingRule[]> {
  if (rules.length === 0) return [];
  const { evaluate, isTruthy } = await import('../../util/expression.ts');
  return rules.map((rule) => ({
    ...rule,
    ...(rule.when?.address === undefined ? {} : { isAbout: matcherIn(tree, rule.when.address) }),
    holds: (subject) => isTruthy(evaluate(subject, rule.require ?? '')),
    place: `${rule.at.file}:${rule.at.line}${at}`,
    ...defined({ lifted: liftOf(rule, found) }),
  }));
}

/** Without git there is no repository, and no base in one. */
async function repositoryIn(source: ManifestSource): Promise<Repository | undefined> {
  try {
    return await findRepository(source);
  } catch (error) {
    if (error instanceof GitError) return undefined;
    throw error;
  }
}

interface BaseRules {
  readonly repository: Repository | undefined;
  readonly own: RulesText;
  readonly commit: string | undefined;
  readonly about: BaseAbout;
}

async function baseRules(
  { cwd, env }: ManifestSource,
  { repository, own, commit, about: { name, commits } }: BaseRules,
): Promise<RulesText> {
  if (commit !== undefined && repository !== undefined) {
    const file = path.join(repository.root, rulesFile);
    const files = await gitFiles(repository, { treeish: commit, paths: [file] });
    return readRules(files, file, cwd, ` at ${commit.slice(0, 7)}`).finally(() => files.close());
  }
  if (commits !== undefined || name === 'none') return own;
  const folder = path.resolve(cwd, name);
  const root = (await new Git(env).repositoryOf(folder))?.root ?? folder;
  return root === repository?.root ? own : readRules(disk, path.join(root, rulesFile), cwd);
}

/** Rules that are not valid must not become the base, and are no way to be rid of those of the base. */
function compared(base: RulesText, own: RulesText): readonly Diagnostic[] {
  if (base.text === own.text) return [];
  if (hasErrors(own.diagnostics)) throw invalidRules(own);
  const message =
    base.text === undefined
      ? `${own.name} is new here: it judges no plan before it is the base`
      : `${own.name} is another one here: those of the base judge this plan, ${base.name}${base.at}`;
  return [{ severity: 'hint', code: 'rules-changed', message }];
}

/** A file of the base that is not valid gives way to the one that mends it. */
function usable(base: RulesText, own: RulesText): RulesText {
  if (!hasErrors(base.diagnostics)) return base;
  if (base === own || own.text === undefined || hasErrors(own.diagnostics)) throw invalidRules(base);
  return own;
}

async function lift(
  rules: readonly PlanRule[],
  exemptions: ExemptionSource | undefined,
): Promise<FoundExemptions | undefined> {
  const labels = [...new Set(rules.flatMap(({ exempt }) => exempt?.label ?? []))];
  const teams = [...new Set(rules.flatMap(({ exempt }) => exempt?.team ?? []))];
  return labels.length + teams.length === 0 ? undefined : exemptions?.({ labels, teams });
}

function liftOf({ exempt }: PlanRule, found: FoundExemptions | undefined): JudgingRule['lifted'] {
  if (exempt === undefined || found === undefined) return undefined;
  const { label = '', team = '' } = exempt;
  const [labeled, approved] = [found.labels.get(label), found.teams.get(team)];
  if (labeled !== undefined) return { by: labeled, why: `label ${label} on ${found.pull}` };
  if (approved === undefined) return undefined;
  return { by: approved, why: `approval of ${found.pull} for ${team}` };
}
