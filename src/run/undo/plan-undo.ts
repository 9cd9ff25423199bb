/**
 * Plans the undo of a run with the normal planner: the former objects are the desired tree, the result of the run is the base. So a
 * later change by others is a conflict, and a step that never ran is not a change.
 */

import { isKeyField } from '../../kinds/kind.ts';
import type { Registry } from '../../kinds/registry.ts';
import type { AsStored, Pasts } from '../../plan/past.ts';
import type { OrganizationPlan, Refusal } from '../../plan/plan.ts';
import type { ReviewedOrganization } from '../../review/reviewed-plan.ts';
import { covers } from '../../tree/addressing.ts';
import { type DesiredTree, withIds } from '../../tree/desired-tree.ts';
import { canBePinned } from '../../tree/identity.ts';
import type { LiveTree } from '../../tree/live.ts';
import { noOwnWork } from '../../tree/own-work.ts';
import type { Read } from '../../tree/reads.ts';
import { type FoundReference, referencesOf } from '../../tree/references.ts';
import { deletedBy, RefSet } from '../../tree/refs.ts';
import { countOf } from '../../util/count.ts';
import { defined } from '../../util/defined.ts';
import { type Diagnostic, DiagnosticError } from '../../util/diagnostic.ts';
import { userError } from '../../util/user-error.ts';
import { type LiveSource, planTree } from '../plan-tree.ts';
import { type PlanInputs, type PlanRun, planAll } from '../planning.ts';
import { type Fitted, Fitting, wasCreatedSince } from './fit-trees.ts';
import type { UndoTrees } from './undo-trees.ts';

export interface UndoRequest {
  readonly run: string;
  /** Trees by organization; `after` has the ids of objects that the run created. */
  readonly trees: readonly UndoTrees[];
  /** Includes the ids of objects recreated by earlier undos of the run. */
  readonly pasts: Pasts;
  readonly skipRefused?: boolean | undefined;
}

/**
 * Notes of the plan report values that are not restored.
 * @throws DiagnosticError if an organization is not found; ApiError if a request fails.
 */
export async function planUndo(source: LiveSource, request: UndoRequest): Promise<PlanRun> {
  const parts = await Promise.all(request.trees.map((one) => planOne(source, request, one)));
  const undos = parts.map(({ undo }) => undo);
  const organizations = parts.flatMap(({ planned: { plan }, undo }) =>
    plan.organizations.map((one) => withNotes(one, undo)),
  );
  return {
    plan: { format: 1, organizations },
    inputs: {
      ...inputsOf(request, undos),
      pasts: new Map(parts.flatMap(({ planned }) => [...planned.inputs.pasts])),
    },
    lives: new Map(parts.flatMap(({ planned: { lives = [] } }) => [...lives])),
  };
}

/** Removes impossible changes and plans the rest again, until all of it can be planned. */
async function planOne(source: LiveSource, request: UndoRequest, trees: UndoTrees) {
  const { asStored, ids } = request.pasts.get(trees.label) ?? {};
  for (let undo = withoutDead(await fitToday(source, trees, asStored)); ; ) {
    const { planned, error, problems } = await tryToPlan(source, inputsOf(request, [undo]));
    const others = (planned?.plan.organizations ?? []).flatMap((one) => namesakes(one, undo, trees, ids));
    const rest = withoutDead(without(undo, [...problems, ...others]));
    if (rest.before === undo.before) {
      if (planned === undefined) throw error;
      requireMadeSince(planned, undo, request.run);
      return { planned, undo };
    }
    undo = rest;
  }
}

function inputsOf({ run, pasts, skipRefused }: UndoRequest, undos: readonly UndoTrees[]): PlanInputs {
  return {
    trees: undos.map(({ before }) => before),
    pasts: new Map(undos.map(({ label, after }) => [label, { ...pasts.get(label), tree: after }])),
    choices: { undoes: run, ignoreDrift: true, ...defined({ skipRefused }) },
  };
}

