/** Sections that leave their group end up in their declared place, wherever the service puts them first. */
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { isComplete } from '../../src/apply/events.ts';
import type { Api } from '../../src/contract/api.ts';
import type { OrganizationPlan } from '../../src/plan/plan.ts';
import { free } from '../support/arbitrary.ts';
import { type Sent, seed, treeOf } from '../support/harness.ts';
import { patience, tries } from '../support/runs.ts';
import { sharedHarness } from '../support/shared-harness.ts';

const harness = await sharedHarness();

const spaces = {
  guide: { id: 'sp_guide' },
  faq: { id: 'sp_faq' },
  blog: { id: 'sp_blog' },
  notes: { id: 'sp_notes' },
};

/** `a (b c) d` as sections, with groups in parentheses. */
function site(order: string): object {
  const section = (key: string) => ({
    title: `Section ${key}`,
    path: `p-${key}`,
    spaces: { main: { space: 'guide' } },
  });
  const sections: Record<string, object> = {};
  for (const [, group = '', single = ''] of order.matchAll(/\(([a-z ]*)\)|([a-z])/g)) {
    if (single !== '') sections[single] = section(single);
    else {
      const inner = group.split(' ').map((key) => [key, section(key)]);
      sections[`g-${group[0]}`] = {
        title: `Group of ${group[0]}`,
        was: [],
        sections: Object.fromEntries(inner),
      };
    }
  }
  return {
    settings: { ...free, prune: 'unlisted', pruneKinds: { member: 'never', space: 'never' } },
    spaces,
    sites: { hub: { title: 'Hub', sections, default: order.replace(/\W/g, '')[0] } },
  };
}

async function apply(order: string) {
  const tree = await treeOf(site(order));
  const plan = await harness.plan(tree);
  expect(plan.refusals).toEqual([]);
  harness.sent.length = 0;
  const result = await harness.apply(tree, plan);
  return { tree, plan, result };
}

/** Puts a section that leaves its group next to another one, as some services do. */
function landing(place: 'before' | 'after') {
  return async ({ operation, params }: Sent, service: Api): Promise<void> => {
    if (operation !== 'sectionGroups.removeSection') return;
    const { organizationId = '', siteId = '', siteSectionId = '' } = params ?? {};
    const all = (await service.all('sections.list', { params: { organizationId, siteId } })) as readonly {
      id: string;
      sectionGroup?: string;
    }[];
    const neighbor = all.find(({ id, sectionGroup }) => id !== siteSectionId && sectionGroup === undefined);
    if (neighbor === undefined) return;
    await service.send('sections.move', {
      params: { organizationId, siteId, siteSectionId },
      body: { position: { [place]: { type: 'site-section', siteSection: neighbor.id } } },
    });
  };
}

/** Places where a service may put a section that leaves its group. */
const landings = {
  'at the end': undefined,
  'before the first section': landing('before'),
  'after the first section': landing('after'),
};

describe.each(Object.entries(landings))('if the service puts a section from a group %s', (_name, also) => {
  beforeEach(() => {
    harness.also = also;
  });

  test('moves the section to its declared place with planned calls only', async () => {
    await apply('a (b) c');
    const { tree, plan, result } = await apply('a c b');
    expect(isComplete(result)).toBe(true);
    const shown = plan.steps.flatMap(({ calls }) => calls.map(({ operation }) => operation));
    for (const { operation } of harness.sent) expect(shown).toContain(operation);
    expect(harness.sent.length).toBeLessThanOrEqual(shown.length);
    expect((await harness.plan(tree)).steps).toEqual([]);
  });

  test('converges for any sections and groups', { timeout: patience(200_000) }, async () => {
    const orders = [
      'a (b) c',
      'a c b',
      '(a b) c d',
      'd (c) b a',
      'b a (d c)',
      'c d a b',
      '(a) (b c) d',
      'a b c d',
    ];
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...orders), fc.constantFrom(...orders), async (from, to) => {
        harness.service.reset(seed);
        await apply(from);
        const { tree, plan, result } = await apply(to);
        expect([isComplete(result), result.organizations[0]?.leftover]).toEqual([true, []]);
        expect(harness.sent.length).toBeLessThanOrEqual(plan.steps.flatMap(({ calls }) => calls).length);
        expect((await harness.plan(tree)).steps).toEqual([]);
      }),
      tries(12),
    );
  });
});

test('skips the final move if the service already put the section in its place', async () => {
  await apply('a (b) c');
  const { plan } = await apply('a c b');
  expect(plan.steps.map(({ id }) => id)).toContain('sites/hub/sections/b#move');
  expect(harness.sent.map(({ operation }) => operation)).not.toContain('sections.move');
});

function movesOf({ steps }: OrganizationPlan): readonly string[] {
  return steps.filter(({ phase }) => phase === 'move').map(({ id }) => id);
}

test('swaps the groups around a section with two moves', async () => {
  await apply('(a) m (b)');
  const { plan } = await apply('(b) m (a)');
  expect(movesOf(plan)).toEqual(['sites/hub/sections/g-b#move', 'sites/hub/sections/g-a#move']);
});

test('moves only two groups if a section moves between four', async () => {
  await apply('m (a) (b) (c) (d)');
  const { plan } = await apply('(a) (b) m (c) (d)');
  expect(movesOf(plan).length).toBe(2);
});
