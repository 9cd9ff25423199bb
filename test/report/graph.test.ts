/** Graphs in every format: each step, object and arrow is there once, whatever the titles; large ones are folded, deletes never. */
import { type ASTNode, parse } from '@ts-graphviz/ast';
import { describe, expect, test } from 'vitest';
import type { Plan, Step } from '../../src/plan/plan.ts';
import { dotGraph } from '../../src/report/graph/dot.ts';
import { foldGraph } from '../../src/report/graph/fold-graph.ts';
import { type Graph, graphJson, linesOf } from '../../src/report/graph/graph.ts';
import { mermaidGraph } from '../../src/report/graph/mermaid.ts';
import { planGraph } from '../../src/report/graph/plan-graph.ts';
import { everything, organizationOf, planOf, step } from './plan-samples.ts';

const options = { color: false, width: 80 };

const hostile = [
  '"]; click n1 "javascript:alert(1)"',
  '%%{init: {"securityLevel":"loose"}}%%',
  '</text><script>alert(1)</script>',
  '\\" -> x; subgraph { \\N \\l',
  '`**bold**` [link](https://evil.example) <b onclick=x>',
  '1. one\n- two\r\u202e\u0000\u001b[31m\uFFFE',
  '&quot; &#34; #quot; #34; ]]> <!-- -->',
  'end\nclassDef x fill:#000',
];

const update = (address: string, more: Partial<Step> = {}) =>
  step({ address, action: 'update', phase: 'update', noun: 'section', ...more });

const hostilePlan = planOf({
  label: hostile[2] ?? '',
  steps: hostile.map((title, at) =>
    update(`sites/hub/sections/${title}`, {
      id: `step ${at}`,
      title,
      noun: title,
      risks: [{ text: title }],
      fields: [{ field: title, after: title }],
      needs: at === 0 ? [] : [`step ${at - 1}`],
      after: at < 2 ? [] : [`step ${at - 2}`],
    }),
  ),
});

const order = planOf({
  steps: [
    step({
      address: 'sites/status',
      action: 'delete',
      phase: 'delete',
      noun: 'site',
      cascade: [
        { kind: 'siteSpace', noun: 'site-space', id: 'a', title: 'A' },
        { kind: 'siteSpace', noun: 'site-space', id: 'b', title: 'B' },
      ],
    }),
    step({
      address: 'teams/docs',
      action: 'create',
      phase: 'create',
      noun: 'team',
      fields: [{ field: 'title', after: 'Docs' }],
      calls: [{ operation: 'teams.create', params: {} }],
    }),
    update('sites/hub', {
      noun: 'site',
      cause: 'drift',
      risks: [{ text: 'opens the site to everyone' }],
      needs: ['teams/docs#create'],
      after: ['sites/status#delete', 'gone#update'],
    }),
  ],
  refusals: [
    {
      guard: 'limits',
      address: 'sites/status',
      message: 'm',
      suggestion: 's',
      steps: ['sites/status#delete'],
    },
  ],
});

const plans: readonly (readonly [string, Plan])[] = [
  ['everything', everything],
  ['order', order],
  ['hostile', hostilePlan],
  [
    'two',
    {
      format: 1,
      organizations: [...order.organizations, organizationOf({ label: 'other', steps: [update('sites/x')] })],
    },
  ],
  ['empty', planOf({})],
];

/** The nodes and arrows of a flowchart; throws for a line that is not in the form that is written here. */
function flowchartOf(text: string) {
  const nodes = new Map<string, string>();
  const edges: (readonly [string, string, string])[] = [];
  const [first, ...lines] = text
    .trimEnd()
    .split('\n')
    .filter((line) => !/^%% [^{}%]*$/.test(line));
  expect(first).toBe('flowchart LR');
  const safe = '(?:[^"#<>`;{}%*_\\\\~&|]|#\\d+;|<br/>)*';
  for (const line of lines) {
    const node = new RegExp(`^ +(n\\d+)\\["((?:\\[~\\] )?${safe})"\\](?::::[a-z]+)?$`).exec(line);
    const edge = new RegExp(`^ +(n\\d+) (-->|-\\.->)(?:\\|"${safe}"\\|)? (n\\d+)$`).exec(line);
    if (node !== null) nodes.set(node[1] ?? '', node[2] ?? '');
    else if (edge !== null) edges.push([edge[1] ?? '', edge[3] ?? '', edge[2] ?? '']);
    else if (
      !new RegExp(
        `^ +(?:n\\d+ ~~~ n\\d+|subgraph o\\d+\\["${safe}"\\]|end|classDef [a-z]+ [a-z0-9:#,]+)$`,
      ).test(line)
    )
      throw new Error(`not a line of a flowchart: ${line}`);
  }
  return { nodes, edges };
}

