/** Gains and losses of access that a plan reports, and the reads that it needs for them. */
import { afterAll, beforeEach, expect, test } from 'vitest';
import { ApiError } from '../../src/contract/api.ts';
import { viewAccess } from '../../src/report/plan/parts.ts';
import { viewPlan } from '../../src/report/plan/plan-view.ts';
import { type Harness, reviewedSteps, startHarness, treeOf } from '../support/harness.ts';

const harness: Harness = await startHarness();
const newer: Harness = await startHarness(undefined, undefined, '2026');
afterAll(() => Promise.all([harness.close(), newer.close()]));
beforeEach(() => {
  harness.reset();
  newer.reset();
});

const inherit = { defaultLevel: 'inherit' };
const handbook = {
  title: 'Handbook',
  defaultLevel: 'read',
  spaces: { start: { id: 'sp_start', ...inherit }, notes: { id: 'sp_notes', ...inherit } },
};

const manifest = (more: object) => treeOf({ settings: { protect: [] }, ...more });

/** Summary and reads of a plan after the first manifest was applied. */
async function saidOf(run: Harness, before: object, after: object) {
  const first = await manifest(before);
  await run.apply(first, await run.plan(first));
  run.reads.length = 0;
  const plan = await run.plan(await manifest(after));
  const reads = [...run.reads].sort();
  return {
    summary: plan.review?.access === undefined ? [] : (viewAccess(plan.review.access, [])?.summary ?? []),
    reads,
    plan,
  };
}

test('applies the level of a collection to all its spaces and everyone without another level', async () => {
  const { summary, plan, reads } = await saidOf(
    harness,
    { collections: { handbook } },
    { collections: { handbook: { title: 'Handbook', defaultLevel: 'edit' } } },
  );
  // Cyd may already edit by a role if the highest level counts, and both may have unlisted levels.
  expect(plan.review?.access?.changes).toEqual([
    {
      people: ['bob@acme.dev', 'cyd@acme.dev'],
      on: ['Notes', 'Start'].map((title) => ({ kind: 'space', title })),
      before: 'read',
      after: 'edit',
    },
  ]);
  expect(summary).toEqual(['2 people may gain edit on space "Notes", space "Start"']);
  expect(reads).toEqual(['collections.list', 'collections.listSpaces', 'members.list', 'orgs.get']);
});

test('reports a change as certain if no combination of the listed levels changes it', async () => {
  const { summary, plan } = await saidOf(
    newer,
    { collections: { handbook } },
    { collections: { handbook: { title: 'Handbook', defaultLevel: 'edit' } } },
  );
  expect(plan.review?.access?.changes.map(({ people, certain }) => [...people, certain])).toEqual([
    ['bob@acme.dev', true],
    ['cyd@acme.dev', undefined],
  ]);
  expect(summary).toEqual([
    'bob@acme.dev gains edit on space "Notes", space "Start"',
    'cyd@acme.dev may gain edit on space "Notes", space "Start"',
  ]);
});

test('needs no further reads for changes that do not affect access', async () => {
  const { summary, reads } = await saidOf(
    harness,
    { collections: { handbook: { title: 'Handbook', description: 'old' } } },
    { collections: { handbook: { title: 'Handbook', description: 'new' } } },
  );
  expect([summary, reads]).toEqual([[], ['collections.list', 'orgs.get']]);
});

test('reports the access that a removed member loses', async () => {
  const everyone = {
    'ada@acme.dev': { role: 'admin' },
    'bob@acme.dev': { role: 'read' },
    'dan@acme.dev': { role: null },
  };
  const { summary, plan } = await saidOf(
    harness,
    { members: { ...everyone, 'cyd@acme.dev': { role: 'edit' } } },
    {
      settings: { prune: 'unlisted', protect: [], limits: { deletes: null, deletePercent: null } },
      members: everyone,
    },
  );
  expect(summary).toEqual(['cyd@acme.dev loses the last access']);
  expect(plan.review?.access?.lost).toEqual(['cyd@acme.dev']);
  const spaces = plan.review?.access?.changes.find(({ on }) => on[0]?.kind === 'space');
  expect([spaces?.before, spaces?.after, spaces?.certain, spaces?.on.length]).toEqual([
    'edit',
    'none',
    true,
    6,
  ]);
});

test('reports a changed role on the organization and on each space', async () => {
  const { summary } = await saidOf(
    harness,
    { members: { 'bob@acme.dev': { role: 'read' } } },
    { members: { 'bob@acme.dev': { role: 'admin' } } },
  );
  expect(summary).toEqual(['bob@acme.dev gains admin in the organization and on 6 spaces']);
});

test('leaves to a risk what it tells: a role, and a site that opens', async () => {
  const sites = (visibility: string) => ({ hub: { title: 'Hub', visibility } });
  const { plan } = await saidOf(
    harness,
    { members: { 'bob@acme.dev': { role: 'read' } }, sites: sites('visitor-auth') },
    { members: { 'bob@acme.dev': { role: 'admin' } }, sites: sites('public') },
  );
  const [{ parts, dangers } = { parts: [], dangers: [] }] = viewPlan({
    format: 1,
    organizations: [plan],
  }).organizations;
  expect(parts.map(({ summary }) => summary)).toEqual([['bob@acme.dev gains admin on 6 spaces']]);
  expect(dangers.flatMap(({ texts }) => texts)).toEqual([
    'gives administration of the whole organization',
    'opens the site to everyone',
  ]);
});

