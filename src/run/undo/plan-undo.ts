/**
 * Plans the undo of a run with the one planner: the former objects are the desired tree, the result of the run is the base. So a
 * later change by others is a conflict, and a step that never ran is not a change.
 */

import { abilitiesOf } from '../../contract/abilities.ts';
import type { Kind } from '../../kinds/kind.ts';
import type { Value } from '../../kinds/payload.ts';
import type { Registry } from '../../kinds/registry.ts';
import type { OrganizationPlan, Step } from '../../plan/plan.ts';
import { covers } from '../../tree/addressing.ts';
import type { DesiredNode } from '../../tree/desired.ts';
import type { DesiredTree } from '../../tree/desired-tree.ts';
import type { LiveTree } from '../../tree/live.ts';
import type { Read } from '../../tree/reads.ts';
import { RefSet } from '../../tree/refs.ts';
import { countOf } from '../../util/count.ts';
import { defined } from '../../util/defined.ts';
import { type Diagnostic, DiagnosticError } from '../../util/diagnostic.ts';
import { isRecord } from '../../util/json.ts';
import { userError } from '../../util/user-error.ts';
import type { PendingChanges } from '../pending.ts';
import { planTree } from '../plan-tree.ts';
import { type Look, type PlanInputs, type PlanRun, planAll } from '../planning.ts';
import { type Fitted, fitTrees, wasMadeSince } from './fit-trees.ts';
import type { UndoTrees } from './undo-trees.ts';

export interface UndoRequest {
  readonly run: string;
  /** By organization; `after` has the ids of objects that the run created. */
  readonly trees: readonly UndoTrees[];
  readonly pending?: PendingChanges | undefined;
  readonly skipRefused?: boolean | undefined;
}

/** Rounds of removing what turns out to be impossible and planning the rest again. */
const rounds = 4;

/**
 * Notes of the plan report what it does not restore.
 * @throws DiagnosticError if an organization is not found; ApiError if a request fails.
 */
export async function planUndo(look: Look, request: UndoRequest): Promise<PlanRun> {
  const { run, trees, pending, skipRefused } = request;
  let fitted = await Promise.all(trees.map((one) => fitToday(look, one)));
  for (let round = 1; ; round += 1) {
    const inputs: PlanInputs = {
      trees: fitted.map(({ before }) => before),
      bases: new Map(fitted.map(({ label, after }) => [label, after])),
      pending,
      choices: { undoes: run, ignoreDrift: true, ...defined({ skipRefused }) },
    };
    const attempt = await tryToPlan(look, inputs);
    const next = fitted.map((one) => without(one, attempt.problems, look.registry));
    const isSmaller = next.some(({ before }, index) => before !== fitted[index]?.before);
    if (attempt.planned !== undefined && (!isSmaller || round >= rounds)) {
      for (const one of fitted) requireMadeSince(attempt.planned, one, run);
      return withNotes(attempt.planned, fitted, look.registry);
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

async function fitToday(look: Look, trees: UndoTrees): Promise<Fitted> {
  const { api, registry, onRead } = look;
  const { before, after } = trees;
  const { live, reader } = await planTree(api, before, { registry, base: after, matchOnly: true, onRead });
  const more = referenceReads(before, live, reader.registry);
  if (more.length > 0) await reader.read(more);
  return fitTrees(trees, { live, registry: reader.registry, abilities: reader.abilities });
}

/** Restored objects may refer by id to objects that were deleted. */
function referenceReads(before: DesiredTree, live: LiveTree, registry: Registry): readonly Read[] {
  const named = [...before.nodes.values()]
    .filter(({ whole }) => whole === true)
    .flatMap((node) =>
      Object.entries(node.fields).flatMap(([name, value]) => {
        const field = registry.byName(node.kind).fields[name];
        const id = idIn(value);
        return field?.type !== 'reference' || id === undefined
          ? []
          : field.kinds.map((kind) => ({ kind, id }));
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

function without(fitted: Fitted, problems: readonly Diagnostic[], registry: Registry): Fitted {
  const out = new Map(
    problems.flatMap(({ address, message }) => {
      const node = address === undefined ? undefined : fitted.before.get(address);
      // An existing object stays in the tree, or its children could not be planned.
      return node === undefined || node.parent === undefined || node.id !== undefined
        ? []
        : [[node.address, message] as const];
    }),
  );
  if (out.size === 0) return fitted;
  const isOut = covers(out.keys());
  const nodes = [...fitted.before.nodes].filter(([address]) => !isOut(address));
  const notes = [...out].map(([address, message]): Diagnostic => {
    const kind = registry.byName(fitted.before.get(address)?.kind ?? registry.root.name);
    return {
      severity: 'warning',
      code: 'not-undone',
      message: `${kind.noun} cannot be brought back: ${message}`,
      address,
    };
  });
  return {
    ...fitted,
    before: fitted.before.with({ nodes: new Map(nodes) }),
    notes: [...fitted.notes, ...notes],
  };
}

function withNotes(planned: PlanRun, fitted: readonly Fitted[], registry: Registry): PlanRun {
  const organizations = planned.plan.organizations.map((organization) => {
    const trees = fitted.find(({ label }) => label === organization.label);
    if (trees === undefined) return organization;
    const notes = [
      ...trees.notes,
      ...againNotes(organization, trees.before, registry.under(abilitiesOf(organization))),
    ];
    return { ...organization, notes: [...organization.notes.map(nowhere), ...notes] };
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
