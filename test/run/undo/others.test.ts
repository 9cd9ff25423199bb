/** An undo reverts only its own run: later changes by others, steps that never took effect, and required objects. */
import { expect, test } from 'vitest';
import type { Api } from '../../../src/contract/api.ts';
import type { OperationId } from '../../../src/contract/index.ts';
import { registry } from '../../../src/kinds/index.ts';
import { saveTree } from '../../../src/run/plan-file/saved-tree.ts';
import { planAll } from '../../../src/run/planning.ts';
import type { DesiredTree } from '../../../src/tree/desired-tree.ts';
import { breakingOff, refusal } from '../../support/apis.ts';
import { free } from '../../support/arbitrary.ts';
import { loadTexts, onlyTree, treeOf } from '../../support/harness.ts';
import { sharedHarness } from '../../support/shared-harness.ts';
import { type AppliedRun, applyPlanned, applyTree, onlyPlan, undoOf } from '../../support/undo.ts';

const harness = await sharedHarness();

const settings = { ...free, prune: 'unlisted', pruneKinds: { member: 'never', space: 'never' } };
const tree = (part: object): Promise<DesiredTree> =>
  treeOf({ octavo: 1, organization: { id: 'org_acme' }, settings, ...part });
const params = { organizationId: 'org_acme' };

/** Applies one part after the other; returns the last run. */
async function applyAll(...parts: readonly object[]): Promise<AppliedRun> {
  const runs: AppliedRun[] = [];
  for (const part of parts) runs.push(await applyTree(harness, await tree(part)));
  const last = runs.at(-1);
  if (last === undefined) throw new Error('nothing was applied');
  return last;
}

async function list(operation: OperationId, more: Record<string, string> = {}) {
  return (await harness.api.all(operation, { params: { ...params, ...more } })) as readonly {
    readonly id: string;
    readonly title?: string;
    readonly label?: string;
  }[];
}

const planned = async (run: AppliedRun) => onlyPlan(await undoOf(harness, run));
const stepsOf = async (run: AppliedRun) => (await planned(run)).steps.map(({ id }) => id).sort();

test('reports a later change as a conflict with the applied value', async () => {
  const run = await applyAll(
    { teams: { red: { title: 'Red' } } },
    { teams: { red: { title: 'Pink', was: 'Red' } } },
  );
  const [team] = await list('teams.list');
  await harness.api.send('teams.update', {
    params: { ...params, teamId: team?.id ?? '' },
    body: { title: 'Purple' },
  });
  const { steps } = await planned(run);
  expect(steps.map(({ id, fields }) => [id, fields])).toEqual([
    [
      'teams/red#update',
      [{ field: 'title', before: 'Purple', after: 'Red', cause: 'conflict', base: 'Pink' }],
    ],
  ]);
});

test('does not touch fields that others changed', async () => {
  const run = await applyAll(
    { teams: { red: { title: 'Red', members: { 'ada@acme.dev': 'owner' } } } },
    { teams: { red: { title: 'Pink', was: 'Red', members: { 'ada@acme.dev': 'owner' } } } },
  );
  const [team] = await list('teams.list');
  const teamId = team?.id ?? '';
  await harness.api.send('teams.updateMembers', {
    params: { ...params, teamId },
    body: { add: ['user_bob'] },
  });
  await harness.api.send('teams.create', { params, body: { title: 'Theirs' } });
  const undo = await undoOf(harness, run);
  expect(onlyPlan(undo).steps.map(({ fields }) => fields.map(({ field }) => field))).toEqual([['title']]);
  expect(onlyPlan(undo).unmanaged).toEqual([]);
  await applyPlanned(harness, undo);
  expect((await list('teams.list')).map(({ title }) => title).sort()).toEqual(['Red', 'Theirs']);
  expect(await harness.api.all('teams.listMembers', { params: { ...params, teamId } })).toHaveLength(2);
});

test('deletes an object by its recorded id, never by its title', async () => {
  const run = await applyAll({ teams: {} }, { teams: { red: { title: 'Red' } } });
  const [team] = await list('teams.list');
  await harness.api.send('teams.delete', { params: { ...params, teamId: team?.id ?? '' } });
  await harness.api.send('teams.create', { params, body: { title: 'Red' } });
  expect(await stepsOf(run)).toEqual([]);
});

