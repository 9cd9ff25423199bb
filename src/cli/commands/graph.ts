/** `octavo graph`: draws the objects that the manifests declare, or the steps of a plan, new or saved. Changes nothing. */
import { registry } from '../../kinds/index.ts';
import { loadWorkspace } from '../../manifest/load-workspace.ts';
import type { Plan } from '../../plan/plan.ts';
import { selectSteps } from '../../plan/select-steps.ts';
import type { Graph } from '../../report/graph/graph.ts';
import { planGraph } from '../../report/graph/plan-graph.ts';
import { workspaceGraph } from '../../report/graph/workspace-graph.ts';
import { matcherIn } from '../../run/choices.ts';
import { readPlanFile } from '../../run/plan-file/read-plan.ts';
import { refuseUnmatched, unmatched } from '../../run/targets.ts';
import { referencesOf } from '../../tree/references.ts';
import { countOf } from '../../util/count.ts';
import { DiagnosticError, hasErrors } from '../../util/diagnostic.ts';
import { userError } from '../../util/user-error.ts';
import { manifests } from '../flag-groups.ts';
import { type Flags, flagName } from '../flags.ts';
import { newPlanFlags } from '../graph-command.ts';
import type { Invocation } from '../invocation.ts';
import { selectObjects } from '../select-objects.ts';
import { readSettings } from '../settings.ts';
import { chosenViews } from '../view-for.ts';
import { graphViews } from '../views.ts';

/** Exit code 0. A plan with refused changes is drawn like every other one, with what is refused. */
export async function run(invocation: Invocation): Promise<number> {
  const { flags, argument } = invocation;
  refuseFlags(flags, argument);
  if (argument !== undefined) return show(invocation, savedGraph(invocation, argument));
  if (flags.plan === true) {
    // The manifests alone need neither planning nor a client.
    const { withPlan } = await import('../session.ts');
    return withPlan(invocation, (_session, { plan }) => show(invocation, planGraph(plan)));
  }
  return show(invocation, await manifestGraph(invocation));
}

async function show(invocation: Invocation, graph: Graph): Promise<number> {
  (await chosenViews(invocation, graphViews)).all((view, options) => view(graph, options));
  return 0;
}

/** What would be ignored otherwise. */
function refuseFlags(flags: Flags, saved: string | undefined): void {
  const given = (names: readonly (keyof Flags)[]) => names.find((name) => flags[name] !== undefined);
  const wrong = saved === undefined ? undefined : given([...manifests, 'plan', ...newPlanFlags]);
  if (wrong !== undefined) {
    throw userError(
      'plan-file',
      `--${flagName(wrong)} cannot change a saved plan`,
      'leave it out, or draw a new plan with --plan',
    );
  }
  const planningFlag = saved === undefined && flags.plan !== true ? given(newPlanFlags) : undefined;
  if (planningFlag === undefined) return;
  throw userError(
    'usage',
    `--${flagName(planningFlag)} is about a plan, and the graph of the manifests asks no service`,
    'add --plan, or leave it out',
  );
}

/** The steps of a saved plan; of targets with what they need. */
function savedGraph({ cwd, flags }: Invocation, file: string): Graph {
  const { plan } = readPlanFile(cwd, file);
  const { target, exclude } = flags;
  if (target === undefined && exclude === undefined) return planGraph(plan);
  const nothing = { trees: [], bases: undefined };
  refuseUnmatched(
    nothing,
    unmatched(nothing, { ...(target && { target }), ...(exclude && { exclude }) }),
    plan,
  );
  const organizations = plan.organizations.map((organization) => ({
    ...organization,
    steps: selectSteps(organization.steps, {
      ...(target && { target: matcherIn(organization, target) }),
      ...(exclude && { exclude: matcherIn(organization, exclude) }),
    }),
  }));
  const graph = planGraph({ ...plan, organizations });
  return { ...graph, notes: [...graph.notes, ...leftOutNotes(stepsIn(plan) - graph.nodes.length, 'step')] };
}

function stepsIn({ organizations }: Plan): number {
  return organizations.reduce((sum, { steps }) => sum + steps.length, 0);
}

/** The objects of the manifests; of targets with parents and with what they refer to. */
async function manifestGraph(invocation: Invocation): Promise<Graph> {
  const { cwd, env, flags, world } = invocation;
  world.saveMemory?.();
  const { files: paths, overlays } = await readSettings(invocation);
  const { trees, diagnostics, sources } = await loadWorkspace({
    paths,
    overlays,
    env,
    cwd,
    registry,
    purpose: 'check',
  });
  if (hasErrors(diagnostics)) throw new DiagnosticError(diagnostics, sources);
  const { target, exclude } = flags;
  const choices = { ...(target && { target }), ...(exclude && { exclude }) };
  const targetable = { trees, bases: undefined };
  refuseUnmatched(targetable, unmatched(targetable, choices));
  const drawn = trees.map((tree) => {
    const references = [...tree.nodes.values()].flatMap((node) => referencesOf(tree, node, registry));
    const chosen = selectObjects({ tree, references }, choices);
    const nounOf = ({ kind }: { readonly kind: string }) => registry.byName(kind).noun;
    return { tree, references, chosen, nounOf };
  });
  const all = trees.reduce((sum, { nodes }) => sum + nodes.size, 0);
  const graph = workspaceGraph(drawn, []);
  return { ...graph, notes: leftOutNotes(all - graph.nodes.length, 'object') };
}

function leftOutNotes(number: number, noun: string): readonly string[] {
  return number === 0 ? [] : [`Left out by --target and --exclude: ${countOf(number, noun)}.`];
}
