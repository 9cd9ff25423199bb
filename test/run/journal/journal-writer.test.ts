/** Journals are written to disk before each request is sent, many entries at a time. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { JournalFolder } from '../../../src/run/journal/journal-folder.ts';
import { JournalWriter } from '../../../src/run/journal/journal-writer.ts';

const run = 'r-1-0000';
const entry = (step: number) => ({
  organization: 'acme',
  step: `teams/t${step}#create`,
  call: 0,
  operation: 'teams.create' as const,
  params: { organizationId: 'org_acme' },
});

let cwd: string;
let folder: JournalFolder;
let writer: JournalWriter;
let synced: ReturnType<typeof vi.spyOn>;

beforeEach(async () => {
  cwd = mkdtempSync(join(tmpdir(), 'octavo-journal-'));
  folder = new JournalFolder(cwd);
  const header = {
    run,
    command: 'apply',
    version: '0.0.0',
    host: 'here',
    process: { pid: 1 },
    service: 'http://127.0.0.1',
    digest: 'd',
    organizations: [],
    undo: [],
  };
  writer = await JournalWriter.open(folder, header as never, () => new Date(0));
  const any = await open(folder.fileOf(run), 'r');
  synced = vi.spyOn(Object.getPrototypeOf(any) as FileHandle, 'datasync');
  await any.close();
});
afterEach(async () => {
  vi.restoreAllMocks();
  await writer.end({}, { outcome: 'complete' });
  rmSync(cwd, { recursive: true });
});

const steps = (type: string) =>
  readFileSync(folder.fileOf(run), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { type: string; step?: string })
    .filter((line) => line.type === type)
    .map(({ step }) => step);

test('writes a request to disk before it may be sent', async () => {
  await writer.request(entry(1));
  expect(steps('request')).toEqual(['teams/t1#create']);
  expect(synced).toHaveBeenCalledTimes(1);
});

test('syncs once for all requests of a turn, with earlier responses', async () => {
  await writer.request(entry(0));
  synced.mockClear();
  const sent = Array.from({ length: 16 }, async (_, at) => {
    writer.response({ ...entry(at), outcome: 'done' });
    // The next request of a slot follows a few promises later.
    for (let hop = 0; hop < at; hop += 1) await undefined;
    await writer.request(entry(at + 1));
  });
  await Promise.all(sent);
  expect(synced).toHaveBeenCalledTimes(1);
  expect(steps('request')).toHaveLength(17);
  expect(steps('response')).toHaveLength(16);
});

test('syncs a second time for all requests that arrive during a sync', async () => {
  let isBusy = false;
  synced.mockImplementation(async () => {
    if (isBusy) return;
    isBusy = true;
    for (let at = 1; at <= 10; at += 1) later.push(writer.request(entry(at)));
    expect(steps('request')).toEqual(['teams/t0#create']);
  });
  const later: Promise<void>[] = [];
  await writer.request(entry(0));
  await Promise.all(later);
  expect(synced).toHaveBeenCalledTimes(2);
  expect(steps('request')).toHaveLength(11);
});

test('writes responses without waiting for a sync', async () => {
  writer.response({ ...entry(1), outcome: 'done' });
  await vi.waitFor(() => expect(steps('response')).toEqual(['teams/t1#create']));
  expect(synced).not.toHaveBeenCalled();
});
