/** An undo reverts only the entries of lists and mappings that its run changed; changes of other entries are kept. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { FieldChange } from '../../../src/plan/plan.ts';
import { sameJson } from '../../../src/util/json.ts';
import { treeOf } from '../../support/harness.ts';
import { patience, tries } from '../../support/runs.ts';
import { sharedHarness } from '../../support/shared-harness.ts';
import { applyPlanned, applyTree, onlyPlan, undoOf } from '../../support/undo.ts';

const harness = await sharedHarness();

type Entries = Readonly<Record<string, string>>;

/** A field with entries: their keys and values, and the manifest that declares them. */
interface Listed {
  readonly keys: readonly string[];
  /** Absent for lists, which have no values. */
  readonly values?: readonly string[];
  readonly form?: '2026';
  readonly part: (entries: Entries) => object;
}

const people = ['ada@acme.dev', 'bob@acme.dev', 'cyd@acme.dev', 'dan@acme.dev'];
const site = (more: object) => ({
  sites: { hub: { title: 'Hub', type: 'basic', visibility: 'public', ...more } },
});
const inOrder = (entries: Entries) => Object.keys(entries).sort();

const fields: Readonly<Record<string, Listed>> = {
  'e-mail domains': {
    keys: ['a.dev', 'b.dev', 'c.dev'],
    part: (entries) => ({ organization: { id: 'org_acme', emailDomains: inOrder(entries) } }),
  },
  'members of a team': {
    keys: people,
    values: ['owner', 'member'],
    part: (members) => ({ teams: { red: { title: 'Red', members } } }),
  },
  'options of a field': {
    keys: ['low', 'mid', 'high'],
    part: (entries) => ({
      customFields: { rank: { type: 'select:single', title: 'Rank', options: ['any', ...inOrder(entries)] } },
    }),
  },
  'properties of an adaptive schema': {
    keys: ['a', 'b', 'c'],
    values: ['string', 'boolean'],
    part: (entries) => {
      const inside = Object.entries(entries).map(([name, type]) => [name, { type, description: name }]);
      const unsigned = {
        type: 'object',
        description: 'Claims',
        properties: Object.fromEntries(inside),
        additionalProperties: false,
      };
      return site({
        adaptiveSchema: { type: 'object', properties: { unsigned }, additionalProperties: false },
      });
    },
  },
  'access of people to a space': {
    keys: people.slice(1),
    values: ['read', 'edit'],
    form: '2026',
    part: (members) => ({ spaces: { guide: { id: 'sp_guide', access: { members } } } }),
  },
  'reviewers of a space': {
    keys: people,
    values: ['required', 'bypass'],
    form: '2026',
    part: (mergeReviewers) => ({ spaces: { guide: { id: 'sp_guide', mergeRules: [], mergeReviewers } } }),
  },
  'links of a customization': {
    keys: ['one', 'two', 'three'],
    form: '2026',
    part: (entries) =>
      site({
        customization: {
          header: {
            links: inOrder(entries).map((title) => ({
              title,
              to: { kind: 'url', url: `https://${title}.example/` },
            })),
          },
        },
      }),
  },
};

const documentOf = (part: object) => ({
  octavo: 1,
  organization: { id: 'org_acme' },
  settings: { protect: ['!**'], limits: { deletes: null, deletePercent: null } },
  ...part,
});

/** Entries changed by the run with their former values, all others with their live ones. */
function expectedOf(before: Entries, after: Entries, live: Entries): Entries {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(live)])];
  return Object.fromEntries(
    keys.flatMap((key) => {
      const value = (before[key] === after[key] ? live : before)[key];
      return value === undefined ? [] : [[key, value]];
    }),
  );
}

/** A restored entry may be before or after the entries of others. */
function isReordered({ before, after }: FieldChange): boolean {
  const sorted = (value: unknown) =>
    Array.isArray(value) ? value.map((one) => JSON.stringify(one)).sort() : undefined;
  return sorted(before) !== undefined && sameJson(sorted(before), sorted(after));
}

test.each(Object.entries(fields))(
  'reverts only the entries of its run: %s',
  { timeout: patience(120_000) },
  async (_, listed) => {
    const { keys, values = ['there'], form, part } = listed;
    const entries = fc.dictionary(fc.constantFrom(...keys), fc.constantFrom(...values), {
      noNullPrototype: true,
    });
    await fc.assert(
      fc.asyncProperty(entries, entries, entries, async (before, after, live) => {
        harness.reset({}, form ?? 'document');
        const treeFor = (one: Entries) => treeOf(documentOf(part(one)));
        const base = await treeFor(before);
        await applyTree(harness, base);
        const run = await applyTree(harness, await treeFor(after), { base });
        await applyTree(harness, await treeFor(live));
        const undo = await undoOf(harness, run);
        const ends = (await applyPlanned(harness, undo)).result.organizations.flatMap(
          ({ outcomes }) => outcomes,
        );
        expect(ends.filter(({ type }) => ['failed', 'unknown', 'skipped'].includes(type))).toEqual([]);
        const wanted = await treeFor(expectedOf(before, after, live));
        const { steps } = await harness.plan(wanted);
        const changes = steps.flatMap(({ id, fields: own }) => own.map((one) => [id, one] as const));
        expect(changes.filter(([, one]) => !isReordered(one))).toEqual([]);
        expect(onlyPlan(await undoOf(harness, run)).steps.map(({ id }) => id)).toEqual([]);
      }),
      tries(12),
    );
  },
);