/** A foreign journal must never delete objects that existed before its run. */
function requireMadeSince({ plan, lives }: PlanRun, { label, madeSince }: Fitted, run: string): void {
  if (madeSince === undefined) return;
  const live = lives?.get(label);
  const steps = plan.organizations.flatMap((one) => one.steps);
  const gone = steps.filter(({ phase }) => phase === 'delete').flatMap(deletedBy);
  const isGone = new RefSet(gone);
  for (const { kind, id } of gone) {
    const node = live?.get({ kind, id });
    const isInside = node?.createdAt === undefined && node !== undefined && isGone.has(node.container);
    if (node !== undefined && (isInside || wasCreatedSince(node, madeSince))) continue;
    throw userError(
      'journal',
      `the journal of run ${run} comes from git, and would delete ${kind} ${id}, which the run did not create`,
      'find out who pushed the journal; or undo the run where it was applied',
    );
  }
}

interface Undo extends Fitted {
  /** Changes that cannot be undone, and are omitted. */
  readonly refusals: readonly Refusal[];
}

/** `field`: set if only that field cannot be restored. */
type Obstacle = Pick<Diagnostic, 'address' | 'message'> & { readonly field?: string };

async function fitToday(source: LiveSource, trees: UndoTrees, asStored?: AsStored): Promise<Undo> {
  const { api, registry, onRead } = source;
  const { before, after, own } = trees;
  const uncertain = own && { ...noOwnWork, ids: own.ids, uncertain: own.uncertain };
  const matching = { registry, past: { tree: after, own: uncertain }, matchOnly: true, onRead };
  const { live, reader, decided } = await planTree(api, before, matching);
  const made = new Map(Object.entries(decided.context.own.work.ids));
  const inDoubt = new Set([...(trees.inDoubt ?? [])].filter((address) => !made.has(address)));
  const known = { ...trees, after: withIds(after, made), inDoubt };
  await reader.read(referenceReads(before, live, reader.registry));
  return { ...new Fitting(known, reader, asStored).fit(), refusals: [] };
}

/** Removes references to deleted objects. */
function withoutDead(undo: Undo): Undo {
  const { before, live, registry } = undo;
  const isGone = (kind: string, id: string) =>
    registry.byName(kind).reads.get !== undefined &&
    (live.get({ kind, id })?.deleted ?? !live.has({ kind, id })) === true;
  const dead = referencesIn(before, registry).flatMap(({ node, field, reference, value, target }) => {
    const isDead =
      target.type === 'unknown' ||
      (target.type === 'id' && reference.kinds.every((kind) => isGone(kind, target.id)));
    const named = target.type === 'id' ? target.id : String(value);
    return isDead ? [{ address: node.address, field, message: `${named} no longer exists` }] : [];
  });
  return without(undo, dead);
}

/** Without those of lists, whose entries are left out one by one. */
function referencesIn(tree: DesiredTree, registry: Registry): readonly FoundReference[] {
  return [...tree.nodes.values()].flatMap((node) => {
    const { fields } = registry.byName(node.kind);
    return referencesOf(tree, node, registry).filter(({ field }) => fields[field]?.type === 'reference');
  });
}

/** Objects that others created with the name of a deleted one: the same name does not prove that they are the same object. */
function namesakes(
  { ids, steps }: OrganizationPlan,
  { before, after, registry }: Undo,
  trees: UndoTrees,
  known: ReadonlyMap<string, string> | undefined,
): readonly Obstacle[] {
  const own = new Set([...after.nodes.values()].map(({ kind, id }) => `${kind} ${id}`));
  return [...before.nodes.values()].flatMap(({ address, kind, whole, id: pin }) => {
    const id = ids[address];
    const canCome = whole === true && registry.byName(kind).deletion.again?.impossible === undefined;
    if (!canCome || pin !== undefined || id === undefined || own.has(`${kind} ${id}`)) return [];
    // An identical object may come from an earlier undo; then no change is needed.
    const isUsed = steps.some((one) => one.address === address || JSON.stringify(one.calls).includes(id));
    if (!isUsed || known?.get(address) === id) return [];
    const was = trees.before.get(address)?.id ?? address;
    return [
      { address, message: `${was} was deleted, and ${id}, which the run did not create, has its name` },
    ];
  });
}

