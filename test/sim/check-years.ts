/** Lives random years; a year that breaks a law is shown as a short story, in shell. */
import fc from 'fast-check';
import { expect } from 'vitest';
import { tries } from '../support/runs.ts';
import { type Lived, live, type Year, years } from './year.ts';

export async function checkYears(count: number, changes: Partial<Year> = {}): Promise<void> {
  const counts = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(years, async (drawn) => {
      const year = { ...drawn, ...changes };
      const lived = await live(year);
      for (const [what, number] of Object.entries(lived.counts))
        counts.set(what, (counts.get(what) ?? 0) + number);
      if (lived.wrong.length > 0) throw new Error(await told(year, lived));
    }),
    // Shrinking is done here: few events tell more than small numbers.
    { ...tries(count), endOnFailure: true },
  );
  // A document at random may contradict itself, but seldom.
  expect(counts.get('begun') ?? 0).toBeGreaterThan(tries(count).numRuns / 2);
  if (tries(count).numRuns >= 20) expect(counts.get('ended') ?? 0).toBeGreaterThan(0);
  expect(counts.get('apply') ?? 0).toBeGreaterThan(tries(count).numRuns);
}

/** Leaves out events as long as the year breaks a law. */
async function told(year: Year, lived: Lived): Promise<string> {
  let shortest = { year, lived };
  if (process.env.OCTAVO_MUTANT !== undefined) return lived.wrong.join('\n');
  for (let at = year.events.length - 1; at >= 0; at -= 1) {
    const events = shortest.year.events.filter((_event, index) => index !== at);
    const shorter = { ...shortest.year, events };
    const again = await live(shorter);
    if (again.wrong.length > 0) shortest = { year: shorter, lived: again };
  }
  const { wrong, story } = shortest.lived;
  return [
    ...wrong,
    '',
    `# The service: octavo serve --seed seed.json --profile ${year.form}   # ${String(year.reading)}`,
    '# The people: for each of ada, bob, runner and the jobs, a clone of one remote',
    ...story,
  ].join('\n');
}
