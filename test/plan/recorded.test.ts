/** Ids recorded by the last apply: objects renamed or deleted in the app are drift and do not affect other changes. */
import { describe, expect, test } from 'vitest';
import { type OperationId, operations } from '../../src/contract/index.ts';
import type { OrganizationPlan } from '../../src/plan/plan.ts';
import type { DesiredTree } from '../../src/tree/desired-tree.ts';
import { treeOf } from '../support/harness.ts';
import { sharedHarness } from '../support/shared-harness.ts';

const harness = await sharedHarness();

const everything = {
  members: { 'bob@acme.dev': { role: 'read' } },
  teams: { writers: { title: 'Writers', members: { 'bob@acme.dev': 'member' } } },
  translations: { french: { title: 'French' } },
  samlProviders: { okta: { label: 'Okta' } },
  collections: { books: { title: 'Books', spaces: { guide: { title: 'API guide' } } } },
  sites: {
    hub: {
      title: 'Hub',
      sections: {
        main: { title: 'Main', path: 'main', spaces: { guide: { space: 'guide', path: 'guide' } } },
      },
      shareLinks: { partners: { name: 'Partners' } },
    },
  },
};

/** Applies the manifests and returns the ids of a record. */
async function apply(document: object): Promise<{ tree: DesiredTree; recorded: Record<string, string> }> {
  const tree = await treeOf(document);
  const plan = await harness.plan(tree);
  const result = await harness.apply(tree, plan);
  const made = result.organizations.flatMap((organization) => [...organization.made]);
  return { tree, recorded: { ...plan.ids, ...Object.fromEntries(made) } };
}

/** Parameters in the path of an operation. */
function paramsOf(
  operation: OperationId,
  recorded: Readonly<Record<string, string>>,
  own: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const all = { organizationId: 'org_acme', siteId: recorded['sites/hub'] ?? '', ...own };
  return Object.fromEntries(
    Object.entries(all).filter(([name]) => operations[operation].path.includes(`{${name}}`)),
  );
}

function described({ steps }: OrganizationPlan): readonly string[] {
  return steps.map((step) => {
    const fields = step.fields.map(
      ({ field, before, after, cause }) => `${field} ${before} → ${after} (${cause})`,
    );
    return [step.phase, step.address, ...(step.phase === 'update' ? fields : [])].join(' ');
  });
}

test('records the ids of existing and created objects', async () => {
  const { recorded } = await apply(everything);
  expect(Object.keys(recorded).sort()).toEqual([
    'collections/books',
    'collections/books/spaces/guide',
    'members/bob@acme.dev',
    'organization',
    'samlProviders/okta',
    'sites/hub',
    'sites/hub/sections/main',
    'sites/hub/sections/main/spaces/guide',
    'sites/hub/shareLinks/partners',
    'teams/writers',
    'translations/french',
  ]);
});

describe('an object renamed in the app', () => {
  const renames = [
    ['teams/writers', 'teams.update', 'teamId', { title: 'Crew' }, 'title Crew → Writers'],
    [
      'translations/french',
      'translations.put',
      'translationSettingsId',
      { title: 'Fr' },
      'title Fr → French',
    ],
    ['samlProviders/okta', 'saml.update', 'samlProviderId', { label: 'SSO' }, 'label SSO → Okta'],
    ['collections/books', 'collections.update', 'collectionId', { title: 'Shelf' }, 'title Shelf → Books'],
    ['collections/books/spaces/guide', 'spaces.update', 'spaceId', { title: 'G' }, 'title G → API guide'],
    ['sites/hub', 'sites.update', 'siteId', { title: 'Centre' }, 'title Centre → Hub'],
    [
      'sites/hub/sections/main',
      'sections.update',
      'siteSectionId',
      { title: 'First', path: 'first' },
      'title First → Main (drift) path first → main',
    ],
    [
      'sites/hub/shareLinks/partners',
      'shareLinks.update',
      'shareLinkId',
      { name: 'All' },
      'name All → Partners',
    ],
  ] as const;
  test.each(renames)(
    '%s is planned as drift of its title',
    async (address, operation, param, body, expected) => {
      const { tree, recorded } = await apply(everything);
      const params = paramsOf(operation, recorded, { [param]: recorded[address] ?? '' });
      await harness.api.send(operation, { params, body });
      const plan = await harness.plan(tree, { base: tree, recorded });
      expect(described(plan)).toEqual([`update ${address} ${expected} (drift)`]);
      expect(plan.refusals).toEqual([]);
      expect((await harness.plan(tree, { base: tree, recorded, ignoreDrift: true })).steps).toEqual([]);
      await harness.apply(tree, plan, undefined, { recorded });
      expect((await harness.plan(tree, { recorded })).steps).toEqual([]);
      expect((await harness.plan(tree)).steps).toEqual([]);
    },
  );
});

