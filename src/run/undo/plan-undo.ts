/**
 * Plans the undo of a run with the one planner: the former objects are the desired tree, the result of the run is the base. So a
 * later change by others is a conflict, and a step that never ran is not a change.
 */

import { referenceOf } from '../../kinds/field.ts';
import type { Kind } from '../../kinds/kind.ts';
import type { Value } from '../../kinds/payload.ts';
import type { Registry } from '../../kinds/registry.ts';
import type { OrganizationPlan, Refusal, Step } from '../../plan/plan.ts';
import { covers } from '../../tree/addressing.ts';
import type { DesiredNode } from '../../tree/desired.ts';
import type { DesiredTree } from '../../tree/desired-tree.ts';
import type { LiveTree } from '../../tree/live.ts';
import type { Read } from '../../tree/reads.ts';
import { resolveField } from '../../tree/references.ts';
import { type ObjectRef, RefSet } from '../../tree/refs.ts';
import { countOf } from '../../util/count.ts';
import { defined } from '../../util/defined.ts';
import { type Diagnostic, DiagnosticError } from '../../util/diagnostic.ts';
import { isRecord } from '../../util/json.ts';
import { userError } from '../../util/user-error.ts';
import type { PendingChanges } from '../pending.ts';
import { planTree } from '../plan-tree.ts';
import { type Look, type PlanInputs, type PlanRun, planAll, type RecordedIds } from '../planning.ts';
import { type Fitted, fitTrees, wasMadeSince } from './fit-trees.ts';
import type { UndoTrees } from './undo-trees.ts';

export interface UndoRequest {
  readonly run: string;
  /** By organization; `after` has the ids of objects that the run created. */
  readonly trees: readonly UndoTrees[];
  readonly pending?: PendingChanges | undefined;
  /** What an undo that was not completed made again. */
  readonly recorded?: RecordedIds | undefined;
  readonly skipRefused?: boolean | undefined;
}

/** Rounds of removing what turns out to be impossible and planning the rest again. */
const rounds = 4;

/**
 * Notes of the plan report what it does not restore.
 * @throws DiagnosticError if an organization is not found; ApiError if a request fails.
 */
export async function planUndo(look: Look, request: UndoRequest): Promise<PlanRun> {
  const { run, trees, pending, skipRefused, recorded } = request;
  let fitted = await Promise.all(trees.map((one) => fitToday(look, one)));
  for (let round = 1; ; round += 1) {
    fitted = fitted.map(withoutDead);
    const inputs: PlanInputs = {
      trees: fitted.map(({ before }) => before),
      bases: new Map(fitted.map(({ label, after }) => [label, after])),
      pending,
      recorded,
      choices: { undoes: run, ignoreDrift: true, ...defined({ skipRefused }) },
    };
    const attempt = await tryToPlan(look, inputs);
    const problems = [
      ...attempt.problems,
      ...(attempt.planned === undefined ? [] : namesakes(attempt.planned, fitted, request)),
    ];
    const next = fitted.map((one) => without(one, problems));
    const isSmaller = next.some(({ before }, index) => before !== fitted[index]?.before);
    if (attempt.planned !== undefined && (!isSmaller || round >= rounds)) {
      for (const one of fitted) requireMadeSince(attempt.planned, one, run);
      return withNotes(attempt.planned, fitted);
    }
    if (attempt.planned === undefined && (!isSmaller || round >= rounds)) throw attempt.error;
    fitted = next;
  }
}

/** Whatever a journal of others says, it deletes nothing that was there before its run. */
function requireMadeSince({ plan, lives }: PlanRun, { label, madeSince }: Fitted, run: string): void {
  if (madeSince === undefined) return;
  const live = lives?.get(label);
  const steps = plan.organizations.find((one) => one.label === label)?.steps ?? [];
  const deletes = steps.filter(({ phase }) => phase === 'delete');
  const gone = deletes.flatMap(({ kind, liveId, cascade = [] }) => [
    ...(liveId === undefined ? [] : [{ kind, id: liveId }]),
    ...cascade,
  ]);
  const isGone = new RefSet(gone);
  for (const { kind, id } of gone) {
    const node = live?.get({ kind, id });
    const isInside = node?.createdAt === undefined && node !== undefined && isGone.has(node.container);
    if (node !== undefined && (isInside || wasMadeSince(node, madeSince))) continue;
    throw userError(
      'journal',
      `the journal of run ${run} comes from git, and would delete ${kind} ${id}, which the run did not create`,
      'find out who pushed the journal; or undo the run where it was applied',
    );
  }
}

