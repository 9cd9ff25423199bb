/** Predicted URLs are those of the service after the apply, and no other URL changes. */
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { registry } from '../../src/kinds/index.ts';
import { type Harness, planOrNothing, seed, startHarness, treeOf } from '../support/harness.ts';
import { patience, tries } from '../support/runs.ts';

const harness: Harness = await startHarness(seed, registry, '2026');
afterAll(() => harness.close());

const path = fc.constantFrom('a', 'b', 'c', 'd');
const spaces = fc.uniqueArray(fc.record({ space: fc.constantFrom('sp_guide', 'sp_blog', 'sp_faq'), path }), {
  selector: (one) => one.path,
  minLength: 1,
  maxLength: 3,
});
const draft = fc.constantFrom(false, false, true);
const sections = fc.uniqueArray(
  fc.record({ key: fc.constantFrom('one', 'two', 'three'), path, spaces, draft }),
  {
    selector: (one) => one.path,
    minLength: 1,
    maxLength: 3,
  },
);

/** Sections by key and by path, and the path of the site. */
const worlds = fc
  .record({ basename: fc.constantFrom('docs', 'help'), sections })
  .filter(({ sections: own }) => new Set(own.map(({ key }) => key)).size === own.length);

type World = typeof worlds extends fc.Arbitrary<infer T> ? T : never;

function manifest({ basename, sections: own }: World) {
  const inside = own.map(({ key, path: of, spaces: shown, draft }) => {
    const unique = [...new Map(shown.map((one) => [one.space, one])).values()];
    const entries = unique.map(({ space, path: at }) => [space, { space: { id: space }, path: at }]);
    const section = { draft, title: `Section ${key}`, path: of, spaces: Object.fromEntries(entries) };
    return [key, { ...section, default: unique[0]?.space }] as const;
  });
  const site = {
    title: 'Hub',
    basename,
    visibility: 'public',
    published: true,
    default: own[0]?.key,
    sections: Object.fromEntries(inside),
  };
  return {
    settings: { prune: 'unlisted', protect: [], limits: { deletes: null, deletePercent: null } },
    sites: { hub: site },
  };
}

interface Shown {
  readonly id: string;
  readonly draft?: boolean;
  readonly section?: string;
  readonly urls?: { readonly published?: string };
}

/** URLs by id, without those of drafts, which are not public. */
async function urlsOf(): Promise<ReadonlyMap<string, string>> {
  const [site] = (await harness.api.all('sites.list', { params: { organizationId: 'org_acme' } })) as Shown[];
  const params = { organizationId: 'org_acme', siteId: site?.id ?? '' };
  const lists = await Promise.all([
    harness.api.all('sections.list', { params }),
    harness.api.all('siteSpaces.list', { params }),
  ]);
  const shown = [...(site === undefined ? [] : [site]), ...(lists.flat() as Shown[])];
  const drafts = new Set(shown.flatMap(({ id, draft: isDraft }) => (isDraft === true ? [id] : [])));
  const visible = shown.filter(({ id, section = '' }) => !drafts.has(id) && !drafts.has(section));
  return new Map(visible.map(({ id, urls }) => [id, (urls?.published ?? '').replace(/\/$/, '')]));
}

test('predicts the URLs after the apply and every changed URL', { timeout: patience(120_000) }, async () => {
  let seen = 0;
  await fc.assert(
    fc.asyncProperty(worlds, worlds, async (one, other) => {
      harness.reset();
      const [first, second] = [await treeOf(manifest(one)), await treeOf(manifest(other))];
      const start = await planOrNothing(harness, first, {});
      if (start === undefined || start.refusals.length > 0) return;
      await harness.apply(first, start);
      const before = await urlsOf();
      const plan = await planOrNothing(harness, second, {});
      if (plan === undefined || plan.refusals.length > 0) return;
      const { organizations } = await harness.apply(second, plan);
      const failed = organizations.flatMap(({ outcomes, leftover }) => [
        ...outcomes
          .filter(({ type }) => type !== 'done' && type !== 'satisfied')
          .map(({ step, ...rest }) => [step.id, rest]),
        ...leftover.map(({ id }) => id),
      ]);
      expect(failed).toEqual([]);
      const after = await urlsOf();
      const plain = (url: string) => url.replace(/\/$/, '');
      const predicted = (plan.review?.addresses ?? [])
        .map(({ from, to, takenBy }) => ({ from: plain(from), to: to && plain(to), takenBy }))
        .sort((left, right) => right.from.length - left.from.length);
      seen += predicted.length;
      const inUse = new Set(after.values());
      for (const { from, to, takenBy } of predicted) {
        expect(inUse.has(from), `${from} is in use afterwards`).toBe(takenBy !== undefined);
        if (to !== undefined) expect(inUse, to).toContain(to);
      }
      for (const [id, url] of before) {
        if (after.get(id) === url) continue;
        const own = predicted.find(({ from }) => url === from || url.startsWith(`${from}/`));
        expect(own, `${url} → ${after.get(id)} was not foretold`).toBeDefined();
        const to = own?.to === undefined ? undefined : `${own.to}${url.slice(own.from.length)}`;
        if (after.has(id) && own?.from === url) expect(after.get(id)).toBe(to);
      }
    }),
    { ...tries(15), endOnFailure: true },
  );
  expect(seen).toBeGreaterThan(0);
});
