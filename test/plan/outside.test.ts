/** Risks of drift: first the change made outside git, then the effect of reverting it. */
import { expect, test } from 'vitest';
import { dangersOf } from '../../src/report/plan/dangers.ts';
import { objectChanges } from '../../src/review/object-changes.ts';
import { reviewedSteps, treeOf } from '../support/harness.ts';
import { sharedHarness } from '../support/shared-harness.ts';

const harness = await sharedHarness();

const settings = { protect: ['!**'], limits: { deletes: null, deletePercent: null } };
const tree = (document: object) => treeOf({ settings, ...document });
const site = (visibility: string) => ({ sites: { hub: { title: 'Hub', visibility } } });
const bob = (role: string) => ({ members: { 'bob@acme.dev': { role } } });

async function apply(document: object): Promise<void> {
  const desired = await tree(document);
  await harness.apply(desired, await harness.plan(desired));
}

/** Plans `wanted`, which defaults to `git`, with `git` as the base and `live` as the live state. */
async function planned(git: object, live: object, wanted = git) {
  await apply(git);
  await apply(live);
  return harness.plan(await tree(wanted), { base: await tree(git) });
}

test('reports an opened site and a new administrator as changed outside git', async () => {
  const opened = await planned(
    { ...site('visitor-auth'), ...bob('read') },
    { ...site('public'), ...bob('admin') },
  );
  expect(reviewedSteps(opened).flatMap(({ risks }) => risks)).toEqual(
    expect.arrayContaining([
      { text: 'was opened to everyone outside git', field: 'visibility', outside: true, severe: true },
      { text: 'was made an administrator outside git', field: 'role', outside: true, severe: true },
      { text: 'reverting it: takes administration away', field: 'role' },
    ]),
  );
  expect(reviewedSteps(opened).find(({ kind }) => kind === 'member')?.risks[0]?.outside).toBe(true);
});

test('judges every difference as drift in a drift report, but not in a plan without a base', async () => {
  await apply(site('public'));
  const desired = await tree(site('visitor-auth'));
  const textsOf = async (options: object) =>
    reviewedSteps(await harness.plan(desired, options)).flatMap(({ risks }) => risks.map(({ text }) => text));
  expect(await textsOf({})).toEqual([]);
  expect(await textsOf({ asDrift: true })).toEqual(['was opened to everyone outside git']);
});

test('reports that reverting a closed site opens it', async () => {
  const steps = reviewedSteps(await planned(site('public'), site('visitor-auth')));
  expect(steps.flatMap(({ risks }) => risks)).toEqual([
    { text: 'reverting it: opens the site to everyone', field: 'visibility' },
  ]);
});

test('reports a conflict with all three values next to the change outside git', async () => {
  const plan = await planned(site('visitor-auth'), site('public'), site('unlisted'));
  const [danger] = dangersOf(objectChanges(plan));
  expect(danger?.texts).toEqual([
    'was opened to everyone outside git',
    'conflict in visibility: applied visitor-auth, live public, wanted unlisted',
  ]);
});

test('reports people who join an existing team or become its owner, but not members of a new team', async () => {
  const team = (members: object) => ({ teams: { docs: { title: 'Docs', members } } });
  const risks = async (document: object) =>
    reviewedSteps(await harness.plan(await tree(document))).flatMap((step) =>
      step.risks.map(({ text }) => text),
    );
  expect(await risks(team({ 'ada@acme.dev': 'owner' }))).toEqual([]);
  await apply(team({ 'ada@acme.dev': 'owner', 'bob@acme.dev': 'member' }));
  expect(
    await risks(team({ 'ada@acme.dev': 'owner', 'bob@acme.dev': 'owner', 'cyd@acme.dev': 'owner' })),
  ).toEqual(['cyd@acme.dev (owner) joins; bob@acme.dev becomes an owner']);
  expect(await risks(team({ 'ada@acme.dev': 'owner' }))).toEqual([]);
});

test('gives each changed field its own place and the step that of its first field', async () => {
  await apply({ organization: { id: 'org_acme', title: 'Acme', inviteLinks: false } });
  const desired = await tree({ organization: { id: 'org_acme', title: 'Acme Docs', inviteLinks: true } });
  const [step] = (await harness.plan(desired)).steps;
  const places = desired.nodes.get('organization')?.fieldAt ?? {};
  expect(step?.fields.map(({ field, at }) => [field, at])).toEqual([
    ['title', places.title],
    ['inviteLinks', places.inviteLinks],
  ]);
  expect(step?.at).toEqual(places.title);
});
