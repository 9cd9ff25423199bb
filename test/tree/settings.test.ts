/** The schema of settings accepts its own output without changing it. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { settingsSchema } from '../../src/tree/settings.ts';

const schema = settingsSchema(['team', 'site']);
const prune = fc.constantFrom('never', 'removed', 'unlisted');
const limit = fc.option(fc.nat(100));
const settings = fc.record(
  {
    prune,
    pruneKinds: fc.dictionary(fc.constantFrom('team', 'site'), prune),
    limits: fc.record({ deletes: limit, deletePercent: limit, changes: limit }, { requiredKeys: [] }),
    protect: fc.array(fc.string({ minLength: 1 })),
    self: fc.constantFrom('ada@acme.dev', 'Ada@Acme.dev'),
  },
  { requiredKeys: [] },
);

test('parses its own output to the same settings', () => {
  fc.assert(
    fc.property(settings, (given) => {
      const once = schema.parse(given);
      expect(schema.parse(once)).toEqual(once);
      expect(schema.parse(JSON.parse(JSON.stringify(once)))).toEqual(once);
    }),
  );
});

test('has the documented defaults', () => {
  expect(schema.parse({})).toEqual({
    prune: 'removed',
    pruneKinds: {},
    limits: { deletes: 10, deletePercent: 25, changes: null },
    protect: [],
  });
});

test.each([
  [{ prun: 'never' }],
  [{ prune: 'all' }],
  [{ pruneKinds: { teams: 'never' } }],
  [{ limits: { deletes: -1 } }],
  [{ limits: { deletePercent: 101 } }],
  [{ limits: { deletes: 1.5 } }],
  [{ self: 'ada' }],
  [{ protect: [''] }],
])('rejects %j', (given) => {
  expect(schema.safeParse(given).success).toBe(false);
});