const shown = (text: string) =>
  text.replaceAll('<br/>', '').replace(/#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)));

function dotOf(text: string) {
  const nodes = new Map<string, string>();
  const edges: (readonly [string, string])[] = [];
  const visit = (node: ASTNode): void => {
    if (node.type === 'Node') {
      const label = node.children.find((child) => child.type === 'Attribute' && child.key.value === 'label');
      nodes.set(node.id.value, label?.type === 'Attribute' ? label.value.value : '');
    }
    const isInvisible = (one: ASTNode) =>
      one.type === 'Attribute' && one.key.value === 'style' && one.value.value === 'invis';
    if (node.type === 'Edge' && !node.children.some(isInvisible)) {
      const [from, to] = node.targets.map((target) => ('id' in target ? target.id.value : ''));
      edges.push([from ?? '', to ?? '']);
    }
    if ('children' in node) for (const child of node.children) visit(child as ASTNode);
  };
  visit(parse(text));
  return { nodes, edges };
}

/** Arrows by the numbers of their nodes, as formats name them. */
function arrows({ nodes, edges }: Graph): readonly string[] {
  const names = new Map(nodes.map(({ id }, at) => [id, `n${at + 1}`]));
  return edges.map(({ from, to }) => `${names.get(from)} ${names.get(to)}`).sort();
}

describe.each(plans)('the graph of %s', (name, plan) => {
  const graph = planGraph(plan);
  const steps = plan.organizations.flatMap((organization) => organization.steps);

  test('has every step, and every arrow between steps', () => {
    expect(graph.nodes.map(({ address }) => address)).toEqual(steps.map(({ address }) => address));
    const known = new Set(steps.map(({ id }) => id));
    const wanted = steps.flatMap(({ needs, after }) => [...needs, ...after].filter((id) => known.has(id)));
    expect(graph.edges).toHaveLength(wanted.length);
  });

  test('as Mermaid', async () => {
    const text = mermaidGraph(graph, options);
    const { nodes, edges } = flowchartOf(text);
    expect([...nodes.values()].map((label) => shown(label))).toEqual(
      graph.nodes.map((node) => linesOf(node, (sign) => `[${sign}] `).join('')),
    );
    expect(edges.map(([from, to]) => `${from} ${to}`).sort()).toEqual(arrows(graph));
    if (name !== 'hostile') await expect(text).toMatchFileSnapshot(`golden/graph-${name}.mmd`);
  });

  test('for Graphviz', async () => {
    const text = dotGraph(graph, options);
    const { nodes, edges } = dotOf(text);
    expect(nodes.size).toBe(graph.nodes.length);
    expect(edges.map(([from, to]) => `${from} ${to}`).sort()).toEqual(arrows(graph));
    if (name !== 'hostile') await expect(text).toMatchFileSnapshot(`golden/graph-${name}.dot`);
  });

  test('as JSON', () => {
    expect(JSON.parse(graphJson(graph, options))).toMatchObject({
      format: 1,
      nodes: steps.map(({ address }) => ({ address })),
      edges: graph.edges,
    });
  });
});

test('deletes, risks, refusals and drift are words', () => {
  const [gone, made, changed] = planGraph(order).nodes.map((node) => linesOf(node).join('\n'));
  expect(gone).toContain(
    '- sites/status\ndelete: site\n! refused by the guard limits\n! also deletes 2 site-spaces',
  );
  expect(made).toBe('+ teams/docs\ncreate: team "Docs"\nfields: title\n1 request: teams.create');
  expect(changed).toContain('reverts drift\n! opens the site to everyone');
});

describe('a large graph', () => {
  const sections = Array.from({ length: 600 }, (_, at) => [
    update(`sites/s${at % 3}/sections/p${at}`, at % 2 === 0 ? { risks: [{ text: 'links break' }] } : {}),
    update(`sites/s${at % 3}/sections/p${at}/spaces/main`, {
      noun: 'site-space',
      needs: [`sites/s${at % 3}/sections/p${at}#update`],
    }),
  ]).flat();
  const deletes = Array.from({ length: 20 }, (_, at) =>
    step({ address: `teams/t${at}`, action: 'delete', phase: 'delete', noun: 'team' }),
  );
  const graph = planGraph(planOf({ steps: [...sections, ...deletes] }));

  test('is folded by collection, never what is deleted', () => {
    const folded = foldGraph(graph, { nodes: 100, edges: 500 });
    expect(folded.nodes.filter(({ action }) => action === 'delete')).toHaveLength(20);
    expect(folded.nodes.reduce((sum, { count }) => sum + count, 0)).toBe(graph.nodes.length);
    expect(folded.nodes.map((node) => linesOf(node).slice(0, 2).join(' ')).slice(0, 3)).toEqual([
      '~ sites/s0/sections/* update: 100 sections',
      '~ sites/s0/sections/*/spaces/* update: 200 site-spaces',
      '~ sites/s1/sections/* update: 100 sections',
    ]);
    expect(folded.notes).toEqual([
      'Folded: 1191 steps drawn with others of the same collection. Pass --target to draw a part, or --show all to draw all.',
    ]);
    expect(folded.edges).toHaveLength(6);
  });

  test('stays within what Mermaid draws, or says what to set', () => {
    const text = mermaidGraph(graph, options);
    expect(text.length).toBeLessThanOrEqual(50_000);
    expect(flowchartOf(text).edges.length).toBeLessThanOrEqual(500);
    const whole = mermaidGraph(graph, { ...options, full: true });
    expect(whole).toContain(
      '%% Mermaid draws 500 edges and 50,000 characters by default: set maxEdges and maxTextSize',
    );
    expect(flowchartOf(whole).nodes.size).toBe(graph.nodes.length);
  });
});

test('many steps that wait for nothing stand in several columns, each organization by itself', () => {
  const many = (label: string) =>
    organizationOf({ label, steps: Array.from({ length: 60 }, (_, at) => update(`teams/t${at}`)) });
  const graph = planGraph({ format: 1, organizations: [many('acme'), many('other')] });
  const text = mermaidGraph(graph, options);
  const beside = [...text.matchAll(/n(\d+) ~~~ n(\d+)/g)].map(([, from, to]) => Number(to) - Number(from));
  // Eleven rows: five columns and a part.
  expect(beside).toEqual(Array.from({ length: 98 }, () => 11));
  expect(dotGraph(graph, options).match(/style=invis/g)).toHaveLength(98);
  expect(text).not.toContain('n60 ~~~');
});
