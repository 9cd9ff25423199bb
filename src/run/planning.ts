/** Plans all organizations of a run, and plans again with the inputs of an earlier plan. */
import { fieldWith } from '../kinds/parts/field.ts';
import type { ReadMemory } from '../live/read-memory.ts';
import type { BaseAbout } from '../past/base/load-base.ts';
import { elsewhereNotes, withUnread } from '../past/base/moved.ts';
import { leftoverNote } from '../past/journal/unfinished.ts';
import type { Guard } from '../plan/guards/guard.ts';
import { transferGuard, transfersBetween } from '../plan/guards/transfers.ts';
import { type Pasts, withTrees } from '../plan/past.ts';
import type { OrganizationPlan, Step } from '../plan/plan.ts';
import type { PlanChoices } from '../plan/scope/choices.ts';
import type { ReviewedPlan } from '../review/reviewed-plan.ts';
import { guardOf } from '../review/rules.ts';
import type { DesiredTree } from '../tree/desired-tree.ts';
import { withKnownIds } from '../tree/desired-tree.ts';
import type { LiveTree } from '../tree/live.ts';
import { defined } from '../util/defined.ts';
import { type Diagnostic, DiagnosticError, hasErrors } from '../util/diagnostic.ts';
import { addressMatcher } from '../util/glob.ts';
import { grouped } from '../util/group.ts';
import type { ManifestsIdentity } from './plan-file/same-manifests.ts';
import { type LiveSource, type PlannedTree, type PlanTreeOptions, planTree } from './plan-tree.ts';
import type { RulesByLabel } from './rules/load-rules.ts';

/** Everything needed to make the same plan again. */
export interface PlanInputs {
  readonly trees: readonly DesiredTree[];
  /** Their trees contain the ids of the objects after planning; ids are stable even if titles change. */
  readonly pasts: Pasts;
  /** Rules judge the plan as shown, but not its remainder during an apply. */
  readonly rules?: RulesByLabel | undefined;
  readonly about?: BaseAbout | undefined;
  readonly choices: PlanChoices;
  readonly manifests?: ManifestsIdentity | undefined;
  readonly commit?: string | undefined;
}

export interface PlanRun {
  readonly plan: ReviewedPlan;
  readonly inputs: PlanInputs;
  /** Keyed by label; absent for a saved plan. */
  readonly lives?: ReadonlyMap<string, LiveTree>;
  readonly memory?: ReadMemory;
}

/** @throws DiagnosticError with the problems of all organizations. */
export async function planAll(source: LiveSource, inputs: PlanInputs): Promise<PlanRun> {
  const { trees, pasts, rules, about, choices } = inputs;
  const { target, exclude, changed, left } = choices;
  const plan = (tree: DesiredTree, more: readonly Guard[] = [], isStale?: () => boolean) => {
    const judging = rules?.get(tree.label) ?? [];
    const guards = [...more, ...(judging.length === 0 ? [] : [guardOf(judging)])];
    return planOne(source, inputs, tree, { guards, isStale });
  };
  const first = await Promise.all(trees.map((tree) => plan(tree)));
  const transfers =
    first.length === 1 || choices.undoes !== undefined
      ? []
      : transfersBetween(first.map(({ decided }) => decided));
  requireSound(
    first,
    // A pinned object that another organization still has is an error at the pin, and this is its other end.
    transfers.map(({ name, from, to, address, suggestion }) => {
      const message = `${name} leaves ${from} and is declared in ${to} (${address})`;
      return { severity: 'error', code: 'other-organization', message, address: from, suggestion };
    }),
  );
  const guard = transferGuard(transfers);
  const planned = await (transfers.length === 0
    ? first
    : Promise.all(trees.map((tree) => plan(tree, [guard], source.memory && (() => false)))));
  const baseIds = new Map(planned.map((one) => [one.plan.label, one.baseIds]));
  const pinned = withTrees(pasts, (label, tree) => withKnownIds(tree, baseIds.get(label) ?? new Map()));
  const hasOne = ({ kind }: Step) => fieldWith(source.registry.byName(kind), 'certificate') !== undefined;
  const withNames = planned.some(({ plan: { steps } }) => steps.some(hasOne))
    ? (await import('./facts/certificates.ts')).withCertificates
    : undefined;
  const organizations = planned.map(({ plan, problems: notes }) => ({
    ...plan,
    steps: withUnread(
      withNames?.(plan.steps, source.registry) ?? plan.steps,
      about?.elsewhere?.get(plan.label),
    ),
    ...(about && {
      base: plan.withBase
        ? { name: about.name, ...defined({ commit: about.commits?.get(plan.label), behind: about.behind }) }
        : { name: 'none' },
    }),
    leftOut: { ...defined({ target, exclude, changed }), ...withDrift(plan, left?.get(plan.label)) },
    notes: [
      ...plan.notes,
      ...notes,
      ...[...grouped(plan.leftovers ?? [], ({ run }) => run)].map(([run, left]) => leftoverNote(run, left)),
      ...driftNotes(left?.get(plan.label)),
      ...elsewhereNotes(plan, about?.elsewhere?.get(plan.label)),
    ],
  }));
  const lives = new Map(planned.map(({ plan, live }) => [plan.label, live]));
  const all: ReviewedPlan = { format: 1, organizations };
  return { plan: all, inputs: { ...inputs, pasts: pinned }, lives, ...defined({ memory: source.memory }) };
}

