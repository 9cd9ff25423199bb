/** Plans all organizations of a run, and plans them again with the inputs of a plan that was made before. */
import type { Api } from '../contract/api.ts';
import type { Registry } from '../kinds/registry.ts';
import type { ReadMemory } from '../live/read-memory.ts';
import type { PlanOptions } from '../plan/make-plan.ts';
import type { Leftover, OrganizationPlan, Plan } from '../plan/plan.ts';
import type { DesiredTree } from '../tree/desired-tree.ts';
import type { LiveTree } from '../tree/live.ts';
import { pinTree } from '../tree/pin-tree.ts';
import type { Read } from '../tree/reads.ts';
import { defined } from '../util/defined.ts';
import { type Diagnostic, DiagnosticError, hasErrors } from '../util/diagnostic.ts';
import { push } from '../util/group.ts';
import type { BaseAbout, Bases } from './base/load-base.ts';
import { matcherIn, type PlanChoices } from './choices.ts';
import { leftoverNote, type UnfinishedRuns } from './journal/unfinished.ts';
import type { ManifestsMark } from './plan-file/same-manifests.ts';
import { planTree } from './plan-tree.ts';

/** Ids by address, by the label of their organization. */
export type RecordedIds = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** What a plan is made from; with it the same plan can be made again. */
export interface PlanInputs {
  readonly trees: readonly DesiredTree[];
  /** After planning: with the ids that their objects had, since under another title they are still the same. */
  readonly bases: Bases | undefined;
  /** Ids of the last recorded apply. */
  readonly recorded?: RecordedIds | undefined;
  /** Objects that unfinished runs created, by label. */
  readonly created?: UnfinishedRuns['created'] | undefined;
  /** What the base is, for reports. */
  readonly about?: BaseAbout | undefined;
  readonly choices: PlanChoices;
  /** Only tells which live object is which. */
  readonly matchOnly?: true;
  /** The manifests, where the plan is saved. */
  readonly manifests?: ManifestsMark | undefined;
  /** The commit that holds the manifests, where it is known. */
  readonly commit?: string | undefined;
}

/** A plan and what it was made from. */
export interface PlanRun {
  readonly plan: Plan;
  readonly inputs: PlanInputs;
  /** The live state that it was made from, by the label of the organization; absent for a plan that was saved. */
  readonly lives?: ReadonlyMap<string, LiveTree>;
  /** What was read for it, where that is kept. */
  readonly memory?: ReadMemory;
}

/** The plan of one organization, with the live state that it was made from. */
export interface OrganizationLook {
  readonly plan: OrganizationPlan;
  readonly live: LiveTree;
}

/** Where the live state is read, and the kinds that are known. */
export interface Look {
  readonly api: Api;
  readonly registry: Registry;
  /** Called once for each request. */
  readonly onRead?: (() => void) | undefined;
  /** Where responses are kept for later looks. */
  readonly memory?: ReadMemory | undefined;
}

/** How to look again. */
export interface LookAgain {
  readonly inputs: PlanInputs;
  readonly approved: OrganizationPlan;
  /** True for what must be read again; everything, unless told. */
  readonly isStale?: ((read: Read) => boolean) | undefined;
}

/** Plans the whole run. Throws a DiagnosticError with the problems of all organizations. */
export async function planAll(look: Look, inputs: PlanInputs): Promise<PlanRun> {
  const { trees, bases, about, choices } = inputs;
  const { target, exclude } = choices;
  const { api, onRead, memory } = look;
  const planned = await Promise.all(
    trees.map((tree) =>
      planTree(api, tree, {
        ...optionsOf(look, inputs, tree),
        onRead,
        created: inputs.created?.get(tree.label),
        ...defined({ memory }),
      }),
    ),
  );
  const problems = planned.flatMap((one) => one.problems);
  if (hasErrors(problems)) throw new DiagnosticError(problems);
  const baseIds = new Map(planned.map((one) => [one.plan.label, one.baseIds]));
  const pinned =
    bases &&
    new Map([...bases].map(([label, base]) => [label, pinTree(base, baseIds.get(label) ?? new Map())]));
  const organizations = planned.map(({ plan, problems: notes }) => ({
    ...plan,
    ...defined({ base: about && baseOf(plan, about) }),
    ...(plan.leftOut === undefined ? {} : { leftOut: { ...defined({ target, exclude }), ...plan.leftOut } }),
    notes: [...plan.notes, ...notes, ...leftoverNotes(plan)],
  }));
  const lives = new Map(planned.map(({ plan, live }) => [plan.label, live]));
  const plan: Plan = { format: 1, organizations };
  return { plan, inputs: { ...inputs, bases: pinned }, lives, ...defined({ memory }) };
}

