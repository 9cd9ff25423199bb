/**
 * Plans one organization: match → diff → order, over the desired and the live tree. Pure: the same trees give the same
 * plan, whatever the order of files and answers.
 */

import type { Payload } from '../kinds/payload.ts';
import type { Registry } from '../kinds/registry.ts';
import { canonicalTree } from '../tree/canonical-tree.ts';
import type { DesiredNode, DesiredTree } from '../tree/desired.ts';
import { type LiveNode, type LiveTree, liveKey } from '../tree/live.ts';
import type { Diagnostic } from '../util/diagnostic.ts';
import { isRecord } from '../util/json.ts';
import { Scene } from './context.ts';
import { baseNodeOf, isInBase } from './diff/cause.ts';
import { draftDeletes } from './diff/deletions.ts';
import { holdsSecret } from './diff/field-changes.ts';
import { planOrderings } from './diff/positions.ts';
import { judge } from './guards/run-guards.ts';
import { match } from './match/match.ts';
import type { Base } from './match/matching.ts';
import { checkCalls } from './order/check-calls.ts';
import { PlanDraft } from './order/draft.ts';
import { connectRuledOut } from './order/exclusive-collections.ts';
import { connectSteps, sortSteps } from './order/order.ts';
import { draftSteps } from './order/steps.ts';
import { connectUniqueValues } from './order/unique-values.ts';
import type { OrganizationPlan, Step } from './plan.ts';

/** Options of planning. */
export interface PlanOptions {
  readonly registry: Registry;
  /** Only these addresses, and what they need. */
  readonly target?: (address: string) => boolean;
  /** Not these addresses, nor what needs them. */
  readonly exclude?: (address: string) => boolean;
  /** The manifests as they were last applied, or as another state of the repository has them. */
  readonly base?: DesiredTree;
  /** Leaves alone what only the live state changed; needs a base. */
  readonly ignoreDrift?: boolean;
  /** Deletes that are allowed this once, beyond `settings.limits`. */
  readonly allowDeletes?: number;
  /** Leaves out what a guard refuses, and what needs that, so that the rest can go on. */
  readonly skipRefused?: boolean;
}

/** A plan, or the problems that stand in its way; warnings may come with a plan. */
export interface Planned {
  readonly plan: OrganizationPlan;
  /** Ids of the live objects that the base speaks of, by its addresses; none without a base, or with problems. */
  readonly baseIds: ReadonlyMap<string, string>;
  /** When one of them is an error, the plan must not be used. */
  readonly problems: readonly Diagnostic[];
}

/** Plans what leads from the live tree to the desired one. */
export function planOrganization(desiredValue: DesiredTree, live: LiveTree, options: PlanOptions): Planned {
  const { registry } = options;
  const tree = canonicalTree(desiredValue, registry);
  const base = matchBase(live, options);
  const matching = match(tree, live, registry, base);
  const problems: Diagnostic[] = [...matching.problems];
  let scene = new Scene(tree, live, registry, matching, base);
  const followed = followReplaced(scene);
  if (followed !== tree) scene = new Scene(followed, live, registry, matching, base);
  problems.push(...unknownPeople(scene));
  const draft = new PlanDraft();
  const empty = {
    organizationId: live.organizationId,
    label: tree.label,
    ids: {},
    seen: {},
    withBase: options.base !== undefined,
    unmanaged: [],
    refusals: [],
    notes: [],
  };
  if (problems.length > 0) return { plan: { ...empty, steps: [] }, baseIds: new Map(), problems };
  const orderings = planOrderings(scene);
  draftSteps(scene, draft, orderings, problems);
  const { doomed, unmanaged } = draftDeletes(scene, draft);
  connectUniqueValues(scene, draft, doomed, problems);
  connectRuledOut(scene, draft, doomed, problems);
  connectSteps(scene, draft, orderings, doomed);
  problems.push(...checkCalls(scene, draft));
  if (problems.length > 0) return { plan: { ...empty, steps: [] }, baseIds: new Map(), problems };
  const sorted = sortSteps(draft);
  const chosen = new Set(selectSteps(sorted, options));
  draft.drop(sorted.filter((step) => !chosen.has(step)).map(({ id }) => id));
  const { allowDeletes, skipRefused } = options;
  const { refusals, notes } = judge(
    { scene, draft, doomed, unmanaged, ...(allowDeletes === undefined ? {} : { allowDeletes }) },
    { skip: skipRefused === true },
  );
  const steps = remaining(sorted, draft);
  return {
    plan: {
      ...empty,
      ids: Object.fromEntries(idsOf(tree, registry, (address) => scene.liveOf(address))),
      seen: seenFields(scene, steps),
      steps,
      // With a base it is known what was never in the manifests: that is nobody's business here.
      unmanaged: unmanaged.filter(({ kind, id }) => base === undefined || isInBase(scene, kind, id)),
      refusals,
      notes: [...matching.notes, ...notes],
    },
    baseIds: new Map(base && idsOf(base.tree, registry, (address) => base.matching.liveOf.get(address))),
    problems,
  };
}

