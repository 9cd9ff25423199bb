/** Meaning of a response: done, already deleted, not found, or accepted but not carried out yet. */
import { describe, expect, onTestFinished, test } from 'vitest';
import { isComplete } from '../../src/apply/events.ts';
import { ApiError, accepted } from '../../src/contract/api.ts';
import type { OperationId } from '../../src/contract/index.ts';
import { renderApplyResult } from '../../src/report/apply/text.ts';
import { lost, refusal } from '../support/apis.ts';
import { treeOf } from '../support/harness.ts';
import { sharedHarness } from '../support/shared-harness.ts';

const harness = await sharedHarness();

const prune = { settings: { prune: 'unlisted', protect: ['!**'] } };

const section = (key: string, space: string) => ({
  title: `Section ${key}`,
  path: key,
  spaces: { main: { space } },
});
const hub = (more: object) => ({
  spaces: { guide: { id: 'sp_guide' }, faq: { id: 'sp_faq' } },
  sites: { hub: { title: 'Hub', ...more } },
});

/** Documented deletions, with the declarations before and after. */
const deletions: readonly (readonly [OperationId, object, object])[] = [
  ['teams.delete', { teams: { t: { title: 'Team' } } }, { teams: {} }],
  ['collections.delete', { collections: { c: { title: 'Collection' } } }, { collections: {} }],
  ['customFields.delete', { customFields: { f: { type: 'text', title: 'Field' } } }, { customFields: {} }],
  ['translations.delete', { translations: { de: { title: 'German' } } }, { translations: {} }],
  ['shareLinks.delete', hub({ shareLinks: { l: { name: 'Link' } } }), hub({ shareLinks: {} })],
  [
    'sections.delete',
    hub({ sections: { a: section('a', 'guide'), b: section('b', 'faq') } }),
    hub({ sections: { a: section('a', 'guide') } }),
  ],
  ['sites.delete', hub({}), { sites: {} }],
];

async function change(before: object, after: object) {
  const first = await treeOf({ ...prune, ...before });
  await harness.apply(first, await harness.plan(first));
  const second = await treeOf({ ...prune, ...after });
  harness.sent.length = 0;
  return { tree: second, plan: await harness.plan(second) };
}

describe.each(deletions)('%s that returns 404', (operation, before, after) => {
  test('fails if the object still exists', async () => {
    const { tree, plan } = await change(before, after);
    let requested = 0;
    harness.refuse = (sent) => {
      if (sent.operation !== operation) return undefined;
      requested += 1;
      return refusal(operation, 404);
    };
    const result = await harness.apply(tree, plan);
    const text = renderApplyResult(result, { color: false, width: 200 });
    expect(requested).toBe(1);
    expect(isComplete(result)).toBe(false);
    expect(text).toContain(`${operation} returned 404, but the object is still there`);
    expect(result.organizations[0]?.outcomes.map(({ type }) => type)).toEqual(['failed']);
  });

  test('succeeds if another client deleted the object first', async () => {
    const { tree, plan } = await change(before, after);
    harness.through = (api) => ({
      ...api,
      send: async (id, input) => {
        // The first request is that of the other client.
        if (id === operation) await api.send(id, input);
        return api.send(id, input);
      },
    });
    const result = await harness.apply(tree, plan);
    harness.through = undefined;
    expect(isComplete(result)).toBe(true);
    expect((await harness.plan(tree)).steps).toEqual([]);
  });
});

test('reports a section that cannot leave its group as failed', async () => {
  const { tree, plan } = await change(
    hub({
      sections: { g: { title: 'Group', sections: { a: section('a', 'guide'), b: section('b', 'faq') } } },
    }),
    hub({
      sections: { a: section('a', 'guide'), g: { title: 'Group', sections: { b: section('b', 'faq') } } },
    }),
  );
  harness.refuse = ({ operation }) =>
    operation === 'sectionGroups.removeSection' ? refusal(operation, 404) : undefined;
  const result = await harness.apply(tree, plan);
  expect(isComplete(result)).toBe(false);
  expect(renderApplyResult(result, { color: false, width: 200 })).toMatch(/removeSection .*404/);
});

