/**
 * Keys, titles and `was:` in any combination: no object whose title, or whose key and content, is still declared is deleted
 * without a refusal; the object that `was:` names becomes the one that declares it; and the plan after an apply is empty.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { OrganizationPlan } from '../../src/plan/plan.ts';
import type { Seed } from '../../src/server/index.ts';
import { DiagnosticError } from '../../src/util/diagnostic.ts';
import { seed, treeOf } from '../support/harness.ts';
import { patience, portion, tries } from '../support/runs.ts';
import { sharedHarness } from '../support/shared-harness.ts';

const state: Seed = { ...seed };
const harness = await sharedHarness(state);

interface Entry {
  readonly key: string;
  readonly title: string;
  readonly was?: readonly string[] | undefined;
}

const keys = ['ka', 'kb', 'kc', 'kd'] as const;
const titleOf: Readonly<Record<string, string>> = { ka: 'Alpha', kb: 'Beta', kc: 'Gamma', kd: 'Delta' };
const people = ['ada@acme.dev', 'bob@acme.dev', 'cyd@acme.dev', 'dan@acme.dev'];

/** A declaration of each kind with a name. */
const kinds: Readonly<Record<string, (entries: Readonly<Record<string, object>>) => object>> = {
  team: (teams) => ({ teams }),
  translation: (translations) => ({ translations }),
  samlProvider: (entries) => ({
    samlProviders: Object.fromEntries(
      Object.entries(entries).map(([key, { title, ...rest }]: [string, { title?: string }]) => [
        key,
        { ...rest, label: title, entityID: `urn:${title}`, ssoURL: 'https://sso.acme.dev/' },
      ]),
    ),
  }),
  shareLink: (entries) => ({
    sites: {
      hub: {
        title: 'Hub',
        shareLinks: Object.fromEntries(
          Object.entries(entries).map(([key, { title, ...rest }]: [string, { title?: string }]) => [
            key,
            { ...rest, name: title },
          ]),
        ),
      },
    },
  }),
  collection: (collections) => ({ collections }),
  section: (entries) => ({
    spaces: { guide: { id: 'sp_guide' } },
    sites: {
      hub: {
        title: 'Hub',
        sections: {
          home: { title: 'Home', spaces: { main: { space: 'guide' } } },
          ...Object.fromEntries(
            Object.entries(entries).map(([key, entry]) => [
              key,
              { ...entry, spaces: { main: { space: 'guide' } } },
            ]),
          ),
        },
        default: 'home',
      },
    },
  }),
};

interface Commit {
  readonly kind: string;
  readonly before: readonly Entry[];
  readonly after: readonly Entry[];
  readonly withMembers: boolean;
  readonly known: 'record' | 'base' | 'ids';
}

const some = fc.subarray([...keys], { minLength: 1 });
const titles = fc.constantFrom('Alpha', 'Beta', 'Gamma', 'Delta', 'Omega');

const after: fc.Arbitrary<readonly Entry[]> = some.chain((chosen) =>
  fc.tuple(
    ...chosen.map((key) =>
      fc.record({
        key: fc.constant(key),
        title: fc.oneof(fc.constant(titleOf[key] ?? ''), titles),
        was: fc.option(
          fc.oneof(
            fc.constantFrom(...keys).map((one) => [one]),
            fc.constant(['nothing']),
            fc.constant([]),
          ),
          {
            nil: undefined,
            freq: 2,
          },
        ),
      }),
    ),
  ),
);

const commits: fc.Arbitrary<Commit> = fc.record({
  kind: fc.constantFrom(...Object.keys(kinds)),
  before: some.map((chosen) => chosen.map((key) => ({ key, title: titleOf[key] ?? '' }))),
  after,
  withMembers: fc.boolean(),
  known: fc.constantFrom('record', 'base', 'ids'),
});

function documentOf({ kind, withMembers }: Commit, entries: readonly Entry[]): object {
  const written = Object.fromEntries(
    entries.map(({ key, title, was }, at) => [
      key,
      {
        title,
        ...(was === undefined ? {} : { was }),
        // The members of a team follow from its title and identify it.
        ...(withMembers && kind === 'team'
          ? { members: { [people[Object.values(titleOf).indexOf(title)] ?? people[at] ?? '']: 'member' } }
          : {}),
      },
    ]),
  );
  return {
    octavo: 1,
    organization: { id: 'org_acme' },
    settings: { protect: ['!**'], limits: { deletes: null, deletePercent: null } },
    ...kinds[kind]?.(written),
  };
}

