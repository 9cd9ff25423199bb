/** Live objects as data of manifests: keys, references and omitted values. */
import { expect, test } from 'vitest';
import { registry } from '../../src/kinds/index.ts';
import type { Fields } from '../../src/kinds/parts/payload.ts';
import { keyWord, nameObjects } from '../../src/manifest/emit/keys.ts';
import { type LeftOutField, objectData, ReferenceKeys } from '../../src/manifest/emit/live-data.ts';
import { Addressing, keyOf } from '../../src/tree/addressing.ts';
import { type LiveNode, LiveTree } from '../../src/tree/live.ts';
import { type ObjectRef, RefMap } from '../../src/tree/refs.ts';
import { literal } from '../../src/yaml/data.ts';
import { entriesText } from '../../src/yaml/print.ts';
import { treeOf } from '../support/harness.ts';

const root: ObjectRef = { kind: 'organization', id: 'org_a' };

function live(ref: ObjectRef, fields: Fields, more: Partial<LiveNode> = {}): LiveNode {
  return { ...ref, params: {}, scope: root, container: root, fields, ...more };
}

function named(nodes: readonly LiveNode[]) {
  const addressing = new Addressing(registry, new LiveTree('org_a', [live(root, {}), ...nodes]));
  const unnamed = nameObjects(nodes, addressing, registry);
  const addresses = nodes.map((node) => addressing.addressOf(node));
  return { keys: addresses.map((address) => address && keyOf(address)), unnamed };
}

const keysOf = (nodes: readonly LiveNode[]) => named(nodes).keys;

test('derives a key from the title in its own script', () => {
  expect(keyWord('Developer Hub')).toBe('developer-hub');
  expect(keyWord('  What’s new?  ')).toBe('what-s-new');
  expect(keyWord('Über uns / ガイド')).toBe('über-uns-ガイド');
  expect(keyWord('é'.normalize('NFD'))).toBe('é');
  expect(keyWord('👋')).toBe('');
  expect([...keyWord(`${'word '.repeat(30)}`)].length).toBeLessThanOrEqual(48);
});

test('gives the plain key to the oldest of several objects with one title, in any order', () => {
  const spaces = [
    live({ kind: 'space', id: 'sp_2' }, { title: 'Guide' }, { createdAt: '2024-02-01T00:00:00Z' }),
    live({ kind: 'space', id: 'sp_3' }, { title: 'guide' }, { createdAt: '2024-03-01T00:00:00Z' }),
    live({ kind: 'space', id: 'sp_9' }, { title: 'Guide!' }, { createdAt: '2024-01-01T00:00:00Z' }),
  ];
  const [second, third, first] = keysOf(spaces);
  expect(first).toBe('guide');
  expect(second).toMatch(/^guide-[a-z0-9]{4}$/);
  expect([...keysOf([...spaces].reverse())].reverse()).toEqual([second, third, first]);
  // Without the second one, the third keeps its key.
  expect(keysOf(spaces.slice(1))).toEqual([third, first]);
});

test('chooses a key that is not empty, reserved or a duplicate', () => {
  const titles = ['', '👋', '👋', 'Organization', 'yes', '0x10', 'Yes'];
  const teams = titles.map((title, at) => live({ kind: 'team', id: `team_${at}` }, { title }));
  const keys = keysOf(teams);
  expect(new Set(keys).size).toBe(keys.length);
  expect(keys).not.toContain('organization');
  for (const key of keys) expect(key).toMatch(/^[a-z0-9][a-z0-9-]*$/);
});

test('gives no key to people without an e-mail address', () => {
  const people = [
    live({ kind: 'member', id: 'u_1' }, { email: 'ada@acme.dev' }),
    live({ kind: 'member', id: 'u_2' }, {}),
  ];
  const { keys, unnamed } = named(people);
  expect(keys).toEqual(['ada@acme.dev', undefined]);
  expect(unnamed.map(({ node, reason }) => [node.id, reason])).toEqual([
    ['u_2', 'the service does not show its key'],
  ]);
});

