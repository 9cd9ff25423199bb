/** After every call, successful or not, there are an administrator, a provider, a default and an item. */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Api } from '../../src/contract/api.ts';
import { lost, refusal } from '../support/apis.ts';
import { free } from '../support/arbitrary.ts';
import { type Harness, seed, startHarness, treeOf } from '../support/harness.ts';
import { patience, tries } from '../support/runs.ts';

let harness: Harness;
beforeAll(async () => {
  const [organization] = seed.organizations;
  harness = await startHarness({
    ...seed,
    organizations: organization === undefined ? [] : [{ ...organization, sso: false }],
  });
});
afterAll(() => harness.close());

const params = { organizationId: 'org_acme' };
const people = ['bob@acme.dev', 'cyd@acme.dev'];
const providers = ['okta', 'entra', 'ping'];
const spaces = ['guide', 'faq', 'blog'];

/** Administrators, sign-in providers and the contents of each section. */
interface Wanted {
  readonly admins: readonly string[];
  readonly providers: readonly string[];
  readonly sections: readonly string[];
  readonly shown: readonly string[];
}

const some = (all: readonly string[]) => fc.shuffledSubarray([...all], { minLength: 1 });
const wanted: fc.Arbitrary<Wanted> = fc.record({
  admins: some(people),
  providers: some(providers),
  sections: some(['one', 'two', 'three']),
  shown: some(spaces),
});

function documentOf({ admins, providers: named, sections, shown }: Wanted): object {
  const keyed = <T>(keys: readonly string[], value: (key: string) => T) =>
    Object.fromEntries(keys.map((key) => [key, value(key)]));
  return {
    octavo: 1,
    organization: { id: 'org_acme', sso: true },
    settings: { ...free, prune: 'unlisted', pruneKinds: { member: 'never', space: 'never' } },
    members: keyed(people, (email) => ({ role: admins.includes(email) ? 'admin' : 'edit' })),
    samlProviders: keyed(named, (label) => ({ label, entityID: `urn:${label}`, was: [] })),
    spaces: keyed(spaces, (key) => ({ id: `sp_${key}` })),
    sites: {
      hub: {
        title: 'Hub',
        was: [],
        default: sections[0],
        sections: keyed(sections, (key) => ({
          title: `Section ${key}`,
          path: key,
          was: [],
          spaces: keyed(shown, (space) => ({ space, path: space, was: [] })),
          default: shown[0],
        })),
      },
    },
  };
}

/** Required objects that are missing now. */
async function missing(api: Api): Promise<readonly string[]> {
  const members = (await api.all('members.list', { params })) as readonly { role: string | null }[];
  const { sso } = (await api.send('orgs.get', { params })) as { sso?: boolean };
  const saml = await api.all('saml.list', { params });
  const [site] = (await api.all('sites.list', { params })) as readonly { id: string }[];
  const inSite = { params: { ...params, siteId: site?.id ?? '' } };
  const sections = (await api.all('sections.list', inSite)) as readonly { id: string; default?: boolean }[];
  const shown = (await api.all('siteSpaces.list', inSite)) as readonly { section?: string }[];
  return [
    ...(members.some(({ role }) => role === 'admin') ? [] : ['an administrator']),
    ...(sso === true && saml.length === 0 ? ['a provider'] : []),
    ...(sections.some((section) => section.default === true) ? [] : ['a default section']),
    ...sections.flatMap(({ id }) =>
      shown.some(({ section }) => section === id) ? [] : [`an item in ${id}`],
    ),
  ];
}

test('always keeps an administrator, a provider, a default and an item, whichever request fails', {
  timeout: patience(300_000),
}, async () => {
  await fc.assert(
    fc.asyncProperty(wanted, wanted, fc.nat(14), fc.boolean(), async (before, after, failing, took) => {
      harness.reset();
      harness.refuse = undefined;
      harness.also = undefined;
      const first = await treeOf(documentOf(before));
      await harness.apply(first, await harness.plan(first));
      expect(await missing(harness.api)).toEqual([]);
      const tree = await treeOf(documentOf(after));
      const plan = await harness.plan(tree);
      expect(plan.refusals).toEqual([]);
      let count = 0;
      const seen: string[] = [];
      harness.refuse = ({ operation }) => {
        count += 1;
        return !took && count === failing + 1 ? refusal(operation, 403) : undefined;
      };
      harness.also = async ({ operation }, service) => {
        seen.push(...(await missing(service)).map((what) => `${what} after ${operation}`));
        if (took && count === failing + 1) throw lost(operation);
      };
      await harness.apply(tree, plan);
      expect(seen).toEqual([]);
      harness.refuse = undefined;
      harness.also = undefined;
      await harness.apply(tree, await harness.plan(tree));
      expect((await harness.plan(tree)).steps).toEqual([]);
    }),
    { ...tries(10), endOnFailure: true },
  );
});
