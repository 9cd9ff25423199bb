import fc from 'fast-check';
import { expect, test } from 'vitest';
import { patience, tries } from '../support/runs.ts';
import { live, years } from './year.ts';

test('a year of a team keeps every law', { timeout: patience(600_000) }, async () => {
  await fc.assert(
    fc.asyncProperty(years, async (year) => {
      const { wrong, story } = await live(year);
      expect(wrong, story.join('\n')).toEqual([]);
    }),
    { ...tries(100), endOnFailure: false },
  );
});
