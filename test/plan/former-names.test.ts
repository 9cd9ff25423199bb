/** Former names: the objects that keep their identity with `was:`, and the sources that identify them. */
import { describe, expect, test } from 'vitest';
import { noOwnWork } from '../../src/tree/own-work.ts';
import { DiagnosticError } from '../../src/util/diagnostic.ts';
import { type HarnessOptions, type MemoryHarness, treeOf } from '../support/harness.ts';
import { sharedHarness } from '../support/shared-harness.ts';

const harness = await sharedHarness();

const document = (content: object) =>
  treeOf({
    octavo: 1,
    organization: { id: 'org_acme' },
    settings: { protect: ['!**'], limits: { deletes: null, deletePercent: null } },
    ...content,
  });

async function apply(
  content: object,
): Promise<{ readonly base: HarnessOptions['base']; readonly ids: Readonly<Record<string, string>> }> {
  const base = await document(content);
  await harness.apply(base, await harness.plan(base));
  return { base, ids: (await harness.plan(base)).ids };
}

const brief = ({ steps, refusals }: Awaited<ReturnType<MemoryHarness['plan']>>) => ({
  steps: steps.map(({ id }) => id),
  refused: refusals.map(({ guard, address }) => `${guard} ${address}`),
});

describe('a container under another key', () => {
  const site = (was: object, title: string) => ({
    ...was,
    title: `${title} docs`,
    shareLinks: { reviewers: { name: `Reviewers of ${title}` } },
    sections: {
      first: { title: `${title} first`, path: title.toLowerCase(), spaces: { main: { space: 'guide' } } },
    },
  });
  const spaces = { guide: { id: 'sp_guide' } };

  test.each(['record', 'base'] as const)(
    'keeps its children in spite of their new names: by the %s',
    async (known) => {
      const { base, ids } = await apply({ spaces, sites: { beta: site({}, 'Beta') } });
      const wanted = await document({ spaces, sites: { bravo: site({ was: 'beta' }, 'Bravo') } });
      const options = { ...(base && { base }), ...(known === 'record' ? { recorded: ids } : {}) };
      const plan = await harness.plan(wanted, options);
      expect(plan.refusals).toEqual([]);
      expect(plan.steps.filter(({ phase }) => phase !== 'update').map(({ id }) => id)).toEqual([]);
      expect(plan.ids['sites/bravo/shareLinks/reviewers']).toBe(ids['sites/beta/shareLinks/reviewers']);
      expect(plan.ids['sites/bravo/sections/first']).toBe(ids['sites/beta/sections/first']);
      await harness.apply(wanted, plan, undefined, options);
      expect(brief(await harness.plan(wanted, { base: wanted, recorded: plan.ids })).steps).toEqual([]);
    },
  );
});

test.each(['record', 'base'] as const)(
  'carries over what a replaced site-space has, if the key of its site changes too: by the %s',
  async (known) => {
    const site = (space: string) => ({
      title: 'Docs',
      spaces: { main: { space }, other: { space: 'blog' } },
    });
    const spaces = { guide: { id: 'sp_guide' }, faq: { id: 'sp_faq' }, blog: { id: 'sp_blog' } };
    const { base, ids } = await apply({ spaces, sites: { docs: site('guide') } });
    const params = { organizationId: 'org_acme', siteId: ids['sites/docs'] ?? '' };
    const body = { path: 'main', condition: 'visitor.claims.beta' };
    const main = { ...params, siteSpaceId: ids['sites/docs/spaces/main'] ?? '' };
    await harness.api.send('siteSpaces.update', { params: main, body });
    const wanted = await document({ spaces, sites: { help: site('faq') } });
    const options = { ...(base && { base }), ...(known === 'record' ? { recorded: ids } : {}) };
    const plan = await harness.plan(wanted, options);
    expect(plan.steps.find(({ address }) => address === 'sites/help/spaces/main')?.action).toBe('replace');
    await harness.apply(wanted, plan, undefined, options);
    const shown = (await harness.api.all('siteSpaces.list', { params })) as readonly {
      space: { id: string };
    }[];
    expect(shown.find(({ space }) => space.id === 'sp_faq')).toMatchObject(body);
  },
);

