/**
 * An approval applies to requests to objects, not to names: whatever is renamed, exchanged, created or deleted in the app, or pinned
 * in git, between the approval and the apply, each way to approve sends the shown requests, ids included, or refuses. An object that
 * is as an approved create makes it stands for that create, also if someone else made it.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { registry } from '../../src/kinds/index.ts';
import type { OrganizationPlan, Plan } from '../../src/plan/plan.ts';
import { driftSince, requireApproved } from '../../src/run/approval/approval.ts';
import { digestsOf, type Expectation, parseExpectation } from '../../src/run/approval/digest.ts';
import type { Seed } from '../../src/server/index.ts';
import { DiagnosticError } from '../../src/util/diagnostic.ts';
import { isRecord, stableStringify } from '../../src/util/json.ts';
import { asPlan, type MemoryHarness, seed, startHarness, treeOf } from '../support/harness.ts';
import { patience, tries } from '../support/runs.ts';

const [organization] = seed.organizations;
const state: Seed = {
  ...seed,
  organizations: [
    {
      title: 'Acme',
      ...organization,
      teams: ['Docs', 'Support', 'Platform'].map((title, at) => ({
        id: `team_${at}`,
        title,
        members: { 'bob@acme.dev': 'member' as const },
      })),
      collections: [
        { type: 'collection', id: 'col_0', title: 'Handbook' },
        { type: 'collection', id: 'col_1', title: 'Archive' },
      ],
      sites: [
        {
          id: 'site_0',
          title: 'Hub',
          sections: [
            { id: 'sec_0', title: 'Guides', path: 'guides', spaces: [{ id: 'ss_0', space: 'sp_notes' }] },
            { id: 'sec_1', title: 'API', path: 'api', spaces: [{ id: 'ss_1', space: 'sp_start' }] },
          ],
        },
      ],
    },
  ],
};

const harnesses = new Map<string, MemoryHarness>();
beforeAll(async () => {
  harnesses.set('document', await startHarness(state));
  harnesses.set('2026', await startHarness(state, registry, '2026'));
});
afterAll(() => Promise.all([...harnesses.values()].map(({ close }) => close())));

/** Declared teams; the others are identified only by title. */
interface Wish {
  readonly form: 'document' | '2026';
  readonly declared: readonly ('docs' | 'support' | 'fresh')[];
  readonly team: string;
  readonly space: string;
  readonly isNewSite: boolean;
  readonly deletes: boolean;
  readonly reorders: boolean;
  readonly pins: Readonly<Record<string, string>>;
}

const titles: Readonly<Record<string, string>> = { docs: 'Docs', support: 'Support', fresh: 'Fresh' };

function documentOf({ form, declared, team, space, isNewSite, deletes, reorders, pins }: Wish): object {
  const pinned = (key: string) => (pins[key] === undefined ? {} : { id: pins[key] });
  const named = declared.some((key) => key === team) ? team : (titles[team] ?? team);
  const isDeclared = declared.some((key) => key === team);
  const spaces = { shown: { title: space, ...pinned('shown') } };
  const inSite = { main: { space: 'shown', path: 'main' } };
  const guides = { title: 'Guides', path: 'guides' };
  const api = { title: 'API', path: 'api', ...(isNewSite ? {} : { spaces: inSite }) };
  return {
    octavo: 1,
    organization: { id: 'org_acme' },
    settings: {
      protect: ['!**'],
      prune: 'never',
      ...(deletes ? { pruneKinds: { collection: 'unlisted' } } : {}),
    },
    teams: Object.fromEntries(
      declared.map((key) => [
        key,
        {
          title: titles[key],
          members: { 'bob@acme.dev': 'member', 'cyd@acme.dev': 'owner' },
          ...pinned(key),
        },
      ]),
    ),
    ...(deletes ? { collections: { handbook: { title: 'Handbook' } } } : {}),
    ...(form === 'document' && isDeclared
      ? {
          samlProviders: {
            okta: { label: 'Okta', entityID: 'urn:okta', ssoURL: 'https://okta.dev/sso', defaultTeam: team },
          },
        }
      : {}),
    spaces:
      form === '2026' ? { shown: { ...spaces.shown, access: { teams: { [named]: 'admin' } } } } : spaces,
    sites: {
      hub: { title: 'Hub', sections: reorders ? { api, guides } : { guides, api } },
      ...(isNewSite ? { fresh: { title: 'Fresh', visibility: 'public', spaces: inSite } } : {}),
    },
  };
}