interface Undo extends Fitted {
  readonly live: LiveTree;
  readonly registry: Registry;
  /** What cannot go back, and is left out. */
  readonly refusals: readonly Refusal[];
}

/** `field`: if only that cannot go back. */
interface Problem {
  readonly address?: string | undefined;
  readonly message: string;
  readonly field?: string | undefined;
}

async function fitToday(look: Look, trees: UndoTrees): Promise<Undo> {
  const { api, registry, onRead } = look;
  const { before, after } = trees;
  const { live, reader } = await planTree(api, before, { registry, base: after, matchOnly: true, onRead });
  const more = referenceReads(before, live, reader.registry);
  if (more.length > 0) await reader.read(more);
  const today = { live, registry: reader.registry };
  return { ...fitTrees(trees, { ...today, abilities: reader.abilities }), ...today, refusals: [] };
}

/** Without references to what is gone. */
function withoutDead(undo: Undo): Undo {
  const { before, live, registry } = undo;
  const dead = [...before.nodes.values()].flatMap((node) =>
    Object.entries(node.fields).flatMap(([field, value]): readonly Problem[] => {
      const spec = registry.byName(node.kind).fields[field];
      const target = resolveField(before, node, { field: spec, value });
      const isRead = referenceOf(spec)?.kinds.every((kind) => registry.byName(kind).reads.get !== undefined);
      const isGone =
        target?.type === 'id'
          ? isRead === true &&
            !referenceOf(spec)?.kinds.some((kind) => isThere(live, { kind, id: target.id }))
          : target?.type === 'unknown';
      const message = `${target?.type === 'id' ? target.id : String(value)} is gone`;
      return isGone ? [{ address: node.address, field, message }] : [];
    }),
  );
  return without(undo, dead);
}

function isThere(live: LiveTree, ref: ObjectRef): boolean {
  return live.has(ref) && live.get(ref)?.deleted !== true;
}

/** Objects in the place of deleted ones, made by somebody else: the name alone makes none of them the former one. */
function namesakes({ plan }: PlanRun, undos: readonly Undo[], request: UndoRequest): readonly Problem[] {
  return undos.flatMap(({ label, before, after, registry }, index) => {
    const { ids = {}, steps = [] } = plan.organizations.find((one) => one.label === label) ?? {};
    const own = new Set([...after.nodes.values()].map(({ kind, id }) => `${kind} ${id}`));
    return [...before.nodes.values()].flatMap((node): readonly Problem[] => {
      const { address, kind: name, whole } = node;
      const [id, kind] = [ids[address], registry.byName(name)];
      const isKnown = own.has(`${name} ${id}`) || request.recorded?.get(label)?.get(address) === id;
      if (whole !== true || node.id !== undefined || id === undefined || isKnown) return [];
      // One that is as the former one was may be of an earlier undo; then nothing is left to do with it.
      const isUsed = steps.some(
        (step) => step.address === address || JSON.stringify(step.calls).includes(id),
      );
      if (!isUsed) return [];
      if (kind.deletion.again?.impossible !== undefined) return [];
      const was = request.trees[index]?.before.get(address)?.id ?? address;
      return [
        { address, message: `${was} was deleted, and ${id} has its name now, which the run did not make` },
      ];
    });
  });
}

/** Former values may refer by id to objects that were deleted. */
function referenceReads(before: DesiredTree, live: LiveTree, registry: Registry): readonly Read[] {
  const named = [...before.nodes.values()].flatMap((node) =>
    Object.entries(node.fields).flatMap(([name, value]) => {
      const field = registry.byName(node.kind).fields[name];
      const id = idIn(value);
      return field?.type !== 'reference' || id === undefined ? [] : field.kinds.map((kind) => ({ kind, id }));
    }),
  );
  const unseen = named.filter((ref) => !live.has(ref) && registry.byName(ref.kind).reads.get !== undefined);
  const unique = new Map(
    unseen.map(({ kind, id }) => [`${kind} ${id}`, { type: 'object', kind, id } as const]),
  );
  return [...unique.values()];
}

function idIn(value: Value): string | undefined {
  return isRecord(value) && typeof value.id === 'string' ? value.id : undefined;
}

type UndoAttempt =
  | { readonly planned: PlanRun; readonly problems: readonly Diagnostic[] }
  | { readonly planned?: never; readonly error: DiagnosticError; readonly problems: readonly Diagnostic[] };

