/**
 * Access that ends: on any day, manifests with last days plan, apply and come to rest like manifests that never had the ended
 * entries. Teams and share links on both forms of the service, grants on the newer one.
 */
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { registry } from '../../src/kinds/index.ts';
import { loadWorkspace } from '../../src/manifest/load-workspace.ts';
import type { OrganizationPlan } from '../../src/plan/plan.ts';
import type { DesiredTree } from '../../src/tree/desired-tree.ts';
import { hasErrors } from '../../src/util/diagnostic.ts';
import { type Harness, onlyTree, startHarness } from '../support/harness.ts';
import { memoryFiles } from '../support/memory-files.ts';
import { patience, tries } from '../support/runs.ts';

const forms = ['document', '2026'] as const;
type Form = (typeof forms)[number];
const harnesses: Record<Form, Harness> = {
  document: await startHarness(),
  '2026': await startHarness(undefined, undefined, '2026'),
};
afterAll(() => Promise.all(Object.values(harnesses).map((one) => one.close())));

const people = ['ada@acme.dev', 'bob@acme.dev', 'cyd@acme.dev', 'dan@acme.dev'];
const today = Date.UTC(2027, 0, 31);
const oneDay = 24 * 60 * 60 * 1000;
const dayIn = (days: number) => new Date(today + days * oneDay).toISOString().slice(0, 10);

/** Days from today of the end; undefined for none. */
const ends = fc.option(fc.integer({ min: -3, max: 3 }), { nil: undefined });

const cases = fc.record({
  form: fc.constantFrom(...forms),
  members: fc.uniqueArray(
    fc.record({ who: fc.constantFrom(...people), role: fc.constantFrom('owner', 'member'), end: ends }),
    { selector: ({ who }) => who, maxLength: 4 },
  ),
  grants: fc.uniqueArray(
    fc.record({
      who: fc.constantFrom(...people.slice(1)),
      level: fc.constantFrom('read', 'edit'),
      end: ends,
    }),
    { selector: ({ who }) => who, maxLength: 3 },
  ),
  links: fc.uniqueArray(fc.record({ key: fc.constantFrom('press', 'partners', 'board'), end: ends }), {
    selector: ({ key }) => key,
    maxLength: 3,
  }),
  /** When it is applied first, and again. */
  from: fc.integer({ min: -4, max: 0 }),
  to: fc.integer({ min: 0, max: 4 }),
  withBase: fc.boolean(),
});

type Case = typeof cases extends fc.Arbitrary<infer T> ? T : never;

/** With last days, or as a person would write it on a day who removes ended entries by hand. */
function manifest({ form, members, grants, links }: Case, removedOn?: number): object {
  const isThere = ({ end }: { readonly end?: number | undefined }) =>
    removedOn === undefined || end === undefined || end >= removedOn;
  const until = (end: number | undefined) =>
    end === undefined || removedOn !== undefined ? undefined : { until: dayIn(end) };
  const entries = (list: readonly { who: string; value: string; end?: number | undefined }[], key: string) =>
    Object.fromEntries(
      list.filter(isThere).map(({ who, value, end }) => {
        const last = until(end);
        return [who, last === undefined ? value : { [key]: value, ...last }];
      }),
    );
  const named = members.map(({ who, role, end }) => ({ who, value: role, end }));
  const given = grants.map(({ who, level, end }) => ({ who, value: level, end }));
  const shown = links
    .filter(isThere)
    .map(({ key, end }) => [key, { name: `For ${key}`, ...until(end) }] as const);
  return {
    octavo: 1,
    organization: 'org_acme',
    settings: { protect: ['!**'], limits: { deletes: null, deletePercent: null } },
    teams: { docs: { title: 'Docs', members: entries(named, 'role') } },
    ...(form === '2026' && {
      spaces: { guide: { id: 'sp_guide', access: { members: entries(given, 'level') } } },
    }),
    sites: { hub: { title: 'Hub', shareLinks: Object.fromEntries(shown) } },
  };
}

async function treeOn(day: number, document: object): Promise<DesiredTree> {
  const workspace = await loadWorkspace({
    ...{ paths: [], overlays: [], env: {}, cwd: '/workspace' },
    registry,
    files: memoryFiles({ '/workspace/acme.yaml': stringify(document) }),
    now: today + day * oneDay,
  });
  if (hasErrors(workspace.diagnostics)) throw new Error(JSON.stringify(workspace.diagnostics));
  return onlyTree(workspace);
}

/** What is sent, and what is refused. */
function deeds({ steps, refusals }: Pick<OrganizationPlan, 'steps' | 'refusals'>) {
  return {
    calls: steps.map(({ address, action, calls, cause }) => ({ address, action, calls, cause })),
    causes: steps.flatMap(({ fields }) => fields.map(({ field, cause }) => [field, cause])),
    refusals: refusals.map(({ guard, address }) => [guard, address]),
  };
}

test('manifests with last days plan like those without what has ended', {
  timeout: patience(120_000),
}, async () => {
  let removed = 0;
  await fc.assert(
    fc.asyncProperty(cases, async (one) => {
      const harness = harnesses[one.form];
      harness.reset();
      const written = manifest(one);
      const first = await treeOn(one.from, written);
      await harness.apply(first, await harness.plan(first));
      const { ids: recorded } = await harness.plan(first);
      const [later, byHand] = [await treeOn(one.to, written), await treeOn(one.to, manifest(one, one.to))];
      const base = one.withBase ? { base: first, recorded } : {};
      const plan = await harness.plan(later, base);
      expect(deeds(plan)).toEqual(deeds(await harness.plan(byHand, base)));
      removed += plan.steps.filter(({ reason }) => reason.startsWith('ended on ')).length;
      await harness.apply(later, plan, undefined, base);
      // The record is of the day of the apply: neither a difference nor drift is left.
      const again = { base: await treeOn(one.to, written), recorded: (await harness.plan(later)).ids };
      expect(deeds(await harness.plan(later, one.withBase ? again : {}))).toEqual(
        deeds({ steps: [], refusals: [] }),
      );
    }),
    { ...tries(60), endOnFailure: true },
  );
  if (tries(60).numRuns >= 30) expect(removed).toBeGreaterThan(0);
});