test('reports no gain on an object that the same plan deletes', async () => {
  const roles = (role: string) => ({ 'ada@acme.dev': { role: 'admin' }, 'bob@acme.dev': { role } });
  const site = { title: 'Old', type: 'basic', visibility: 'public' };
  const before = { members: roles('read'), sites: { old: site } };
  const settings = { protect: ['!**'], limits: { deletes: null, deletePercent: null }, prune: 'unlisted' };
  const { plan } = await saidOf(newer, before, { members: roles('edit'), sites: {}, settings });
  expect(plan.steps.map(({ address }) => address)).toContainEqual(expect.stringMatching(/^sites/));
  expect(plan.review?.access?.changes).not.toEqual([]);
  expect(plan.review?.access?.changes.flatMap(({ on }) => on.map(({ kind }) => kind))).not.toContain('site');
});

test('reports that a new member of a team gains the access of the team', async () => {
  const space = { id: 'sp_start', ...inherit, access: { teams: { platform: 'admin' } } };
  const team = (members: object) => ({
    teams: { platform: { title: 'Platform', members } },
    spaces: { start: space },
  });
  const { summary } = await saidOf(newer, team({}), team({ 'bob@acme.dev': 'member' }));
  expect(summary).toEqual(['bob@acme.dev gains admin on spaces/start']);
});

test('reports sites that open and close', async () => {
  const site = (visibility: string) => ({ sites: { hub: { title: 'Hub', visibility } } });
  const opens = await saidOf(harness, site('share-link'), site('public'));
  expect(opens.summary).toEqual(['sites/hub opens to everyone']);
  const closes = await saidOf(harness, site('unlisted'), site('visitor-auth'));
  expect(closes.summary).toEqual([
    '! visitors lose sites/hub: no longer open to everyone who has the address',
  ]);
  const same = await saidOf(harness, site('public'), site('unlisted'));
  expect(same.summary).toEqual([]);
  const listed = await saidOf(harness, site('unlisted'), site('public'));
  expect(listed.summary).toEqual([]);
  const risks = reviewedSteps(listed.plan).flatMap((step) => step.risks.map(({ text }) => text));
  expect(risks).toEqual(['search engines can index the site']);
  const many = (visibility: string) => ({
    sites: Object.fromEntries(['one', 'two', 'three'].map((key) => [key, { title: key, visibility }])),
  });
  const both = { ...many('unlisted').sites, three: { title: 'three', visibility: 'public' } };
  const mixed = await saidOf(harness, many('visitor-auth'), { sites: both });
  expect(mixed.summary).toEqual([
    'sites/three opens to everyone',
    'sites/one, sites/two open to everyone who has the address',
  ]);
});

test('compares a site with the one that it replaces', async () => {
  const site = (type: string, visibility: string) => ({
    settings: { protect: ['!sites/**'] },
    sites: { hub: { title: 'Hub', type, visibility } },
  });
  const same = await saidOf(harness, site('basic', 'public'), site('premium', 'public'));
  expect(same.plan.steps.map(({ action }) => action)).toContain('replace');
  expect(same.summary).toEqual([]);
  const closes = await saidOf(harness, {}, site('ultimate', 'visitor-auth'));
  expect(closes.summary).toEqual(['! visitors lose sites/hub: no longer open to everyone']);
});

test('does not report a new site as open until it is published', async () => {
  const site = (published: object) => ({
    sites: { hub: { title: 'Hub', visibility: 'public', ...published } },
  });
  const { summary } = await saidOf(newer, {}, site({}));
  expect(summary).toEqual([]);
  const { summary: live } = await saidOf(newer, site({}), site({ published: true }));
  expect(live).toEqual(['sites/hub opens to everyone']);
});

test('plans without the reads that the token may not make, and reports no change of access', async () => {
  const first = await manifest({ collections: { handbook } });
  await harness.apply(first, await harness.plan(first));
  harness.through = (api) => ({
    send: (operation, input) => api.send(operation, input),
    all: (operation, input) => {
      if (operation !== 'members.list' && operation !== 'collections.listSpaces')
        return api.all(operation, input);
      const details = { operation, method: 'GET', path: '/', attempt: 1, mayHaveHappened: false } as const;
      throw new ApiError('forbidden', { ...details, type: 'status', status: 403 });
    },
  });
  try {
    const plan = await harness.plan(
      await manifest({ collections: { handbook: { title: 'Handbook', defaultLevel: 'edit' } } }),
    );
    expect(plan.steps.map(({ id }) => id)).toEqual(['collections/handbook#update']);
    expect(plan.review?.access?.changes ?? []).toEqual([]);
  } finally {
    harness.through = undefined;
  }
});
