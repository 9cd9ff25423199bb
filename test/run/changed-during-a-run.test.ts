/** A long run re-reads objects before deleting or overwriting them as a whole, and refuses only the steps whose objects others changed. */
import { expect, test } from 'vitest';
import { seed, startHarness, treeOf } from '../support/harness.ts';
import { sharedHarness } from '../support/shared-harness.ts';

const harness = await sharedHarness({
  ...seed,
  organizations: seed.organizations.map((one) => ({
    ...one,
    teams: [
      { id: 'team_old', title: 'Old', members: { 'bob@acme.dev': 'member' as const } },
      { id: 'team_new', title: 'New' },
    ],
    sites: [
      {
        id: 'site_hub',
        title: 'Hub',
        sections: [
          { id: 'sec_a', title: 'Aa', path: 'a', spaces: [{ id: 'ss_a', space: 'sp_guide' }] },
          { id: 'sec_b', title: 'Bb', path: 'b', spaces: [{ id: 'ss_b', space: 'sp_blog' }] },
        ],
        shareLinks: [{ id: 'link_a', name: 'Partners' }],
      },
    ],
  })),
});

const params = { organizationId: 'org_acme' };
const site = { ...params, siteId: 'site_hub' };
const head = {
  octavo: 1,
  settings: {
    prune: 'unlisted',
    pruneKinds: { member: 'never', space: 'never' },
    protect: ['!**'],
    limits: { deletePercent: null },
  },
};
const acme = { id: 'org_acme', title: 'Acme two' };
const hub = (rest: object) => ({ sites: { hub: { title: 'Hub', ...rest } } });

const schema = (name: string) => ({ type: 'object', properties: { [name]: { type: 'boolean' } } });

/** Planned changes, and a change by another client during the run. */
const cases: readonly [
  what: string,
  wanted: object,
  step: string,
  meanwhile: () => Promise<unknown>,
  said: string,
][] = [
  [
    'someone joins a team that is deleted',
    { organization: acme, teams: { new: { title: 'New' } } },
    'teams.delete',
    () =>
      harness.api.send('teams.updateMembers', {
        params: { ...params, teamId: 'team_old' },
        body: { add: ['user_dan'] },
      }),
    'the team to delete has changed',
  ],
  [
    'a section that is deleted gets one more site-space',
    { organization: acme, ...hub({ sections: { a: { title: 'Aa', path: 'a' } } }) },
    'sections.delete',
    () =>
      harness.api.send('siteSpaces.create', {
        params: site,
        body: { spaceId: 'sp_faq', sectionId: 'sec_b' },
      }),
    'the section to delete has changed',
  ],
  [
    'a share link that is deleted gets another name',
    { organization: acme, ...hub({ shareLinks: {} }) },
    'shareLinks.delete',
    () =>
      harness.api.send('shareLinks.update', {
        params: { ...site, shareLinkId: 'link_a' },
        body: { name: 'VIP' },
      }),
    'the share link to delete has changed',
  ],
  [
    'a property is added to a schema that is replaced',
    { organization: acme, ...hub({ adaptiveSchema: schema('plan') }) },
    'sites.putAdaptiveSchema',
    () =>
      harness.api.send('sites.putAdaptiveSchema', {
        params: site,
        body: { jsonSchema: schema('beta') },
      }),
    'jsonSchema differs now',
  ],
];

test.each(cases)(
  'refuses only the affected step if %s',
  async (_what, wanted, operation, meanwhile, said) => {
    const tree = await treeOf({
      ...head,
      teams: { new: { title: 'New', members: {} }, old: { title: 'Old' }, third: { title: 'Third' } },
      ...wanted,
    });
    const plan = await harness.plan(tree);
    expect(plan.steps.flatMap(({ calls }) => calls.map((call) => call.operation))).toContain(operation);
    let isFirst = true;
    harness.also = async (sent) => {
      if (!isFirst || sent.operation === operation) return;
      isFirst = false;
      await meanwhile();
      // All later requests are sent after a delay.
      await harness.sleep(10_000);
    };
    const before = harness.sent.length;
    const result = await harness.apply(tree, plan);
    const failed = result.organizations.flatMap(({ outcomes }) =>
      outcomes.flatMap((one) => ('error' in one ? [one.error.message] : [])),
    );
    const own = harness.sent
      .slice(before)
      .filter((one) => one.operation === operation && one.step !== undefined);
    expect([own, failed.length]).toEqual([[], 1]);
    expect(failed[0]).toContain('not sent, since others changed it during this run');
    expect(failed[0]).toContain(said);
    expect(harness.sent.length - before).toBeGreaterThan(0);
  },
);

