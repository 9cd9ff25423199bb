/**
 * Plans one organization: match → complete → diff → order → guards, over the desired and the live tree. Pure: the same trees
 * give the same plan, regardless of the order of files and responses. A stage yields the reads that it needs and continues
 * with their results; only matching may repeat.
 */

import { type Fields, referredAddress } from '../kinds/parts/payload.ts';
import type { Registry } from '../kinds/registry.ts';
import { prefixesOf } from '../tree/addressing.ts';
import { canonicalTree } from '../tree/canonical-tree.ts';
import { type DesiredNode, rootAddress } from '../tree/desired.ts';
import type { DesiredTree } from '../tree/desired-tree.ts';
import type { LiveNode, LiveTree } from '../tree/live.ts';
import { OwnObjects } from '../tree/own-work.ts';
import type { Stage } from '../tree/reads.ts';
import { hasTitles } from '../tree/references.ts';
import { defined } from '../util/defined.ts';
import type { Diagnostic, SourceRange } from '../util/diagnostic.ts';
import { isRecord, sameJson } from '../util/json.ts';
import { complete } from './complete/complete.ts';
import { PlanContext } from './context.ts';
import { ignoredFields } from './diff/changed-fields.ts';
import { diff } from './diff/diff.ts';
import type { Guard, Situation } from './guards/guard.ts';
import { nameProblems } from './guards/names.ts';
import { guardReads, runGuards, skipRefused } from './guards/run-guards.ts';
import { DeclaredReader, ReadsMade } from './match/declared-reads.ts';
import { withCurrentAddresses, withFormerKeys } from './match/former-keys.ts';
import { lookUpCreates } from './match/look-up-creates.ts';
import { match } from './match/match.ts';
import { titleProblems, withTitlesFound } from './match/titles.ts';
import type { PlanDraft } from './order/draft.ts';
import { order } from './order/order.ts';
import { sortSteps } from './order/sort-steps.ts';
import { foreignProblems, foreignReads } from './own/foreign.ts';
import type { Past } from './past.ts';
import { type FieldChange, isUpdate, type OrganizationPlan, type Step } from './plan.ts';
import { Removals, removalReads } from './removals.ts';
import { Scope, type ScopeChoices } from './scope/scope.ts';
import { mayExist, unseenIn } from './scope/unseen.ts';
import { titleOf } from './title-of.ts';
import { plainFields, withoutSecrets } from './values/secret-fields.ts';
import { hasSynced, leftToOthers } from './values/synced.ts';

export interface PlanOptions extends ScopeChoices {
  readonly registry: Registry;
  readonly past?: Past | undefined;
  /** True for objects that this run deletes: no request asks whether they still exist. */
  readonly isDeleted?: (address: string) => boolean;
  readonly allowDeletes?: number;
  /** The run whose changes are undone. The base is then the result of that run. */
  readonly undoes?: string;
  readonly skipRefused?: boolean;
  readonly guards?: readonly Guard[];
  /** True for a drift report without a base: every difference counts as drift. */
  readonly asDrift?: boolean;
  /** True to match only: the plan then has ids and no steps. */
  readonly matchOnly?: boolean;
}

export interface Decided extends Situation {
  /** Steps with the values of secrets. */
  readonly steps: readonly Step[];
  /** Reads already made; a repeated read is not sent. */
  readonly readsMade: ReadsMade;
}

export interface Planned {
  readonly plan: OrganizationPlan;
  readonly baseIds: ReadonlyMap<string, string>;
  /** The plan must not be used if one of them is an error. */
  readonly problems: readonly Diagnostic[];
  readonly decided: Decided;
}

interface PlanInput {
  readonly desired: DesiredTree;
  readonly live: LiveTree;
}

