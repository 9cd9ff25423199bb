/** The summary of an apply, compared with golden files. */
import { expect, test } from 'vitest';
import { endOf, type Outcome } from '../../src/apply/events.ts';
import { ApiError } from '../../src/contract/api.ts';
import { outcomeLine } from '../../src/report/apply/outcome-line.ts';
import { renderApplyResult } from '../../src/report/apply/text.ts';
import { resultOf, step } from './plan-samples.ts';

const plain = { color: false, width: 80 };
const made = step({ address: 'sites/hub', action: 'create', phase: 'create' });
const set = step({ address: 'sites/hub', action: 'create', phase: 'update' });
const deletion = step({ address: 'teams/old', action: 'delete', phase: 'delete' });
const error = new ApiError('sites.update failed with status 500: out of order', {
  type: 'status',
  operation: 'sites.update',
  method: 'PATCH',
  path: '/v1/orgs/org_1/sites/site_1',
  status: 500,
  attempt: 5,
  mayHaveHappened: true,
});
const at = { file: 'sites.yaml', line: 12, column: 3, endLine: 12, endColumn: 6 };
const failed = { type: 'unknown', step: { ...set, at }, error } as const;

test('prints only the counts if all steps are done', () => {
  const outcomes = [made, set, deletion].map((one) => ({ type: 'done', step: one }) as const);
  const result = resultOf(outcomes);
  expect(renderApplyResult(result, plain)).toBe(
    'Applied: 1 created, 0 updated, 0 moved, 0 replaced, 1 deleted.\n',
  );
});

test('prints failed, skipped and remaining steps', async () => {
  const text = renderApplyResult(
    {
      organizations: [
        {
          label: 'acme',
          steps: [made, set, deletion],
          duplicates: [{ address: 'teams/a', noun: 'team', own: 'team_1', other: 'team_2' }],
          outcomes: [
            { type: 'done', step: made },
            failed,
            { type: 'skipped', step: deletion, because: 'sites/hub#update' },
          ],
          stored: [{ step: made, field: 'title', sent: 'Hub  docs', stored: 'Hub docs' }],
          leftover: [step({ address: 'teams/x', action: 'update', phase: 'update', reason: 'differs' })],
          made: new Map([['sites/hub', 'site_1']]),
          unread: new Error('no connection'),
        },
      ],
      interrupted: false,
    },
    plain,
  );
  await expect(text).toMatchFileSnapshot('golden/apply-incomplete.txt');
});

test('prints an interrupted apply', async () => {
  const outcomes = [
    { type: 'done', step: made },
    { type: 'notStarted', step: set },
  ] as const;
  const stopped = { type: 'interrupted', message: 'interrupted' } as const;
  const result = { ...resultOf(outcomes), interrupted: true, stopped };
  await expect(renderApplyResult(result, plain)).toMatchFileSnapshot('golden/apply-interrupted.txt');
});

test('prints one line per step', () => {
  const lineOf = (outcome: Outcome, final = true) =>
    outcomeLine(outcome.step, { ...endOf(outcome), final }, plain);
  expect(lineOf({ type: 'done', step: made })).toBe('  ✓ sites/hub  created');
  expect(lineOf(failed)).toBe(
    '  ? sites/hub  update unknown: sites.update failed with status 500: out of order (sites.yaml:12:3)',
  );
  expect(lineOf(failed, false)).toContain('  ? sites/hub  update not confirmed: ');
  expect(lineOf({ type: 'notStarted', step: deletion })).toBe('  - teams/old  delete not started');
});
