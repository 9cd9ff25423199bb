import type { OrganizationPlan, Plan, Step } from '../../plan/plan.ts';
import { countOf } from '../../util/count.ts';
import { defined } from '../../util/defined.ts';
import { grouped } from '../../util/group.ts';
import { partialText } from '../plan/closing.ts';
import type { Graph, GraphEdge, GraphNode } from './graph.ts';

/** Steps in the order of the plan; an edge from a step outside of the plan is left out. */
export function planGraph(plan: Plan): Graph {
  const partial = partialText(plan);
  return {
    type: 'plan',
    organizations: plan.organizations.map(({ label }) => label),
    nodes: plan.organizations.flatMap(nodesOf),
    edges: plan.organizations.flatMap(edgesOf),
    notes: partial === undefined ? [] : [partial],
  };
}

function nodesOf({ label, steps, refusals }: OrganizationPlan): readonly GraphNode[] {
  const refusedBy = (step: Step) =>
    refusals
      .filter(
        ({ address, steps: ids }) => ids.includes(step.id) || (ids.length === 0 && address === step.address),
      )
      .map(({ guard }) => `refused by the guard ${guard}`);
  return steps.map((step) => {
    const { address, noun, action, phase, fields, calls } = step;
    const refused = refusedBy(step);
    return {
      id: idOf(label, step.id),
      organization: label,
      address,
      noun,
      ...defined({ title: titleOf(step) }),
      action,
      phase,
      fields: phase === 'delete' ? [] : fields.map(({ field }) => field),
      operations: calls.filter(({ find }) => find === undefined).map(({ operation }) => operation),
      marks: [...refused, ...lossesOf(step), ...step.risks.map(({ text }) => text), ...conflictsOf(step)],
      ...(hasCause(step, 'drift') ? { isDrift: true as const } : {}),
      isKept: refused.length > 0 || phase === 'delete' || action === 'delete' || action === 'replace',
      count: 1,
    };
  });
}

function lossesOf({ phase, cascade = [] }: Step): readonly string[] {
  if (phase !== 'delete') return [];
  const nouns = [...grouped(cascade, ({ noun }) => noun)].map(([noun, all]) => countOf(all.length, noun));
  return [nouns.length === 0 ? 'deletes' : `also deletes ${nouns.join(', ')}`];
}

function conflictsOf(step: Step): readonly string[] {
  return hasCause(step, 'conflict') ? ['conflict: changed on both sides'] : [];
}

function hasCause({ cause, fields }: Step, asked: Step['cause']): boolean {
  return cause === asked || fields.some((field) => field.cause === asked);
}

function titleOf({ title, fields }: Step): string | undefined {
  if (title !== undefined) return title;
  const named = fields.find(({ field }) => field === 'title' || field === 'name')?.after;
  return typeof named === 'string' ? named : undefined;
}

function edgesOf({ label, steps }: OrganizationPlan): readonly GraphEdge[] {
  const known = new Set(steps.map(({ id }) => id));
  return steps.flatMap(({ id, needs, after }) => {
    const edge = (type: 'needs' | 'after') => (from: string) => ({
      from: idOf(label, from),
      to: idOf(label, id),
      type,
    });
    const isNeeded = new Set(needs);
    return [
      ...needs.filter((one) => known.has(one)).map(edge('needs')),
      ...after.filter((one) => known.has(one) && !isNeeded.has(one)).map(edge('after')),
    ];
  });
}

function idOf(label: string, id: string): string {
  return `${label} ${id}`;
}