describe('an object deleted in the app', () => {
  const deletes = [
    ['teams/writers', 'teams.delete', 'teamId'],
    ['translations/french', 'translations.delete', 'translationSettingsId'],
    ['samlProviders/okta', 'saml.delete', 'samlProviderId'],
    ['sites/hub/shareLinks/partners', 'shareLinks.delete', 'shareLinkId'],
    ['sites/hub', 'sites.delete', 'siteId'],
  ] as const;
  test.each(deletes)('%s is reported and created again', async (address, operation, param) => {
    const { tree, recorded } = await apply(everything);
    const params = paramsOf(operation, recorded, { [param]: recorded[address] ?? '' });
    await harness.api.send(operation, { params });
    const plan = await harness.plan(tree, { base: tree, recorded });
    const created = plan.steps.find((step) => step.address === address && step.phase === 'create');
    expect(created).toMatchObject({ reason: 'deleted in the app', cause: 'drift' });
    await harness.apply(tree, plan, undefined, { base: tree, recorded });
    expect((await harness.plan(tree, { base: tree, recorded })).steps).toEqual([]);
  });

  test('a space is restored, and the plan names the last day for that', async () => {
    const { tree, recorded } = await apply(everything);
    await harness.api.send('spaces.delete', { params: { spaceId: 'sp_guide' } });
    const plan = await harness.plan(tree, { base: tree, recorded });
    expect(plan.steps[0]).toMatchObject({
      phase: 'restore',
      cause: 'drift',
      reason: 'deleted in the app on 2026-01-01, restorable until 2026-01-08',
    });
    await harness.apply(tree, plan, undefined, { base: tree, recorded });
    expect((await harness.plan(tree, { base: tree, recorded })).steps).toEqual([]);
  });
});

test('a permanently deleted space is refused with its dependents only', async () => {
  const { tree, recorded } = await apply(everything);
  const more = await treeOf({
    ...everything,
    teams: { ...everything.teams, support: { title: 'Support' } },
  });
  const outdated = { ...recorded, 'collections/books/spaces/guide': 'sp_never' };
  await harness.api.send('spaces.update', { params: { spaceId: 'sp_guide' }, body: { title: 'Guide' } });
  const plan = await harness.plan(more, { base: tree, recorded: outdated });
  expect(plan.refusals).toMatchObject([
    {
      guard: 'missing',
      address: 'collections/books/spaces/guide',
      message: 'space "API guide" not found: it was deleted in the app, for good',
    },
  ]);
  expect(plan.refusals[0]?.suggestion).toContain('if it is "Guide", add: id: sp_guide');
  const rest = await harness.plan(more, { base: tree, recorded: outdated, skipRefused: true });
  expect(described(rest)).toEqual(['create teams/support']);
  const pinned = await treeOf({
    ...everything,
    collections: { books: { title: 'Books', spaces: { guide: { title: 'API guide', id: 'sp_guide' } } } },
  });
  expect(described(await harness.plan(pinned, { base: tree, recorded: outdated }))).toEqual([
    'update collections/books/spaces/guide title Guide → API guide (drift)',
  ]);
});

test('a removed member is refused alone', async () => {
  const { tree, recorded } = await apply(everything);
  await harness.api.send('members.delete', {
    params: { organizationId: 'org_acme', userId: recorded['members/bob@acme.dev'] ?? '' },
  });
  const plan = await harness.plan(tree, { base: tree, recorded });
  expect(plan.refusals.map(({ guard, address }) => `${guard} ${address}`)).toEqual([
    'missing members/bob@acme.dev',
    'missing teams/writers',
  ]);
  expect((await harness.plan(tree, { base: tree, recorded, skipRefused: true })).steps).toEqual([]);
});

test('ignores a recorded id of a deleted object, of a pinned one or of another kind', async () => {
  const { tree, recorded } = await apply(everything);
  const team = recorded['teams/writers'] ?? '';
  for (const [address, id] of [
    ['teams/writers', 'team_gone'],
    ['sites/hub/sections/main', team],
    ['translations/french', team],
  ] as const)
    expect((await harness.plan(tree, { recorded: { ...recorded, [address]: id } })).steps).toEqual([]);
  // The manifests pin the id at another address.
  const pinned = await treeOf({
    ...everything,
    teams: { crew: { ...everything.teams.writers, id: team }, writers: { title: 'Scribes', was: [] } },
  });
  expect(described(await harness.plan(pinned, { recorded }))).toEqual(['create teams/writers']);
});

test('matches an object with was: by the recorded id of its former address', async () => {
  const { tree, recorded } = await apply(everything);
  const renamed = await treeOf({
    ...everything,
    teams: { crew: { ...everything.teams.writers, title: 'Crew', was: 'writers' } },
  });
  expect(described(await harness.plan(renamed, { base: tree, recorded }))).toEqual([
    'update teams/crew title Writers → Crew (changed)',
  ]);
});