test('deletes unchanged objects in a run of any length', async () => {
  const tree = await treeOf({
    ...head,
    organization: acme,
    teams: {},
    ...hub({ sections: { a: { title: 'Aa', path: 'a' } } }),
  });
  const plan = await harness.plan(tree);
  harness.also = () => harness.sleep(10_000);
  const result = await harness.apply(tree, plan);
  expect(
    result.organizations.flatMap(({ outcomes }) => outcomes.filter(({ type }) => type !== 'done')),
  ).toEqual([]);
  expect((await harness.plan(tree)).steps).toEqual([]);
});

test('completes an object that the run created, although the service moved another one into it', async () => {
  // A service may move the root site-spaces into the first section.
  const site = { id: 'site_one', title: 'One', spaces: [{ id: 'ss_guide', space: 'sp_guide' }] };
  const state = { organizations: seed.organizations.map((own) => ({ ...own, sites: [site] })) };
  const newer = await startHarness(state, undefined, '2026');
  newer.reset({ 'root-site-spaces': 'moved' }, '2026');
  try {
    const two = {
      title: 'Two',
      path: 'two',
      localizedTitle: { de: 'Zwei' },
      spaces: { faq: { space: 'faq', path: 'faq' }, guide: { space: 'guide', path: 'guide', draft: true } },
      default: 'guide',
    };
    const tree = await treeOf({
      ...head,
      settings: { ...head.settings, service: { profile: '2026' } },
      organization: acme,
      spaces: { faq: { id: 'sp_faq' }, guide: { id: 'sp_guide' } },
      sites: { one: { title: 'One', sections: { two }, spaces: {}, default: 'two' } },
    });
    const plan = await newer.plan(tree);
    expect(plan.refusals).toEqual([]);
    let isFirst = true;
    newer.also = async () => {
      if (isFirst) await newer.sleep(10_000);
      isFirst = false;
    };
    const result = await newer.apply(tree, plan);
    const failed = result.organizations.flatMap(({ outcomes }) =>
      outcomes.flatMap((one) => ('error' in one ? [one.error.message] : [])),
    );
    expect(failed).toEqual([]);
    expect((await newer.plan(tree)).steps).toEqual([]);
  } finally {
    await newer.close();
  }
});

test('fails only the step whose re-read fails, and re-reads for the next step', async () => {
  const tree = await treeOf({
    ...head,
    organization: acme,
    teams: {},
    ...hub({ shareLinks: {} }),
  });
  const plan = await harness.plan(tree);
  expect(plan.refusals).toEqual([]);
  let reads = 0;
  harness.also = () => harness.sleep(10_000);
  const { api } = harness;
  harness.through = () => ({
    ...api,
    send: (operation, input) => api.send(operation, input),
    all: (operation, input) => {
      reads += 1;
      return reads === 1 ? Promise.reject(new Error('the service is tired')) : api.all(operation, input);
    },
  });
  const result = await harness.apply(tree, plan);
  const failed = result.organizations.flatMap(({ outcomes }) =>
    outcomes.flatMap((one) => ('error' in one ? [one.error.message] : [])),
  );
  expect(failed).toEqual(['the service is tired']);
  expect(reads).toBeGreaterThan(1);
});

test('does not attribute initial values of a replacement site to others', async () => {
  const newer = await startHarness(seed, undefined, '2026');
  try {
    const declared = (type: string, theme: string) =>
      treeOf({
        ...head,
        settings: { ...head.settings, service: { profile: '2026' } },
        organization: acme,
        sites: { docs: { title: 'Docs', type, customization: { styling: { theme } } } },
      });
    const before = await declared('basic', 'muted');
    await newer.apply(before, await newer.plan(before));
    const tree = await declared('premium', 'gradient');
    let isFirst = true;
    newer.also = async () => {
      if (isFirst) await newer.sleep(10_000);
      isFirst = false;
    };
    const { organizations } = await newer.apply(tree, await newer.plan(tree));
    const failed = organizations.flatMap(({ outcomes }) => outcomes.filter(({ type }) => type !== 'done'));
    expect(failed).toEqual([]);
    expect((await newer.plan(tree)).steps).toEqual([]);
  } finally {
    await newer.close();
  }
});
