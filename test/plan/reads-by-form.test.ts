/** A plan without changes sends no more requests to a service of the newer form than to one of the document form. */
import { expect, test } from 'vitest';
import type { Form } from '../../src/contract/form.ts';
import { registry } from '../../src/kinds/index.ts';
import { seed, startHarness, treeOf } from '../support/harness.ts';

const books = (title: string, ...keys: readonly string[]) => ({
  title,
  spaces: Object.fromEntries(keys.map((id) => [id, { id }])),
});
const section = (title: string, space: string) => ({ title, spaces: { main: { space: { id: space } } } });

const site = (inside: object) => ({ sites: { hub: { title: 'Hub', ...inside } } });

/** Number of requests to a service of the document form and to one of the newer form. */
const counts: readonly (readonly [string, object, number, number])[] = [
  ['the organization alone', {}, 1, 1],
  ['a site', site({}), 2, 2],
  ['a site without sections', site({ spaces: { main: { space: { id: 'sp_faq' } } } }), 3, 3],
  ['sections', site({ sections: { one: section('One', 'sp_faq') } }), 5, 4],
  [
    'a group',
    site({ sections: { more: { title: 'More', sections: { one: section('One', 'sp_faq') } } } }),
    5,
    4,
  ],
  ['a space', { spaces: { faq: { id: 'sp_faq' } } }, 2, 2],
  ['two spaces', { spaces: { faq: { id: 'sp_faq' }, blog: { id: 'sp_blog' } } }, 3, 2],
  ['a space by title', { spaces: { faq: { title: 'FAQ' } } }, 3, 2],
  ['a collection', { collections: { books: { title: 'Books' } } }, 2, 2],
  ['a collection of one space', { collections: { books: books('Books', 'sp_faq') } }, 3, 3],
  ['a collection of two spaces', { collections: { books: books('Books', 'sp_faq', 'sp_blog') } }, 3, 3],
  [
    'collections of two spaces',
    {
      collections: {
        books: books('Books', 'sp_faq', 'sp_blog'),
        more: books('More', 'sp_guide', 'sp_notes'),
      },
    },
    4,
    4,
  ],
  [
    'collections of one space and of two',
    { collections: { books: books('Books', 'sp_faq', 'sp_blog'), more: books('More', 'sp_guide') } },
    4,
    4,
  ],
  [
    'spaces everywhere',
    { spaces: { notes: { id: 'sp_notes' } }, collections: { books: books('Books', 'sp_faq', 'sp_blog') } },
    4,
    4,
  ],
  ['a team', { teams: { a: { title: 'A', members: { 'bob@acme.dev': 'member' } } } }, 3, 3],
  ['members', { members: { 'bob@acme.dev': { role: 'read' } } }, 2, 2],
  ['a link invite', { linkInvites: { inv_one: { role: 'read' } } }, 2, 2],
  ['a specification', { openapi: { a: { source: { url: 'https://acme.dev/a.json' } } } }, 2, 2],
];

test.each(counts)(
  'sends no more requests at a newer service: %s',
  async (_name, manifest, documented, newer) => {
    const count = async (preset: Form) => {
      const harness = await startHarness(seed, registry, preset);
      const tree = await treeOf(manifest);
      await harness.apply(tree, await harness.plan(tree));
      harness.reads.length = 0;
      expect((await harness.plan(tree)).steps).toEqual([]);
      await harness.close();
      return harness.reads.length;
    };
    expect([await count('document'), await count('2026')]).toEqual([documented, newer]);
    expect(newer).toBeLessThanOrEqual(documented);
  },
);