test('completes a waiting deletion that another client performs in the meantime', async () => {
  const root = { spaces: { guide: { space: 'guide' }, faq: { space: 'faq' } }, default: 'guide' };
  const { tree, plan } = await change(hub(root), {
    ...hub({ sections: { a: section('a', 'guide') } }),
    // A rejected request is retried after another change.
    teams: { t: { title: 'Team' } },
  });
  const waiting = plan.steps.filter(({ phase }) => phase === 'delete');
  expect(waiting.map(({ title }) => title)).toContain('faq');
  let isRefused = false;
  harness.through = (api) => ({
    ...api,
    send: async (id, input) => {
      if (id !== 'sections.create' || isRefused) return api.send(id, input);
      isRefused = true;
      const [other] = waiting.filter(({ title }) => title === 'faq').flatMap(({ calls }) => calls);
      await api.send('siteSpaces.delete', { params: other?.params as Record<string, string> });
      throw refusal(id, 400);
    },
  });
  const result = await harness.apply(tree, plan);
  harness.through = undefined;
  const types = result.organizations[0]?.outcomes.map(({ type, step }) => `${type} ${step.title}`);
  expect(types).toContain('satisfied faq');
  expect(types?.filter((one) => one.startsWith('skipped'))).toEqual([]);
  expect(isComplete(result)).toBe(true);
  expect((await harness.plan(tree)).steps).toEqual([]);
});

test('reports a move as skipped if its neighbor was not moved', async () => {
  const spaces = ['guide', 'faq', 'blog', 'notes'].map((key) => [key, { id: `sp_${key}` }]);
  const root = (...keys: readonly string[]) => ({
    spaces: Object.fromEntries(spaces),
    sites: {
      hub: {
        title: 'Hub',
        spaces: Object.fromEntries(keys.map((key) => [key, { space: key, path: key }])),
        default: 'guide',
      },
    },
  });
  const { tree, plan } = await change(
    root('guide', 'faq', 'blog', 'notes'),
    root('notes', 'blog', 'guide', 'faq'),
  );
  const moves = plan.steps.filter(({ phase }) => phase === 'move');
  expect(moves.map(({ id, reason }) => `${id} ${reason}`)).toEqual([
    'sites/hub/spaces/notes#move before guide',
    'sites/hub/spaces/blog#move after notes',
  ]);
  const [first] = moves;
  const id = first?.calls[0]?.params?.siteSpaceId;
  harness.refuse = ({ operation, params }) =>
    operation === 'siteSpaces.move' && params?.siteSpaceId === id ? refusal(operation, 404) : undefined;
  const { organizations } = await harness.apply(tree, plan);
  harness.refuse = undefined;
  expect(organizations[0]?.outcomes.map(({ type, step }) => `${type} ${step.id}`)).toEqual([
    'failed sites/hub/spaces/notes#move',
    'skipped sites/hub/spaces/blog#move',
  ]);
  expect((await harness.plan(tree)).steps.map(({ id }) => id)).toEqual(moves.map(({ id }) => id));
});