async function unlessRefused<T>(made: Promise<T>): Promise<T | undefined> {
  try {
    return await made;
  } catch (error) {
    if (error instanceof DiagnosticError) return undefined;
    throw error;
  }
}

/** Titles of the deleted objects of a kind, if the plan has no refusals. */
function deleted(
  { steps, refusals }: OrganizationPlan,
  { kind }: Commit,
  ids: ReadonlyMap<string, string>,
): readonly string[] {
  if (refusals.length > 0) return [];
  return steps
    .filter((step) => step.phase === 'delete' && step.kind === kind)
    .map(({ liveId }) => ids.get(liveId ?? '') ?? '?');
}

test('refuses to delete an object that is still declared', {
  timeout: patience(120_000),
}, async () => {
  const seen = { deletes: 0, moved: 0 };
  await fc.assert(
    fc.asyncProperty(commits, async (commit) => {
      harness.reset();
      const [before, wanted] = await Promise.all([
        treeOf(documentOf(commit, commit.before)),
        unlessRefused(treeOf(documentOf(commit, commit.after))),
      ]);
      if (wanted === undefined) return;
      await harness.apply(before, await harness.plan(before));
      const { ids } = await harness.plan(before);
      const titleById = new Map(
        [...before.nodes.values()].flatMap(({ address, kind, fields }) =>
          kind === commit.kind && ids[address] !== undefined
            ? [[ids[address], String(fields.title ?? fields.label ?? fields.name)] as const]
            : [],
        ),
      );
      const options = {
        ...(commit.known === 'ids' ? {} : { base: before }),
        ...(commit.known === 'base' ? {} : { recorded: ids }),
      };
      const plan = await unlessRefused(harness.plan(wanted, options));
      if (plan === undefined) return;
      // `was` with a former key takes precedence over the current owner of the title.
      const known = new Set(commit.before.map(({ key }) => key));
      const isIdentified = (entry: Entry) =>
        entry.was?.some((key) => known.has(key)) === true || entry.was?.length === 0;
      for (const title of deleted(plan, commit, titleById)) {
        seen.deletes += 1;
        const claims = commit.after.filter((entry) => entry.title === title && !isIdentified(entry));
        expect(claims, `${title} is deleted`).toEqual([]);
        const key = commit.before.find((entry) => entry.title === title)?.key;
        const same = commit.after.filter(
          (entry) => entry.key === key && entry.title === title && !isIdentified(entry),
        );
        expect(same, `${title} is deleted`).toEqual([]);
      }
      if (plan.refusals.length > 0) return;
      const byAddress = new Map(Object.entries(plan.ids).map(([address, id]) => [id, address]));
      for (const { key, was = [] } of commit.after) {
        const [name] = was;
        const isGiven =
          name !== undefined && known.has(name) && !commit.after.some((entry) => entry.key === name);
        const givers = commit.after.filter((entry) => entry.was?.[0] === name);
        // By name, the live state may look as if it had already been applied.
        if (commit.known !== 'record') continue;
        if (!isGiven || givers.length > 1) continue;
        const former = [...before.nodes.values()].find(
          (node) => node.kind === commit.kind && node.key === name,
        );
        seen.moved += 1;
        expect(
          byAddress.get(ids[former?.address ?? ''] ?? '')?.endsWith(`/${key}`),
          `${key} is what ${name} was`,
        ).toBe(true);
      }
      const result = await harness.apply(wanted, plan, undefined, options);
      if (
        result.organizations.some(({ outcomes }) =>
          outcomes.some(({ type }) => type !== 'done' && type !== 'satisfied'),
        )
      )
        return;
      const made = Object.fromEntries(result.organizations[0]?.made ?? []);
      const again = await harness.plan(wanted, { base: wanted, recorded: { ...plan.ids, ...made } });
      expect(
        again.steps.map(({ id }) => id),
        'the second plan is empty',
      ).toEqual([]);
    }),
    { ...tries(160), endOnFailure: true },
  );
  expect(seen.deletes).toBeGreaterThanOrEqual(portion(2));
  expect(seen.moved).toBeGreaterThanOrEqual(portion(1));
});
