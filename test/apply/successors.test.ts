/** The last one of a required sort (administrator, provider, default, item) is given up only after its successor exists. */
import { beforeEach, describe, expect, test } from 'vitest';
import type { OperationId } from '../../src/contract/index.ts';
import { refusal } from '../support/apis.ts';
import { seed, treeOf } from '../support/harness.ts';
import { sharedHarness } from '../support/shared-harness.ts';

const harness = await sharedHarness();

const organization = 'org_acme';
const free = { prune: 'unlisted', protect: ['!**'], limits: { deletes: null, deletePercent: null } };

async function live(document: object): Promise<void> {
  const tree = await treeOf({ settings: { protect: ['!**'] }, ...document });
  const result = await harness.apply(tree, await harness.plan(tree));
  const failed = result.organizations.flatMap(({ outcomes }) => outcomes.filter((one) => 'error' in one));
  expect(failed).toEqual([]);
  harness.sent.length = 0;
}

/** Applies with one operation refused, and returns the operations sent. */
async function applyRefusing(document: object, refused: OperationId): Promise<readonly OperationId[]> {
  const tree = await treeOf({ settings: free, ...document });
  const plan = await harness.plan(tree);
  expect(plan.refusals).toEqual([]);
  harness.refuse = ({ operation }) => (operation === refused ? refusal(operation) : undefined);
  await harness.apply(tree, plan);
  return harness.sent.map(({ operation }) => operation);
}

async function admins(): Promise<readonly (string | undefined)[]> {
  const members = await harness.api.all('members.list', { params: { organizationId: organization } });
  return (members as { role: string | null; user: { email: string } }[])
    .filter(({ role }) => role === 'admin')
    .map(({ user }) => user.email);
}

describe('the last SAML provider', () => {
  const okta = { okta: { label: 'Okta', entityID: 'urn:okta' } };
  const entra = { entra: { was: [], label: 'Entra', entityID: 'urn:entra' } };

  test('is kept while sign-on is required and its successor cannot be created', async () => {
    await live({ organization: { id: organization, sso: true }, samlProviders: okta });
    const sent = await applyRefusing({ samlProviders: entra }, 'saml.create');
    expect(sent).toEqual([]);
  });

  test('is deleted after its successor exists', async () => {
    await live({ organization: { id: organization, sso: true }, samlProviders: okta });
    expect(await applyRefusing({ samlProviders: entra }, 'orgs.search')).toEqual([
      'saml.create',
      'saml.delete',
    ]);
  });
});

describe('the last administrator', () => {
  const two = [
    { id: 'user_ada', email: 'ada@acme.dev', displayName: 'Ada', role: 'admin' as const },
    { id: 'user_bob', email: 'bob@acme.dev', displayName: 'Bob', role: 'admin' as const },
    { id: 'user_cyd', email: 'cyd@acme.dev', displayName: 'Cyd', role: 'edit' as const },
  ];
  const swapped = {
    members: {
      'ada@acme.dev': { role: 'edit' },
      'bob@acme.dev': { role: 'edit' },
      'cyd@acme.dev': { role: 'admin' },
    },
    settings: { ...free, pruneKinds: { member: 'never' } },
  };
  beforeEach(() => {
    harness.service.reset({
      ...seed,
      organizations: seed.organizations.map((one) => ({ ...one, members: two })),
    });
  });

  test('is demoted only after another administrator exists', async () => {
    const cyd = 'user_cyd';
    const tree = await treeOf(swapped);
    const plan = await harness.plan(tree);
    harness.refuse = ({ operation, params }) =>
      params?.userId === cyd ? refusal(operation, 403) : undefined;
    await harness.apply(tree, plan);
    expect([...(await admins())].sort()).toEqual(['ada@acme.dev', 'bob@acme.dev']);
  });

  test('is demoted after the new one is confirmed', async () => {
    const tree = await treeOf(swapped);
    await harness.apply(tree, await harness.plan(tree));
    expect(harness.sent[0]?.params?.userId).toBe('user_cyd');
    expect(harness.sent.length).toBe(3);
  });

  test('does not include a disabled account', async () => {
    harness.service.reset({
      ...seed,
      organizations: seed.organizations.map((one) => ({
        ...one,
        members: two.map((member) => ({ ...member, disabled: member.id === 'user_bob' })),
      })),
    });
    const demoted = { members: { 'ada@acme.dev': { role: 'edit' } } };
    const plan = await harness.plan(await treeOf(demoted));
    expect(plan.refusals.map(({ guard }) => guard)).toEqual(['last-one']);
  });

  test('is not replaced by a disabled account', async () => {
    harness.service.reset({
      ...seed,
      organizations: seed.organizations.map((one) => ({
        ...one,
        members: two.map((member) => ({ ...member, disabled: member.id === 'user_cyd' })),
      })),
    });
    const plan = await harness.plan(await treeOf(swapped));
    expect(plan.refusals.map(({ guard }) => guard)).toEqual(['last-one', 'last-one']);
  });
});

