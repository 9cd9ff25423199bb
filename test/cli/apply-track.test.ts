/** The progress lines of an apply: aligned, with result and duration, and cut only on narrow terminals. */
import { expect, test } from 'vitest';
import { type ApplyEvent, endOf, type Outcome } from '../../src/apply/events.ts';
import { ApplyTrack } from '../../src/cli/apply/track.ts';
import type { Step } from '../../src/plan/plan.ts';
import { organizationOf, planOf, step } from '../report/plan-samples.ts';

const steps = [
  step({
    address: 'teams/writers',
    action: 'create',
    phase: 'create',
    calls: [
      { operation: 'teams.list', params: {}, find: { title: 'W' } },
      { operation: 'teams.create', params: {} },
    ],
  }),
  step({
    address: 'sites/developer-hub/sections/guides',
    action: 'update',
    phase: 'update',
    fields: [{ field: 'title', after: 'Guides' }],
    calls: [{ operation: 'sections.update', params: {} }],
  }),
  step({
    address: 'sites/status',
    action: 'delete',
    phase: 'delete',
    calls: [{ operation: 'sites.delete', params: {} }],
  }),
];
const [create, update, remove] = steps as [Step, Step, Step];

function tracked(width: number | undefined, plan = planOf({ label: 'Acme', steps })) {
  let time = 0;
  const track = new ApplyTrack(plan, { now: () => time, color: false, width });
  const after = (milliseconds: number, event: ApplyEvent) => {
    time += milliseconds;
    return track.take(event);
  };
  const organization = 'Acme';
  const start = (one: Step) => after(0, { type: 'start', organization, step: one.id });
  const end = (milliseconds: number, outcome: Outcome, final = true) =>
    after(milliseconds, { type: 'step', organization, ...endOf(outcome), final });
  return { track, start, end };
}

const failed = (one: Step): Outcome => ({
  type: 'failed',
  step: one,
  error: new Error('409 site is in use'),
});

test.each([
  [
    undefined,
    [
      '  ✓ teams/writers                        created         0.2 s',
      '  ✓ sites/developer-hub/sections/guides  title updated   1.0 s',
    ],
  ],
  [
    80,
    [
      '  ✓ teams/writers                        created         0.2 s',
      '  ✓ sites/developer-hub/sections/guides  title updated   1.0 s',
    ],
  ],
  [40, ['  ✓ teams/writers  created         0.2 s', '  ✓ …tions/guides  title updated   1.0 s']],
])('formats lines for %s columns, and never cuts an error', (width, lines) => {
  const { track, start, end } = tracked(width);
  expect(track.head).toBe('Applying to Acme (org_acme)   3 changes, 3 requests');
  start(create);
  expect(track.state()).toEqual({ text: 'Applying', counts: '0 of 3 changes', detail: 'teams/writers' });
  const first = end(200, { type: 'done', step: create });
  start(update);
  expect([first, end(1000, { type: 'done', step: update })]).toEqual(lines);
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(width ?? 80);
  start(remove);
  // A reason is never cut.
  expect(end(2900, failed(remove))).toMatch(/^ {2}✗ sites\/status +delete failed: 409 site is in use$/);
  expect(track.state().counts).toBe('3 of 3 changes');
  expect(track.ending({ interrupted: false })).toBe('Finished in 4.1 s');
  expect(track.ending({ interrupted: true })).toBe('Stopped after 4.1 s');
});

test('estimates the remaining time after three changes', () => {
  const many = Array.from({ length: 13 }, (_, at) =>
    step({ address: `teams/t${at}`, action: 'create', phase: 'create' }),
  );
  const { track, end } = tracked(undefined, planOf({ label: 'Acme', steps: many }));
  for (const one of many.slice(0, 2)) end(1500, { type: 'done', step: one });
  expect(track.state().counts).toBe('2 of 13 changes');
  end(0, { type: 'done', step: many[2] as Step });
  expect(track.state().counts).toBe('3 of 13 changes, about 10 s left');
});

test('counts a change after its last step, and prints one line if it is not confirmed', () => {
  const second = { ...create, id: 'second', phase: 'update' as const };
  const { track, end } = tracked(undefined, planOf({ label: 'Acme', steps: [create, second] }));
  end(0, { type: 'done', step: create });
  expect(track.state().counts).toBe('0 of 1 change');
  expect(end(0, failed(second), false)).toContain('? teams/writers  update not confirmed: 409');
  expect(end(0, failed(second))).toBe(undefined);
  expect(track.state().counts).toBe('1 of 1 change');
});

test('counts organizations in the heading, which an empty plan does not have', () => {
  const organizations = ['a', 'b'].map((label) => organizationOf({ label, steps: [create] }));
  expect(tracked(undefined, { format: 1, organizations }).track.head).toBe(
    'Applying to 2 organizations   2 changes, 2 requests',
  );
  expect(tracked(undefined, planOf({})).track.head).toBe(undefined);
});
