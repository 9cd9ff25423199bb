/** Joined reports: nothing is counted twice, nothing is left out in silence, and strangers are refused. */
import { expect, test } from 'vitest';
import { mergeReports, type NamedReport } from '../../src/run/run-report/merge.ts';
import type { RunReport } from '../../src/run/run-report/schema.ts';

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

/** The report of one shard of three, about one organization. */
function reportOf(index: number, more: Partial<RunReport> = {}): NamedReport {
  const label = `org_${index}`;
  const report: RunReport = {
    format: 1,
    run: `r-${index}`,
    command: 'apply',
    version: '1.0.0',
    startedAt: `2026-01-01T00:0${index}:00.000Z`,
    endedAt: `2026-01-01T01:0${index}:00.000Z`,
    milliseconds: 3_600_000,
    baseUrl: 'https://api.acme.dev',
    shard: { index, of: 3, organizations: 3, split: 'abc' },
    digest: `d${index}`,
    outcome: 'complete',
    exitCode: 0,
    errors: [],
    requests: { sent: 10, retried: 1, failed: 0 },
    counts: { ...none, done: 2 },
    organizations: [{ label, id: label, counts: { ...none, done: 2 }, steps: [], pending: [], twins: [] }],
    ...more,
  };
  return { file: `${index}.json`, report };
}

test('adds up, in the order of shards and labels, whatever the order of the files', () => {
  const merged = mergeReports([reportOf(3), reportOf(1), reportOf(2)]);
  expect(merged).toMatchObject({
    outcome: 'complete',
    command: 'apply',
    baseUrl: 'https://api.acme.dev',
    startedAt: '2026-01-01T00:01:00.000Z',
    endedAt: '2026-01-01T01:03:00.000Z',
    shards: { of: 3, missing: [] },
    requests: { sent: 30, retried: 3, failed: 0 },
    counts: { ...none, done: 6 },
  });
  expect(merged.runs.map(({ run, shard, digest }) => [run, shard, digest])).toEqual([
    ['r-1', 1, 'd1'],
    ['r-2', 2, 'd2'],
    ['r-3', 3, 'd3'],
  ]);
  expect(merged.organizations.map(({ label }) => label)).toEqual(['org_1', 'org_2', 'org_3']);
  expect(mergeReports([reportOf(1), reportOf(2), reportOf(3)])).toEqual(merged);
});

test('a missing shard and a run that is not complete make the whole incomplete', () => {
  expect(mergeReports([reportOf(1), reportOf(3)])).toMatchObject({
    outcome: 'incomplete',
    shards: { of: 3, missing: [2] },
  });
  for (const outcome of ['incomplete', 'refused', 'declined', 'interrupted', 'locked', 'failed'] as const) {
    const all = [reportOf(1), reportOf(2, { outcome }), reportOf(3)];
    expect(mergeReports(all).outcome).toBe('incomplete');
  }
});

test('a run that ended before it had a plan belongs to its shard all the same', () => {
  const { report } = reportOf(2);
  const { baseUrl: _, digest: __, ...early } = report;
  const locked: RunReport = { ...early, shard: { index: 2, of: 3 }, outcome: 'locked', organizations: [] };
  for (const order of [
    [locked, reportOf(1).report, reportOf(3).report],
    [reportOf(1).report, reportOf(3).report, locked],
  ]) {
    const merged = mergeReports(order.map((one) => ({ file: `${one.run}.json`, report: one })));
    expect(merged).toMatchObject({
      outcome: 'incomplete',
      shards: { missing: [] },
      baseUrl: 'https://api.acme.dev',
    });
  }
});

test('reports of runs that were not split are joined as well', () => {
  const whole = [reportOf(1), reportOf(2)].map(({ file, report: { shard: _, ...report } }) => ({
    file,
    report,
  }));
  const merged = mergeReports(whole);
  expect(merged.outcome).toBe('complete');
  expect(merged).not.toHaveProperty('shards');
});

test.each<[string, readonly NamedReport[], string]>([
  ['none', [], 'no reports to join'],
  ['the same run', [reportOf(1), { ...reportOf(1), file: 'copy.json' }], 'are both about run r-1'],
  ['the same shard', [reportOf(1), reportOf(1, { run: 'r-9' })], 'are both about shard 1/3'],
  [
    'the same organization',
    [reportOf(1), reportOf(2, { organizations: reportOf(1).report.organizations })],
    '1.json (run r-1) and 2.json (run r-2) are both about organization org_1',
  ],
  [
    'another command',
    [reportOf(1), reportOf(2, { command: 'plan' })],
    '1.json is of octavo apply, 2.json is of octavo plan',
  ],
  [
    'another number of shards',
    [reportOf(1), reportOf(2, { shard: { index: 2, of: 4 } })],
    'of one of 4 shards',
  ],
  [
    'no shard',
    [reportOf(1), { file: 'x', report: (({ shard: _, ...rest }) => rest)(reportOf(2).report) }],
    'of no shard',
  ],
  [
    'another service',
    [reportOf(1), reportOf(2, { baseUrl: 'https://b.dev' })],
    'of the service https://b.dev',
  ],
  [
    'another split',
    [reportOf(1), reportOf(2, { shard: { index: 2, of: 3, organizations: 3, split: 'xyz' } })],
    '1.json is of the split abc, 2.json is of the split xyz',
  ],
])('refuses %s', (_, given, message) => {
  expect(() => mergeReports(given)).toThrow(message);
});
