/**
 * Plans one organization: match → diff → order → guards, over the desired and the live tree. Pure: the same trees give
 * the same plan, whatever the order of files and responses. Where a stage must see more of the live state, it says so
 * and goes on when it is there; nothing is planned twice.
 */
import type { Registry } from '../kinds/registry.ts';
import { canonicalTree } from '../tree/canonical-tree.ts';
import { type DesiredNode, rootAddress } from '../tree/desired.ts';
import type { DesiredTree } from '../tree/desired-tree.ts';
import type { LiveNode, LiveTree } from '../tree/live.ts';
import type { Stage } from '../tree/reads.ts';
import { defined } from '../util/defined.ts';
import type { Diagnostic } from '../util/diagnostic.ts';
import { Asked } from './asked.ts';
import { PlanContext } from './context.ts';
import { contradictions } from './diff/contradictions.ts';
import { diff } from './diff/diff.ts';
import { countIgnoredFields } from './diff/left-out.ts';
import { removalReads } from './diff/removal-reads.ts';
import { Removals } from './diff/removals.ts';
import type { Situation } from './guards/guard.ts';
import { guardReads, runGuards, skipRefused } from './guards/run-guards.ts';
import { DeclaredReader } from './match/declared-reads.ts';
import { match } from './match/match.ts';
import { missingMembers } from './match/missing-members.ts';
import { followReplaced } from './match/replaced-defaults.ts';
import { carryOver } from './match/replaced-fields.ts';
import type { Base } from './matching.ts';
import { narrow } from './narrow.ts';
import { navigationBefore } from './navigation.ts';
import type { PlanDraft } from './order/draft.ts';
import { order } from './order/order.ts';
import { withPlaces } from './order/places.ts';
import { sortSteps } from './order/sort-steps.ts';
import type { OrganizationPlan, Step } from './plan.ts';
import { policyChanges } from './policy.ts';
import { seenFields } from './seen.ts';
import { countNotSelected, type StepSelection, selectSteps } from './select-steps.ts';
import { byDanger } from './unmanaged.ts';

/** Options of planning. */
export interface PlanOptions extends StepSelection {
  readonly registry: Registry;
  /** The manifests as they were last applied, or as another state of the repository has them. */
  readonly base?: DesiredTree;
  /**
   * Ids by address from an earlier plan, or from the last recorded apply. Each counts where its object still exists and
   * no manifest pins it elsewhere.
   */
  readonly knownIds?: ReadonlyMap<string, string>;
  /** Deletes that are allowed this once, beyond `settings.limits`. */
  readonly allowDeletes?: number;
  /** The run whose changes are undone; the base is then what that run made. */
  readonly undoes?: string;
  /** Leaves out what a guard refuses, and what needs that, so that the rest can go on. */
  readonly skipRefused?: boolean;
  /** Only tells which live object is which: the plan has ids and no steps. */
  readonly matchOnly?: boolean;
}

/** A plan, or the problems that prevent one; warnings may come with a plan. */
export interface Planned {
  readonly plan: OrganizationPlan;
  /** Ids of the live objects that the base declares, by its addresses; none without a base, or with problems. */
  readonly baseIds: ReadonlyMap<string, string>;
  /** When one of them is an error, the plan must not be used. */
  readonly problems: readonly Diagnostic[];
}

/** What is planned from. */
export interface PlanInput {
  readonly desired: DesiredTree;
  /** The organization alone, or more; it grows by what the plan asks for. */
  readonly live: LiveTree;
}

/** Plans what leads from the live state to the desired one. */
export function* planOrganization(input: PlanInput, options: PlanOptions): Stage<Planned> {
  const planner = new OrganizationPlanner(input, options);
  const situation = yield* planner.look();
  return planner.plan(situation);
}

class OrganizationPlanner {
  /** All that the manifests declare. */
  readonly #declared: DesiredTree;
  /** The part of it that is planned. */
  readonly #desired: DesiredTree;
  readonly #base: DesiredTree | undefined;
  readonly #live: LiveTree;
  readonly #options: PlanOptions;

  constructor({ desired, live }: PlanInput, options: PlanOptions) {
    this.#options = options;
    this.#live = live;
    this.#declared = desired;
    const { registry, target } = options;
    const part =
      target === undefined
        ? { desired, base: options.base }
        : narrow({ desired, base: options.base }, { registry, target });
    this.#desired = canonicalTree(part.desired, registry);
    this.#base = part.base && canonicalTree(part.base, registry);
  }