function leftoverNotes({ leftovers = [] }: OrganizationPlan): readonly Diagnostic[] {
  const byRun = new Map<string, Leftover[]>();
  for (const one of leftovers) push(byRun, one.run, one);
  return [...byRun].map(([run, left]) => leftoverNote(run, left));
}

/** The base of one organization, for reports. */
function baseOf(
  { label, withBase }: OrganizationPlan,
  { name, commits, behind }: BaseAbout,
): OrganizationPlan['base'] {
  return withBase ? { name, ...defined({ commit: commits?.get(label), behind }) } : { name: 'none' };
}

/**
 * Plans other trees from what was read for a plan; only what it did not read is asked for.
 *
 * @throws DiagnosticError where the trees cannot be planned.
 */
export async function planFromMemory(look: Look, inputs: PlanInputs): Promise<readonly OrganizationLook[]> {
  const { memory } = look;
  const planned = await Promise.all(
    inputs.trees.map((tree) =>
      planTree(look.api, tree, {
        ...optionsOf(look, inputs, tree),
        ...defined({ memory, isStale: memory && (() => false) }),
      }),
    ),
  );
  const problems = planned.flatMap((one) => one.problems);
  if (hasErrors(problems)) throw new DiagnosticError(problems);
  return planned.map(({ plan, live }) => ({ plan, live }));
}

/**
 * Plans what is left of an approved plan while it is applied. `made`: ids, by address, of objects that were made since.
 */
export function replan(
  look: Look,
  { inputs, approved, isStale }: LookAgain,
  made: ReadonlyMap<string, string>,
): Promise<OrganizationLook> {
  const tree = treeOf(inputs, approved);
  const ids = new Map([...Object.entries(approved.ids), ...made]);
  const { memory } = look;
  const options = { ...optionsOf(look, inputs, tree), ids, ...defined({ memory, isStale }) };
  return soundPlan(planTree(look.api, tree, options));
}

/**
 * Plans an approved plan again before any of it is applied: an object that is gone since then shows as what that leads
 * to. `only` limits the plan to some addresses and their dependencies.
 */
export function recheck(
  look: Look,
  { inputs, approved, isStale }: LookAgain,
  only?: ReadonlySet<string>,
): Promise<OrganizationLook> {
  const tree = treeOf(inputs, approved);
  const { exclude, ...options } = optionsOf(look, inputs, tree);
  const limited = only === undefined ? exclude : excluding(only, exclude);
  const ids = new Map(Object.entries(approved.ids));
  return soundPlan(
    planTree(look.api, tree, {
      ...options,
      ...defined({ exclude: limited, memory: look.memory, isStale }),
      ids,
      goneIds: 'forgotten',
      // Limits were held against the whole when it was approved; what was saved of it makes every share greater.
      allowDeletes: Number.MAX_SAFE_INTEGER,
    }),
  );
}

async function soundPlan(planned: ReturnType<typeof planTree>): Promise<OrganizationLook> {
  const { plan, problems, live } = await planned;
  if (hasErrors(problems)) throw new DiagnosticError(problems);
  return { plan, live };
}

/** The tree, for the very organization of the plan: another one may by now have what it is matched by. */
export function treeOf({ trees }: PlanInputs, { label, organizationId }: OrganizationPlan): DesiredTree {
  const tree = trees.find((one) => one.label === label);
  if (tree === undefined) throw new Error(`no manifest declares ${label}`);
  return tree.with({ id: organizationId });
}

function optionsOf(
  { registry }: Look,
  { bases, recorded, choices, matchOnly }: PlanInputs,
  tree: DesiredTree,
): PlanOptions {
  const { target, exclude, ignoreDrift, allowDeletes, skipRefused, undoes } = choices;
  const base = bases?.get(tree.label);
  return {
    registry,
    ignoreDrift: base !== undefined && ignoreDrift === true,
    skipRefused: skipRefused === true,
    ...defined({
      base,
      knownIds: recorded?.get(tree.label),
      target: target && matcherIn(tree, target),
      exclude: exclude && matcherIn(tree, exclude),
      allowDeletes,
      matchOnly,
      undoes,
    }),
  };
}

/** What is excluded, and every address that is not among some. */
function excluding(
  only: ReadonlySet<string>,
  exclude: ((address: string) => boolean) | undefined,
): (address: string) => boolean {
  return (address) => exclude?.(address) === true || !only.has(address);
}
