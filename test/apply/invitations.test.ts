/** Invitations whose responses are lost: no one is invited twice. */
import { expect, test } from 'vitest';
import type { Api } from '../../src/contract/api.ts';
import { operationOf } from '../../src/contract/index.ts';
import { registry } from '../../src/kinds/index.ts';
import { lagging, lost } from '../support/apis.ts';
import { seed, treeOf } from '../support/harness.ts';
import { brokenInvariants } from '../support/invariants.ts';
import { sharedHarness } from '../support/shared-harness.ts';

const harness = await sharedHarness(seed, registry, '2026');

/** The request takes effect, and its response is lost. */
function losing(api: Api, index: number): Api {
  let writes = 0;
  return {
    all: (operation, input) => api.all(operation, input),
    send: async (operation, input) => {
      const answer = await api.send(operation, input);
      if (operationOf(operation).method === 'GET') return answer;
      writes += 1;
      if (writes === index + 1) throw lost(operation);
      return answer;
    },
  };
}

const people = {
  members: { 'eve@acme.dev': { role: 'read' }, 'fay@acme.dev': { role: 'edit' } },
  teams: { base: { title: 'Base', members: { 'eve@acme.dev': 'owner', 'ada@acme.dev': 'member' } } },
};

const lists = { 'at once': (api: Api) => api, lagging: (api: Api) => lagging(api, 3) };

test.each(Object.entries(lists))('invites each person once if lists show writes %s', async (_, answering) => {
  for (let index = 0; index < 4; index += 1) {
    harness.reset();
    const tree = await treeOf(people);
    const planned = await harness.plan(tree);
    const first = harness.sent.length;
    harness.through = (api) => losing(answering(api), index);
    await harness.apply(tree, planned);
    harness.through = undefined;
    const rest = await harness.plan(tree);
    await harness.apply(tree, rest);
    expect((await harness.plan(tree)).steps, `${index}`).toEqual([]);
    const sent = harness.sent.slice(first).map(({ operation }) => operation);
    expect(
      sent.filter((operation) => operation === 'invites.create'),
      `${index}`,
    ).toHaveLength(2);
    expect(brokenInvariants(harness.service)).toEqual([]);
  }
});

test('does not send an invitation again in the same run if its response was lost', async () => {
  harness.reset({ invites: 'unknown' });
  const tree = await treeOf({ ...people, teams: {} });
  const planned = await harness.plan(tree);
  harness.through = (api) => losing(api, 0);
  const { organizations } = await harness.apply(tree, planned);
  expect(harness.sent.map(({ operation }) => operation)).toEqual(['invites.create', 'invites.create']);
  const ends = organizations.flatMap(({ outcomes }) => outcomes.map(({ type }) => type));
  expect([...ends].sort()).toEqual(['pending', 'unknown']);
});