  /**
   * Sees what is declared, matches it, and then sees what matching has shown to be in question: contents of what goes,
   * and what guards must know. Matches again only where something was found that may be a desired object.
   */
  *look(): Stage<Situation> {
    const asked = new Asked();
    const { registry, knownIds } = this.#options;
    const trees = this.#base === undefined ? [this.#desired] : [this.#desired, this.#base];
    const reader = new DeclaredReader({ trees, live: this.#live, registry, asked, ...defined({ knownIds }) });
    yield* reader.read();
    for (let situation = this.#match(); ; ) {
      const { matchOnly } = this.#options;
      if (matchOnly === true || situation.context.matching.problems.length > 0) return situation;
      const { context, removals } = situation;
      const known = this.#live.nodes().length;
      const more = yield* asked.ask([...removalReads(context, removals), ...guardReads(situation)]);
      if (!more) return situation;
      yield* reader.readMore();
      const fresh = this.#live.nodes().slice(known);
      const isFound = ({ address }: DesiredNode) => context.matching.liveOf(address) !== undefined;
      // What was seen by chance before may have been listed since: what becomes of it is decided again.
      situation = reader.mayBe(fresh, isFound) ? this.#match() : { context, removals: new Removals(context) };
    }
  }

  plan(situation: Situation): Planned {
    const { context, removals } = situation;
    const { matching } = context;
    if (this.#options.matchOnly === true) return this.#matched(context);
    const unusable = [...matching.problems, ...missingMembers(context), ...contradictions(context, removals)];
    if (unusable.length > 0) return this.#without(unusable);
    const difference = diff(context, removals);
    const { draft, problems } = order(context, difference);
    if (problems.length > 0) return this.#without(problems);
    const sorted = withPlaces(context, sortSteps(draft));
    const selected = new Set(selectSteps(sorted, this.#options));
    const { deletions, unmanaged } = difference;
    const judge = this.#options.skipRefused === true ? skipRefused : runGuards;
    const { allowDeletes } = this.#options;
    const judged = judge({
      context,
      draft: draft.without(new Set(sorted.filter((step) => !selected.has(step)).map(({ id }) => id))),
      deletions,
      unmanaged,
      ...defined({ allowDeletes }),
    });
    const steps = remaining(sorted, judged.draft);
    const ignored = countIgnoredFields(context);
    const notSelected = countNotSelected(sorted, selected, this.#options);
    return {
      plan: {
        ...this.#emptyPlan(),
        ids: Object.fromEntries(this.#idsOf(context.desired, (address) => context.liveOf(address))),
        seen: seenFields(context, steps),
        steps,
        unmanaged: byDanger(context, unmanaged),
        ...defined({
          navigation: navigationBefore(context, steps),
          policy: policyChanges(context, removals),
        }),
        leftOut: {
          objects: this.#notPlanned(steps),
          changes: notSelected.changes,
          drift: notSelected.drift + ignored.drift,
          ignoredFields: ignored.lifecycle,
        },
        refusals: judged.refusals,
        notes: [...matching.notes, ...judged.notes],
      },
      baseIds: new Map(
        context.base && this.#idsOf(context.base.tree, (address) => context.base?.matching.liveOf(address)),
      ),
      problems: [],
    };
  }

  /** How many declared objects the targets leave out. */
  #notPlanned(steps: readonly Step[]): number {
    const { target } = this.#options;
    if (target === undefined) return 0;
    const planned = new Set(steps.map(({ address }) => address));
    const isOut = (address: string) => !target(address) && !planned.has(address);
    return [...this.#declared.nodes.keys()].filter((address) => address !== rootAddress && isOut(address))
      .length;
  }

  #match(): Situation {
    const { registry, knownIds } = this.#options;
    const [desired, live] = [this.#desired, this.#live];
    const { matching, base } = match(desired, live, { registry, base: this.#former(), knownIds });
    const context = new PlanContext({ desired, live, registry, matching, base, knownIds });
    const of = (tree: DesiredTree) =>
      tree === desired
        ? context
        : new PlanContext({ desired: tree, live, registry, matching, base, knownIds });
    const final = of(carryOver(of(followReplaced(context))));
    return { context: final, removals: new Removals(final) };
  }

  #former(): Omit<Base, 'matching'> | undefined {
    if (this.#base === undefined) return undefined;
    const { ignoreDrift, undoes } = this.#options;
    return { tree: this.#base, ignoreDrift: ignoreDrift === true, ...defined({ undoes }) };
  }

  #matched({ desired, matching }: PlanContext): Planned {
    const ids = Object.fromEntries(this.#idsOf(desired, (address) => matching.liveOf(address)));
    const plan = { ...this.#emptyPlan(), ids, notes: matching.notes };
    return { plan, baseIds: new Map(), problems: matching.problems };
  }

  #without(problems: readonly Diagnostic[]): Planned {
    return { plan: this.#emptyPlan(), baseIds: new Map(), problems };
  }

  #emptyPlan(): OrganizationPlan {
    return {
      organizationId: this.#live.organizationId,
      label: this.#desired.label,
      ids: {},
      seen: {},
      withBase: this.#base !== undefined,
      ...defined({ undoes: this.#options.undoes }),
      steps: [],
      unmanaged: [],
      leftOut: { objects: 0, changes: 0, drift: 0, ignoredFields: 0 },
      refusals: [],
      notes: [],
    };
  }

  /** Ids by address, of objects whose kind has ids of its own. */
  #idsOf(
    tree: DesiredTree,
    liveOf: (address: string) => LiveNode | undefined,
  ): readonly (readonly [string, string])[] {
    const { registry } = this.#options;
    return [...tree.nodes.values()].flatMap(({ address, kind }) => {
      const live = registry.byName(kind).idParam === undefined ? undefined : liveOf(address);
      return live === undefined ? [] : [[address, live.id] as const];
    });
  }
}

/** The steps that are still in the draft, in their order. */
function remaining(steps: readonly Step[], draft: PlanDraft): readonly Step[] {
  return steps
    .filter(({ id }) => draft.steps.has(id))
    .map((step) => ({ ...step, after: step.after.filter((id) => draft.steps.has(id)) }));
}
