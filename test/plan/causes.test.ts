/** Causes of differences: changed variables are changes, and so are the consequences of a change. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { OperationId } from '../../src/contract/index.ts';
import { registry } from '../../src/kinds/index.ts';
import { loadWorkspace } from '../../src/manifest/load-workspace.ts';
import type { OrganizationPlan } from '../../src/plan/plan.ts';
import { renderPlan } from '../../src/report/plan/text.ts';
import { countByCause } from '../../src/review/plan-document.ts';
import type { DesiredTree } from '../../src/tree/desired-tree.ts';
import { asPlan, type Harness, onlyTree, startHarness, treeOf } from '../support/harness.ts';

let harness: Harness;
let cwd = '';
beforeAll(async () => {
  harness = await startHarness();
  cwd = mkdtempSync(path.join(tmpdir(), 'octavo-causes-'));
  mkdirSync(cwd, { recursive: true });
});
afterAll(async () => {
  rmSync(cwd, { recursive: true });
  await harness.close();
});
beforeEach(() => harness.reset());

function load(lines: readonly string[], env: Readonly<Record<string, string>>): Promise<DesiredTree> {
  return loadAll(['organization: org_acme', ...lines], env);
}

async function loadAll(
  lines: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<DesiredTree> {
  writeFileSync(path.join(cwd, 'a.yaml'), ['octavo: 1', ...lines, ''].join('\n'));
  return onlyTree(await loadWorkspace({ paths: [], overlays: [], env, cwd, registry }));
}

async function applied(tree: DesiredTree): Promise<void> {
  await harness.apply(tree, await harness.plan(tree));
}

function causesOf({ steps }: OrganizationPlan): readonly (string | undefined)[] {
  return steps.flatMap(({ cause, fields }) => [cause, ...fields.map((field) => field.cause)]).filter(Boolean);
}

const provider = [
  'samlProviders:',
  '  okta: { label: Okta, entityID: "urn:okta", certificate: "${secret:PEM}" }',
];

test('plans a rotated secret as a change of an input in spite of --ignore-drift', async () => {
  await applied(await load(provider, { PEM: 'f1rst-p3m' }));
  const tree = await load(provider, { PEM: 's3cond-p3m' });
  const plan = await harness.plan(tree, { base: tree, ignoreDrift: true });
  expect(causesOf(plan)).toEqual(['input']);
  expect(countByCause(asPlan(plan))).toMatchObject({ change: { update: 1 }, drift: { update: 0 } });
  const text = renderPlan(asPlan(plan), { color: false, width: 100 });
  expect(text).toContain('(secret, changed)');
  expect(text).not.toMatch(/Drift|p3m/);
});

test('plans a changed variable as a change of an input', async () => {
  const lines = [
    'teams: { docs: { title: Docs } }',
    'collections: { c: { title: C, description: "For ${env:YEAR}" } }',
  ];
  await applied(await load(lines, { YEAR: '2026' }));
  const tree = await load(lines, { YEAR: '2027' });
  expect(causesOf(await harness.plan(tree, { base: tree }))).toEqual(['input']);
});

test('plans a removed own entry of an additive list as drift', async () => {
  const members = { add: { 'ada@acme.dev': 'owner' } };
  const tree = await treeOf({
    teams: { crew: { title: 'Crew', members } },
  });
  await applied(tree);
  const { ids } = await harness.plan(tree);
  await harness.api.send('teams.updateMembers', {
    params: { organizationId: 'org_acme', teamId: ids['teams/crew'] ?? '' },
    body: { add: ['user_bob'], remove: ['user_ada'] },
  });
  expect(causesOf(await harness.plan(tree, { base: tree }))).toEqual(['drift']);
});

describe('distinguishes a changed variable from a change in the app by the recorded digest', () => {
  type Change = (ids: Readonly<Record<string, string>>) => Promise<unknown>;
  const send = (operation: OperationId, params: Record<string, string>, body: object) =>
    harness.api.send(operation, { params, body });
  const organizationId = 'org_acme';
  const cases: readonly (readonly [string, readonly string[], string, Change])[] = [
    [
      'a text',
      ['teams: { docs: { title: Docs } }', 'collections: { c: { title: C1, description: "${env:X}" } }'],
      'collections/c',
      (ids) =>
        send('collections.update', { collectionId: ids['collections/c'] ?? '' }, { description: 'other' }),
    ],
    [
      'a set',
      ['organization: { id: org_acme, emailDomains: ["b.example", "${env:X}.example"] }'],
      'organization',
      () => send('orgs.update', { organizationId }, { emailDomains: ['other.example'] }),
    ],
    [
      'a word',
      ['collections: { c: { title: C1, defaultLevel: "${env:X}" } }'],
      'collections/c',
      (ids) =>
        send('collections.update', { collectionId: ids['collections/c'] ?? '' }, { defaultLevel: 'admin' }),
    ],
    [
      'a mapping',
      [
        'customFields: { tier: { type: text } }',
        'spaces: { guide: { id: sp_guide, customFields: { tier: "${env:X}" } } }',
      ],
      'spaces/guide',
      () =>
        send('spaces.updateCustomFields', { spaceId: 'sp_guide' }, { values: { tier: { value: 'other' } } }),
    ],
  ];

  test.each(cases)('in %s', async (_name, lines, address, change) => {
    const [one, two] = ['read', 'edit'];
    const text = lines.some((line) => line.startsWith('organization:'))
      ? lines
      : ['organization: org_acme', ...lines];
    const before = await loadAll(text, { X: one });
    await applied(before);
    const { ids } = await harness.plan(before);
    const seen = async (tree: DesiredTree) => {
      const plan = await harness.plan(tree, { base: tree, applied: before });
      const fields = plan.steps.filter((step) => step.address === address).flatMap((step) => step.fields);
      return fields.map(({ cause, undecided }) => [cause, undecided]);
    };
    const after = await loadAll(text, { X: two });
    expect(await seen(before)).toEqual([]);
    expect(await seen(after)).toEqual([['input', undefined]]);
    await change(ids);
    expect(await seen(before)).toEqual([['drift', undefined]]);
    expect(await seen(after)).toEqual([['conflict', undefined]]);
    const unknown = await harness.plan(before, { base: before });
    expect(unknown.steps.flatMap(({ fields }) => fields.map(({ undecided }) => undecided))).toEqual([
      'variable',
    ]);
  });
});

const links = [
  'sites:',
  '  hub:',
  '    title: Hub',
  '    shareLinks: { partners: { name: "Partners ${env:TAG}" } }',
];

test('asks for was: if a changed variable renames a share link', async () => {
  await applied(await load(links, { TAG: '2026' }));
  const tree = await load(links, { TAG: '2027' });
  const plan = await harness.plan(tree, { base: tree });
  expect(plan.refusals.map(({ guard, suggestion }) => [guard, /was: "[^"]*"/.exec(suggestion)?.[0]])).toEqual(
    [['rename', 'was: "Partners 2026"']],
  );
  expect(plan.steps.map(({ cause }) => cause)).toEqual(['input']);
  const renamed = await load(
    [...links.slice(0, -1), links[3]?.replace('{ name', '{ was: "Partners 2026", name') ?? ''],
    { TAG: '2027' },
  );
  expect((await harness.plan(renamed, { base: renamed })).steps.map(({ id }) => id)).toEqual([
    'sites/hub/shareLinks/partners#update',
  ]);
});

test('mentions a share link that was renamed twice since the base', async () => {
  const named = (name: string) =>
    treeOf({
      sites: { hub: { title: 'Hub', shareLinks: { p: { name } } } },
    });
  const base = await named('Alpha');
  await applied(base);
  const second = await named('Bravo');
  await harness.apply(second, await harness.plan(second, { base }), undefined, { base });
  const plan = await harness.plan(await named('Zulu'), { base });
  const said = [...plan.notes.map(({ message }) => message), ...plan.refusals.map(({ message }) => message)];
  expect(said.join('\n')).toContain('"Bravo"');
});

test('attributes the consequences of a replacement to the change', async () => {
  const document = (type: string) => ({
    customFields: { days: { type, title: 'Days' } },
    spaces: { guide: { id: 'sp_guide', customFields: { days: type === 'number' ? 90 : '90' } } },
  });
  const base = await treeOf({ ...document('number'), spaces: { guide: { id: 'sp_guide' } } });
  await applied(await treeOf(document('number')));
  const tree = await treeOf({
    ...document('text'),
    spaces: { guide: { id: 'sp_guide', customFields: { days: '90' } } },
  });
  expect(base.nodes.size).toBe(3);
  const plan = await harness.plan(tree, { base: await treeOf(document('number')) });
  expect(new Set(causesOf(plan))).toEqual(new Set(['changed']));
});

test('sets a value that was lost with a replaced field again as part of the same change', async () => {
  const document = (type: string) =>
    treeOf({
      customFields: { level: { type, options: ['low', 'high'] } },
      spaces: { guide: { id: 'sp_guide', customFields: { level: 'low' } } },
    });
  const base = await document('select:single');
  await applied(base);
  const plan = await harness.plan(await document('text'), { base });
  expect(new Set(causesOf(plan))).toEqual(new Set(['changed']));
  expect(countByCause(asPlan(plan))).toMatchObject({ drift: { update: 0, create: 0, replace: 0 } });
});

test('plans the order of another list as a change, even if the base had this order elsewhere', async () => {
  const section = (title: string) => ({
    title,
    path: title,
    spaces: { main: { space: { id: 'sp_guide' } } },
  });
  const [one, two] = [section('one'), section('two')];
  const treeWith = (sections: object) =>
    treeOf({
      sites: { hub: { title: 'Hub', type: 'basic', visibility: 'public', sections } },
    });
  const group = (sections: object) => ({ all: { title: 'All', sections } });
  await applied(await treeWith(group({ two, one })));
  const base = await treeWith({ one, two });
  const plan = await harness.plan(await treeWith(group({ one, two })), { base, ignoreDrift: true });
  expect(plan.steps.map(({ phase, cause }) => [phase, cause])).toEqual([['move', 'changed']]);
});

test('plans a replaced default and its consequences as drift and can ignore them', async () => {
  const tree = await load(
    [
      'settings: { prune: unlisted, protect: ["!**"], limits: { deletes: null, deletePercent: null } }',
      'spaces: { guide: { id: sp_guide }, faq: { id: sp_faq } }',
      'sites:',
      '  hub:',
      '    title: Hub',
      '    sections:',
      '      help: { title: Help, path: start, was: [], spaces: { main: { space: guide } } }',
    ],
    {},
  );
  await applied(tree);
  const [site] = (await harness.api.all('sites.list', { params: { organizationId: 'org_acme' } })) as {
    id: string;
  }[];
  const params = { organizationId: 'org_acme', siteId: site?.id ?? '' };
  const [help] = (await harness.api.all('sections.list', { params })) as { id: string }[];
  const body = { title: 'News', spaceId: 'sp_faq' };
  const news = (await harness.api.send('sections.create', { params, body })) as { id: string };
  await harness.api.send('sites.update', { params, body: { defaultSiteSection: news.id } });
  await harness.api.send('sections.delete', { params: { ...params, siteSectionId: help?.id ?? '' } });
  const plan = await harness.plan(tree, { base: tree });
  expect(plan.steps.map(({ kind, phase }) => `${kind} ${phase}`)).toEqual([
    'section create',
    'site update',
    'section update',
    'siteSpace create',
    'section delete',
  ]);
  expect(new Set(causesOf(plan))).toEqual(new Set(['drift']));
  const ignoring = await harness.plan(tree, { base: tree, ignoreDrift: true });
  expect(ignoring.steps).toEqual([]);
  expect(ignoring.leftOut).toMatchObject({ changes: 0, drift: 4 });
});
