import fc from 'fast-check';
import { expect, test } from 'vitest';
import { patience, portion, tries } from '../support/runs.ts';
import { liveRequests, requestYears, shortestOf } from './year-requests.ts';

test('a year of requests ends as main declares, in whatever order, and how often, its jobs run', {
  timeout: patience(600_000),
}, async () => {
  const counts = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(requestYears, async (year) => {
      const lived = await liveRequests(year);
      for (const [what, number] of Object.entries(lived.counts))
        counts.set(what, (counts.get(what) ?? 0) + number);
      if (lived.wrong.length > 0) throw new Error(await shortestOf(year, lived));
    }),
    { ...tries(28), endOnFailure: true },
  );
  const { numRuns } = tries(28);
  expect(counts.get('begun') ?? 0).toBeGreaterThan(numRuns / 2);
  expect(counts.get('merged') ?? 0).toBeGreaterThan(portion(28));
  expect(counts.get('job ended 0') ?? 0).toBeGreaterThan(portion(28));
});
