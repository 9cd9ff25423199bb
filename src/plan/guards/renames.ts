/**
 * Detects new objects that share facts with a live object of another name. If that object would be deleted, or the facts cannot be
 * chance, they are refused until the manifests decide; otherwise they are noted. Both messages name the line to add.
 */

import type { Kind } from '../../kinds/kind.ts';
import { valueWith } from '../../kinds/parts/field.ts';
import { type DesiredNode, isIdentified } from '../../tree/desired.ts';
import { formerNames, hadName, namesOf } from '../../tree/identity.ts';
import type { LiveNode } from '../../tree/live.ts';
import type { Read } from '../../tree/reads.ts';
import type { Diagnostic } from '../../util/diagnostic.ts';
import { grouped, push } from '../../util/group.ts';
import { mostAlike } from '../../util/nearest.ts';
import { remembered } from '../../util/remembered.ts';
import type { PlanContext } from '../context.ts';
import { declaredKinds } from '../match/declared-reads.ts';
import type { Group } from '../match/same-name.ts';
import type { OrganizationPlan } from '../plan.ts';
import { problemOf } from '../problem.ts';
import { memberReads } from '../removals.ts';
import { stepId } from '../step-id.ts';
import { namedObject, titleOf } from '../title-of.ts';
import type { Guard, GuardedPlan, OwnRefusal, Situation } from './guard.ts';
import { type Fact, SharedFacts } from './shared-facts.ts';
import { hasMoved, shiftedNames } from './shifted-names.ts';

export const renames: Guard = {
  name: 'rename',
  needs: renameReads,
  check: (plan) => {
    const finder = new RenameFinder(plan);
    const pairs = finder.find();
    const shifted = shiftedNames(plan);
    const isRefused = ({ facts, isDeleted }: Pair) =>
      isDeleted || facts.length > 1 || facts.some(({ isProof }) => isProof);
    const alike = pairs.filter(isRefused);
    const paired = new Set(alike.map(({ desired }) => desired));
    const unnamed = finder.formerNamesOfNothing().filter((desired) => !paired.has(desired));
    return {
      refusals: [
        ...alike.map((pair) => finder.refusal(pair)),
        ...unnamed.map((desired) => finder.namesNothing(desired)),
        ...shifted,
      ],
      notes: [
        ...pairs.filter((pair) => !isRefused(pair)).map((pair) => finder.note(pair)),
        ...leftOver(plan.context),
      ],
    };
  },
};

/** Hints at a `was` whose rename was already applied. */
function leftOver(context: PlanContext): readonly Diagnostic[] {
  return [...context.desired.nodes.values()].flatMap((desired): readonly Diagnostic[] => {
    const live = desired.was.length === 0 ? undefined : context.liveOf(desired.address);
    if (
      live === undefined ||
      hasMoved(context, desired) ||
      hadName(context.kindOf(desired), desired, live.fields)
    )
      return [];
    const message = `was: ${quoted(desired.was)} changes nothing: no other object had that name`;
    const suggestion = 'remove the line';
    return [problemOf(desired, { severity: 'hint', code: 'former-name', message, suggestion })];
  });
}

interface Pair {
  readonly desired: DesiredNode;
  readonly live: LiveNode;
  /** At least one. */
  readonly facts: readonly Fact[];
  readonly isDeleted: boolean;
}

class RenameFinder {
  readonly #plan: GuardedPlan;
  readonly #context: PlanContext;
  readonly #facts: SharedFacts;
  readonly #deletedBy = new Map<LiveNode, string>();

  constructor(plan: GuardedPlan) {
    this.#plan = plan;
    this.#context = plan.context;
    this.#facts = new SharedFacts(plan.context);
    for (const { live, by } of plan.deletions) this.#deletedBy.set(live, by);
  }

