/** An additive list never loses an element that no version of the manifests declared. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { DesiredTree } from '../../src/tree/desired-tree.ts';
import { treeOf } from '../support/harness.ts';
import { patience, portion, tries } from '../support/runs.ts';
import { sharedHarness } from '../support/shared-harness.ts';
import { applyTree, onlyPlan, undoOf } from '../support/undo.ts';

const harness = await sharedHarness();

const people = ['ada', 'bob', 'cyd', 'dan'] as const;
const words = ['a.dev', 'b.dev', 'c.dev', 'd.dev', 'e.dev'] as const;
const params = { organizationId: 'org_acme' };

/** Elements of the three lists: members of a team, domains, options of a custom field. */
type Lists = Readonly<Record<'people' | 'domains' | 'options', readonly string[]>>;

const lists = (least: number): fc.Arbitrary<Lists> =>
  fc.record({
    people: fc.subarray([...people]),
    domains: fc.shuffledSubarray([...words]),
    options: fc.shuffledSubarray([...words], { minLength: least }),
  });

interface Version {
  readonly own: Lists;
  /** The lists after changes by others, before the apply. */
  readonly live: Lists;
  readonly withBase: boolean;
  readonly prune: 'removed' | 'unlisted' | 'never';
}

const versions: fc.Arbitrary<readonly Version[]> = fc.array(
  fc.record({
    own: lists(1),
    live: lists(1),
    withBase: fc.boolean(),
    prune: fc.constantFrom('removed', 'unlisted', 'never'),
  }),
  { minLength: 1, maxLength: 4 },
);

function treeFor({ own, prune }: Version): Promise<DesiredTree> {
  return treeOf({
    octavo: 1,
    organization: { id: 'org_acme', emailDomains: { add: own.domains } },
    settings: { prune, protect: ['!**'], limits: { deletes: null, deletePercent: null } },
    teams: {
      crew: {
        title: 'Crew',
        members: { add: Object.fromEntries(own.people.map((name) => [`${name}@acme.dev`, 'member'])) },
      },
    },
    customFields: { level: { type: 'select:single', options: { add: own.options } } },
  });
}

async function liveLists(): Promise<Lists> {
  const { api } = harness;
  const teamId = await teamOf();
  const members =
    teamId === undefined ? [] : await api.all('teams.listMembers', { params: { ...params, teamId } });
  const [field] = (await api.all('customFields.list', { params })) as readonly { options?: string[] }[];
  const { emailDomains } = (await api.send('orgs.get', { params })) as { emailDomains?: string[] };
  return {
    people: (members as readonly { organization: { id: string } }[]).map(({ organization }) =>
      organization.id.replace('user_', ''),
    ),
    domains: emailDomains ?? [],
    options: field?.options ?? [],
  };
}

async function teamOf(): Promise<string | undefined> {
  const teams = (await harness.api.all('teams.list', { params })) as readonly { id: string }[];
  return teams[0]?.id;
}

/** Changes the lists as others would; lists of new objects do not exist yet. */
async function interfere(wanted: Lists): Promise<void> {
  const { api } = harness;
  await api.send('orgs.update', { params, body: { emailDomains: wanted.domains } });
  const teamId = await teamOf();
  if (teamId === undefined) return;
  const now = await liveLists();
  const idsOf = (names: readonly string[], others: readonly string[]) =>
    names.filter((name) => !others.includes(name)).map((name) => `user_${name}`);
  const [add, remove] = [idsOf(wanted.people, now.people), idsOf(now.people, wanted.people)];
  if (add.length + remove.length > 0)
    await api.send('teams.updateMembers', { params: { ...params, teamId }, body: { add, remove } });
  const fieldName = 'level';
  await api.send('customFields.update', {
    params: { ...params, fieldName },
    body: { options: wanted.options },
  });
}

const names = ['people', 'domains', 'options'] as const;
const without = (from: readonly string[], others: readonly string[]) =>
  from.filter((one) => !others.includes(one));

test('removes exactly the elements that the base declared and the manifests omit, then plans no change', {
  timeout: patience(120_000),
}, async () => {
  let removals = 0;
  await fc.assert(
    fc.asyncProperty(versions, lists(1), async (all, later) => {
      harness.reset();
      let former: { readonly tree: DesiredTree; readonly own: Lists } | undefined;
      let last: Awaited<ReturnType<typeof applyTree>> | undefined;
      let prior: Lists | undefined;
      for (const version of all) {
        await interfere(version.live);
        const before = await liveLists();
        const tree = await treeFor(version);
        const base = version.withBase ? former : undefined;
        last = await applyTree(harness, tree, base === undefined ? {} : { base: base.tree });
        expect(onlyPlan(last.planned).refusals).toEqual([]);
        const after = await liveLists();
        for (const name of names) {
          const may = version.prune === 'never' ? [] : without(base?.own[name] ?? [], version.own[name]);
          const removed = without(before[name], after[name]);
          removals += removed.length;
          expect(removed.sort(), name).toEqual(before[name].filter((one) => may.includes(one)).sort());
          expect(without(version.own[name], after[name]), name).toEqual([]);
          expect(without(after[name], [...before[name], ...version.own[name]]), name).toEqual([]);
        }
        const again = await applyTree(harness, tree, { base: tree });
        expect(onlyPlan(again.planned).steps).toEqual([]);
        former = { tree, own: version.own };
        prior = before;
      }
      if (last === undefined || prior === undefined || all.length === 1) return;
      // The undo reverts the changes of the run, whatever others have changed since.
      await interfere(later);
      const undone = onlyPlan(await undoOf(harness, last));
      for (const { address, fields } of undone.steps)
        for (const { field, before, after } of fields) {
          const name = field === 'members' ? 'people' : field === 'options' ? 'options' : 'domains';
          const own = (value: unknown) =>
            (Array.isArray(value) ? value : Object.keys(value ?? {})).map((one) =>
              String(one).replace('@acme.dev', ''),
            );
          const removed = without(own(before), own(after));
          expect(without(removed, all.at(-1)?.own[name] ?? []), `${address} ${field}`).toEqual([]);
          expect(removed.filter((one) => prior?.[name].includes(one))).toEqual([]);
        }
    }),
    tries(60),
  );
  expect(removals).toBeGreaterThanOrEqual(portion(10));
});