const wishes: fc.Arbitrary<Wish> = fc.record({
  form: fc.constantFrom('document', '2026'),
  declared: fc.subarray(['docs', 'support', 'fresh'] as const),
  team: fc.constantFrom('docs', 'support', 'fresh', 'docs'),
  space: fc.constantFrom('Blog', 'FAQ'),
  isNewSite: fc.boolean(),
  deletes: fc.boolean(),
  reorders: fc.boolean(),
  pins: fc.constant({}),
});

type Change = (harness: MemoryHarness) => Promise<unknown>;

const params = { organizationId: 'org_acme' };
const teamsOf = ({ api }: MemoryHarness) =>
  api.all('teams.list', { params }) as Promise<readonly { readonly id: string; readonly title: string }[]>;
const retitleTeam = async (harness: MemoryHarness, from: string, title: string) => {
  const team = (await teamsOf(harness)).find((one) => one.title === from);
  if (team === undefined) return;
  await harness.api.send('teams.update', { params: { ...params, teamId: team.id }, body: { title } });
};
const retitleSpace = async ({ api }: MemoryHarness, spaceId: string, title: string) =>
  api.send('spaces.update', { params: { spaceId }, body: { title } });

/** Changes by others in the app. */
const changes: Readonly<Record<string, Change>> = {
  'titles of teams pass on': async (harness) => {
    await retitleTeam(harness, 'Docs', 'Docs old');
    await retitleTeam(harness, 'Support', 'Docs');
  },
  'a team is made that the plan would make': ({ api }) =>
    api.send('teams.create', { params, body: { title: 'Fresh', members: ['user_dan'] } }),
  'a team takes the title of one to be made': (harness) => retitleTeam(harness, 'Platform', 'Fresh'),
  'titles of spaces pass on': async (harness) => {
    await retitleSpace(harness, 'sp_blog', 'Blog old');
    await retitleSpace(harness, 'sp_faq', 'Blog');
  },
  'a site is made that the plan would make': ({ api }) =>
    api.send('sites.create', { params, body: { title: 'Fresh', type: 'basic' } }),
  'someone joins a team': async (harness) => {
    const [team] = await teamsOf(harness);
    const body = { add: ['user_dan'] };
    await harness.api.send('teams.updateMembers', { params: { ...params, teamId: team?.id ?? '' }, body });
  },
  'a collection to be deleted gets another name': ({ api }) =>
    api.send('collections.update', { params: { collectionId: 'col_1' }, body: { title: 'Kept' } }),
  'a section moves': ({ api }) =>
    api.send('sections.move', {
      params: { ...params, siteId: 'site_0', siteSectionId: 'sec_1' },
      body: { position: { before: { type: 'site-section', siteSection: 'sec_0' } } },
    }),
};

const creates: Readonly<Record<string, string>> = {
  'a team is made that the plan would make': 'teams/fresh',
  'a site is made that the plan would make': 'sites/fresh',
};

/** One line for each value in a request, with its target. `made`: addresses of objects that others made, by id. */
function requestsOf({ steps }: OrganizationPlan, made: ReadonlyMap<string, string>): readonly string[] {
  const addressed = (_key: string, value: unknown) =>
    typeof value === 'string' && made.has(value) ? { $id: made.get(value) } : value;
  return steps
    .flatMap(({ calls }) => calls)
    .filter(({ find }) => find === undefined)
    .flatMap((call) => {
      const {
        operation,
        params: at,
        query,
        body,
      } = JSON.parse(JSON.stringify(call, addressed)) as typeof call;
      const about = { operation, at, query };
      const values = isRecord(body) && Object.keys(body).length > 0 ? Object.entries(body) : [undefined];
      return values.map((value) => stableStringify({ ...about, value }));
    });
}

