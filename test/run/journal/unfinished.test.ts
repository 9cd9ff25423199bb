/** Unfinished runs of a folder: the last line of a complete run is enough. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { JournalEnding } from '../../../src/past/journal/entry.ts';
import { JournalFolder } from '../../../src/past/journal/journal-folder.ts';
import { JournalWriter } from '../../../src/past/journal/journal-writer.ts';
import { unfinishedRuns } from '../../../src/past/journal/unfinished.ts';

const service = 'http://127.0.0.1';
let cwd: string;
let folder: JournalFolder;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'octavo-journal-'));
  folder = new JournalFolder(cwd);
});
afterEach(() => rmSync(cwd, { recursive: true }));

interface Ended extends Pick<JournalEnding, 'outcome' | 'leftover'> {
  readonly undoes?: string;
}

async function write(run: string, ended: Ended['outcome'] | Ended, label = 'acme', to = service) {
  const { undoes, outcome, ...ending }: Ended = typeof ended === 'string' ? { outcome: ended } : ended;
  const header = {
    run,
    ...(undoes === undefined ? {} : { undoes }),
    command: 'apply',
    version: '0.0.0',
    host: 'here',
    process: { pid: 1 },
    service: to,
    digest: 'd',
    organizations: [{ label, organizationId: `org_${label}`, ids: {}, steps: [] }],
    undo: [],
  };
  const writer = await JournalWriter.open({ store: folder, now: () => new Date(0) }, header as never, ending);
  // More than one read from the end of a file.
  for (let at = 0; at < 5000; at += 1)
    void writer.add({ type: 'start', organization: label, step: `teams/t${at}#create` });
  await writer.end({ outcome });
}

const rewrite = (run: string, edit: (lines: string[]) => readonly string[]) =>
  writeFileSync(
    folder.fileOf(run),
    edit(readFileSync(folder.fileOf(run), 'utf8').trimEnd().split('\n')).join('\n'),
  );

function unfinished(recorded?: string) {
  const machine = { host: 'here', process: { pid: 1 }, isRunning: () => false } as never;
  const source = { store: folder, service, machine, now: () => new Date(0) };
  const since = new Map([['acme', recorded]]);
  return unfinishedRuns(source, [{ label: 'acme' }, { label: 'globex' }], { since }).runs;
}

/** Organizations with runs that count. */
function open(): readonly string[] {
  return [...unfinished().keys()];
}

/** Runs of the organization that count, newest first. */
function openRuns(recorded?: string): readonly string[] {
  return (unfinished(recorded).get('acme') ?? []).map(({ header }) => header.run);
}

test('keeps runs whose work a complete run left over, until no plan names them', async () => {
  await write('r-1-00000000', 'failed');
  await write('r-2-00000000', 'failed');
  await write('r-3-00000000', { outcome: 'complete', leftover: { acme: ['r-1-00000000', 'r-2-00000000'] } });
  // The third is not recorded, so its own work is not in the base.
  expect(openRuns()).toEqual(['r-3-00000000', 'r-2-00000000', 'r-1-00000000']);
  await write('r-4-00000000', { outcome: 'complete', leftover: { acme: ['r-1-00000000'] } });
  expect(openRuns()).toEqual(['r-4-00000000', 'r-3-00000000', 'r-1-00000000']);
  await write('r-5-00000000', 'failed');
  expect(openRuns()).toEqual(['r-5-00000000', 'r-4-00000000', 'r-3-00000000', 'r-1-00000000']);
  await write('r-6-00000000', 'complete');
  expect(openRuns()).toEqual([]);
});

test('keeps complete runs that are later than the record, since their end may have been cut off', async () => {
  await write('r-1-00000000', 'complete');
  await write('r-2-00000000', 'failed');
  await write('r-3-00000000', 'complete');
  await write('r-4-00000000', { outcome: 'complete', undoes: 'r-1-00000000' });
  expect(openRuns('r-2-00000000')).toEqual(['r-3-00000000']);
  expect(openRuns('r-3-00000000')).toEqual([]);
  expect(openRuns()).toEqual([]);
});

test('ends with an undo only the run that it undoes, and earlier undos of it', async () => {
  await write('r-1-00000000', 'failed');
  await write('r-2-00000000', 'failed');
  await write('r-3-00000000', { outcome: 'failed', undoes: 'r-2-00000000' });
  await write('r-4-00000000', { outcome: 'complete', undoes: 'r-2-00000000' });
  expect(openRuns()).toEqual(['r-1-00000000']);
});

test('lists a failed run until the same organization and service have a complete one', async () => {
  await write('r-1-00000000', 'failed');
  await write('r-2-00000000', 'failed', 'globex');
  await write('r-3-00000000', 'complete', 'globex', 'http://elsewhere');
  expect(open()).toEqual(['globex', 'acme']);
  await write('r-4-00000000', 'complete', 'globex');
  expect(open()).toEqual(['acme']);
  await write('r-5-00000000', 'complete');
  expect(open()).toEqual([]);
});

test('reads only the last line of a complete run', async () => {
  await write('r-1-00000000', 'failed');
  await write('r-2-00000000', 'complete');
  rewrite('r-2-00000000', (lines) => ['damaged', ...lines.slice(1)]);
  expect(open()).toEqual([]);
});

test('does not treat a truncated last line as the end of a run', async () => {
  await write('r-1-00000000', 'failed');
  await write('r-2-00000000', 'complete');
  rewrite('r-2-00000000', (lines) => [...lines.slice(0, -1), lines.at(-1)?.slice(0, -9) ?? '']);
  expect(open()).toEqual(['acme']);
});