test('refuses to delete an object of the run with contents of others', async () => {
  const hub = { sites: { hub: { title: 'Hub', type: 'basic', visibility: 'public' } } };
  const run = await applyAll({ teams: {} }, { teams: { red: { title: 'Red' } }, ...hub });
  const [site] = await list('sites.list');
  await harness.api.send('sections.create', {
    params: { ...params, siteId: site?.id ?? '' },
    body: { spaceId: 'sp_faq', title: 'Theirs' },
  });
  const plan = await planned(run);
  expect(plan.refusals).toEqual([
    {
      guard: 'made-by-others',
      address: 'sites/hub',
      message: expect.stringMatching(
        /^would also delete objects that the run did not create: (section "Theirs", site-space|site-space .*section "Theirs")/,
      ),
      suggestion:
        'change that in the app first, then run octavo undo again; or pass --skip-refused to undo the rest',
      steps: ['sites/hub#delete'],
    },
  ]);
  const rest = onlyPlan(await undoOf(harness, run, { skipRefused: true }));
  expect(rest.steps.map(({ id }) => id)).toEqual(['teams/red#delete']);
});

test('deletes an object of the run that others changed, and reports the change', async () => {
  const run = await applyAll({ teams: {} }, { teams: { red: { title: 'Red' } } });
  const [team] = await list('teams.list');
  await harness.api.send('teams.update', {
    params: { ...params, teamId: team?.id ?? '' },
    body: { title: 'Theirs' },
  });
  const { steps, notes } = await planned(run);
  expect(steps.map(({ id, reason, liveId }) => [id, reason, liveId])).toEqual([
    ['teams/red#delete', 'created by the run', team?.id],
  ]);
  expect(notes.map(({ message }) => message)).toEqual(['was changed since the run created it: title']);
});

test('reports an object that others deleted and does not create it again', async () => {
  const run = await applyAll(
    { teams: { red: { title: 'Red' } } },
    { teams: { red: { title: 'Pink', was: 'Red' } } },
  );
  const [team] = await list('teams.list');
  await harness.api.send('teams.delete', { params: { ...params, teamId: team?.id ?? '' } });
  const { steps, notes } = await planned(run);
  expect(steps).toEqual([]);
  expect(notes.map(({ address, message }) => `${address}: ${message}`)).toEqual([
    'teams/red: was deleted since: title cannot be restored',
  ]);
});

test('keeps an order that others changed if the run moved no object', async () => {
  const section = (title: string, more: object = {}) => ({
    title,
    spaces: { main: { space: { id: 'sp_guide' } } },
    ...more,
  });
  const site = (sections: object) => ({
    sites: { hub: { title: 'Hub', type: 'basic', visibility: 'public', sections } },
  });
  const run = await applyAll(
    site({ a: section('Aa'), b: section('Bb') }),
    site({ a: section('Aa'), b: section('Bb', { icon: 'book' }) }),
  );
  const [hub] = await list('sites.list');
  const siteId = hub?.id ?? '';
  const [first, second] = await list('sections.list', { siteId });
  await harness.api.send('sections.move', {
    params: { ...params, siteId, siteSectionId: second?.id ?? '' },
    body: { position: { before: { type: 'site-section', siteSection: first?.id ?? '' } } },
  });
  expect(await stepsOf(run)).toEqual(['sites/hub/sections/b#update']);
});

test('restores a deleted object without touching another one of the same title', async () => {
  await harness.api.send('teams.create', { params, body: { title: 'Red', members: ['user_ada'] } });
  await harness.api.send('teams.create', { params, body: { title: 'Red', members: ['user_bob'] } });
  const [one, other] = await list('teams.list');
  const run = await applyAll({ teams: { red: { id: one?.id, title: 'Red' } } });
  const undo = await undoOf(harness, run);
  expect(onlyPlan(undo).steps.map(({ id }) => id)).toEqual([`teams/id=${other?.id}#create`]);
  await applyPlanned(harness, undo);
  expect((await list('teams.list')).map(({ title }) => title)).toEqual(['Red', 'Red']);
  expect(await stepsOf(run)).toEqual([]);
});

test('undoes an undo', async () => {
  const run = await applyAll(
    { teams: { red: { title: 'Red' }, blue: { title: 'Blue', members: { 'ada@acme.dev': 'owner' } } } },
    { teams: { red: { title: 'Pink', was: 'Red' }, gold: { title: 'Gold', was: [] } } },
  );
  const undone = await applyPlanned(harness, await undoOf(harness, run));
  expect((await list('teams.list')).map(({ title }) => title).sort()).toEqual(['Blue', 'Red']);
  await applyPlanned(harness, await undoOf(harness, undone));
  expect((await list('teams.list')).map(({ title }) => title).sort()).toEqual(['Gold', 'Pink']);
});

test('never deletes an object that the run did not create, even if the journal lists it', async () => {
  const run = await applyAll(
    { teams: { red: { title: 'Red' } } },
    { teams: { red: { title: 'Pink', was: 'Red' }, gold: { title: 'Gold', was: [] } } },
  );
  const trees = run.trees.map((one) => {
    const nodes = [...one.before.nodes].filter(([address]) => address !== 'teams/red');
    return { ...one, before: one.before.with({ nodes: new Map(nodes) }) };
  });
  expect(await stepsOf({ ...run, trees })).toEqual(['teams/gold#delete']);
});