async function refusedOr<T>(made: () => T | Promise<T>): Promise<T | 'refused'> {
  try {
    return await made();
  } catch (error) {
    if (error instanceof DiagnosticError) return 'refused';
    throw error;
  }
}

test('sends exactly the approved requests or none, whatever changes after the approval', {
  timeout: patience(120_000),
}, async () => {
  const seen = { refused: 0, sent: 0, left: 0 };
  await fc.assert(
    fc.asyncProperty(
      wishes,
      fc.array(fc.constantFrom(...Object.keys(changes)), { maxLength: 2 }),
      fc.constantFrom(undefined, ['docs', 'team_1'] as const, ['shown', 'sp_faq'] as const),
      fc.boolean(),
      async (wish, others, pin, hasBase) => {
        const harness = harnesses.get(wish.form);
        if (harness === undefined) throw new Error('no harness');
        harness.reset();
        const tree = await treeOf(documentOf(wish));
        // Applied before, except the title of a space and new objects: all other changes are drift.
        const base = hasBase
          ? await treeOf(
              documentOf({ ...wish, isNewSite: false, space: wish.space === 'Blog' ? 'FAQ' : 'Blog' }),
            )
          : undefined;
        const known = base === undefined ? {} : { base };
        const approved = await refusedOr(() => harness.plan(tree, known));
        if (approved === 'refused') return;
        const shown = new Set(requestsOf(approved, new Map()));
        // A request that the service refuses is not a change.
        const made = new Map<string, string>();
        for (const name of others) {
          const result = await changes[name]?.(harness).catch(() => undefined);
          const address = creates[name];
          if (address !== undefined && isRecord(result)) made.set(String(result.id), address);
        }
        const pins: Readonly<Record<string, string>> = pin === undefined ? {} : { [pin[0]]: pin[1] };
        const edited = await treeOf(documentOf({ ...wish, pins }));
        const plan = asPlan(approved);
        const { digest, approval } = digestsOf(plan);
        const today = async (given: Expectation | Plan) => {
          const now = await harness.plan(edited, known);
          const left = driftSince(asPlan(now), given, registry);
          seen.left += left.size;
          return left.size === 0 ? now : harness.plan(edited, { ...known, left });
        };
        const expected = (text: string) => parseExpectation(text) ?? { digests: [] };
        const ways: Readonly<Record<string, () => Promise<OrganizationPlan>>> = {
          digest: async () => {
            const now = await today(expected(digest));
            requireApproved(asPlan(now), expected(digest), registry);
            return now;
          },
          approval: async () => {
            const now = await today(expected(approval));
            requireApproved(asPlan(now), expected(approval), registry);
            return now;
          },
          file: async () => {
            const now = await today(plan);
            requireApproved(asPlan(now), plan, registry);
            return now;
          },
          saved: () => harness.recheck(approved, 'saved'),
          asked: () => harness.recheck(approved, 'asked'),
        };
        for (const [way, approve] of Object.entries(ways)) {
          const sent = await refusedOr(approve);
          if (sent === 'refused') seen.refused += 1;
          else seen.sent += 1;
          const unseen = sent === 'refused' ? [] : requestsOf(sent, made).filter((one) => !shown.has(one));
          expect(unseen, `${way}, after ${others.join(', ')}`).toEqual([]);
          if (others.length === 0 && pin === undefined && approved.refusals.length === 0)
            expect(sent, way).not.toBe('refused');
        }
      },
    ),
    { ...tries(60), endOnFailure: true },
  );
  expect(Math.min(seen.refused, seen.sent, seen.left)).toBeGreaterThan(0);
});
