/** Links in other spaces to what a plan deletes or gives another URL, and the reads that this takes. */

import { afterAll, beforeEach, expect, test } from 'vitest';
import { type Api, ApiError, type ApiErrorType } from '../../src/contract/api.ts';
import { planHtml } from '../../src/report/page/plan-page.ts';
import { planMarkdown } from '../../src/report/plan/markdown.ts';
import { renderPlan } from '../../src/report/plan/text.ts';
import { reviewSchema } from '../../src/review/reviewed-plan.ts';
import type { JudgingRule } from '../../src/review/rules.ts';
import type { Seed } from '../../src/server/index.ts';
import { rulesIn } from '../rules/judged.ts';
import { asPlan, type Harness, seed, startHarness, treeOf } from '../support/harness.ts';

const to = (space: string) => `[x](http://localhost/app/org_acme/s/${space}/start)`;

/** Numbers of links in the content of spaces. */
const linked = {
  sp_blog: { sp_guide: 3, sp_reference: 1 },
  sp_faq: { sp_guide: 12 },
  sp_guide: { sp_guide: 4 },
} as const;

function linkedSeed(links: Readonly<Record<string, Readonly<Record<string, number>>>>, more = 0): Seed {
  const [acme] = seed.organizations;
  if (acme === undefined) throw new Error('no organization');
  const others = Array.from({ length: more }, (_none, at) => ({ id: `sp_${at}`, title: `Space ${at}` }));
  const spaces = [...(acme.spaces ?? []), ...others].map((space) => {
    const texts = Object.entries(links[space.id ?? ''] ?? {}).flatMap(([id, count]) =>
      Array(count).fill(to(id)),
    );
    return { ...space, pages: [{ title: 'Page', markdown: `${texts.join(' ')} [own](/page)` }] };
  });
  return { ...seed, organizations: [{ ...acme, spaces }] };
}

const state = linkedSeed(linked);
const harness: Harness = await startHarness(state);
const newer: Harness = await startHarness(state, undefined, '2026');
const large: Harness = await startHarness(linkedSeed({ sp_3: { sp_guide: 2 } }, 45));
afterAll(() => Promise.all([harness.close(), newer.close(), large.close()]));
beforeEach(() => {
  for (const one of [harness, newer, large]) {
    one.reset();
    one.through = undefined;
  }
});

const spaces = {
  blog: { id: 'sp_blog' },
  faq: { id: 'sp_faq' },
  guide: { id: 'sp_guide' },
  notes: { id: 'sp_notes' },
};

const manifest = (more: object) =>
  treeOf({
    settings: { protect: ['!**'], limits: { deletes: null, deletePercent: null } },
    ...more,
  });

interface PlanParts {
  readonly rules?: readonly JudgingRule[];
  readonly through?: (api: Api) => Api;
}

/** The plan for other manifests than those that were applied, and its reads of links. */
async function planned(run: Harness, states: readonly [object, object], { rules, through }: PlanParts = {}) {
  const [base, tree] = await Promise.all(states.map(manifest));
  if (base === undefined || tree === undefined) throw new Error('two states');
  await run.apply(base, await run.plan(base));
  const { ids: recorded } = await run.plan(base);
  run.reads.length = 0;
  run.through = through;
  const plan = await run.plan(tree, { recorded, base, ...(rules === undefined ? {} : { rules }) });
  return { plan, reads: run.reads.filter((name) => name === 'spaces.links').length };
}

const { guide: _guide, ...kept } = spaces;
const deleted = [{ spaces }, { spaces: kept }] as const;

const options = { color: false, width: 80 } as const;
type Reviewed = Awaited<ReturnType<typeof planned>>['plan'];
const textOf = (plan: Reviewed) => renderPlan(asPlan(plan), options);

const site = (path: string, more: object = {}) => ({
  spaces,
  sites: {
    hub: {
      title: 'Hub',
      visibility: 'public',
      sections: {
        start: { title: 'Start', path: 'start', spaces: { main: { space: 'blog', path: 'main' } } },
        guides: { title: 'Guides', path, spaces: { main: { space: 'guide', path: 'main' } } },
        ...more,
      },
    },
  },
});

/** Fails the reads of links in some spaces. */
const failing =
  (details: { readonly type: ApiErrorType; readonly status?: number }, fails: (space: string) => boolean) =>
  (api: Api): Api => ({
    ...api,
    all: (operation, input) => {
      if (operation !== 'spaces.links' || !fails(input.params?.spaceId ?? ''))
        return api.all(operation, input);
      const more = { operation, method: 'GET', path: '/', attempt: 1, mayHaveHappened: false };
      return Promise.reject(new ApiError('no', { ...more, ...details }));
    },
  });