test('writes an object with its children', () => {
  const site = { kind: 'site', id: 'site_1' };
  const inSite = { scope: site, container: site };
  const nodes = [
    live(root, { title: 'Acme' }),
    live({ kind: 'space', id: 'sp_1' }, { title: 'Guide' }),
    live(site, {
      title: 'Hub',
      type: 'basic',
      proxy: null,
      adaptiveContent: { enabled: false },
      default: 'sec_1',
    }),
    live({ kind: 'sectionGroup', id: 'grp_1' }, { title: 'More', icon: '' }, inSite),
    live(
      { kind: 'section', id: 'sec_1' },
      { title: 'Guide', path: 'p'.repeat(5000), condition: 'a ${b}' },
      inSite,
    ),
    live(
      { kind: 'siteSpace', id: 'ss_1' },
      { space: 'sp_1', path: 'en' },
      { scope: site, container: { kind: 'section', id: 'sec_1' } },
    ),
    live(
      { kind: 'siteSpace', id: 'ss_2' },
      { space: 'sp_gone' },
      { scope: site, container: { kind: 'section', id: 'sec_1' } },
    ),
  ];
  const tree = new LiveTree('org_a', nodes);
  const addresses = new RefMap<string>();
  addresses.set({ kind: 'space', id: 'sp_1' }, 'spaces/guide');
  addresses.set(site, 'sites/hub');
  addresses.set({ kind: 'sectionGroup', id: 'grp_1' }, 'sites/hub/sections/more');
  addresses.set({ kind: 'section', id: 'sec_1' }, 'sites/hub/sections/guide');
  addresses.set({ kind: 'siteSpace', id: 'ss_1' }, 'sites/hub/sections/guide/spaces/en');
  addresses.set({ kind: 'siteSpace', id: 'ss_2' }, 'sites/hub/sections/guide/spaces/other');
  const declared = nodes.flatMap(({ kind, id }) => {
    const address = addresses.get({ kind, id });
    return address === undefined ? [] : [{ kind, address }];
  });
  const leftOut: LeftOutField[] = [];
  const data = objectData(tree.get(site) as LiveNode, {
    registry,
    live: tree,
    addressOf: (ref) => addresses.get(ref),
    references: new ReferenceKeys(declared),
    isPinned: ({ kind }) => kind === 'site',
    childrenOf: (node, collection) =>
      tree
        .childrenOf(node)
        .filter(({ kind }) => (kind === 'siteSpace' ? 'spaces' : 'sections') === collection),
    onLeftOut: (one) => leftOut.push(one),
  });
  expect(entriesText(literal(new Map([['hub', data ?? null]])), 0)).toBe(`hub:
  id: site_1
  type: basic
  title: Hub
  default: guide
  sections:
    more:
      title: More
      sections: {}
    guide:
      title: Guide
      condition: "a $\${b}"
      spaces:
        en:
          space: guide
          path: en
        other:
          space:
            id: sp_gone
`);
  expect(leftOut.map(({ address, field }) => `${address} ${field}`)).toEqual([
    'sites/hub/sections/guide path',
  ]);
});

test('writes a reference as a key only if the key is unique', () => {
  const references = new ReferenceKeys([
    { kind: 'space', address: 'spaces/guide' },
    { kind: 'space', address: 'collections/a/spaces/guide' },
    { kind: 'space', address: 'collections/a/spaces/faq' },
    { kind: 'section', address: 'sites/hub/sections/start' },
    { kind: 'siteSpace', address: 'sites/hub/sections/start/spaces/start' },
  ]);
  const spaces = { kinds: ['space'], within: 'organization', undeclared: 'refused' } as const;
  const main = { kinds: ['section', 'siteSpace'], within: 'descendants', undeclared: 'refused' } as const;
  const from = 'sites/hub';
  expect(references.nameOf('spaces/guide', { from, reference: spaces })).toBe('spaces/guide');
  expect(references.nameOf('collections/a/spaces/faq', { from, reference: spaces })).toBe('faq');
  expect(references.nameOf('sites/hub/sections/start', { from, reference: main })).toBe('start');
  const inner = 'sites/hub/sections/start/spaces/start';
  expect(references.nameOf(inner, { from, reference: main })).toBe(inner);
});

test('the reader accepts the keys of titles that look alike', async () => {
  // Each letter that has a compatible form with that form: full width, ligatures, circled and raised digits.
  const letters = Array.from({ length: 0xffff }, (_value, code) => String.fromCharCode(code)).filter(
    (letter) => !/[\ud800-\udfff]/.test(letter) && letter.normalize('NFKC') !== letter,
  );
  const titles = letters.flatMap((letter) => [
    `x${letter}`,
    `x${letter.normalize('NFKC')}`,
    `x${letter}\u00ad`,
  ]);
  const teams = titles.map((title, at) => live({ kind: 'team', id: `team_${at}` }, { title }));
  const keys = keysOf(teams);
  expect(keys.length).toBeGreaterThan(3 * 2500);
  const data = Object.fromEntries(keys.map((key, at) => [key, { title: `Team ${at}` }]));
  const tree = await treeOf({ teams: data });
  expect(tree.ofKind('team')).toHaveLength(titles.length);
});
