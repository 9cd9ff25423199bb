/** Order of requests about one person, and about what a parent can hold once. */
import { expect, onTestFinished, test } from 'vitest';
import type { Form } from '../../src/contract/form.ts';
import { startHarness, treeOf } from '../support/harness.ts';

type Entry = Readonly<Record<string, unknown>>;

const settings = { protect: ['!**'], limits: { deletes: null, deletePercent: null } };
const document = (more: Entry) => ({ octavo: 1, organization: 'org_acme', settings, ...more });
const reviewers = (has: boolean) => ({
  mergeRules: ['require_author_to_merge'],
  mergeReviewers: { 'ada@acme.dev': 'bypass', ...(has ? { [bob]: 'required' } : {}) },
});
const bob = 'bob@acme.dev';
const staying = { 'ada@acme.dev': { role: 'admin' } };

async function started(form: Form) {
  const harness = await startHarness(undefined, undefined, form);
  onTestFinished(() => harness.close());
  return harness;
}

/** All that a person can be named in, with and without the person. */
const uses: Readonly<Record<string, readonly [Form, (has: boolean) => Entry]>> = {
  'a member of a team': [
    'document',
    (has) => ({
      teams: {
        t: { title: 'Team', members: { 'cyd@acme.dev': 'owner', ...(has ? { [bob]: 'member' } : {}) } },
      },
    }),
  ],
  'an owner of a team whose title changes': [
    'document',
    (has) => ({
      teams: { t: { title: has ? 'Team' : 'Crew', members: has ? { [bob]: 'owner' } : {} } },
    }),
  ],
  'a grant on a space': [
    '2026',
    (has) => ({ spaces: { guide: { id: 'sp_guide', access: { members: has ? { [bob]: 'edit' } : {} } } } }),
  ],
  'a grant on a collection': [
    '2026',
    (has) => ({ collections: { c: { title: 'Coll', access: { members: has ? { [bob]: 'edit' } : {} } } } }),
  ],
  'a grant on a site': [
    '2026',
    (has) => ({ sites: { s: { title: 'Site', access: { members: has ? { [bob]: 'edit' } : {} } } } }),
  ],
  'a reviewer of the organization': [
    '2026',
    (has) => ({ organization: { id: 'org_acme', ...reviewers(has) } }),
  ],
  'the only reviewer of a space': [
    '2026',
    (has) => ({
      spaces: { guide: { id: 'sp_guide', mergeRules: [], mergeReviewers: has ? { [bob]: 'one-of' } : {} } },
    }),
  ],
  'everything that names people': [
    '2026',
    (has) => ({
      organization: { id: 'org_acme', ...reviewers(has) },
      teams: { t: { title: 'Team', members: has ? { [bob]: 'owner' } : {} } },
      spaces: {
        guide: { id: 'sp_guide', ...reviewers(has), access: { members: has ? { [bob]: 'edit' } : {} } },
      },
      sites: { s: { title: 'Site', access: { members: has ? { [bob]: 'none' } : {} } } },
    }),
  ],
};

test.each(Object.entries(uses))(
  'a person leaves the organization after %s is removed',
  async (_what, [form, use]) => {
    const harness = await started(form);
    const before = await treeOf(document({ members: { ...staying, [bob]: { role: 'read' } }, ...use(true) }));
    const { organizations } = await harness.apply(before, await harness.plan(before));
    const known = { base: before, recorded: Object.fromEntries(organizations[0]?.made ?? []) };
    const after = await treeOf(document({ members: staying, ...use(false) }));
    const plan = await harness.plan(after, known);
    expect(plan.refusals).toEqual([]);
    const [leaves] = plan.steps.filter(({ phase, kind }) => phase === 'delete' && kind === 'member');
    const others = plan.steps.filter((step) => step !== leaves).map(({ id }) => id);
    expect(others).not.toEqual([]);
    expect(leaves?.after).toEqual(others.sort());
    harness.sent.length = 0;
    await harness.apply(after, plan, undefined, known);
    expect(harness.sent.at(-1)?.operation).toBe('members.delete');
    expect((await harness.plan(after, { base: after })).steps).toEqual([]);
  },
);

const section = (spaces: Entry) => ({
  spaces: { guide: { id: 'sp_guide' }, faq: { id: 'sp_faq' } },
  sites: { hub: { title: 'Hub', sections: { s: { title: 'Section', path: 's', spaces } } } },
});

test('a space in a section is taken out before it is put in again', async () => {
  const harness = await started('document');
  const before = await treeOf(document(section({ a: { space: 'guide' }, b: { space: 'faq' } })));
  const { organizations } = await harness.apply(before, await harness.plan(before));
  const known = { base: before, recorded: Object.fromEntries(organizations[0]?.made ?? []) };
  const after = await treeOf(document(section({ a: { space: 'guide' }, c: { space: 'faq', was: [] } })));
  const plan = await harness.plan(after, known);
  const result = await harness.apply(after, plan, undefined, known);
  expect(result.organizations.flatMap(({ outcomes }) => outcomes.map(({ type }) => type))).toEqual([
    'done',
    'done',
  ]);
  expect((await harness.plan(after, { base: after })).steps).toEqual([]);
});

test('the only space of a section, which cannot be taken out first, is refused, and the help keeps it', async () => {
  const harness = await started('document');
  const before = await treeOf(document(section({ a: { space: 'guide' } })));
  const { organizations } = await harness.apply(before, await harness.plan(before));
  const known = { base: before, recorded: Object.fromEntries(organizations[0]?.made ?? []) };
  const plan = await harness.plan(await treeOf(document(section({ c: { space: 'guide', was: [] } }))), known);
  expect(plan.refusals.map(({ guard, address }) => [guard, address])).toEqual([
    ['last-one', 'sites/hub/sections/s/spaces/c'],
  ]);
  const [, was = ''] = /was: "(.*)"$/.exec(plan.refusals[0]?.suggestion ?? '') ?? [];
  const helped = await treeOf(document(section({ c: { space: 'guide', was } })));
  expect((await harness.plan(helped, known)).steps).toEqual([]);
});
