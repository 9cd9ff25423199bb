/** Every risk and conflict of a plan is on the first screen of each format. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Step } from '../../src/plan/plan.ts';
import { planHtml } from '../../src/report/page/plan-page.ts';
import { planMarkdown } from '../../src/report/plan/markdown.ts';
import { planText } from '../../src/report/plan/text.ts';
import type { ReviewedPlan } from '../../src/review/reviewed-plan.ts';
import { organizationOf, step } from '../report/plan-samples.ts';
import { reviewedSteps } from '../support/harness.ts';

const wide = { color: false, width: 200 };
const marks = { digest: 'ab', approval: 'ab.', version: '0' };

const risk = fc.record(
  {
    text: fc.stringMatching(/^[a-z]{3,9}( [a-z]{2,9}){1,4}$/),
    outside: fc.constant(true as const),
    severe: fc.constant(true as const),
  },
  { requiredKeys: ['text'] },
);

const change = fc.record({
  action: fc.constantFrom('update', 'update', 'delete', 'create'),
  list: fc.constantFrom('teams', 'sites/hub/sections', 'collections/a/spaces'),
  cause: fc.constantFrom('changed', 'drift', 'conflict'),
  risks: fc.array(risk, { maxLength: 3 }),
});

const plans = fc.array(change, { minLength: 1, maxLength: 60 }).map((changes): ReviewedPlan => {
  const steps = changes.map(({ action, list, cause, risks }, at): Step => {
    const field = {
      field: 'title',
      before: 'Live',
      after: 'Wanted',
      cause,
      ...(cause === 'conflict' ? { base: 'Applied' } : {}),
    } as const;
    const fields = action === 'update' ? [field] : [];
    const own = risks.map((one) => (action === 'update' ? { ...one, field: 'title' } : one));
    const given = { address: `${list}/key-${at}`, action, phase: action, fields, risks: own } as const;
    return step(action === 'update' ? given : { ...given, cause: cause === 'drift' ? 'drift' : 'changed' });
  });
  return { format: 1, organizations: [organizationOf({ withBase: true, steps })] };
});

/** The output before its details. */
const firstScreens: Readonly<Record<string, (plan: ReviewedPlan) => string>> = {
  text: (plan) => upTo(joined(planText({ plan, digests: marks }, wide)), /^(?:Changes from|Drift: changed)/m),
  markdown: (plan) => upTo(joined(planMarkdown({ plan, digests: marks }, wide)), /<details>/),
  page: (plan) =>
    upTo(joined(planHtml({ plan, digests: marks }, wide)), / id="!changes"/)
      .replaceAll(/<[^>]*>/g, ' ')
      .replaceAll('&#34;', '"'),
};

function joined(pieces: Iterable<string> | string): string {
  return [...pieces].join('');
}

function upTo(text: string, end: RegExp): string {
  return text.slice(0, end.exec(text)?.index ?? text.length);
}

const plain = (text: string) => text.replace(/\\/g, '').replace(/\s+/g, ' ');

test.each(Object.keys(firstScreens))('shows every risk and conflict on the first screen of %s', (format) => {
  fc.assert(
    fc.property(plans, (plan) => {
      const screen = plain(firstScreens[format]?.(plan) ?? '');
      for (const { risks, fields } of plan.organizations.flatMap(reviewedSteps)) {
        for (const { text } of risks) expect(screen).toContain(text);
        if (fields.some(({ cause }) => cause === 'conflict'))
          expect(screen).toContain('conflict in title: applied "Applied", live "Live", wanted "Wanted"');
      }
    }),
    { numRuns: 60 },
  );
});

test.each(['markdown', 'page'])('names on the first screen of %s what is not in the plan', (format) => {
  const steps = [step({ address: 'teams/a', action: 'update', phase: 'update', cause: 'changed' })];
  const leftOut = { target: ['teams/a'], objects: 72, changes: 2, drift: 1, ignoredFields: 0 };
  const plan = { format: 1, organizations: [organizationOf({ withBase: true, steps, leftOut })] } as const;
  const screen = plain(firstScreens[format]?.(plan) ?? '');
  expect(screen).toContain('only teams/a and dependencies (72 declared objects left out).');
  expect(screen).toContain('Left out: changes of 2 objects or more (targets), 1 difference (drift).');
});