export function* planOrganization(input: PlanInput, options: PlanOptions): Stage<Planned> {
  const { live } = input;
  const { past = {} } = options;
  const readsMade = new ReadsMade();
  const trees = [input.desired, ...(past.tree === undefined ? [] : [past.tree])];
  const named = trees.some((one) => hasTitles(one, options.registry))
    ? yield* withTitlesFound(trees, { live, readsMade, ...options })
    : trees;
  const [desired = input.desired, tree] = named;
  const planner = new OrganizationPlanner(
    { desired, live },
    { ...options, past: { ...past, tree } },
    readsMade,
  );
  const situation = yield* planner.readAndMatch();
  const planned = planner.plan(situation);
  const { steps } = planned.plan;
  const plan = { ...planned.plan, steps: withoutSecrets(situation.context, steps) };
  return { ...planned, plan, decided: { ...situation, steps, readsMade } };
}

class OrganizationPlanner {
  readonly #readsMade: ReadsMade;
  readonly #live: LiveTree;
  readonly #options: PlanOptions & { readonly past: Past };
  readonly #scope: Scope;
  #notes: readonly Diagnostic[] = [];
  #own: OwnObjects;

  constructor(
    { desired, live }: PlanInput,
    options: PlanOptions & { readonly past: Past },
    readsMade: ReadsMade,
  ) {
    const { registry, past } = options;
    this.#readsMade = readsMade;
    this.#live = live;
    this.#options = options;
    this.#own = new OwnObjects(past.own);
    this.#scope = new Scope(
      { desired: canonicalTree(desired, registry), base: past.tree && canonicalTree(past.tree, registry) },
      options,
    );
  }

  *readAndMatch(): Stage<Situation> {
    for (;;) {
      const situation = yield* this.#readAndMatchOnce();
      const { matching } = situation.context;
      if (!this.#scope.widen((address) => matching.liveOf(address) !== undefined)) return situation;
    }
  }

  /** Matches again only if a further read found a possible match for a desired object. */
  *#readAndMatchOnce(): Stage<Situation> {
    const { registry, isDeleted, matchOnly, guards = [] } = this.#options;
    const { desired: declared, base } = this.#scope.trees;
    const desired = withFormerKeys(declared, base, registry);
    this.#own = new OwnObjects(withCurrentAddresses(this.#own.work, desired));
    const reader = new DeclaredReader({
      trees: base === undefined ? [declared] : [declared, base],
      live: this.#live,
      registry,
      readsMade: this.#readsMade,
      pastIds: this.#pastIds(),
      isDeleted,
    });
    yield* reader.read();
    yield* this.#lookUpCreates(reader);
    for (let situation = this.#match(desired); ; ) {
      if (matchOnly === true || situation.context.matching.problems.length > 0) return situation;
      const { context, removals } = situation;
      const known = this.#live.nodes().length;
      const more = yield* this.#readsMade.ask([
        ...removalReads(context, removals),
        ...foreignReads(context),
        ...guardReads(situation, guards),
      ]);
      if (!more) return situation;
      yield* reader.readMore();
      const fresh = this.#live.nodes().slice(known);
      const isFound = ({ address }: DesiredNode) => context.matching.liveOf(address) !== undefined;
      // An object seen outside its own list may be listed now, so removals are decided again.
      situation = reader.mayMatch(fresh, isFound)
        ? this.#match(desired)
        : { context, removals: new Removals(context) };
    }
  }

  *#lookUpCreates(reader: DeclaredReader): Stage<void> {
    const { registry, past } = this.#options;
    if (this.#own.work.uncertain.length === 0) return;
    const { work, notes } = yield* lookUpCreates(this.#own.work, {
      desired: this.#scope.trees.desired,
      live: this.#live,
      registry,
      readsMade: this.#readsMade,
      recordedIds: past.ids ?? new Map(),
    });
    this.#notes = notes;
    this.#own = new OwnObjects(work);
    yield* reader.readMore();
  }

  plan(situation: Situation): Omit<Planned, 'decided'> {
    const { context, removals } = situation;
    const { matching } = context;
    const { matchOnly, allowDeletes, guards: more = [] } = this.#options;
    if (matchOnly === true) return this.#matched(context);
    const unusable = [
      ...matching.problems,
      ...(hasTitles(context.desired, context.registry) ? titleProblems(context) : []),
      ...foreignProblems(context),
      ...nameProblems(context, removals),
    ];
    if (unusable.length > 0) return this.#without(unusable);
    const difference = diff(context, removals);
    const { draft, problems } = order(context, difference);
    if (problems.length > 0) return this.#without(problems);
    const all = withPlaces(context, sortSteps(draft));
    const unseen = unseenIn(context, all, this.#scope);
    const sorted = all.filter(({ id }) => !unseen.steps.has(id));
    const selected = this.#scope.select(sorted);
    const left = leftToOthers(context, draft);
    const { deletions, unmanaged } = difference;
    const judge = this.#options.skipRefused === true ? skipRefused : runGuards;
    const judged = judge({
      context,
      draft: draft.without(
        new Set([
          ...left,
          ...unseen.steps,
          ...sorted.filter((step) => !selected.has(step)).map(({ id }) => id),
        ]),
      ),
      left,
      deletions,
      unmanaged,
      unseen: unseen.refusals,
      more,
      ...defined({ allowDeletes }),
    });
    const steps = remaining(sorted, judged.draft);
    const ignored = countIgnoredFields(context);
    const leftOut = this.#scope.leftOut(sorted, selected, steps);
    const ids = Object.fromEntries(this.#idsOf(context.desired, (address) => context.liveOf(address)));
    const root = context.liveOf(rootAddress);
    return {
      plan: {
        ...this.#emptyPlan(),
        ...defined({ title: root && titleOf(context, root) }),
        ids,
        ...newObjects(context, ids, steps),
        seen: seenFields(context, steps),
        steps,
        unmanaged,
        leftOut: {
          ...leftOut,
          drift: leftOut.drift + ignored.drift,
          ignoredFields: ignored.lifecycle + left.size,
          ...(unseen.objects.length === 0 ? {} : { unseen: unseen.objects }),
        },
        refusals: judged.refusals,
        ...(judged.findings.length === 0 ? {} : { findings: judged.findings }),
        notes: [...this.#notes, ...matching.notes, ...judged.notes, ...mayExist(context, steps)],
      },
      baseIds: new Map(
        context.base && this.#idsOf(context.base.tree, (address) => context.base?.matching.liveOf(address)),
      ),
      problems: [],
    };
  }

  #match(desired: DesiredTree): Situation {
    const { registry, asDrift, past, ignoreDrift, undoes } = this.#options;
    const { base: tree } = this.#scope.trees;
    const base = tree && { tree, ignoreDrift: ignoreDrift === true, ...defined({ undoes }) };
    const known = { live: this.#live, registry, pastIds: this.#pastIds(), own: this.#own };
    const matched = match(desired, { ...known, base, recordedIds: past.ids ?? new Map() });
    const unexplained = asDrift === true && matched.base === undefined ? 'drift' : undefined;
    const context = complete(
      new PlanContext({ ...known, ...matched, desired, declared: desired, past, unexplained }),
    );
    return { context, removals: new Removals(context) };
  }

  #pastIds(): ReadonlyMap<string, string> {
    return new Map([...(this.#options.past.ids ?? []), ...Object.entries(this.#own.work.ids)]);
  }

  #matched({ desired, matching }: PlanContext): Omit<Planned, 'decided'> {
    const ids = Object.fromEntries(this.#idsOf(desired, (address) => matching.liveOf(address)));
    const plan = { ...this.#emptyPlan(), ids, notes: matching.notes };
    return { plan, baseIds: new Map(), problems: matching.problems };
  }

  #without(problems: readonly Diagnostic[]): Omit<Planned, 'decided'> {
    return { plan: this.#emptyPlan(), baseIds: new Map(), problems };
  }

  #emptyPlan(): OrganizationPlan {
    return {
      organizationId: this.#live.organizationId,
      label: this.#scope.trees.desired.label,
      ids: {},
      seen: {},
      withBase: this.#scope.trees.base !== undefined,
      ...defined({ undoes: this.#options.undoes }),
      steps: [],
      unmanaged: [],
      leftOut: { objects: 0, changes: 0, drift: 0, ignoredFields: 0 },
      refusals: [],
      notes: [],
    };
  }

  #idsOf(
    tree: DesiredTree,
    liveOf: (address: string) => LiveNode | undefined,
  ): readonly (readonly [string, string])[] {
    const { registry } = this.#options;
    return [...tree.nodes.values()].flatMap(({ address, kind }) => {
      const live = registry.byName(kind).identity.idParam === undefined ? undefined : liveOf(address);
      return live === undefined ? [] : [[address, live.id] as const];
    });
  }
}

function remaining(steps: readonly Step[], draft: PlanDraft): readonly Step[] {
  return steps
    .filter(({ id }) => draft.steps.has(id))
    .map((step) => ({
      ...step,
      needs: step.needs.filter((id) => draft.steps.has(id)),
      after: step.after.filter((id) => draft.steps.has(id)),
    }));
}

/** Changed objects that were not there when the plan was approved, if it creates them. */
function newObjects(
  { own, base, desired, recordedIds }: PlanContext,
  ids: OrganizationPlan['ids'],
  steps: readonly Step[],
): Pick<OrganizationPlan, 'made' | 'adopted'> {
  const made = own.work.objects.filter((one) => one.made === true && ids[one.address] === one.id);
  const touched = new Set(steps.flatMap(({ address }) => prefixesOf(address)));
  const isKnown = (address: string) => recordedIds.has(address) || base?.tree.get(address) !== undefined;
  const adopted = Object.entries(ids).filter(
    ([address]) => desired.get(address)?.parent !== undefined && touched.has(address) && !isKnown(address),
  );
  return {
    ...(made.length === 0 ? {} : { made: Object.fromEntries(made.map(({ address, id }) => [address, id])) }),
    ...(adopted.length === 0 ? {} : { adopted: Object.fromEntries(adopted) }),
  };
}

function countIgnoredFields(context: PlanContext) {
  let [drift, lifecycle] = [0, 0];
  const isAnyIgnored = hasSynced(context) || context.base?.ignoreDrift === true;
  for (const desired of context.desired.nodes.values()) {
    if (!isAnyIgnored && desired.lifecycle.ignore.length === 0) continue;
    const live = context.liveOf(desired.address);
    if (live === undefined || context.isReleased(desired.address)) continue;
    if (desired.address === rootAddress && Object.keys(desired.fields).length === 0) continue;
    for (const why of ignoredFields(context, desired, context.liveFields(live))) {
      if (why === 'drift') drift += 1;
      else lifecycle += 1;
    }
  }
  return { drift, lifecycle };
}

function seenFields(context: PlanContext, steps: readonly Step[]): OrganizationPlan['seen'] {
  const seen: Record<string, Fields> = {};
  for (const { address } of steps) {
    const live = context.liveOf(address);
    if (live !== undefined) seen[address] = plainFields(context, live);
  }
  return seen;
}

/** Adds source ranges: an update has that of its first written field, any other step that of its object. */
function withPlaces({ desired, base }: PlanContext, steps: readonly Step[]): readonly Step[] {
  // A journal has no source ranges.
  if (base?.undoes !== undefined) return steps;
  return steps.map((step) => {
    const node = desired.get(step.address);
    if (node === undefined) return step;
    if (!isUpdate(step)) return { ...step, at: node.at };
    const fields = step.fields.map((change) => ({ ...change, ...defined({ at: placeOf(node, change) }) }));
    return { ...step, at: fields.find(({ at }) => at !== undefined)?.at ?? node.at, fields };
  });
}

/** Place of the first changed entry, or of the field. */
function placeOf({ fieldAt }: DesiredNode, { field, before, after }: FieldChange): SourceRange | undefined {
  const entries = isRecord(after) && referredAddress(after) === undefined ? Object.entries(after) : [];
  const were = isRecord(before) ? before : {};
  const places = entries.flatMap(([key, value]) => {
    const at = fieldAt[`${field}.${key}`];
    return at === undefined || (Object.hasOwn(were, key) && sameJson(were[key], value)) ? [] : [at];
  });
  return places.sort((left, right) => left.line - right.line)[0] ?? fieldAt[field];
}