const noBroken: JudgingRule = {
  name: 'no-broken-links',
  when: { breaksLinks: true },
  message: 'links in other spaces lead there',
  place: 'octavo.rules.yaml:2',
  at: { file: 'octavo.rules.yaml', line: 2, column: 3, endLine: 2, endColumn: 4 },
};

test('counts the links in other spaces to a deleted space, not those in itself', async () => {
  const { plan, reads } = await planned(harness, deleted);
  expect(plan.review?.links).toEqual([
    {
      kind: 'space',
      title: 'API guide',
      address: 'spaces/guide',
      from: [
        { kind: 'space', title: 'FAQ', address: 'spaces/faq', links: 12 },
        { kind: 'space', title: 'Blog', address: 'spaces/blog', links: 3 },
      ],
      unread: 0,
    },
  ]);
  expect(reads).toBe(3);
  expect(textOf(plan)).toContain(
    [
      '  Addresses  15 links in other spaces',
      '    links in other spaces:',
      '      spaces/guide: 12 links in spaces/faq and 3 in spaces/blog point here',
      '',
    ].join('\n'),
  );
});

test('shows the links in comments and on pages', async () => {
  const { plan } = await planned(harness, deleted);
  const line = 'spaces/guide: 12 links in spaces/faq and 3 in spaces/blog point here';
  const digests = { digest: '0', approval: '0', version: '1' };
  const comment = [...planMarkdown({ plan: asPlan(plan), digests }, options)].join('');
  expect(comment).toContain(`> **Addresses of visitors** 15 links in other spaces\n`);
  expect(comment).toContain(line);
  const page = [...planHtml({ plan: asPlan(plan), digests }, options)].join('');
  expect(page).toContain(line);
});

test('counts links to the space that a section with another path shows', async () => {
  const { plan, reads } = await planned(harness, [site('guides'), site('docs')]);
  expect(plan.review?.links).toEqual([
    expect.objectContaining({
      kind: 'section',
      address: 'sites/hub/sections/guides',
      to: [{ kind: 'space', title: 'API guide', address: 'spaces/guide' }],
      unread: 0,
    }),
  ]);
  expect(reads).toBe(3);
  expect(textOf(plan).replaceAll(/\n {4,}/g, ' ')).toContain(
    'sites/hub/sections/guides: 12 links in spaces/faq and 3 in spaces/blog point to spaces/guide, which it shows',
  );
});

test('counts links to the space of a site-space that leaves its site', async () => {
  const extra = { title: 'Extra', path: 'extra', spaces: { main: { space: 'guide', path: 'main' } } };
  const { plan } = await planned(harness, [site('guides', { extra }), site('guides')]);
  expect(plan.review?.links?.map(({ address, from }) => [address, from.length])).toEqual([
    ['sites/hub/sections/extra', 2],
  ]);
});

test('reads no links without such a change, or at services that do not list them', async () => {
  const title = (of: string) => ({ spaces: { ...spaces, guide: { id: 'sp_guide', title: of } } });
  expect(await planned(harness, [title('One'), title('Two')])).toMatchObject({ reads: 0 });
  const more = await planned(newer, [site('guides'), site('docs')]);
  expect([more.reads, more.plan.review?.links, more.plan.steps.length]).toEqual([0, undefined, 1]);
});

test('does not take links that could not be read for none', async () => {
  const forbidden = failing({ type: 'status', status: 403 }, (space) => space === 'sp_faq');
  const { plan } = await planned(harness, deleted, { through: forbidden });
  expect(plan.review?.links?.map(({ unread }) => unread)).toEqual([1]);
  expect(textOf(plan)).toContain(
    [
      '  Addresses  at least 3 links in other spaces',
      '    links in other spaces:',
      '      spaces/guide: at least 3 links in spaces/blog point here; the links of',
      '        1 other space were not read',
    ].join('\n'),
  );
  harness.reset();
  const broken = failing({ type: 'status', status: 500 }, () => true);
  const none = await planned(harness, deleted, { through: broken });
  expect(textOf(none.plan)).toContain('Addresses  links not known in other spaces');
  expect(textOf(none.plan)).toContain('spaces/guide: not known which links lead to it, since');
});

test('stops when a read is interrupted', async () => {
  const interrupted = failing({ type: 'cancelled' }, () => true);
  await expect(planned(harness, deleted, { through: interrupted })).rejects.toMatchObject({
    type: 'cancelled',
  });
});