test('reports missing undo data, which an apply does not need', async () => {
  const made = (await harness.api.send('collections.create', { params, body: { title: 'Theirs' } })) as {
    id: string;
  };
  await harness.api.send('spaces.move', { params: { spaceId: 'sp_guide' }, body: { parent: made.id } });
  const planned = await planAll(
    { api: harness.api, registry },
    { trees: [await tree({ spaces: { guide: { id: 'sp_guide' } } })], pasts: new Map(), choices: {} },
  );
  const api: Api = {
    all: (operation, input) => harness.api.all(operation, input),
    send: (operation, input) =>
      operation === 'collections.get'
        ? Promise.reject(refusal(operation, 403))
        : harness.api.send(operation, input),
  };
  const run = await applyPlanned(harness, planned, api);
  expect(run.result.organizations[0]?.outcomes.map(({ type }) => type)).toEqual(['done']);
  const { steps, notes } = onlyPlan(await undoOf(harness, run));
  expect(steps).toEqual([]);
  expect(notes.map(({ address, message }) => `${address}: ${message}`)).toEqual([
    'spaces/guide: is not moved: the journal does not show where it was before the run',
  ]);
});

const mixed = [
  {
    organization: { id: 'org_acme', title: 'Acme' },
    teams: { red: { title: 'Red', members: { 'ada@acme.dev': 'owner' } }, blue: { title: 'Blue' } },
    customFields: { tier: { type: 'text' } },
  },
  {
    organization: { id: 'org_acme', title: 'Acne' },
    teams: {
      red: { title: 'Pink', was: 'Red' },
      gold: { title: 'Gold', was: [], members: { 'bob@acme.dev': 'owner' } },
    },
    customFields: { tier: { type: 'number' } },
  },
] as const;

test.each([0, 1, 2, 3, 4, 5, 6].flatMap((last) => [[last, false] as const, [last, true] as const]))(
  'undoes a run that ended after %i writes (the last one took effect: %s)',
  async (last, took) => {
    const [before, after] = mixed;
    await applyAll(before);
    harness.through = (api) => breakingOff(api, last, took);
    const run = await applyTree(harness, await tree(after));
    harness.through = undefined;
    const undo = await undoOf(harness, run);
    await applyPlanned(harness, undo);
    const titles = (await list('teams.list')).map(({ title }) => title).sort();
    // A create whose response was lost has no id: its object is kept, and everything else is restored.
    expect(titles.filter((title) => title !== 'Gold')).toEqual(['Blue', 'Red']);
    expect(await harness.api.send('orgs.get', { params })).toMatchObject({ title: 'Acme' });
    expect(await list('customFields.list')).toMatchObject([{ name: 'tier', type: 'text' }]);
    expect(await stepsOf(run)).toEqual([]);
  },
);

test('reports values that it cannot restore and keeps no secret in the journal', async () => {
  const texts = (certificate: string, label = 'Okta') => ({
    'a.yaml': `octavo: 1
organization: org_acme
settings: { prune: unlisted, pruneKinds: { member: never } }
samlProviders:
  okta: { label: ${label}, entityID: "urn:a", certificate: "${certificate}" }
sites:
  hub: { title: Hub, type: basic, visibility: share-link, shareLinks: { pals: { name: Pals } } }
`,
  });
  const load = async (env: Record<string, string>, text: Record<string, string>) =>
    onlyTree(await loadTexts(text, registry, env));
  await applyTree(harness, await load({}, texts('OLD-S3CR3T-P3M')));
  const secret = texts('$' + '{secret:CERT}', 'Okta 2');
  const run = await applyTree(harness, await load({ CERT: 'NEW-S3CR3T-P3M' }, secret));
  const saved = JSON.stringify(run.trees.map(({ before, after }) => [saveTree(before), saveTree(after)]));
  expect(saved).not.toContain('S3CR3T-P3M');
  const undo = onlyPlan(await undoOf(harness, run));
  expect(undo.steps.flatMap(({ fields }) => fields.map(({ field }) => field))).toEqual(['label']);
  expect(undo.notes.map(({ address, message }) => `${address}: ${message}`)).toEqual([
    'samlProviders/okta: certificate remains as it is: it was secret, and journals contain no secrets',
  ]);
  const deletion = await applyTree(harness, await tree({ sites: {}, samlProviders: {} }));
  const links = JSON.stringify(deletion.trees.map(({ before }) => saveTree(before)));
  expect(links).toContain('Pals');
  expect(links).not.toMatch(/shareKey|https?:/);
});

