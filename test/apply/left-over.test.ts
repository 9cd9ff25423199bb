/** Work of a dead run that no manifest declares is named by every plan until it is undone or declared, whatever is applied before. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { journaledTrees } from '../../src/run/undo/journaled-trees.ts';
import { commitSeed } from '../support/commits.ts';
import { Workspace } from '../support/cut-runs.ts';
import { treeOf } from '../support/harness.ts';

let workspace: Workspace;
beforeEach(() => {
  workspace = new Workspace(commitSeed, '2026');
});
afterEach(() => workspace.close());

const organization = 'org_acme';
const teams = (...titles: readonly string[]) =>
  treeOf({ teams: Object.fromEntries(titles.map((title) => [title, { title }])) });

/** The second run is killed after it created team b. */
async function killed() {
  expect(await workspace.apply(await teams('a'))).toBe('done');
  expect(await workspace.apply(await teams('a', 'b', 'c'), { cut: { at: 1, how: 'before' } })).toBe('killed');
}

const left = async (...titles: readonly string[]) =>
  (await workspace.plan(await teams(...titles))).leftovers?.map(({ address }) => address);

test('a corrected commit that is applied completely, and then what that created, too', async () => {
  await killed();
  const made: string[] = ['teams/b'];
  for (let applied = 0; applied < 3; applied += 1) {
    expect(await workspace.apply(await teams('a', `d${applied}`))).toBe('done');
    expect(workspace.isRecorded).toBe(false);
    made.unshift(`teams/d${applied}`);
    expect(await left('a')).toEqual(made);
  }
});

test('a corrected commit that is applied completely and undone', async () => {
  await killed();
  expect(await workspace.apply(await teams('a', 'd'))).toBe('done');
  expect(await workspace.undo()).toBe('done');
  expect(await left('a')).toEqual(['teams/b']);
});

test.each([[{ target: ['teams/c'] }], [{ exclude: ['teams/b'] }]])(
  'a part of the same commit, and then a revert: %j',
  async (choices) => {
    await killed();
    expect(await workspace.apply(await teams('a', 'b', 'c'), choices)).toBe('done');
    expect(await left('a')).toContain('teams/b');
  },
);

test('ends with an undo of the run, with a declaration, and with a complete apply of the same commit', async () => {
  await killed();
  expect(await workspace.undo()).toBe('done');
  expect(await left('a')).toBeUndefined();
  expect(await workspace.apply(await teams('a'))).toBe('done');
  await killed();
  expect(await left('a', 'b')).toBeUndefined();
  expect(await workspace.apply(await teams('a', 'b', 'c'))).toBe('done');
  expect(workspace.isRecorded).toBe(true);
  expect(await left('a')).toBeUndefined();
});

test.each(['when-accepted', 'unknown'] as const)(
  'an invitation, accepted %s, is sent once and never forgotten',
  async (invites) => {
    const ada = { id: 'user_ada', email: 'ada@acme.dev', displayName: 'Ada', role: 'edit' } as const;
    workspace.service.reset(
      { organizations: [{ id: organization, title: 'Acme', members: [ada] }] },
      { invites },
    );
    const people = (role: string, invited = {}) =>
      treeOf({ members: { 'ada@acme.dev': { role }, ...invited } });
    const newer = await people('read', { 'a-new@acme.dev': { role: 'admin' } });
    expect(await workspace.apply(await people('edit'))).toBe('done');
    expect(await workspace.apply(newer, { cut: { at: 1, how: 'before' } })).toBe('killed');
    expect(workspace.lastJournal().touched.get(organization)).toContain('members/a-new@acme.dev#create');
    const addresses = async (tree: typeof newer) => {
      const { pending = [], steps } = await workspace.plan(tree);
      return { pending: pending.map(({ address }) => address), steps: steps.map(({ address }) => address) };
    };
    const pending = ['members/a-new@acme.dev'];
    expect(await addresses(await people('edit'))).toEqual({ pending, steps: [] });
    expect(await addresses(newer)).toEqual({ pending, steps: ['members/ada@acme.dev'] });
    expect(await workspace.apply(await people('edit'))).toBe('done');
    expect(await addresses(await people('edit'))).toEqual({ pending, steps: [] });
  },
);