describe('a request that the service accepts but does not carry out', () => {
  const members = (...names: readonly string[]) => ({
    members: Object.fromEntries(names.map((name) => [`${name}@acme.dev`, {}])),
  });

  test('is pending: the run is complete, and the request is neither done nor repeated', async () => {
    const { tree, plan } = await change(
      { teams: { t: { title: 'Team' } } },
      { ...members('ada', 'bob', 'cyd'), teams: {} },
    );
    let requested = 0;
    harness.through = (api) => ({
      ...api,
      send: async (id, input) => {
        if (id !== 'members.delete') return api.send(id, input);
        requested += 1;
        return accepted;
      },
    });
    const result = await harness.apply(tree, plan);
    const text = renderApplyResult(result, { color: false, width: 200 });
    expect(requested).toBe(1);
    expect(isComplete(result)).toBe(true);
    expect(text).toMatch(/^Pending:\n {4}members\/\S+ \(delete\)\n/);
    expect(text).toContain(
      'Applied: 0 created, 0 updated, 0 moved, 0 replaced, 1 deleted.\n1 change is pending:',
    );
    expect(result.organizations[0]?.leftover).toEqual([]);
  });

  test('is done if a later read shows that it took effect', async () => {
    const { tree, plan } = await change({}, { ...members('ada', 'bob', 'cyd'), teams: {} });
    harness.through = (api) => ({
      ...api,
      send: async (id, input) => {
        const answer = await api.send(id, input);
        return id === 'members.delete' ? accepted : answer;
      },
    });
    const result = await harness.apply(tree, plan);
    harness.through = undefined;
    expect(isComplete(result)).toBe(true);
    expect((await harness.plan(tree)).steps).toEqual([]);
  });
});

