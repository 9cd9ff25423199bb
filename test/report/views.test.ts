/** The tables of formats: each result has the formats of a plan, and each renders. */
import { expect, test } from 'vitest';
import { type FormattedResult, formats } from '../../src/report/formats.ts';
import {
  adoptViews,
  applyViews,
  historyViews,
  matrixViews,
  planViews,
  rehearsalViews,
  reportViews,
  shortDigest,
  validationViews,
} from '../../src/report/views.ts';
import { everything, planOf, resultOf, step } from './plan-samples.ts';

const whole = (pieces: Iterable<string>) => [...pieces].join('');
const options = { color: false, width: 80 };
const digest = 'ab'.repeat(32);
const marked = { plan: everything, marks: { digest, approval: `${digest}.`, version: '1.2.3' } };

test('a plan as text ends with its digest, where there is something to apply', () => {
  expect(whole(planViews.text(marked, options))).toMatch(new RegExp(`\\nDigest: ${shortDigest(digest)}\\n$`));
  expect(whole(planViews.text({ ...marked, plan: planOf({}) }, options))).not.toContain('Digest');
  expect(JSON.parse(whole(planViews.json(marked, options)))).toMatchObject({
    format: 1,
    digest,
    version: '1.2.3',
  });
});

test('what became of a plan: nothing as text where nothing was to be done, always as JSON', () => {
  const done = {
    type: 'done',
    step: step({ address: 'sites/a', action: 'create', phase: 'create' }),
  } as const;
  const result = (outcomes: readonly (typeof done)[]) => ({
    plan: everything,
    digest,
    result: resultOf(outcomes),
  });
  expect(applyViews.text.result(result([]), options)).toBe('');
  expect(applyViews.text.result(result([done]), options)).toMatch(/^\nApplied: 1 created/);
  expect(JSON.parse(applyViews.json.result(result([]), options))).toMatchObject({ complete: true, digest });
  expect(whole(applyViews.text.plan?.(marked, options) ?? [])).toBe(whole(planViews.text(marked, options)));
});

test('what adopt did', () => {
  const adoption = { dryRun: true, pinned: [], skipped: [] };
  expect(adoptViews.text(adoption, options)).toContain('Nothing to pin');
  expect(JSON.parse(adoptViews.json(adoption, options))).toMatchObject({ format: 1, dryRun: true });
});

test('what checking manifests found', () => {
  const found = {
    diagnostics: [],
    sources: new Map([['a.yaml', '']]),
    organizations: 1,
    objects: 2,
    overlays: 0,
  };
  expect(validationViews.text.result(found, options)).toBe('Valid: 1 organization, 2 objects, 1 file.\n');
  expect(JSON.parse(validationViews.json.result(found, options))).toEqual({
    diagnostics: [],
    format: 1,
    valid: true,
  });
  const wrong = {
    ...found,
    diagnostics: [{ severity: 'error', code: 'value', message: 'it is wrong' } as const],
  };
  expect(validationViews.text.result(wrong, options)).toBe('');
  expect(validationViews.text.problems?.(wrong, options)).toContain('error[value]: it is wrong');
});

test('the formats that are offered are those that have a view, text first', () => {
  const tables: Readonly<Record<FormattedResult, object>> = {
    plan: planViews,
    apply: applyViews,
    adoption: adoptViews,
    validation: validationViews,
    history: historyViews,
    rehearsal: rehearsalViews,
    report: reportViews,
    matrix: matrixViews,
  };
  for (const [result, names] of Object.entries(formats)) {
    expect(Object.keys(tables[result as FormattedResult])).toEqual(names);
    expect(names.slice(0, 2)).toEqual(['text', 'json']);
  }
});
