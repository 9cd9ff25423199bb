/**
 * Twins: two workspaces with the same history. In one, a run is cut off at a random request, perhaps twice, and then a person goes on: with the same
 * command, on another machine, with a revert, a corrected commit or an undo. It must end as the other one, whose runs were not
 * disturbed, and what the run did itself is never drift, never refused and never "in the app".
 */
import { appendFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Cut } from '../support/cut-runs.ts';
import { counts, log, story, ways } from '../support/cut-stories.ts';
import { replacingCommits } from '../support/replacements.ts';
import { patience, tries } from '../support/runs.ts';

const cuts = fc.record({
  at: fc.nat(8),
  how: fc.constantFrom('before', 'after', 'lost', 'refused') as fc.Arbitrary<Cut['how']>,
});

test.each(['document', '2026'] as const)(
  'a run that was cut off ends as an undisturbed one, at a service of the form %s',
  { timeout: patience(120_000) },
  async (form) => {
    for (const key of Object.keys(counts)) delete counts[key];
    const found: string[] = [];
    await fc.assert(
      fc.asyncProperty(
        replacingCommits(form),
        cuts,
        fc.constantFrom(...ways),
        // The same command is cut off again.
        fc.option(cuts, { nil: undefined, freq: 2 }),
        async ({ live, older, newer }, cut, way, second) => {
          const corrected = { ...newer, organization: { id: 'org_acme', title: 'Acme, corrected' } };
          const wrong = await story(form, { world: live, older, newer, corrected }, cut, way, second);
          if (log === undefined) expect(wrong).toEqual([]);
          else found.push(...wrong);
        },
      ),
      { ...tries(40), endOnFailure: log !== undefined },
    );
    if (log !== undefined) appendFileSync(log, `\n${form} ${JSON.stringify(counts)}\n`);
    expect(found).toEqual([]);
  },
);