describe('an undocumented 202', () => {
  /** Answers a request without carrying it out. */
  function queue(method: string, path: RegExp): { readonly sent: () => number } {
    let count = 0;
    harness.service.instead = ({ method: own, target }) => {
      if (own !== method || !path.test(target)) return undefined;
      count += 1;
      return { status: 202, headers: {}, body: '{}' };
    };
    onTestFinished(() => {
      harness.service.instead = undefined;
    });
    return { sent: () => count };
  }

  async function planned(document: object) {
    const tree = await treeOf(document);
    return { tree, plan: await harness.plan(tree) };
  }
  const teams = { teams: { t: { was: [], title: 'Queued' } } };

  test('does not prove that a team was created: the run is incomplete and the team is planned again', async () => {
    const { tree, plan } = await planned(teams);
    const { sent } = queue('PUT', /\/teams$/);
    const result = await harness.apply(tree, plan);
    expect([sent(), isComplete(result)]).toEqual([1, false]);
    expect(renderApplyResult(result, { color: false, width: 200 })).toContain('teams.create returned 202');
    expect((await harness.plan(tree)).steps.map(({ id }) => id)).toEqual(plan.steps.map(({ id }) => id));
  });

  test('counts as success if the team exists', async () => {
    const { tree, plan } = await planned(teams);
    harness.also = async ({ operation }) => {
      if (operation !== 'teams.create') return;
      throw new ApiError('teams.create returned 202 with an empty body', {
        type: 'response',
        operation,
        method: 'PUT',
        path: '',
        status: 202,
        attempt: 1,
        mayHaveHappened: true,
      });
    };
    const result = await harness.apply(tree, plan);
    harness.also = undefined;
    expect(isComplete(result)).toBe(true);
    expect(harness.sent.filter(({ operation }) => operation === 'teams.create').length).toBe(1);
    expect((await harness.plan(tree)).steps).toEqual([]);
  });

  test('does not make a deletion pending: the next plan deletes the team again', async () => {
    const { tree, plan } = await change({ teams: { t: { title: 'Team' } } }, { teams: {} });
    queue('DELETE', /\/teams\//);
    const result = await harness.apply(tree, plan);
    harness.service.instead = undefined;
    expect(isComplete(result)).toBe(false);
    const again = await harness.plan(tree);
    expect([again.pending, again.steps.length]).toEqual([undefined, plan.steps.length]);
  });
});

test('repeats a call of an object that the service does not find for a moment after its create', async () => {
  const refusals = new Map<string, number>();
  const known = new Set(['org_acme', 'sp_guide', 'sp_faq']);
  harness.refuse = ({ operation, params = {} }) => {
    const isNew = Object.values(params).some((id) => typeof id === 'string' && !known.has(id));
    const count = refusals.get(operation) ?? 0;
    if (!isNew || count === 2) return undefined;
    refusals.set(operation, count + 1);
    return refusal(operation, 404);
  };
  const sections = { a: section('a', 'guide'), b: section('b', 'faq') };
  const more = { visibility: 'unlisted', shareLinks: { l: { name: 'Link', active: false } }, sections };
  const tree = await treeOf(hub(more));
  const result = await harness.apply(tree, await harness.plan(tree));
  expect(renderApplyResult(result, { color: false, width: 200 })).not.toContain('404');
  expect(isComplete(result)).toBe(true);
  expect(refusals.size).toBeGreaterThan(2);
});

describe('an object that is deleted while its run goes on', () => {
  /** Deletes team `a` after the first request, and loses the response to another one, so that the run reads again. */
  async function applied(pin: (id: string) => object) {
    const before = await treeOf({ teams: { a: { title: 'First' } } });
    await harness.apply(before, await harness.plan(before));
    const { ids } = await harness.plan(before);
    const id = ids['teams/a'] ?? '';
    const others = Object.fromEntries(['b', 'c', 'd'].map((key) => [key, { title: `Team ${key}` }]));
    const tree = await treeOf({ teams: { ...others, a: { title: 'Renamed', ...pin(id) } } });
    const plan = await harness.plan(tree, { recorded: ids });
    let isDeleted = false;
    harness.also = async (_sent, service) => {
      if (isDeleted) return;
      isDeleted = true;
      await service.send('teams.delete', { params: { organizationId: 'org_acme', teamId: id } });
    };
    let isLost = false;
    harness.refuse = ({ operation, body }) => {
      if (isLost || operation !== 'teams.create' || !JSON.stringify(body).includes('Team d'))
        return undefined;
      isLost = true;
      return lost(operation);
    };
    const result = await harness.apply(tree, plan);
    const [{ outcomes, leftover, unread } = { outcomes: [], leftover: [], unread: undefined }] =
      result.organizations;
    const last = new Map(outcomes.map(({ step, type }) => [step.id, type]));
    return { last, left: leftover.map((step) => step.id), unread, isComplete: isComplete(result) };
  }

  test('is left, and not "already done", if the manifest pins it: others are done', async () => {
    const { last, left, isComplete: all } = await applied((id) => ({ id }));
    expect(last.get('teams/d#create')).toBe('done');
    expect([left, last.has('teams/a#create'), all]).toEqual([['teams/a#create'], false, false]);
  });

  test('is not replaced by another one if the plan found it: the run is not complete', async () => {
    const { last, unread, isComplete: all } = await applied(() => ({}));
    expect(unread?.message).toMatch(/team_\w+ no longer exists/);
    expect([last.get('teams/d#create'), all]).toEqual(['unknown', false]);
  });
});

test.each([true, false])(
  'a move that waited for its parent is not "already done" if its pinned object is deleted (skip refused: %s)',
  async (skipRefused) => {
    const before = await treeOf({ collections: { a: { title: 'First' } } });
    await harness.apply(before, await harness.plan(before));
    const { ids } = await harness.plan(before);
    const id = ids['collections/a'] ?? '';
    const inside = { n: { title: 'New', collections: { a: { id, title: 'First' } } } };
    const tree = await treeOf({ teams: { t: { title: 'Team' } }, collections: inside });
    const plan = await harness.plan(tree, { skipRefused, recorded: ids });
    let isDeleted = false;
    harness.also = async (_sent, service) => {
      if (isDeleted) return;
      isDeleted = true;
      await service.send('collections.delete', { params: { collectionId: id } });
    };
    let isLost = false;
    harness.refuse = ({ operation }) => {
      if (isLost || operation !== 'collections.create') return undefined;
      isLost = true;
      return lost(operation);
    };
    const result = await harness.apply(tree, plan);
    const outcomes = result.organizations.flatMap((one) => one.outcomes);
    expect(outcomes.map(({ step, type }) => [step.phase, type])).toEqual([
      ['create', 'done'],
      ['create', 'done'],
      ['attach', 'notStarted'],
    ]);
    const text = renderApplyResult(result, { color: false, width: 100 });
    expect(text).toContain('Not started:\n    collections/n/collections/a (move into parent)');
    expect(isComplete(result)).toBe(false);
  },
);
