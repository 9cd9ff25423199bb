/** Link invites of a service that lists them. Invites to spaces are in no list and known only by id. */
import { expect, test } from 'vitest';
import { reviewedSteps, seed, treeOf } from '../support/harness.ts';
import { sharedHarness } from '../support/shared-harness.ts';

const harness = await sharedHarness(seed, undefined, '2026');

const params = { organizationId: 'org_acme' };

async function create(body: object): Promise<string> {
  return ((await harness.api.send('linkInvites.create', { params, body })) as { id: string }).id;
}

async function plan(linkInvites: object, settings: object = {}) {
  return harness.plan(await treeOf({ settings, linkInvites }));
}

test.each([
  ['space', 'sp_guide'],
  ['collection', 'col'],
])('updates the level of an invite to a %s by its id', async (name, given) => {
  const made = { params, body: { title: 'Books' } };
  const target =
    name === 'space' ? given : ((await harness.api.send('collections.create', made)) as { id: string }).id;
  const id = await create({ level: 'read', [name]: target });
  const wanted = { inv_one: { role: 'read' }, [id]: { level: 'edit' } };
  const tree = await treeOf({ linkInvites: wanted });
  const planned = await harness.plan(tree);
  expect(reviewedSteps(planned).map(({ calls, risks }) => [calls, risks.map(({ text }) => text)])).toEqual([
    [
      [{ operation: 'linkInvites.update', params: { ...params, inviteId: id }, body: { level: 'edit' } }],
      ['anyone with the link can do more: read → edit'],
    ],
  ]);
  await harness.apply(tree, planned);
  expect((await harness.plan(tree)).steps).toEqual([]);
  // It is in no list, so it is not pruned.
  const prune = { prune: 'unlisted', protect: ['!**'] };
  expect((await plan({ inv_one: {} }, prune)).steps).toEqual([]);
});

test('does not manage an invite without a declarable role', async () => {
  const id = await create({ role: null });
  expect((await plan({ [id]: {} })).steps).toEqual([]);
  expect((await plan({ [id]: {} })).unmanaged.map(({ address }) => address)).toEqual([
    'linkInvites/id=inv_one',
  ]);
});

test('matches a declared invite with a live one of the same role', async () => {
  const id = await create({ role: 'edit' });
  const { steps, ids } = await plan({ writers: { role: 'edit' } });
  expect(steps).toEqual([]);
  expect(ids['linkInvites/writers']).toBe(id);
});