const leftOut = async (run: AppliedRun) => {
  const { refusals, steps } = await planned(run);
  return {
    left: refusals.map(({ address, message, skipped }) => [address, message, skipped]),
    steps: steps.map(({ id }) => id).sort(),
  };
};
const twoSections = (more: object = {}, reference: object = {}) => ({
  sites: {
    hub: {
      title: 'Hub',
      type: 'basic',
      visibility: 'public',
      sections: {
        guides: { title: 'Guides', path: 'guides', spaces: { main: { space: { id: 'sp_guide' } } } },
        reference: {
          title: 'Reference',
          path: 'reference',
          spaces: { main: { space: { id: 'sp_reference' } } },
          ...reference,
        },
      },
      ...more,
    },
  },
});
async function sectionsOf(): Promise<{ readonly siteId: string; readonly idOf: (title: string) => string }> {
  const [hub] = await list('sites.list');
  const siteId = hub?.id ?? '';
  const sections = await list('sections.list', { siteId });
  return { siteId, idOf: (title) => sections.find((one) => one.title === title)?.id ?? '' };
}

test('restores everything except a default that no longer exists', async () => {
  const run = await applyAll(
    { teams: { red: { title: 'Red' } }, ...twoSections({ default: 'guides' }) },
    { teams: { red: { title: 'Pink', was: 'Red' } }, ...twoSections({ default: 'reference' }) },
  );
  const { siteId, idOf } = await sectionsOf();
  await harness.api.send('sections.delete', { params: { ...params, siteId, siteSectionId: idOf('Guides') } });
  expect(await leftOut(run)).toEqual({
    left: [['sites/hub', 'default cannot be restored: sites/hub/sections/guides no longer exists', true]],
    steps: ['teams/red#update'],
  });
});

test('does not restore a deleted team as the default of a provider', async () => {
  const okta = (more: object) => ({ samlProviders: { okta: { label: 'Okta', entityID: 'urn:a', ...more } } });
  const teams = { red: { title: 'Red' }, blue: { title: 'Blue' } };
  const run = await applyAll(
    { teams, ...okta({ defaultTeam: 'red' }) },
    { teams, ...okta({ defaultTeam: 'blue', label: 'Octa', was: 'Okta' }) },
  );
  const red = (await list('teams.list')).find(({ title }) => title === 'Red')?.id ?? '';
  await harness.api.send('teams.delete', { params: { ...params, teamId: red } });
  expect(await leftOut(run)).toEqual({
    left: [['samlProviders/okta', `defaultTeam cannot be restored: ${red} no longer exists`, true]],
    steps: ['samlProviders/okta#update'],
  });
});

test('restores everything except a path that others now use', async () => {
  const run = await applyAll(
    { teams: { red: { title: 'Red' } }, ...twoSections() },
    { teams: { red: { title: 'Pink', was: 'Red' } }, ...twoSections({}, { path: 'ref', icon: 'book' }) },
  );
  const { siteId, idOf } = await sectionsOf();
  const at = { ...params, siteId, siteSectionId: idOf('Guides') };
  await harness.api.send('sections.update', { params: at, body: { path: 'reference' } });
  const { left, steps } = await leftOut(run);
  expect(left).toEqual([
    [
      'sites/hub/sections/reference',
      expect.stringMatching(/^path cannot be restored: path "reference" is already used by /),
      true,
    ],
  ]);
  expect(steps).toEqual(['sites/hub/sections/reference#update', 'teams/red#update']);
  const { result } = await applyPlanned(harness, await undoOf(harness, run));
  expect(result.organizations.flatMap(({ outcomes }) => outcomes.map(({ type }) => type))).toEqual([
    'done',
    'done',
  ]);
});

test('does not touch an object of others with the title of a deleted one, and names both', async () => {
  const run = await applyAll(
    { teams: { red: { title: 'Red', members: { 'ada@acme.dev': 'owner' } }, blue: { title: 'Blue' } } },
    { teams: { blue: { title: 'Azure', was: 'Blue' } } },
  );
  const was = run.planned.plan.organizations[0]?.steps.find(({ phase }) => phase === 'delete')?.liveId;
  const theirs = (await harness.api.send('teams.create', { params, body: { title: 'Red' } })) as {
    readonly id: string;
  };
  expect(await leftOut(run)).toEqual({
    left: [
      [
        `teams/id=${was}`,
        `team cannot be restored: ${was} was deleted, and ${theirs.id}, which the run did not create, has its name`,
        true,
      ],
    ],
    steps: ['teams/blue#update'],
  });
  await applyPlanned(harness, await undoOf(harness, run));
  expect(await harness.api.all('teams.listMembers', { params: { ...params, teamId: theirs.id } })).toEqual(
    [],
  );
});