async function tryToPlan(look: Look, inputs: PlanInputs): Promise<UndoAttempt> {
  try {
    const planned = await planAll({ ...look, withAccess: true }, inputs);
    const refused = planned.plan.organizations.flatMap(({ refusals }) => refusals);
    const problems = refused
      .filter(({ guard }) => guard === 'missing')
      .map(({ address, message }) => ({ severity: 'error', code: 'not-undone', address, message }) as const);
    return { planned, problems };
  } catch (error) {
    if (!(error instanceof DiagnosticError)) throw error;
    const problems = error.diagnostics.map(nowhere);
    return { error: new DiagnosticError(problems), problems };
  }
}

/** Places in a journal are not in a file that anyone could look at. */
function nowhere({ at: _at, related: _related, ...rest }: Diagnostic): Diagnostic {
  return rest;
}

/** Leaves out what has a problem, so that the rest goes back: objects that do not come back, or fields of those that are there. */
function without(undo: Undo, problems: readonly Problem[]): Undo {
  const nodes = new Map(undo.before.nodes);
  const out = new Set<string>();
  const refusals = problems.flatMap(({ address = '', message, field }): readonly Refusal[] => {
    const node = nodes.get(address);
    if (node === undefined) return [];
    const kind = undo.registry.byName(node.kind);
    const isComing =
      node.parent !== undefined && node.id === undefined && kind.identity.idParam !== undefined;
    const names = Object.keys(node.fields).filter((name) => name !== keyFieldOf(kind));
    const named = names.filter((name) => (field === undefined ? message.includes(name) : name === field));
    const left = new Set(named.length > 0 ? named : names);
    const isWhole = isComing && field === undefined;
    // The parents of others stay in the tree.
    if (!isWhole && left.size === 0) return [];
    if (isWhole) out.add(address);
    const fields = Object.entries(node.fields).filter(([name]) => !left.has(name));
    nodes.set(address, { ...node, fields: Object.fromEntries(fields) });
    const what = isWhole ? kind.noun : [...left].join(', ');
    return [
      {
        guard: 'missing',
        address,
        message: `${what} cannot be brought back: ${message}`,
        suggestion: 'change that in the app first, then run octavo undo again',
        steps: [],
        skipped: true,
      },
    ];
  });
  if (refusals.length === 0) return undo;
  const isOut = covers(out);
  const before = undo.before.with({ nodes: new Map([...nodes].filter(([address]) => !isOut(address))) });
  return { ...undo, before, refusals: [...undo.refusals, ...refusals] };
}

function keyFieldOf({ manifest: { key } }: Kind): string | undefined {
  return key?.is === 'field' ? key.field : undefined;
}

function withNotes(planned: PlanRun, undos: readonly Undo[]): PlanRun {
  const organizations = planned.plan.organizations.map((organization) => {
    const trees = undos.find(({ label }) => label === organization.label);
    if (trees === undefined) return organization;
    const notes = [...trees.notes, ...againNotes(organization, trees.before, trees.registry)];
    const refusals = [...organization.refusals, ...trees.refusals];
    return { ...organization, refusals, notes: [...organization.notes.map(nowhere), ...notes] };
  });
  return { ...planned, plan: { ...planned.plan, organizations } };
}

/** Values that objects lose when they are created again. */
function againNotes(
  { steps }: OrganizationPlan,
  before: DesiredTree,
  registry: Registry,
): readonly Diagnostic[] {
  const made = steps.flatMap((step): readonly { node: DesiredNode; kind: Kind; step: Step }[] => {
    const node = step.phase === 'create' ? before.get(step.address) : undefined;
    return node?.whole === true ? [{ node, step, kind: registry.byName(node.kind) }] : [];
  });
  const lost = made.flatMap(({ node, kind }): readonly Diagnostic[] =>
    kind.deletion.again?.lost === undefined
      ? []
      : [
          {
            severity: 'warning',
            code: 'not-undone',
            message: `${kind.noun} is made again: ${kind.deletion.again.lost}`,
            address: node.address,
          },
        ],
  );
  const renewed = made.filter(
    ({ kind }) => kind.manifest.key === undefined && kind.identity.idParam !== undefined,
  ).length;
  if (renewed === 0) return lost;
  const message = `${countOf(renewed, 'object')} made again ${renewed === 1 ? 'gets a new id' : 'get new ids'}`;
  return [...lost, { severity: 'warning', code: 'not-undone', message }];
}