test('an invitation whose response was lost is sent again, or named by each plan that does not declare it', async () => {
  const ada = { id: 'user_ada', email: 'ada@acme.dev', displayName: 'Ada', role: 'edit' } as const;
  const people = (role: string, invited = {}) =>
    treeOf({ members: { 'ada@acme.dev': { role }, ...invited } });
  const newer = await people('read', { 'a-new@acme.dev': { role: 'admin' } });
  for (const how of ['before', 'after'] as const) {
    workspace.service.reset(
      { organizations: [{ id: organization, title: 'Acme', members: [ada] }] },
      { invites: 'when-accepted' },
    );
    expect(await workspace.apply(await people('edit'))).toBe('done');
    expect(await workspace.apply(newer, { cut: { at: 0, how } })).toBe('killed');
    const again = await workspace.plan(newer);
    expect(again.steps.map(({ address }) => address)).toContain('members/a-new@acme.dev');
    expect([...again.notes, ...(again.pending ?? [])]).toEqual([]);
    for (let applied = 0; applied < 2; applied += 1) {
      expect(await workspace.apply(await people('edit'))).toBe('done');
      const { pending, notes } = await workspace.plan(await people('edit'));
      expect(pending).toMatchObject([{ address: 'members/a-new@acme.dev', lost: true, wanted: 'none' }]);
      expect(notes).toEqual([]);
    }
  }
});

test('never takes an object of others for one that the run was to create', async () => {
  const main = (space: string) => ({ main: { space } });
  const others = { title: 'Of others', spaces: main('sp_g1') };
  const hub = (space: string, more = {}) =>
    treeOf({
      ...{ octavo: 1, organization, spaces: { sp_g1: { id: 'sp_g1' }, sp_g2: { id: 'sp_g2' } } },
      sites: { hub: { title: 'Hub', sections: { ...more, own: { title: 'Own', spaces: main(space) } } } },
    });
  expect(await workspace.apply(await hub('sp_g2', { others }))).toBe('done');
  workspace.forget();
  expect(await workspace.apply(await hub('sp_g2'))).toBe('done');
  expect(await workspace.apply(await hub('sp_g1'), { cut: { at: 0, how: 'before' } })).toBe('killed');
  const before = await workspace.snapshot();
  expect((await workspace.plan(await hub('sp_g2'))).leftovers).toBeUndefined();
  expect(await workspace.undo()).toBe('done');
  expect(await workspace.snapshot()).toEqual(before);
});

test.each(['document', '2026'] as const)(
  'an undo finds a copy whose response was lost, and deletes it: %s',
  async (form) => {
    await workspace.close();
    workspace = new Workspace(commitSeed, form);
    const spaces = (more: object) => treeOf({ spaces: { g1: { id: 'sp_g1' }, ...more } });
    expect(await workspace.apply(await spaces({}))).toBe('done');
    const before = await workspace.snapshot();
    const copied = await spaces({ copy: { duplicateOf: 'g1', title: 'A copy' } });
    expect(await workspace.apply(copied, { cut: { at: 0, how: 'after' } })).toBe('killed');
    expect(await workspace.snapshot()).not.toEqual(before);
    expect((await workspace.planUndo()).planned.plan.organizations[0]?.notes).toEqual([]);
    expect(await workspace.undo()).toBe('done');
    expect(await workspace.snapshot()).toEqual(before);
  },
);