function withDrift({ leftOut }: OrganizationPlan, left?: ReadonlySet<string>): OrganizationPlan['leftOut'] {
  if (left === undefined) return leftOut;
  const [changes, drift] = [leftOut.changes - left.size, leftOut.drift + left.size];
  return { ...leftOut, changes, drift, left: [...left] };
}

function driftNotes(left?: ReadonlySet<string>): readonly Diagnostic[] {
  if (left === undefined) return [];
  const message = `drifted since the approval, and is left alone: ${[...left].join(', ')}`;
  return [{ severity: 'warning', code: 'unexpected-plan', message, suggestion: 'see it with octavo drift' }];
}

/**
 * Plans other trees from the reads of a plan; requests only the rest.
 * @throws DiagnosticError if the trees cannot be planned.
 */
export async function planFromMemory(
  source: LiveSource,
  inputs: PlanInputs,
): Promise<readonly PlannedTree[]> {
  const isStale = source.memory && (() => false);
  const planned = await Promise.all(inputs.trees.map((tree) => planOne(source, inputs, tree, { isStale })));
  requireSound(planned);
  return planned;
}

export interface PlanAgainOptions extends Partial<PlanTreeOptions> {
  /** Addresses to plan, with their dependencies. Default: all. */
  readonly only?: ReadonlySet<string> | undefined;
}

/**
 * Plans an approved plan again, with the inputs that it was made from.
 * @throws DiagnosticError if it cannot be planned any more.
 */
export async function planApproved(
  source: LiveSource,
  inputs: PlanInputs,
  approved: OrganizationPlan,
  { only, ...options }: PlanAgainOptions,
): Promise<PlannedTree> {
  const tree = treeOf(inputs, approved);
  const { exclude } = optionsOf(inputs, tree);
  const planned = await planOne(source, inputs, tree, {
    ...options,
    exclude: (address) => exclude?.(address) === true || only?.has(address) === false,
  });
  requireSound([planned]);
  return planned;
}

function requireSound(planned: readonly PlannedTree[], more: readonly Diagnostic[] = []): void {
  const problems = planned.flatMap((one) => one.problems);
  if (hasErrors(problems)) throw new DiagnosticError([...problems, ...more]);
}

/** Pins the id of the planned organization, because another one may now match the manifest. */
export function treeOf({ trees }: PlanInputs, { label, organizationId }: OrganizationPlan): DesiredTree {
  const tree = trees.find((one) => one.label === label);
  if (tree === undefined) throw new Error(`no manifest declares ${label}`);
  return tree.with({ id: organizationId });
}

function planOne(
  { api, ...source }: LiveSource,
  inputs: PlanInputs,
  tree: DesiredTree,
  more: Partial<PlanTreeOptions>,
): Promise<PlannedTree> {
  return planTree(api, tree, { ...source, ...optionsOf(inputs, tree), ...more });
}

function optionsOf({ pasts, choices }: PlanInputs, tree: DesiredTree): Omit<PlanTreeOptions, 'registry'> {
  const { target, exclude, changed, ignoreDrift, allowDeletes, skipRefused, undoes, asDrift } = choices;
  const past = pasts.get(tree.label);
  const left = choices.left?.get(tree.label);
  const excluded = exclude && addressMatcher(exclude, tree.label);
  return {
    ignoreDrift: past?.tree !== undefined && ignoreDrift === true,
    skipRefused: skipRefused === true,
    past,
    ...defined({
      target: target && addressMatcher(target, tree.label),
      exclude: left === undefined ? excluded : (one: string) => left.has(one) || excluded?.(one) === true,
      changed,
      allowDeletes,
      undoes,
      asDrift,
    }),
  };
}
