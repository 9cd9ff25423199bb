/** Each query of the store uses an index: none reads all rows, or all rows of a kind. */
import { createRequire } from 'node:module';
import type Database from 'libsql';
import { expect, test } from 'vitest';
import { countSpacesQuery, sliceQuery, taggedQuery } from '../../src/server/store/slice.ts';
import { schema } from '../../src/server/store/store.ts';

const Sqlite = createRequire(import.meta.url)('libsql') as typeof Database;
const db = new Sqlite(':memory:');
db.exec(schema);

const open = { type: 'open', org: 'org' } as const;
const all = { type: 'all' } as const;

test.each([
  ['tagged site-spaces', taggedQuery('siteSpace')],
  ['tagged providers', taggedQuery('saml')],
  ['count of all spaces', countSpacesQuery('org', all).sql],
  ['count of open spaces', countSpacesQuery('org', open).sql],
  ['children', sliceQuery('site', 'org', { limit: 1 }).sql],
  ['children after one', sliceQuery('site', 'org', { limit: 1, after: [1, 'a'], descending: true }).sql],
  ['open children', sliceQuery('space', 'col', { limit: 1, seen: open }).sql],
  ['open spaces of an owner', sliceQuery('space', 'org', { limit: 1, byOwner: true, seen: open }).sql],
  ['by the second order', sliceQuery('member', 'org', { limit: 1, byAlt: true, tag: 'admin' }).sql],
  ['sites of a space', sliceQuery('site', 'org', { limit: 1, space: 'sp' }).sql],
])('uses an index for %s', (_name, sql) => {
  const values = Array.from(sql.matchAll(/\?/g), () => 'x');
  const plan = db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(values) as { detail: string }[];
  const steps = plan.map(({ detail }) => detail);
  expect(steps.filter((step) => /^SCAN (rows|held|nested)/.test(step))).toEqual([]);
  expect(steps.filter((step) => /rows_id \(kind=\?\)$/.test(step))).toEqual([]);
  expect(
    steps.some((step) => /(parent|owner|tag)=\?/.test(step)),
    steps.join('; '),
  ).toBe(true);
});
