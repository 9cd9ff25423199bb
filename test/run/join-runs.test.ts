/** Joined runs: no run is counted twice or silently omitted, and unrelated runs are refused. */
import { expect, test } from 'vitest';
import { joinRuns, type NamedRun } from '../../src/run/results/join-runs.ts';
import type { RunStatement } from '../../src/run/results/run-schema.ts';

const none = {
  planned: 0,
  pending: 0,
  notStarted: 0,
  done: 0,
  satisfied: 0,
  failed: 0,
  skipped: 0,
  unknown: 0,
};

/** The run of one shard of three, about one organization. */
function runOf(index: number, more: Partial<RunStatement> = {}): NamedRun {
  const label = `org_${index}`;
  const run: RunStatement = {
    id: `r-${index}`,
    command: 'apply',
    version: '1.0.0',
    startedAt: `2026-01-01T00:0${index}:00.000Z`,
    endedAt: `2026-01-01T01:0${index}:00.000Z`,
    milliseconds: 3_600_000,
    baseUrl: 'https://api.acme.dev',
    shard: { index, of: 3, organizations: 3, split: 'abc' },
    outcome: 'complete',
    exitCode: 0,
    requests: { sent: 10, retried: 1, failed: 0 },
    counts: { ...none, done: 2 },
    organizations: [
      { label, id: label, counts: { ...none, done: 2 }, steps: [], pending: [], duplicates: [] },
    ],
    ...more,
  };
  return { file: `${index}.json`, document: { format: 1, digest: `d${index}`, run } };
}

test('adds up the runs in the order of shards', () => {
  const merged = joinRuns([runOf(3), runOf(1), runOf(2)]);
  expect(merged).toMatchObject({
    outcome: 'complete',
    command: 'apply',
    baseUrl: 'https://api.acme.dev',
    shards: { of: 3, missing: [] },
    counts: { ...none, done: 6 },
  });
  expect(merged.runs.map(({ id, shard, digest }) => [id, shard?.index, digest])).toEqual([
    ['r-1', 1, 'd1'],
    ['r-2', 2, 'd2'],
    ['r-3', 3, 'd3'],
  ]);
  expect(joinRuns([runOf(1), runOf(2), runOf(3)])).toEqual(merged);
});

test('is incomplete if a shard is missing or a run is not complete', () => {
  expect(joinRuns([runOf(1), runOf(3)])).toMatchObject({
    outcome: 'incomplete',
    shards: { of: 3, missing: [2] },
  });
  for (const outcome of ['incomplete', 'refused', 'declined', 'interrupted', 'locked', 'failed'] as const) {
    const all = [runOf(1), runOf(2, { outcome }), runOf(3)];
    expect(joinRuns(all).outcome).toBe('incomplete');
  }
});

test('counts a run that ended before its plan for its shard', () => {
  const { run } = runOf(2).document;
  const { baseUrl: _, ...early } = run;
  const locked: RunStatement = { ...early, shard: { index: 2, of: 3 }, outcome: 'locked', organizations: [] };
  for (const order of [
    [locked, runOf(1).document.run, runOf(3).document.run],
    [runOf(1).document.run, runOf(3).document.run, locked],
  ]) {
    const merged = joinRuns(order.map((run) => ({ file: `${run.id}.json`, document: { format: 1, run } })));
    expect(merged).toMatchObject({
      outcome: 'incomplete',
      shards: { missing: [] },
      baseUrl: 'https://api.acme.dev',
    });
  }
});

function withoutShard({ file, document: { run, ...document } }: NamedRun): NamedRun {
  const { shard: _, ...rest } = run;
  return { file, document: { ...document, run: rest } };
}

test('joins runs without shards', () => {
  const whole = [runOf(1), runOf(2)].map(withoutShard);
  const merged = joinRuns(whole);
  expect(merged.outcome).toBe('complete');
  expect(merged).not.toHaveProperty('shards');
});

test.each<[string, readonly NamedRun[], string]>([
  ['none', [], 'no runs to join'],
  ['the same run', [runOf(1), { ...runOf(1), file: 'copy.json' }], 'are both about run r-1'],
  ['the same shard', [runOf(1), runOf(1, { id: 'r-9' })], 'are both about shard 1/3'],
  [
    'the same organization',
    [runOf(1), runOf(2, { organizations: runOf(1).document.run.organizations })],
    '1.json (run r-1) and 2.json (run r-2) are both about organization org_1',
  ],
  [
    'another command',
    [runOf(1), runOf(2, { command: 'plan' })],
    '1.json is of octavo apply, 2.json is of octavo plan',
  ],
  ['another number of shards', [runOf(1), runOf(2, { shard: { index: 2, of: 4 } })], 'of one of 4 shards'],
  ['no shard', [runOf(1), withoutShard(runOf(2))], 'of no shard'],
  ['another service', [runOf(1), runOf(2, { baseUrl: 'https://b.dev' })], 'of the service https://b.dev'],
  [
    'another split',
    [runOf(1), runOf(2, { shard: { index: 2, of: 3, organizations: 3, split: 'xyz' } })],
    '1.json is of the split abc, 2.json is of the split xyz',
  ],
])('refuses %s', (_, given, message) => {
  expect(() => joinRuns(given)).toThrow(message);
});