test('reads the links of 40 spaces at most, and counts the others', async () => {
  const many = Object.fromEntries(Array.from({ length: 45 }, (_none, at) => [`s${at}`, { id: `sp_${at}` }]));
  const { plan, reads } = await planned(large, [
    { spaces: { ...many, guide: spaces.guide } },
    { spaces: many },
  ]);
  expect(reads).toBe(40);
  expect(plan.review?.links?.map(({ from, unread }) => [from[0]?.links, unread])).toEqual([[2, 5]]);
});

test('counts links to all spaces of a section, and to a site-space with another path', async () => {
  const docs = (first: string) => ({
    spaces,
    sites: {
      hub: {
        title: 'Hub',
        sections: {
          one: { title: 'One', path: first, spaces: { faq: { space: 'faq', path: 'faq' } } },
          two: { title: 'Two', path: 'two', spaces: { guide: { space: 'guide', path: 'guide' } } },
        },
      },
    },
  });
  const both = (first: string) => {
    const state = docs(first);
    const { one, two } = state.sites.hub.sections;
    const sections = { one: { ...one, spaces: { ...one.spaces, ...two.spaces } } };
    return { ...state, sites: { hub: { ...state.sites.hub, sections } } };
  };
  const { plan } = await planned(harness, [both('one'), both('other')]);
  expect(plan.review?.links?.map(({ address, to }) => [address, to?.map((one) => one.title)])).toEqual([
    ['sites/hub/sections/one', ['FAQ', 'API guide']],
  ]);
  expect(plan.review?.links?.[0]?.from.map(({ title, links }) => [title, links])).toEqual([
    ['FAQ', 12],
    ['Blog', 3],
  ]);
  harness.reset();
  const path = (name: string) => ({
    ...docs('one'),
    sites: { hub: { title: 'Hub', sections: sectionsWith(name) } },
  });
  const sectionsWith = (name: string) => ({
    two: {
      title: 'Two',
      path: 'two',
      spaces: { guide: { space: 'guide', path: name }, faq: { space: 'faq', path: 'faq' } },
    },
  });
  const repathed = await planned(harness, [path('guide'), path('start')]);
  expect(repathed.plan.review?.links?.map(({ address }) => address)).toEqual([
    'sites/hub/sections/two/spaces/guide',
  ]);
});

test('describes the links in the schema of plans', async () => {
  const { plan } = await planned(harness, [site('guides'), site('docs')]);
  expect(plan.review?.links?.length).toBe(1);
  expect(reviewSchema().parse(plan.review)).toEqual(plan.review);
});

test('warns of a rule about links at a service that lists none', async () => {
  const { plan, reads } = await planned(newer, deleted, { rules: [noBroken] });
  expect([plan.refusals, plan.findings?.length, reads]).toEqual([[], 1, 0]);
});

test('refuses a change that breaks links with a rule, and only that', async () => {
  const rules = [noBroken];
  const { plan, reads } = await planned(harness, deleted, { rules });
  expect(plan.refusals.map(({ rule, address }) => [rule, address])).toEqual([
    ['no-broken-links', 'spaces/guide'],
  ]);
  expect(reads).toBe(3);
  harness.reset();
  const { notes: _notes, ...others } = spaces;
  const free = await planned(harness, [{ spaces }, { spaces: others }], { rules });
  expect([free.plan.refusals, free.plan.findings, free.plan.steps.length]).toEqual([[], undefined, 1]);
});

test('warns of a rule about links that could not be read, and refuses nothing', async () => {
  const through = failing({ type: 'status', status: 403 }, () => true);
  const { plan } = await planned(harness, deleted, { rules: [noBroken], through });
  expect(plan.refusals).toEqual([]);
  expect(plan.findings?.map(({ message }) => message)).toEqual([
    'links in other spaces lead there (not known: the links of 3 other spaces were not read)',
  ]);
});

test.each([
  ['when: { breaksLinks: true }', []],
  ['when: { kind: section, breaksLinks: true }', []],
  ['when: { kind: team, breaksLinks: true }', ['no links lead to these kinds']],
  [
    'when: { breaksLinks: false }',
    ['no-broken-links.when.breaksLinks must be one of true, is a boolean (false)'],
  ],
])('reads a rule about links from a file: %s', async (when, messages) => {
  const { diagnostics, rules } = await rulesIn(`rules: { no-broken-links: { ${when}, message: links } }`);
  expect(diagnostics.map(({ message }) => message)).toEqual(messages);
  if (messages.length === 0) expect(rules[0]?.when?.breaksLinks).toBe(true);
});