describe('recorded ids that contradict the names', () => {
  const teams = { writers: { title: 'Writers' }, platform: { title: 'Platform' } };
  const notesOf = ({ notes }: OrganizationPlan) => notes.map(({ code, address }) => `${code} ${address}`);
  const both = ['recorded-otherwise teams/platform', 'recorded-otherwise teams/writers'];

  test.each(['a record in which the ids are exchanged', 'titles that were exchanged in the app'])(
    'are reported with a help that keeps both objects: %s',
    async (why) => {
      const document = { octavo: 1, organization: 'org_acme', teams };
      const { tree, recorded } = await apply(document);
      const [writers = '', platform = ''] = [recorded['teams/writers'], recorded['teams/platform']];
      const isForged = why.startsWith('a record');
      if (!isForged)
        for (const [teamId, title] of [
          [writers, 'Platform'],
          [platform, 'Writers'],
        ] as const)
          await harness.api.send('teams.update', {
            params: { organizationId: 'org_acme', teamId },
            body: { title },
          });
      const known = isForged ? { 'teams/writers': platform, 'teams/platform': writers } : recorded;
      const plan = await harness.plan(tree, { base: tree, recorded: known });
      expect([...notesOf(plan)].sort()).toEqual(both);
      const idOf = (key: string) =>
        /id: (\S+)/.exec(plan.notes.find(({ address }) => address === `teams/${key}`)?.suggestion ?? '')?.[1];
      const pinned = await treeOf({
        ...document,
        teams: {
          writers: { ...teams.writers, id: idOf('writers') },
          platform: { ...teams.platform, id: idOf('platform') },
        },
      });
      expect((await harness.plan(pinned, { base: tree, recorded: known })).steps).toEqual([]);
    },
  );

  test('are not reported of two objects with the same name', async () => {
    const document = {
      teams: { writers: { title: 'Same' }, platform: { title: 'Same', was: [] } },
    };
    const { tree, recorded } = await apply(document);
    const plan = await harness.plan(tree, { base: tree, recorded });
    expect([notesOf(plan), described(plan)]).toEqual([[], []]);
  });

  test('are not reported if the manifests exchange the names', async () => {
    const document = { octavo: 1, organization: 'org_acme', teams };
    const { tree, recorded } = await apply(document);
    const swapped = await treeOf({
      ...document,
      teams: { writers: teams.platform, platform: teams.writers },
    });
    const plan = await harness.plan(swapped, { base: tree, recorded });
    expect(notesOf(plan)).toEqual([]);
    expect(described(plan)).toHaveLength(2);
  });
});

describe('a person with a changed e-mail address', () => {
  // The recorded address is now free, or belongs to a colleague.
  test.each(['rex@acme.dev', 'cyd@acme.dev'])(
    'is matched by the recorded id, also in lists: %s',
    async (email) => {
      const recorded = { [`members/${email}`]: 'user_bob' };
      const members = { 'ada@acme.dev': 'owner', [email]: 'owner' };
      await apply({
        teams: { crew: { title: 'Crew', members: { 'bob@acme.dev': 'member' } } },
      });
      const tree = await treeOf({
        members: { [email]: { role: 'create' } },
        teams: { crew: { title: 'Crew', members }, writers: { title: 'Writers', members } },
      });
      const plan = await harness.plan(tree, { recorded });
      expect(plan.refusals).toEqual([]);
      const sent = JSON.stringify(plan.steps.map(({ calls }) => calls));
      expect(sent).toContain('user_bob');
      expect(sent).not.toContain('user_cyd');
      expect(sent).not.toContain('"remove"');
      await harness.apply(tree, plan, undefined, { recorded });
      expect((await harness.plan(tree, { recorded })).steps).toEqual([]);
      expect(plan.notes.map(({ code, message }) => `${code}: ${message}`)).toEqual([
        `recorded-otherwise: by the record this is the member user_bob, whose email is bob@acme.dev now; wherever the manifests name ${email}, it means that member`,
      ]);
    },
  );

  test('is not confused with a colleague who now has the former address', async () => {
    await apply({
      teams: { crew: { title: 'Crew', members: { 'bob@acme.dev': 'owner', 'cyd@acme.dev': 'member' } } },
    });
    const tree = await treeOf({
      members: { 'cyd@acme.dev': {} },
      teams: { crew: { title: 'Crew', members: { 'cyd@acme.dev': 'owner' } } },
    });
    const plan = await harness.plan(tree, { recorded: { 'members/cyd@acme.dev': 'user_bob' } });
    const bodies = plan.steps.flatMap(({ calls }) => calls.map(({ body }) => body));
    expect(bodies).toEqual([{ remove: ['user_cyd'] }]);
  });
});
