/** Lost responses and lists that lag behind a write: no object is created twice, and each created one is reported. */
import { beforeEach, describe, expect, test } from 'vitest';
import { isComplete } from '../../src/apply/events.ts';
import type { Api } from '../../src/contract/api.ts';
import type { OperationId } from '../../src/contract/index.ts';
import { renderApplyResult } from '../../src/report/apply/text.ts';
import { lagging, lost, refusal } from '../support/apis.ts';
import { treeOf } from '../support/harness.ts';
import { sharedHarness } from '../support/shared-harness.ts';

const harness = await sharedHarness();

const organization = 'org_acme';

/** Loses the response of the first call of an operation, after the call took effect. */
function losing(operation: OperationId): void {
  let isLost = false;
  harness.also = async (sent) => {
    if (sent.operation !== operation || isLost) return;
    isLost = true;
    throw lost(operation);
  };
}

async function apply(document: object) {
  const tree = await treeOf(document);
  const plan = await harness.plan(tree);
  const result = await harness.apply(tree, plan);
  harness.through = undefined;
  return { tree, result, sent: harness.sent.map(({ operation }) => operation) };
}

const site = {
  spaces: { guide: { id: 'sp_guide' }, faq: { id: 'sp_faq' } },
  sites: {
    hub: {
      title: 'Hub',
      sections: {
        a: { title: 'Section a', path: 'a', spaces: { main: { space: 'guide' } } },
        b: { title: 'Section b', path: 'b', spaces: { main: { space: 'faq' } } },
      },
    },
  },
};

describe.each([0, 1, 3])('with lists that are %i reads behind', (reads) => {
  let slow: Api | undefined;
  const through = (api: Api) => {
    slow ??= lagging(api, reads);
    return slow;
  };
  beforeEach(() => {
    slow = undefined;
  });

  test.each([
    ['teams.create', { teams: { t: { was: [], title: 'Fresh' } } }],
    ['translations.create', { translations: { t: { was: [], title: 'Fresh' } } }],
    ['collections.create', { collections: { t: { was: [], title: 'Fresh' } } }],
    ['sections.create', site],
  ] as const)('does not repeat %s if its response is lost', async (operation, document) => {
    losing(operation);
    harness.through = through;
    const { tree, result, sent } = await apply(document);
    const wanted = operation === 'sections.create' ? 2 : 1;
    expect(sent.filter((one) => one === operation).length).toBe(wanted);
    expect(isComplete(result)).toBe(true);
    expect((await harness.plan(tree)).steps).toEqual([]);
  });

  test('creates whole structures', async () => {
    harness.through = through;
    const { tree, result } = await apply(site);
    expect(isComplete(result)).toBe(true);
    expect((await harness.plan(tree)).steps).toEqual([]);
  });
});

test('re-reads a list that still shows a deleted parent, if the list of that parent returns 404', async () => {
  await apply({ spaces: { guide: { id: 'sp_guide' } }, collections: { old: { title: 'Old' } } });
  let isFirst = true;
  harness.refuse = ({ operation }) => {
    if (operation !== 'spaces.update' || !isFirst) return undefined;
    isFirst = false;
    return refusal(operation, 409);
  };
  let before: readonly unknown[] = [];
  let isStale = false;
  harness.also = async ({ operation }) => {
    if (operation === 'collections.delete') isStale = true;
  };
  harness.through = (api) => ({
    ...api,
    all: async (operation, input) => {
      if (operation !== 'collections.list') return api.all(operation, input);
      if (!isStale) before = await api.all(operation, input);
      isStale = false;
      return before;
    },
  });
  const { tree, result, sent } = await apply({
    settings: { prune: 'unlisted', protect: ['!**'] },
    spaces: { guide: { id: 'sp_guide', title: 'Renamed' } },
    collections: {},
  });
  expect(sent).toContain('collections.delete');
  expect(result.organizations[0]?.unread).toBeUndefined();
  expect(isComplete(result)).toBe(true);
  expect((await harness.plan(tree)).steps).toEqual([]);
});

test('reports every object created by a run that fails', async () => {
  harness.refuse = ({ operation }) =>
    operation === 'teams.updateMembers' ? refusal(operation, 403) : undefined;
  const { result } = await apply({
    teams: { t: { was: [], title: 'Fresh', members: { 'bob@acme.dev': 'owner' } } },
  });
  expect(isComplete(result)).toBe(false);
  expect(result.organizations[0]?.made).toEqual(new Map([['teams/t', expect.stringMatching(/^team_/)]]));
  expect(renderApplyResult(result, { color: false, width: 80 })).toMatch(
    /Created by this run:\n {4}teams\/t \(team_/,
  );
});

test('reports a difference outside of the approved plan at the end without changing it', async () => {
  await apply(site);
  harness.sent.length = 0;
  harness.also = async ({ operation }, service) => {
    if (operation !== 'sections.create') return;
    const params = { organizationId: organization };
    const [hub] = (await service.all('sites.list', { params })) as readonly { id: string }[];
    const all = await service.all('sections.list', { params: { ...params, siteId: hub?.id ?? '' } });
    const b = (all as readonly { id: string; path: string }[]).find(({ path }) => path === 'b');
    await service.send('sections.update', {
      params: { ...params, siteId: hub?.id ?? '', siteSectionId: b?.id ?? '' },
      body: { title: 'Renamed meanwhile' },
    });
  };
  const c = { title: 'Section c', path: 'c', spaces: { main: { space: 'guide' } }, was: [] };
  const { result } = await apply({
    ...site,
    sites: { hub: { ...site.sites.hub, sections: { ...site.sites.hub.sections, c } } },
  });
  expect(isComplete(result)).toBe(false);
  expect(result.organizations[0]?.leftover.map(({ id }) => id)).toEqual(['sites/hub/sections/b#update']);
  expect(harness.sent.map(({ operation }) => operation)).not.toContain('sections.move');
  expect(harness.sent.filter(({ body }) => JSON.stringify(body)?.includes('Section b'))).toEqual([]);
});

test.each([true, false])(
  'does not touch an older object whose id a create returned (the create took effect: %s)',
  async (took) => {
    const { id: older } = (await harness.api.send('teams.create', {
      params: { organizationId: organization },
      body: { title: 'Older' },
    })) as { id: string };
    harness.through = (api) => ({
      all: (operation, input) => api.all(operation, input),
      send: async (operation, input) => {
        if (operation !== 'teams.create') return api.send(operation, input);
        const answer = took
          ? ((await api.send(operation, input)) as object)
          : { object: 'team', title: 'Docs' };
        return { ...answer, id: older };
      },
    });
    const members = { 'bob@acme.dev': 'member' };
    const { tree, result } = await apply({ teams: { docs: { title: 'Docs', members } } });
    expect(isComplete(result)).toBe(took);
    expect([...(result.organizations[0]?.made.values() ?? [])]).not.toContain(older);
    const { title, members: people } = (await harness.api.send('teams.get', {
      params: { organizationId: organization, teamId: older },
    })) as { title: string; members: number };
    expect([title, people]).toEqual(['Older', 0]);
    expect((await harness.plan(tree)).steps.length > 0).toBe(!took);
  },
);
