/** Lists of runs: the parts that fit a line, and a table without spreadsheet formulas. */
import { expect, test } from 'vitest';
import type { HistoryRun } from '../../src/past/history/history.ts';
import { asText } from '../../src/report/blocks.ts';
import { historyCsv, historyReport } from '../../src/report/results/history.ts';
import { csvText } from '../../src/report/text/csv.ts';

const run: HistoryRun = {
  run: 'r-mdlq2v9k-03faaf30',
  time: '2026-11-21T09:30:00.000Z',
  command: 'apply',
  organizations: ['org_acme'],
  state: 'complete',
  digest: 'd'.repeat(64),
  isRecorded: true,
  who: { actor: 'ada', account: 'deploy@acme.dev' },
  approval: { type: 'approved', digest: 'a'.repeat(64) },
  exemptions: [{ rule: '=cmd|x', by: 'bob', why: 'a "brand"', address: 'teams/docs' }],
};

const shown = (width: number) =>
  asText(historyReport)({ folder: 'f', runs: [run], unreadable: [] }, { color: false, width }).trimEnd();

test('ends a line with actor and approval if they fit', () => {
  const line = 'r-mdlq2v9k-03faaf30  2026-11-21 09:30:00  apply  complete  org_acme, recorded';
  expect(shown(40)).toBe(line);
  expect(shown(80)).toBe(line);
  expect(shown(90)).toBe(`${line}, 1 exemption`);
  expect(shown(100)).toBe(`${line}, 1 exemption, by ada`);
  expect(shown(110)).toBe(`${line}, 1 exemption, by ada, approved`);
});

test('writes CSV with one row per run and doubled quotes', () => {
  const [header, row, ...rest] = historyCsv({ folder: 'f', runs: [run], unreadable: [] }).split('\r\n');
  expect(header).toBe(
    'time,run,command,state,organizations,actor,account,commit,approval,approved,digest,exemptions',
  );
  expect(row).toBe(
    `2026-11-21T09:30:00.000Z,r-mdlq2v9k-03faaf30,apply,complete,org_acme,ada,deploy@acme.dev,,approved,${'a'.repeat(64)},${'d'.repeat(64)},"'=cmd|x on teams/docs, by bob: a ""brand"""`,
  );
  expect(rest).toEqual(['']);
});

test.each([
  ['=1+1', "'=1+1"],
  ['+1', "'+1"],
  ['-1', "'-1"],
  ['@SUM(A1)', "'@SUM(A1)"],
  [' =1', "' =1"],
  ['＝1', "'＝1"],
  ['\t=1', "'\\t=1"],
  ['a=1', 'a=1'],
  ['a,b', '"a,b"'],
  ['two\nlines', 'two\\nlines'],
  ['\u001b[31mred', '\\u{1b}[31mred'],
])('makes the CSV cell %j harmless', (text, cell) => {
  expect(csvText(['a'], [{ a: text }])).toBe(`a\r\n${cell}\r\n`);
});
