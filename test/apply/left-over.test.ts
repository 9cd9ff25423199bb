/** Work of a dead run that no manifest declares is named by every plan until it is undone or declared, whatever is applied before. */
import { afterEach, beforeEach, expect, test } from 'vitest';
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
  treeOf({ octavo: 1, organization, teams: Object.fromEntries(titles.map((title) => [title, { title }])) });

/** The second run is killed after it created team b. */
async function killed() {
  expect(await workspace.apply(await teams('a'))).toBe('done');
  expect(await workspace.apply(await teams('a', 'b', 'c'), { cut: { at: 1, how: 'before' } })).toBe('killed');
}

const left = async (...titles: readonly string[]) =>
  (await workspace.plan(await teams(...titles))).leftovers?.map(({ address }) => address);

test('a corrected commit that is applied completely', async () => {
  await killed();
  for (let applied = 0; applied < 3; applied += 1) {
    expect(await workspace.apply(await teams('a', `d${applied}`))).toBe('done');
    expect(workspace.isRecorded).toBe(false);
    expect(await left('a')).toEqual(['teams/b']);
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
