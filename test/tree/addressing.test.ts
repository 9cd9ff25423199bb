/** The algebra of addresses, the map between live objects and addresses, and the comparison of trees. */
import { describe, expect, test } from 'vitest';
import { registry } from '../../src/kinds/index.ts';
import { Addressing, covers, inside, keyOf, parentOf, prefixesOf } from '../../src/tree/addressing.ts';
import { differencesBetween, differingFields } from '../../src/tree/difference.ts';
import { type LiveNode, LiveTree } from '../../src/tree/live.ts';
import { RefMap } from '../../src/tree/refs.ts';
import { treeOf } from '../support/harness.ts';

test('builds, splits and lists addresses inside of addresses', () => {
  expect(inside('organization', 'teams', 'docs')).toBe('teams/docs');
  expect(inside('sites/hub', 'sections', 'api')).toBe('sites/hub/sections/api');
  expect(inside('sites/hub', 'adaptiveSchema')).toBe('sites/hub/adaptiveSchema');
  expect(inside('organization', 'ai')).toBe('ai');
  expect(keyOf('sites/hub/sections/api')).toBe('api');
  expect(keyOf('organization')).toBe('organization');
  expect(parentOf('sites/hub/sections/api')).toBe('sites/hub');
  expect(parentOf('teams/docs')).toBe('organization');
  expect(prefixesOf('sites/hub/sections')).toEqual(['sites', 'sites/hub', 'sites/hub/sections']);
});

test('an address covers itself and its descendants but not a longer name', () => {
  const isCovered = covers(['sites/hub', 'organization']);
  expect(['sites/hub', 'sites/hub/sections/a', 'organization'].filter(isCovered)).toHaveLength(3);
  expect(['sites', 'sites/hub-2', 'sites/hub2/sections/a', 'teams/a'].filter(isCovered)).toEqual([]);
});

const organization = { kind: 'organization', id: 'org_1' };

function live(kind: string, id: string, more: Partial<LiveNode> = {}): LiveNode {
  return { kind, id, params: {}, scope: organization, container: organization, fields: {}, ...more };
}

const site = live('site', 'site_1');
const tree = new LiveTree('org_1', [
  live('organization', 'org_1'),
  site,
  live('section', 'sec_2', { container: site, rank: 2 }),
  live('section', 'sec_1', { container: site, rank: 1, seenInPassing: true }),
  live('adaptiveSchema', 'site_1', { container: site }),
  live('team', 'team_1', { fields: { title: 'Platform' } }),
]);

describe('the map of addresses', () => {
  const manifest = {
    octavo: 1,
    organization: 'org_1',
    sites: {
      hub: { title: 'Hub', adaptiveSchema: { type: 'object' }, sections: { gone: { title: 'Gone' } } },
    },
    teams: { platform: { title: 'Platform' } },
  };

  test('finds declared objects by the ids of a plan, and objects without ids by their parent', async () => {
    const declared = await treeOf(manifest);
    const addressing = new Addressing(registry, tree).declare(declared, new Map([['sites/hub', 'site_1']]));
    expect(addressing.addressOf(organization)).toBe('organization');
    expect(addressing.addressOf(site)).toBe('sites/hub');
    expect(addressing.at('sites/hub/adaptiveSchema')?.kind).toBe('adaptiveSchema');
    // An object with an id counts as declared only if the plan matched it, however similar it is.
    expect(addressing.at('teams/platform')).toBeUndefined();
    expect(addressing.at('sites/hub/sections/gone')).toBeUndefined();
  });

  test('names children of named objects and lists those that a list showed', () => {
    const addressing = new Addressing(registry, tree);
    const [, , second] = tree.nodes();
    if (second === undefined) throw new Error('no section');
    expect(addressing.name(second, 'api')).toBeUndefined();
    expect(addressing.name(site, 'hub')).toBe('sites/hub');
    expect(addressing.name(second, 'api')).toBe('sites/hub/sections/api');
    expect(addressing.at('sites/hub/sections/api')).toBe(second);
    expect(addressing.childrenOf(site, 'sections')).toEqual([second]);
  });

  test('locates any object, by id if it has no key or another object has its address', () => {
    const [moved, other] = [live('team', 't1'), live('team', 't2')];
    const redirect = live('redirect', 'r1', { container: site, fields: { source: '/a:b/c' } });
    const all = new LiveTree('org_1', [...tree.nodes(), moved, other, redirect]);
    const keys = new RefMap<string>();
    for (const node of [moved, other]) keys.set(node, 'docs');
    const addressing = new Addressing(registry, all, keys);
    expect(addressing.locate(moved)).toMatchObject({ address: 'teams/docs', key: 'docs' });
    expect(addressing.locate(other)).toMatchObject({ address: 'teams/id=t2', key: 'id=t2' });
    expect(addressing.locate(redirect)).toEqual({
      address: 'sites/id=site_1/redirects/:a:b:c',
      key: '/a:b/c',
      collection: 'redirects',
      parent: 'sites/id=site_1',
    });
    const only = all.get({ kind: 'adaptiveSchema', id: 'site_1' }) ?? moved;
    expect(addressing.locate(only).address).toBe('sites/id=site_1/adaptiveSchema');
  });
});

describe('the comparison', () => {
  const declare = (teams: object) => treeOf({ octavo: 1, organization: 'org_1', teams });

  test('of two trees lists objects and fields but not their place in files', async () => {
    const left = await declare({ a: { title: 'A' }, b: { title: 'B' } });
    expect(differencesBetween(left, await declare({ b: { title: 'B' }, a: { title: 'A' } }))).toEqual([]);
    const right = await declare({ a: { title: 'AA' }, c: { id: 'team_c', title: 'C' } });
    const found = differencesBetween(left, right).map(({ address, field }) => [address, field]);
    expect(found).toEqual([
      ['teams/a', 'title'],
      ['teams/b', undefined],
      ['teams/c', undefined],
    ]);
    expect(differencesBetween(left, undefined)).toHaveLength(left.nodes.size);
  });

  test('of an object with its live counterpart applies the rules of each field', async () => {
    const kind = registry.byName('organization');
    const declared = await treeOf({
      octavo: 1,
      organization: { id: 'org_1', title: ' Acme ', emailDomains: ['b.dev', 'a.dev'] },
    });
    const node = declared.root;
    if (node === undefined) throw new Error('no organization');
    const fields = { title: 'Acme', emailDomains: ['a.dev', 'b.dev'] };
    expect(differingFields(kind, node, live('organization', 'org_1', { fields }))).toEqual([]);
    const other = live('organization', 'org_1', { fields: { ...fields, title: 'Acme Inc' } });
    expect(differingFields(kind, node, other)).toEqual([
      { address: 'organization', field: 'title', left: ' Acme ', right: 'Acme Inc' },
    ]);
  });
});