describe('the last item of a list', () => {
  const site = (spaces: object) => ({
    sites: { hub: { title: 'Hub', sections: { guides: { title: 'Guides', spaces } } } },
    spaces: { guide: { id: 'sp_guide' }, faq: { id: 'sp_faq' }, blog: { id: 'sp_blog' } },
    settings: { ...free, pruneKinds: { space: 'never', member: 'never' } },
  });
  const first = { a: { space: 'guide', path: 'a', was: [] } };
  const second = { b: { space: 'faq', path: 'b', was: [] } };

  test('of site-spaces is kept if its successor cannot be created', async () => {
    await live(site(first));
    expect(await applyRefusing(site(second), 'siteSpaces.create')).toEqual([]);
  });

  test('of sections is kept if its successor cannot be created', async () => {
    const other = {
      ...site(first),
      sites: { hub: { title: 'Hub', sections: { help: { was: [], title: 'Help', spaces: second } } } },
    };
    await live(site(first));
    expect(await applyRefusing(other, 'sections.create')).toEqual([]);
  });

  test.each([
    [
      'section',
      { guides: { title: 'Guides', spaces: first } },
      { help: { was: [], title: 'Help', spaces: second } },
      'sections.delete',
    ],
    [
      'site-space',
      {
        guides: { title: 'Guides', spaces: first },
        more: { title: 'More', spaces: { c: { space: 'blog' } } },
      },
      {
        guides: { title: 'Guides', spaces: second },
        more: { title: 'More', spaces: { c: { space: 'blog' } } },
      },
      'siteSpaces.delete',
    ],
    [
      'section in a group',
      { all: { title: 'All', sections: { guides: { title: 'Guides', spaces: first } } } },
      { all: { title: 'All', sections: { help: { was: [], title: 'Help', spaces: second } } } },
      'sections.delete',
    ],
  ])('is deleted only after its successor is the default: %s', async (_what, before, after, last) => {
    const hub = (sections: object) => ({ ...site(first), sites: { hub: { title: 'Hub', sections } } });
    await live(hub(before));
    const tree = await treeOf(hub(after));
    const plan = await harness.plan(tree);
    expect(plan.refusals).toEqual([]);
    expect(plan.steps.flatMap(({ fields }) => fields.map(({ field }) => field))).toContain('default');
    const base = await treeOf(hub(before));
    const against = await harness.plan(tree, { base, ignoreDrift: true });
    const phasesOf = ({ steps }: typeof plan) => steps.map(({ kind, phase }) => `${kind} ${phase}`).sort();
    expect(phasesOf(against)).toEqual(phasesOf(plan));
    const result = await harness.apply(tree, plan);
    expect(
      result.organizations.flatMap(({ outcomes }) => outcomes.filter(({ type }) => type !== 'done')),
    ).toEqual([]);
    expect(harness.sent.at(-1)?.operation).toBe(last);
    expect((await harness.plan(tree)).steps).toEqual([]);
  });

  test('is deleted without waiting if another item remains', async () => {
    await live(site({ c: { space: 'blog', path: 'c' }, ...first }));
    const sent = await applyRefusing(
      site({ c: { space: 'blog', path: 'c' }, ...second }),
      'siteSpaces.create',
    );
    expect(sent).toEqual(['siteSpaces.delete']);
  });
});
