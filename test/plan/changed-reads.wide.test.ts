/** The number of reads of `--changed` depends on the size of the change, not of the workspace. */
import { expect, onTestFinished, test } from 'vitest';
import type { Api } from '../../src/contract/api.ts';
import { registry } from '../../src/kinds/index.ts';
import { planTree } from '../../src/run/plan-tree.ts';
import type { DesiredNode } from '../../src/tree/desired.ts';
import { startHarness, treeOf } from '../support/harness.ts';

const numbers = (count: number) => Array.from({ length: count }, (_, at) => at);
const [sites, sections, spaces, teams] = [numbers(100), numbers(44), numbers(500), numbers(600)];
const keyed = (count: readonly number[], of: (at: number) => readonly [string, object]) =>
  Object.fromEntries(count.map(of));

/** A workspace of 10,000 objects. */
const seed = {
  organizations: [
    {
      id: 'org_acme',
      title: 'Acme',
      spaces: spaces.map((at) => ({ id: `sp_${at}`, title: `Space ${at}` })),
      teams: teams.map((at) => ({ id: `team_${at}`, title: `Team ${at}` })),
      sites: sites.map((site) => ({
        id: `site_${site}`,
        title: `Site ${site}`,
        sections: sections.map((at) => ({
          id: `sect_${site}_${at}`,
          title: `Section ${at}`,
          path: `section-${at}`,
          default: at === 0,
          spaces: [{ id: `ss_${site}_${at}`, space: `sp_${(site + at) % 500}`, path: 'main', default: true }],
        })),
      })),
    },
  ],
};

const document = {
  octavo: 1,
  organization: { id: 'org_acme' },
  spaces: keyed(spaces, (at) => [`p${at}`, { id: `sp_${at}`, title: `Space ${at}` }]),
  teams: keyed(teams, (at) => [`t${at}`, { title: `Team ${at}` }]),
  sites: keyed(sites, (site) => [
    `s${site}`,
    {
      title: `Site ${site}`,
      sections: keyed(sections, (at) => [
        `c${at}`,
        {
          title: `Section ${at}`,
          path: `section-${at}`,
          spaces: { main: { space: `p${(site + at) % 500}`, path: 'main' } },
        },
      ]),
    },
  ]),
};

/** Ids as a record keeps them. */
const ids = new Map([
  ...spaces.map((at) => [`spaces/p${at}`, `sp_${at}`] as const),
  ...teams.map((at) => [`teams/t${at}`, `team_${at}`] as const),
  ...sites.map((at) => [`sites/s${at}`, `site_${at}`] as const),
  ...sites.flatMap((site) =>
    sections.flatMap((at) => {
      const address = `sites/s${site}/sections/c${at}`;
      return [
        [address, `sect_${site}_${at}`] as const,
        [`${address}/spaces/main`, `ss_${site}_${at}`] as const,
      ];
    }),
  ),
]);

test('reads at most 12 lists and objects for one changed title among 10,000 objects', {
  timeout: 120_000,
}, async () => {
  const harness = await startHarness(seed);
  onTestFinished(() => harness.close());
  const base = await treeOf(document);
  expect(base.nodes.size).toBeGreaterThanOrEqual(10_000);
  const options = { registry, past: { tree: base, ids }, changed: true };
  const readsOf = async (...nodes: readonly DesiredNode[]) => {
    const changed = nodes.map((node) => [node.address, node] as const);
    const tree = base.with({ nodes: new Map([...base.nodes, ...changed]) });
    harness.reads.length = 0;
    const { plan, problems } = await planTree(harness.api, tree, options);
    expect(problems).toEqual([]);
    return { steps: plan.steps.map(({ id }) => id), reads: harness.reads.length };
  };
  const titled = (address: string, more: Partial<DesiredNode> = {}): DesiredNode => {
    const node = base.get(address);
    if (node === undefined) throw new Error(`nothing is declared at ${address}`);
    return { ...node, fields: { ...node.fields, title: 'New title' }, ...more };
  };
  const all = {
    team: await readsOf(titled('teams/t7')),
    space: await readsOf(titled('spaces/p7')),
    site: await readsOf(titled('sites/s7')),
    section: await readsOf(titled('sites/s7/sections/c3')),
    nothing: await readsOf(),
    added: await readsOf(titled('teams/t7', { address: 'teams/new', key: 'new', index: teams.length })),
  };
  expect(all).toMatchInlineSnapshot(`
    {
      "added": {
        "reads": 2,
        "steps": [
          "teams/new#create",
        ],
      },
      "nothing": {
        "reads": 1,
        "steps": [],
      },
      "section": {
        "reads": 5,
        "steps": [
          "sites/s7/sections/c3#update",
        ],
      },
      "site": {
        "reads": 5,
        "steps": [
          "sites/s7#update",
        ],
      },
      "space": {
        "reads": 2,
        "steps": [
          "spaces/p7#update",
        ],
      },
      "team": {
        "reads": 2,
        "steps": [
          "teams/t7#update",
        ],
      },
    }
  `);
  for (const { reads } of Object.values(all)) expect(reads).toBeLessThanOrEqual(12);
});

/** Step ids of a whole plan and of a `--changed` plan, after the older manifests were applied. */
async function stepsOf(older: object, newer: object, between?: (api: Api) => Promise<unknown>) {
  const harness = await startHarness();
  onTestFinished(() => harness.close());
  const [base, tree] = [await treeOf({ ...head, ...older }), await treeOf({ ...head, ...newer })];
  await harness.apply(base, await harness.plan(base));
  const { ids } = await harness.plan(base);
  await between?.(harness.api);
  const options = { registry, past: { tree: base, ids: new Map(Object.entries(ids)) } };
  const plans = [];
  for (const more of [{}, { changed: true }])
    plans.push((await planTree(harness.api, tree, { ...options, ...more })).plan.steps.map(({ id }) => id));
  return plans;
}

const head = { octavo: 1, organization: { id: 'org_acme' } };

test('plans the consequences of a replaced object although their manifests are unchanged', async () => {
  const spaces = { guide: { id: 'sp_guide', customFields: { level: 'low' } } };
  const [whole, changed] = await stepsOf(
    { spaces, customFields: { level: { type: 'text' } } },
    { spaces, customFields: { level: { type: 'select:single', options: ['low'] } } },
  );
  expect(whole).toContain('spaces/guide#update');
  expect(changed).toEqual(whole);
});

test('treats only read objects as unlisted, and applies changed settings to all objects', async () => {
  const settings = { prune: 'unlisted' };
  const teams = (title: string) => ({ a: { title }, b: { title: 'B' } });
  const add = (api: Api) =>
    api.send('teams.create', { params: { organizationId: 'org_acme' }, body: { title: 'Foreign' } });
  const [whole, changed] = await stepsOf(
    { settings, teams: teams('A') },
    { settings, teams: teams('New') },
    add,
  );
  expect(whole).toHaveLength(2);
  expect(changed).toEqual(['teams/a#update']);
  const [all, own] = await stepsOf({ teams: teams('A') }, { settings, teams: teams('A') }, add);
  expect(all).toHaveLength(1);
  expect(own).toEqual(all);
});
