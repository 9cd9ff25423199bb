import { registry } from '../../kinds/index.ts';
import { loadWorkspace } from '../../manifest/load-workspace.ts';
import type { Plan } from '../../plan/plan.ts';
import { selectSteps } from '../../plan/select-steps.ts';
import type { Graph } from '../../report/graph/graph.ts';
import { planGraph } from '../../report/graph/plan-graph.ts';
import { workspaceGraph } from '../../report/graph/workspace-graph.ts';
import { matcherIn, type PlanChoices } from '../../run/choices.ts';
import { readPlanFile } from '../../run/plan-file/read-plan.ts';
import { refuseUnmatched, unmatched } from '../../run/targets.ts';
import type { DesiredTree } from '../../tree/desired-tree.ts';
import { type FoundReference, referencesOf } from '../../tree/references.ts';
import { countOf } from '../../util/count.ts';
import { DiagnosticError, hasErrors } from '../../util/diagnostic.ts';
import { push } from '../../util/group.ts';
import { userError } from '../../util/user-error.ts';
import { defineCommand, type InvocationWith } from '../line/command.ts';
import {
  comparing,
  deciding,
  type FlagTable,
  flagName,
  flagTable,
  looks,
  manifests,
  merging,
  organizations,
  service,
  targets,
} from '../line/flags.ts';
import { readSettings } from '../service/settings.ts';
import { chosenViews } from '../show/view-for.ts';
import { graphViews } from '../show/views.ts';

const newPlanFlags = { ...organizations, ...service, ...comparing, ...deciding, ...merging };

const drawing = flagTable('Scope of the plan', {
  plan: { type: 'boolean', description: 'Plan, and show the steps of the plan' },
});

const flags = {
  ...manifests,
  ...targets,
  ...drawing,
  ...newPlanFlags,
  ...flagTable('Output', {
    show: { ...looks.show, choices: ['all'], description: 'Draw all of a large graph, without folding' },
  }),
};

type GraphInvocation = InvocationWith<typeof flags>;

export const command = defineCommand({
  words: {
    name: 'saved-plan',
    description: 'Plan saved with plan --out, whose steps are drawn; without it, the manifests',
    completes: 'files',
  },
  flags,
  views: graphViews,
  examples: [
    'octavo graph -f docs',
    "octavo graph -f docs --target 'sites/developer-hub/**' --format dot=hub.dot",
    'octavo graph plan.json --format dot=plan.dot',
    'octavo graph --plan -f docs --base origin/main --format json=steps.json',
  ],
  guide: 'graph',
  run,
});

async function run(invocation: GraphInvocation): Promise<number> {
  const { flags, words } = invocation;
  const [saved] = words;
  refuseFlags(flags, saved);
  if (saved !== undefined) return show(invocation, savedGraph(invocation, saved));
  if (flags.plan === true) {
    // The manifests alone need neither planning nor a client.
    const { withPlan } = await import('../service/session.ts');
    return withPlan(invocation, (_session, { plan }) => show(invocation, planGraph(plan)));
  }
  return show(invocation, await manifestGraph(invocation));
}

async function show(invocation: GraphInvocation, graph: Graph): Promise<number> {
  (await chosenViews(invocation, graphViews)).all((view, options) => view(graph, options));
  return 0;
}

function refuseFlags(flags: GraphInvocation['flags'], saved: string | undefined): void {
  const given = (table: FlagTable) => Object.keys(table).find((name) => name in flags);
  const wrong = saved === undefined ? undefined : given({ ...manifests, ...drawing, ...newPlanFlags });
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

/** Targets include their dependencies. */
function savedGraph({ cwd, flags }: GraphInvocation, file: string): Graph {
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

/** Targets include their parents and references. */
async function manifestGraph(invocation: GraphInvocation): Promise<Graph> {
  const { cwd, env, flags } = invocation;
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

interface SelectableTree {
  readonly tree: DesiredTree;
  readonly references: readonly FoundReference[];
}

function selectObjects(
  { tree, references }: SelectableTree,
  { target, exclude }: Pick<PlanChoices, 'target' | 'exclude'>,
): ReadonlySet<string> | undefined {
  if (target === undefined && exclude === undefined) return undefined;
  const named = new Map<string, string[]>();
  for (const { node, target: found } of references)
    if (found.type === 'node') push(named, node.address, found.address);
  const matching = (patterns: readonly string[]) => [...tree.nodes.keys()].filter(matcherIn(tree, patterns));
  const wanted = target === undefined ? new Set(tree.nodes.keys()) : reached(matching(target), named);
  // Parents are included because of their children; their own references are not.
  const parents = [...wanted].flatMap((address) => {
    const node = tree.get(address);
    return node === undefined ? [] : tree.ancestorsOf(node).map((above) => above.address);
  });
  const excluded = exclude === undefined ? [] : matching(exclude);
  const out = new Set(
    excluded.flatMap((address) => [address, ...tree.inside(address).map((node) => node.address)]),
  );
  return new Set([...wanted, ...parents].filter((address) => !out.has(address)));
}

function reached(
  start: readonly string[],
  next: ReadonlyMap<string, readonly string[]>,
): ReadonlySet<string> {
  const found = new Set(start);
  for (const address of found) for (const one of next.get(address) ?? []) found.add(one);
  return found;
}