test('follows renames of several commits through the manifests in between', async () => {
  await apply({ teams: { platform: { title: 'Platform' } } });
  const between = await document({ teams: { core: { was: 'platform', title: 'Core' } } });
  const plan = await harness.plan(await document({ teams: { base: { was: 'core', title: 'Base' } } }), {
    base: between,
  });
  expect(brief(plan)).toEqual({ steps: ['teams/base#update'], refused: [] });
});

test('finishes an interrupted exchange of names instead of reverting it', async () => {
  const { base, ids } = await apply({ teams: { aa: { title: 'Alpha' }, bb: { title: 'Beta' } } });
  const wanted = await document({
    teams: { aa: { was: 'bb', title: 'Beta crew' }, bb: { was: 'aa', title: 'Alpha crew' } },
  });
  const recorded = ids;
  const plan = await harness.plan(wanted, { ...(base && { base }), recorded });
  expect([plan.ids['teams/aa'], plan.ids['teams/bb']]).toEqual([ids['teams/bb'], ids['teams/aa']]);
  // The ids of the journal: the run exchanged the objects of both addresses.
  const rest = await harness.plan(wanted, {
    ...(base && { base }),
    recorded: ids,
    own: { ...noOwnWork, ids: plan.ids },
  });
  expect([rest.ids['teams/aa'], rest.ids['teams/bb']]).toEqual([ids['teams/bb'], ids['teams/aa']]);
});

describe('the rename guard', () => {
  const members = { 'ada@acme.dev': 'owner', 'cyd@acme.dev': 'member' };

  test.each([[[]], [['Nobody knows']], [['One', 'Two', 'Three']]])(
    'also applies next to unmanaged objects: %j',
    async (unmanaged) => {
      for (const title of unmanaged)
        await harness.api.send('teams.create', {
          params: { organizationId: 'org_acme' },
          body: { title },
        });
      const { base, ids } = await apply({ teams: { writers: { title: 'Technical writers' } } });
      const wanted = await document({ teams: { docs: { title: 'Writers' } } });
      const plan = await harness.plan(wanted, { ...(base && { base }), recorded: ids });
      expect(brief(plan).refused).toEqual(['rename teams/docs']);
    },
  );

  test.each([
    ['a slip', { was: 'writer' }],
    ['one of two with the same', { was: 'writers' }],
  ])('also applies if was: matches no object: %s', async (name, was) => {
    const { base, ids } = await apply({ teams: { writers: { title: 'Writers', members } } });
    const others = name === 'a slip' ? {} : { first: { ...was, title: 'First', members } };
    const wanted = await document({ teams: { ...others, docs: { ...was, title: 'Documentation' } } });
    const made = harness.plan(wanted, { ...(base && { base }), recorded: ids });
    const refused = await made.then(
      (plan) => brief(plan).refused,
      (error: unknown) => {
        if (error instanceof DiagnosticError)
          return error.diagnostics.map(({ address }) => `error ${address}`);
        throw error;
      },
    );
    expect(refused).toEqual([expect.stringMatching(/^rename teams\/(docs|first)$/)]);
  });
});

test('an entry is what its former name was, although another new one has the name that it had', async () => {
  const { base, ids } = await apply({ teams: { kb: { title: 'Beta' }, kc: { title: 'Gamma' } } });
  const wanted = await document({ teams: { ka: { title: 'Gamma' }, kd: { title: 'Beta', was: 'kc' } } });
  const options = { ...(base && { base }), recorded: ids };
  const plan = await harness.plan(wanted, options);
  expect(plan.ids['teams/kd']).toBe(ids['teams/kc']);
  expect(brief(plan).steps).toEqual(
    expect.arrayContaining(['teams/ka#create', 'teams/kd#update', 'teams/kb#delete']),
  );
  await harness.apply(wanted, plan, undefined, options);
  expect(brief(await harness.plan(wanted, { base: wanted, recorded: plan.ids })).steps).toEqual([]);
});
