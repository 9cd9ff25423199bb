/** Objects of one kind and place with equal names: only their ids distinguish them. */
import { expect, test } from 'vitest';
import { DiagnosticError } from '../../src/util/diagnostic.ts';
import { treeOf } from '../support/harness.ts';
import { sharedHarness } from '../support/shared-harness.ts';

const harness = await sharedHarness();

type Entry = Readonly<Record<string, unknown>>;

const spaces = { guide: { id: 'sp_guide' } };
const site = (more: Entry) => ({ spaces, sites: { hub: { title: 'Hub', ...more } } });
const section = (path: string) => ({ title: `Part ${path}`, path, spaces: { main: { space: 'guide' } } });

/** Twice the same name, in each place where nothing but a name identifies an object. */
const twice: Readonly<Record<string, (name: string, entries: readonly string[]) => Entry>> = {
  team: (title, keys) => ({ teams: each(keys, () => ({ title })) }),
  collection: (title, keys) => ({ collections: each(keys, () => ({ title })) }),
  'collection in a collection': (title, keys) => ({
    collections: { top: { title: 'Top', collections: each(keys, () => ({ title })) } },
  }),
  'space in a collection': (title, keys) => ({
    collections: { top: { title: 'Top', spaces: each(keys, () => ({ title, duplicateOf: 'guide' })) } },
    spaces,
  }),
  translation: (title, keys) => ({ translations: each(keys, () => ({ title })) }),
  site: (title, keys) => ({ sites: each(keys, () => ({ title })) }),
  'share link': (name, keys) => site({ shareLinks: each(keys, () => ({ name })) }),
  'section group': (title, keys) =>
    site({ sections: each(keys, (key) => ({ title, sections: { [`in-${key}`]: section(key) } })) }),
};

function each(keys: readonly string[], entry: (key: string) => Entry): Entry {
  return Object.fromEntries(keys.map((key) => [key, entry(key)]));
}

test.each(Object.entries(twice))(
  'two new objects with one name are two creates: %s',
  async (_place, make) => {
    const tree = await treeOf(make('Same', ['a', 'b']));
    const plan = await harness.plan(tree);
    expect(plan.refusals).toEqual([]);
    expect((await harness.rehearse(plan)).rehearsal).toMatchObject({ converges: true });
    const applied = await harness.apply(tree, plan);
    const [{ made = new Map<string, string>() } = {}] = applied.organizations;
    const [a, b] = ['a', 'b'].map((key) => [...made].find(([address]) => address.endsWith(`/${key}`))?.[1]);
    expect(new Set([a, b, undefined]).size).toBe(3);

    // The record has their ids.
    const recorded = Object.fromEntries(made);
    expect((await harness.plan(tree, { recorded })).steps).toEqual([]);

    // Without it, neither is guessed, and each id settles it.
    const problem = await harness.plan(tree).then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(problem).toBeInstanceOf(DiagnosticError);
    expect((problem as DiagnosticError).diagnostics[0]).toMatchObject({
      code: 'ambiguous-identity',
      message: expect.stringContaining(a ?? ''),
    });

    // Each comes and goes alone, and a key that changes is the same object.
    const settings = { protect: ['!**'], limits: { deletes: null, deletePercent: null } };
    const changes = async (...keys: readonly string[]) => {
      const next = await treeOf({
        ...{ octavo: 1, organization: 'org_acme', settings },
        ...make('Same', keys),
      });
      const { steps } = await harness.plan(next, { base: tree, recorded });
      return steps.flatMap(({ action, address, liveId, phase }) =>
        /\/[abc]$/.test(address) && phase === action ? [[action, address.at(-1), liveId]] : [],
      );
    };
    expect(await changes('a')).toEqual([['delete', 'b', b]]);
    expect(await changes('b')).toEqual([['delete', 'a', a]]);
    expect(await changes('a', 'b', 'c')).toEqual([['create', 'c', undefined]]);
    expect(await changes('a', 'c')).toEqual([]);
  },
);

test('an entry that is declared as new is not the object that had its name under another key', async () => {
  const document = (teams: Entry) => treeOf({ teams });
  const before = await document({ old: { title: 'Same' } });
  const { organizations } = await harness.apply(before, await harness.plan(before));
  const known = { base: before, recorded: Object.fromEntries(organizations[0]?.made ?? []) };
  const actions = async (entry: Entry) =>
    (await harness.plan(await document({ fresh: entry }), known)).steps.map(({ id }) => id);
  expect(await actions({ title: 'Same' })).toEqual([]);
  expect(await actions({ title: 'Same', was: [] })).toEqual(
    expect.arrayContaining(['teams/fresh#create', 'teams/old#delete']),
  );
});