/** Former values may refer by id to objects that were deleted. */
function referenceReads(before: DesiredTree, live: LiveTree, registry: Registry): readonly Read[] {
  const named = referencesIn(before, registry).flatMap(({ reference: { kinds }, target }) =>
    target.type === 'id' ? kinds.map((kind) => ({ kind, id: target.id })) : [],
  );
  const unseen = named.filter((ref) => !live.has(ref) && registry.byName(ref.kind).reads.get !== undefined);
  const unique = new RefSet();
  return unseen.filter((ref) => unique.add(ref)).map((ref) => ({ type: 'object', ...ref }));
}

async function tryToPlan(source: LiveSource, inputs: PlanInputs) {
  try {
    const planned = await planAll(source, inputs);
    const refused = planned.plan.organizations.flatMap(({ refusals }) => refusals);
    return { planned, problems: refused.filter(({ guard }) => guard === 'missing') };
  } catch (error) {
    if (!(error instanceof DiagnosticError)) throw error;
    const problems = error.diagnostics.map(nowhere);
    return { error: new DiagnosticError(problems), problems };
  }
}

/** Drops the places, because users cannot open the files of a journal. */
function nowhere({ at: _at, related: _related, ...rest }: Diagnostic): Diagnostic {
  return rest;
}

/**
 * Removes objects or fields with problems, so that the rest can be restored: whole objects if they must be recreated, else only the
 * fields.
 */
function without(undo: Undo, problems: readonly Obstacle[]): Undo {
  const nodes = new Map(undo.before.nodes);
  const out = new Set<string>();
  const refusals = problems.flatMap(({ address = '', message, field }): readonly Refusal[] => {
    const node = nodes.get(address);
    if (node === undefined) return [];
    const kind = undo.registry.byName(node.kind);
    const { noun, identity } = kind;
    const isComing = node.parent !== undefined && node.id === undefined && identity.idParam !== undefined;
    const names = Object.keys(node.fields).filter((name) => !isKeyField(kind, name));
    const named = names.filter((name) => (field === undefined ? message.includes(name) : name === field));
    const left = named.length > 0 ? named : names;
    const isWhole = isComing && field === undefined;
    if (isWhole) out.add(address);
    // Keep the node, because it may be the parent of others.
    else if (left.length === 0) return [];
    const fields = Object.entries(node.fields).filter(([name]) => !left.includes(name));
    nodes.set(address, { ...node, fields: Object.fromEntries(fields) });
    const text = `${isWhole ? noun : left.join(', ')} cannot be restored: ${message}`;
    const suggestion = 'change that in the app first, then run octavo undo again';
    return [{ guard: 'missing', address, message: text, suggestion, steps: [], skipped: true }];
  });
  if (refusals.length === 0) return undo;
  const isOut = covers(out);
  const before = undo.before.with({ nodes: new Map([...nodes].filter(([address]) => !isOut(address))) });
  return { ...undo, before, refusals: [...undo.refusals, ...refusals] };
}

function withNotes(organization: ReviewedOrganization, undo: Undo): ReviewedOrganization {
  const notes = [...organization.notes.map(nowhere), ...undo.notes, ...againNotes(organization, undo)];
  return { ...organization, refusals: [...organization.refusals, ...undo.refusals], notes };
}

function againNotes({ steps }: OrganizationPlan, { before, registry }: Undo): readonly Diagnostic[] {
  const made = steps.flatMap(({ phase, address }) => {
    const node = phase === 'create' ? before.get(address) : undefined;
    return node?.whole === true ? [{ address, kind: registry.byName(node.kind) }] : [];
  });
  const lost = made.flatMap(({ address, kind }): readonly Diagnostic[] => {
    const cost = kind.deletion.again?.lost;
    const message = `${kind.noun} is created again: ${cost}`;
    return cost === undefined ? [] : [{ severity: 'warning', code: 'not-undone', message, address }];
  });
  const renewed = made.filter(({ kind }) => canBePinned(kind)).length;
  if (renewed === 0) return lost;
  const message = `${countOf(renewed, 'object')} created again ${renewed === 1 ? 'gets a new id' : 'get new ids'}`;
  return [...lost, { severity: 'warning', code: 'not-undone', message }];
}