/** The steps that are still in the draft, in their order. */
function remaining(steps: readonly Step[], draft: PlanDraft): readonly Step[] {
  return steps
    .filter(({ id }) => draft.steps.has(id))
    .map((step) => ({ ...step, after: step.after.filter((id) => draft.steps.has(id)) }));
}

/** Ids by address, of objects whose kind has ids of its own. */
function idsOf(
  tree: DesiredTree,
  registry: Registry,
  liveOf: (address: string) => LiveNode | undefined,
): readonly (readonly [string, string])[] {
  return [...tree.nodes.values()].flatMap(({ address, kind }) => {
    const live = registry.byName(kind).idParam === undefined ? undefined : liveOf(address);
    return live === undefined ? [] : [[address, live.id] as const];
  });
}

/** The live fields of all objects that steps change, without those that hold a secret. */
function seenFields(scene: Scene, steps: readonly Step[]): OrganizationPlan['seen'] {
  const seen: Record<string, Readonly<Record<string, Payload>>> = {};
  for (const { address } of steps) {
    const desired = scene.tree.nodes.get(address);
    const live = desired === undefined ? undefined : scene.liveOf(address);
    if (desired === undefined || live === undefined) continue;
    const said = [desired, baseNodeOf(scene, live.kind, live.id)];
    const plain = Object.entries(live.fields).filter(
      ([name]) => !said.some((node) => holdsSecret(node?.fields[name])),
    );
    seen[address] = Object.fromEntries(plain);
  }
  return seen;
}

/** The base beside the live state. What cannot be told of it is left open: only what is certain counts. */
function matchBase(live: LiveTree, options: PlanOptions): Base | undefined {
  if (options.base === undefined) return undefined;
  const tree = canonicalTree(options.base, options.registry);
  return { tree, matching: match(tree, live, options.registry), ignoreDrift: options.ignoreDrift === true };
}

/** A default that a replaced object was stays with its address, also where the manifests do not declare it. */
function followReplaced(scene: Scene): DesiredTree {
  const changed = new Map<string, DesiredNode>();
  for (const [address, live] of scene.replaced) {
    for (const above of [live.container, live.scope]) {
      const holderAddress = scene.matching.addressOf.get(liveKey(above.kind, above.id));
      const holder = scene.live.nodes.get(liveKey(above.kind, above.id));
      if (holderAddress === undefined || holder === undefined || scene.fresh.has(holderAddress)) continue;
      const desired = changed.get(holderAddress) ?? scene.tree.nodes.get(holderAddress);
      if (desired === undefined) continue;
      for (const [name, field] of Object.entries(scene.kindOf(holder).fields)) {
        const concerned =
          field.reference?.within === 'descendants' && field.reference.kinds.includes(live.kind);
        if (!concerned || holder.fields[name] !== live.id || desired.fields[name] !== undefined) continue;
        changed.set(holderAddress, { ...desired, fields: { ...desired.fields, [name]: address } });
      }
    }
  }
  if (changed.size === 0) return scene.tree;
  const nodes = new Map(
    [...scene.tree.nodes].map(([address, node]) => [address, changed.get(address) ?? node]),
  );
  return { ...scene.tree, nodes };
}

/** Keys that must name existing objects and name none. */
function unknownPeople(scene: Scene): readonly Diagnostic[] {
  const problems: Diagnostic[] = [];
  for (const desired of scene.tree.nodes.values()) {
    for (const [name, field] of Object.entries(scene.kindOf(desired).fields)) {
      const value = desired.fields[name];
      if (field.reference?.undeclared !== 'lookup' || field.reference.of !== 'keys' || !isRecord(value))
        continue;
      for (const key of Object.keys(value)) {
        if (field.reference.kinds.some((kind) => scene.resolveKey(kind, key) !== undefined)) continue;
        const noun = scene.registry.byName(field.reference.kinds[0] ?? '').noun;
        problems.push({
          severity: 'error',
          code: 'not-found',
          message: `there is no ${noun} ${key} in this organization`,
          address: desired.address,
          at: desired.fieldAt[`${name}.${key}`] ?? desired.fieldAt[name] ?? desired.at,
          suggestion: 'check the spelling; people must be invited in the app before they can be named here',
        });
      }
    }
  }
  return problems;
}

/** The steps that were asked for: targets with what they need, without what is excluded and what needs that. */
function selectSteps(steps: readonly Step[], options: PlanOptions): readonly Step[] {
  const { target, exclude, ignoreDrift } = options;
  if (target === undefined && exclude === undefined && ignoreDrift !== true) return steps;
  const out = new Set<string>();
  for (const step of steps) {
    const drifted = ignoreDrift === true && step.cause === 'drift';
    if (drifted || exclude?.(step.address) === true || step.needs.some((id) => out.has(id))) out.add(step.id);
  }
  const chosen = new Set<string>();
  for (const step of [...steps].reverse()) {
    const asked = target === undefined || target(step.address) || chosen.has(step.id);
    if (!asked || out.has(step.id)) continue;
    chosen.add(step.id);
    for (const id of step.needs) chosen.add(id);
  }
  return steps.filter(({ id }) => chosen.has(id));
}