describe('a replacement that was cut off', () => {
  const spaces = { g1: { id: 'sp_g1' }, g2: { id: 'sp_g2' }, g3: { id: 'sp_g3' } };
  const settings = { protect: ['!**'], limits: { deletes: null, deletePercent: null } };
  const shop = (space: string, key = 'shop') =>
    treeOf({
      ...{ octavo: 1, organization, settings, spaces },
      sites: { [key]: { title: 'Shop', type: 'basic', spaces: { main: { space } } } },
    });

  beforeEach(async () => {
    await workspace.close();
    workspace = new Workspace(commitSeed, 'document');
  });

  /** Steps, and what the plan leaves in the site. */
  async function rest(tree: Awaited<ReturnType<typeof shop>>) {
    const { steps, unmanaged, leftovers = [] } = await workspace.plan(tree);
    return [...steps, ...leftovers, ...unmanaged.filter(({ kind }) => kind === 'siteSpace')];
  }

  /** The second run is killed after it created the successor, and perhaps after it made that the default. */
  async function cut(at: number) {
    expect(await workspace.apply(await shop('g1'))).toBe('done');
    const before = await workspace.snapshot();
    expect(await workspace.apply(await shop('g2'), { cut: { at, how: 'after' } })).toBe('killed');
    return before;
  }

  test.each([0, 1])(
    'and reverted: the successor is deleted, and nothing is left over (after %i)',
    async (at) => {
      const before = await cut(at);
      const plan = await workspace.plan(await shop('g1'));
      expect(plan.leftovers).toBeUndefined();
      expect(plan.steps.filter(({ phase }) => phase === 'delete').map(({ reason }) => reason)).toEqual([
        expect.stringMatching(
          /^run r-[\w-]+ created it for sites\/shop\/spaces\/main, which has another one$/,
        ),
      ]);
      expect(await workspace.apply(await shop('g1'))).toBe('done');
      expect(workspace.isRecorded).toBe(true);
      expect(await workspace.snapshot()).toEqual(before);
    },
  );

  test.each([0, 1])('and replaced by a third: one is left, which is recorded (after %i)', async (at) => {
    await cut(at);
    expect(await workspace.apply(await shop('g3'))).toBe('done');
    expect(workspace.isRecorded).toBe(true);
    expect(await rest(await shop('g3'))).toEqual([]);
  });

  test.each(['g2', 'g3'])('and goes on after the key of its site has changed, to %s', async (space) => {
    await cut(0);
    expect(await workspace.apply(await shop(space, 'store'))).toBe('done');
    expect(workspace.isRecorded).toBe(true);
    expect(await rest(await shop(space, 'store'))).toEqual([]);
  });

  test('and reverted by a run that was cut off, too: another machine looks for the successor', async () => {
    await cut(0);
    expect(await workspace.apply(await shop('g1'), { cut: { at: 0, how: 'before' } })).toBe('killed');
    expect(await workspace.apply(await shop('g3'), { machine: 'elsewhere' })).toBe('done');
    expect(workspace.isRecorded).toBe(true);
    expect(await rest(await shop('g3'))).toEqual([]);
  });

  test.each([0, 1, 2, 3].flatMap((at) => [['before', at] as const, ['after', at] as const]))(
    'by an object that existed before, which gets all that is carried over (%s %i)',
    async (how, at) => {
      const site = (main: object) =>
        treeOf({ settings, spaces, sites: { shop: { title: 'Shop', type: 'basic', spaces: { main } } } });
      const own = { path: 'own', condition: 'visitor.claims.admin' };
      expect(await workspace.apply(await site({ space: 'g1', ...own }))).toBe('done');
      const { api } = workspace.service;
      const [shop] = (await api.all('sites.list', { params: { organizationId: organization } })) as {
        id: string;
      }[];
      const params = { organizationId: organization, siteId: shop?.id ?? '' };
      await api.send('siteSpaces.create', { params, body: { spaceId: 'sp_g2' } });
      const tree = await site({ space: 'g2' });
      const ended = await workspace.apply(tree, { cut: { at, how } });
      if (ended === 'killed') expect(await workspace.apply(tree)).toBe('done');
      expect(await api.all('siteSpaces.list', { params })).toEqual([
        expect.objectContaining({ ...own, space: expect.objectContaining({ id: 'sp_g2' }) }),
      ]);
      expect(await rest(tree)).toEqual([]);
    },
  );

  test('is not undone where others went on: what the run did not delete is not created again', async () => {
    await cut(0);
    const run = workspace.lastJournal();
    expect(await workspace.apply(await shop('g3'))).toBe('done');
    const trees = journaledTrees(run, {});
    expect(trees.flatMap(({ before }) => before.ofKind('siteSpace')).filter(({ whole }) => whole)).toEqual(
      [],
    );
  });
});