  find(): readonly Pair[] {
    const { unmanaged, keptDeletions } = this.#plan;
    const kept = unmanaged.flatMap((ref) => this.#context.live.get(ref) ?? []);
    const lives = [...this.#deletedBy.keys(), ...kept, ...keptDeletions.map(({ live }) => live)];
    const byPlace = grouped(lives, placeOf);
    const desired = [...this.#context.desired.nodes.values()].filter((node) => this.#mayBeRenamed(node));
    // Contents of a new object have no place yet: they are compared together with that object.
    const coming = grouped(desired, (node) => placeOfNew(this.#context, node) ?? '');
    const places = [...coming].map(([place, desiredNodes]) => ({
      desiredNodes,
      lives: byPlace.get(place) ?? [],
    }));
    return this.#pair(places).flatMap((pair) => [pair, ...this.#inside(pair)]);
  }

  /** The contents of an object that was probably renamed are probably not new either. */
  #inside(pair: Pair): readonly Pair[] {
    const lives = this.#context.live
      .childrenOf(pair.live)
      .filter((child) => this.#context.matching.addressOf(child) === undefined);
    const open: DesiredNode[] = [];
    const taken = new Set<LiveNode>();
    const same: Pair[] = [];
    for (const desired of this.#context.desired.childrenOf(pair.desired.address)) {
      const duplicate = lives.find((live) => !taken.has(live) && this.#facts.isSame(desired, live));
      if (duplicate === undefined) open.push(desired);
      else {
        taken.add(duplicate);
        same.push({ ...pair, desired, live: duplicate });
      }
    }
    const unlisted = grouped(
      lives.filter((live) => !taken.has(live)),
      ({ kind }) => kind,
    );
    const coming = grouped(
      open.filter((desired) => this.#mayBeRenamed(desired)),
      ({ kind }) => kind,
    );
    const renamed = this.#pair(
      [...coming].map(([kind, desiredNodes]) => ({ desiredNodes, lives: unlisted.get(kind) ?? [] })),
    );
    return [
      ...same.flatMap((one) => this.#inside(one)),
      ...renamed.flatMap((one) => [one, ...this.#inside(one)]),
    ];
  }

  #pair(places: readonly Group[]): readonly Pair[] {
    const all = places.flatMap((place) => this.#pairsIn(place));
    const taken = new Set<DesiredNode | LiveNode>();
    return all
      .sort((left, right) => right.facts.length - left.facts.length || proofsIn(right) - proofsIn(left))
      .filter(({ desired, live }) => {
        if (taken.has(desired) || taken.has(live)) return false;
        taken.add(desired).add(live);
        return true;
      });
  }

  #pairsIn({ desiredNodes, lives }: Group): Pair[] {
    // Unmanaged objects are kept, so they are not alternatives to a deleted object.
    const deleted = lives.filter((live) => this.#deletedBy.has(live));
    return this.#facts.candidates(desiredNodes, lives).flatMap(([desired, live]) => {
      if (live.deleted === true || this.#context.replacingFields(desired, live).length > 0) return [];
      const isDeleted = this.#deletedBy.has(live);
      const isOnly = desiredNodes.length === 1 && (isDeleted ? deleted : lives).length === 1;
      const facts = this.#facts.of({ desired, live, isOnly });
      return facts.length === 0 ? [] : [{ desired, live, facts, isDeleted }];
    });
  }

  #mayBeRenamed(desired: DesiredNode): boolean {
    const { context, draft } = this.#plan;
    return (
      draft.get(desired.address, 'create') !== undefined &&
      !context.replaced.has(desired.address) &&
      !isIdentified(desired) &&
      isNameable(context.kindOf(desired))
    );
  }

  /** New objects whose `was` matched no object. */
  formerNamesOfNothing(): readonly DesiredNode[] {
    const { context, draft } = this.#plan;
    return [...context.desired.nodes.values()].filter(
      ({ address, was }) =>
        was.length > 0 && draft.get(address, 'create') !== undefined && !context.replaced.has(address),
    );
  }

  namesNothing({ kind, address, was }: DesiredNode): OwnRefusal {
    const { noun } = this.#context.registry.byName(kind);
    const isNamed = (one: DesiredNode) => one.was.some((name) => was.includes(name));
    const other = this.#context.desired
      .ofKind(kind)
      .find((one) => isNamed(one) && this.#plan.draft.get(one.address, 'create') === undefined);
    const why =
      other === undefined
        ? `names no ${noun} that is live, in the base or in the record`
        : `is also set on ${other.address}`;
    return {
      address,
      message: `was: ${quoted(was)} ${why}, so this one would be created`,
      suggestion: `name the ${noun} that it was before; if it is new, write instead:\n  was: []`,
      steps: [stepId(address, 'create')],
    };
  }

  refusal(pair: Pair): OwnRefusal {
    const { desired, live } = pair;
    const { noun } = this.#context.kindOf(desired);
    const by = this.#deletedBy.get(live);
    const { address, was } = desired;
    const where =
      was.length === 0
        ? `add under ${address}`
        : `replace was: ${quoted(was)}, which names no ${noun}, under ${address}`;
    return {
      address,
      message: this.#likeness(pair),
      suggestion: `if it is the same ${noun}, ${where}:\n  ${renameLine(this.#context, live)}\nif it is new, ${was.length === 0 ? 'add' : 'write'} instead:\n  was: []`,
      steps: [stepId(desired.address, 'create'), ...(by === undefined ? [] : [by])],
    };
  }

  note(pair: Pair): Diagnostic {
    const { desired, live } = pair;
    const { noun } = this.#context.kindOf(desired);
    const message = this.#likeness(pair);
    const suggestion = `if it is the same ${noun} under another name, add the line\n${renameLine(this.#context, live)}`;
    return problemOf(desired, { severity: 'warning', code: 'probable-rename', message, suggestion });
  }

  #likeness({ desired, live, facts, isDeleted }: Pair): string {
    const { noun } = this.#context.kindOf(desired);
    const what = namedObject(this.#context, live);
    const why = facts.map(({ text }) => text).join(', ');
    return isDeleted
      ? `looks like a rename of the ${what} (${why}), which would be deleted`
      : `no live ${noun} matches this one, and the unmanaged ${what} may be the same one, renamed in the app (${why}): applying would create a second one`;
  }
}

const quoted = (names: readonly string[]) => names.map((name) => JSON.stringify(name)).join(', ');

const proofsIn = ({ facts }: Pair) => facts.filter(({ isProof }) => isProof).length;

const byName = remembered((context: PlanContext): ReadonlyMap<string, readonly LiveNode[]> => {
  const names = new Map<string, LiveNode[]>();
  for (const live of context.live.nodes())
    for (const name of namesOf(context.kindOf(live), live.fields))
      push(names, `${placeOf(live)} ${name}`, live);
  return names;
});

/** The line that declares the rename: by name if no other live object has that name. */
function renameLine(context: PlanContext, live: LiveNode): string {
  const name = titleOf(context, live);
  const named = new Set(
    formerNames([name]).flatMap((one) => byName(context).get(`${placeOf(live)} ${one}`) ?? []),
  );
  return named.size === 1 && named.has(live) ? `was: ${JSON.stringify(name)}` : `id: ${live.id}`;
}

/**
 * For the only delete of a kind in a place where exactly one object is created, and no fact connects the two: the line that would make
 * it a rename. Keyed by the step that deletes.
 */
export function possibleRenames(
  context: PlanContext,
  { steps, refusals }: Pick<OrganizationPlan, 'steps' | 'refusals'>,
): Readonly<Record<string, string>> {
  const refused = new Set(refusals.filter(({ guard }) => guard === 'rename').map(({ address }) => address));
  const created = grouped(
    steps.flatMap(({ phase, address }) => (phase === 'create' ? (context.desired.get(address) ?? []) : [])),
    (desired) => placeOfNew(context, desired) ?? '',
  );
  const deleted = steps.flatMap(({ id, phase, kind, liveId = '' }) => {
    const live = phase === 'delete' ? context.live.get({ kind, id: liveId }) : undefined;
    return live === undefined || !isNameable(context.kindOf(live)) ? [] : [{ id, live }];
  });
  const lines: Record<string, string> = {};
  for (const [place, [one, ...others]] of grouped(deleted, ({ live }) => placeOf(live))) {
    const [desired, ...more] = created.get(place) ?? [];
    if (desired === undefined || others.length + more.length > 0) continue;
    const { address } = desired;
    if (isIdentified(desired) || context.replaced.has(address) || refused.has(address)) continue;
    const line = renameLine(context, one.live);
    lines[one.id] = `if ${address} is the same ${context.kindOf(desired).noun}, add there: ${line}`;
  }
  return lines;
}

function placeOfNew(context: PlanContext, desired: DesiredNode): string | undefined {
  const live = context.liveOf(context.scopeOf(desired)?.address ?? '');
  return live === undefined ? undefined : placeOf({ kind: desired.kind, scope: live });
}

function placeOf({ kind, scope }: Pick<LiveNode, 'kind' | 'scope'>): string {
  return JSON.stringify([kind, scope.kind, scope.id]);
}

/** True for kinds whose objects keep their contents or members when their name changes. */
function isNameable(kind: Kind): boolean {
  return (
    kind.manifest.key === undefined && kind.identity.idParam !== undefined && kind.identity.by.length > 0
  );
}

const candidatesAtMost = 8;

function renameReads({ context, removals }: Situation): readonly Read[] {
  return context.registry.kinds.flatMap((kind) => {
    if (kind.reads.list === undefined || kind === context.registry.root) return [];
    const missing = context.desired.ofKind(kind.name).filter((desired) => isMissing(context, desired));
    if (missing.length === 0) return [];
    const unlisted = context.live
      .ofKind(kind.name)
      .filter((live) => isUnlisted(context, live) && !removals.deletes(live));
    return candidatesFor(kind, missing, unlisted).flatMap((live) => insideOf(context, live, missing));
  });
}

function isMissing(context: PlanContext, desired: DesiredNode): boolean {
  const isNew = context.matching.liveOf(desired.address) === undefined;
  return isNew && !isIdentified(desired) && !context.isReleased(desired.address);
}

function isUnlisted(context: PlanContext, live: LiveNode): boolean {
  const isMatched = context.matching.addressOf(live) !== undefined;
  return !isMatched && live.seenInPassing !== true && live.deleted !== true;
}

function candidatesFor(
  kind: Kind,
  missing: readonly DesiredNode[],
  unlisted: readonly LiveNode[],
): readonly LiveNode[] {
  const titles = missing.map(({ fields }) => valueWith(kind, fields, 'title'));
  const words = titles.filter((title) => typeof title === 'string');
  const nameOf = ({ id, fields }: LiveNode) => String(valueWith(kind, fields, 'title') ?? id);
  return mostAlike(unlisted, nameOf, { words, count: candidatesAtMost });
}

function insideOf(context: PlanContext, live: LiveNode, missing: readonly DesiredNode[]): readonly Read[] {
  const of = { kind: live.kind, id: live.id };
  const lists = new Set(
    missing.flatMap((desired) => [...declaredKinds(context.desired, context.registry, desired).lists]),
  );
  return [
    ...[...lists].map((inner): Read => ({ type: 'list', kind: inner.name, of, partial: true })),
    ...memberReads(context, live, ({ absent }) => absent === undefined),
  ];
}
