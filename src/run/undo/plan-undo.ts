/**
 * Plans the way back to what was before a run, with the one planner: what the objects were like is the desired tree, what
 * the run made of them is the base. So what somebody changed since is a conflict, and what never happened is no change.
 */
import type { Kind } from '../../kinds/kind.ts';
import type { Value } from '../../kinds/payload.ts';
import type { Registry } from '../../kinds/registry.ts';
import type { OrganizationPlan, Step } from '../../plan/plan.ts';
import type { DesiredNode } from '../../tree/desired.ts';
import type { DesiredTree } from '../../tree/desired-tree.ts';
import type { LiveTree } from '../../tree/live.ts';
import type { Read } from '../../tree/reads.ts';
import { countOf } from '../../util/count.ts';
import { defined } from '../../util/defined.ts';
import { type Diagnostic, DiagnosticError } from '../../util/diagnostic.ts';
import { isRecord } from '../../util/json.ts';
import { planTree } from '../plan-tree.ts';
import { type Look, type PlanInputs, type PlanRun, planAll } from '../planning.ts';
import { type Fitted, fitTrees } from './fit-trees.ts';
import type { UndoTrees } from './undo-trees.ts';

/** What is undone, and how. */
export interface UndoRequest {
  readonly run: string;
  /** Of each organization; `after` has the ids of what the run made. */
  readonly trees: readonly UndoTrees[];
  readonly skipRefused?: boolean | undefined;
}

/** How often what turns out to be impossible is taken out and the rest is planned again. */
const rounds = 4;

/**
 * Plans the way back. What it does not bring back is among the notes of the plan.
 *
 * @throws DiagnosticError when an organization is not found; ApiError when a request fails.
 */
export async function planUndo(look: Look, { run, trees, skipRefused }: UndoRequest): Promise<PlanRun> {
  let fitted = await Promise.all(trees.map((one) => fitToday(look, one)));
  for (let round = 1; ; round += 1) {
    const inputs: PlanInputs = {
      trees: fitted.map(({ before }) => before),
      bases: new Map(fitted.map(({ label, after }) => [label, after])),
      choices: { undoes: run, ignoreDrift: true, ...defined({ skipRefused }) },
    };
    const attempt = await tryToPlan(look, inputs);
    const next = fitted.map((one) => without(one, attempt.problems, look.registry));
    const isSmaller = next.some(({ before }, index) => before !== fitted[index]?.before);
    if (attempt.planned !== undefined && (!isSmaller || round >= rounds))
      return withNotes(attempt.planned, fitted, look.registry);
    if (attempt.planned === undefined && (!isSmaller || round >= rounds)) throw attempt.error;
    fitted = next;
  }
}

/** Reads the live objects of both trees, and fits the trees to them. */
async function fitToday(look: Look, trees: UndoTrees): Promise<Fitted> {
  const { api, registry, onRead } = look;
  const { before, after } = trees;
  const { live, reader } = await planTree(api, before, { registry, base: after, matchOnly: true, onRead });
  const more = referenceReads(before, live, registry);
  if (more.length > 0) await reader.read(more);
  return fitTrees(trees, { live, registry });
}

/** Objects that those which come back refer to by id: they may be gone. */
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

/** A plan, or why there is none; with the problems found. */
type UndoAttempt =
  | { readonly planned: PlanRun; readonly problems: readonly Diagnostic[] }
  | { readonly planned?: never; readonly error: DiagnosticError; readonly problems: readonly Diagnostic[] };

async function tryToPlan(look: Look, inputs: PlanInputs): Promise<UndoAttempt> {
  try {
    const planned = await planAll(look, inputs);
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

/** What a journal says is in no file that anybody could look at. */
function nowhere({ at: _at, related: _related, ...rest }: Diagnostic): Diagnostic {
  return rest;
}

/** The trees without the objects that cannot be planned, which are said. */
function without(fitted: Fitted, problems: readonly Diagnostic[], registry: Registry): Fitted {
  const out = new Map(
    problems.flatMap(({ address, message }) => {
      const node = address === undefined ? undefined : fitted.before.get(address);
      // An object that is there stays in the tree, or what it contains could not be planned.
      return node === undefined || node.parent === undefined || node.id !== undefined
        ? []
        : [[node.address, message] as const];
    }),
  );
  if (out.size === 0) return fitted;
  const isOut = (address: string) =>
    [...out.keys()].some((one) => address === one || address.startsWith(`${one}/`));
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

/** The plan with what it does not bring back. */
function withNotes(planned: PlanRun, fitted: readonly Fitted[], registry: Registry): PlanRun {
  const organizations = planned.plan.organizations.map((organization) => {
    const trees = fitted.find(({ label }) => label === organization.label);
    if (trees === undefined) return organization;
    const notes = [...trees.notes, ...againNotes(organization, trees.before, registry)];
    return { ...organization, notes: [...organization.notes.map(nowhere), ...notes] };
  });
  return { ...planned, plan: { ...planned.plan, organizations } };
}

/** What is lost of objects that are made again. */
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
    kind.again?.lost === undefined
      ? []
      : [
          {
            severity: 'warning',
            code: 'not-undone',
            message: `${kind.noun} is made again: ${kind.again.lost}`,
            address: node.address,
          },
        ],
  );
  const renewed = made.filter(({ kind }) => kind.key === undefined && kind.idParam !== undefined).length;
  if (renewed === 0) return lost;
  const message = `${countOf(renewed, 'object')} made again ${renewed === 1 ? 'gets a new id' : 'get new ids'}`;
  return [...lost, { severity: 'warning', code: 'not-undone', message }];
}
