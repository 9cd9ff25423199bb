/** Journals are written to disk before each request is sent, many entries at a time. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { appendEnding, endedText, JournalWriter } from '../../../src/past/journal/journal-writer.ts';
import { readForeignJournal } from '../../../src/past/journal/read-journal.ts';
import { MemoryJournals } from '../../sim/memory-journals.ts';

const run = 'r-1-0000';
const request = (step: number) => ({
  type: 'request' as const,
  organization: 'acme',
  step: `teams/t${step}#create`,
  call: 0,
  operation: 'teams.create' as const,
  params: { organizationId: 'org_acme' },
});

let store: MemoryJournals;
let writer: JournalWriter;

function open(name: string) {
  const header = {
    run: name,
    command: 'apply',
    version: '0.0.0',
    host: 'here',
    process: { pid: 1 },
    service: 'http://127.0.0.1',
    digest: 'd',
    organizations: [],
    undo: [],
  };
  return JournalWriter.open({ store, now: () => new Date(0) }, header);
}

beforeEach(async () => {
  store = new MemoryJournals();
  writer = await open(run);
  store.flushes = 0;
});
afterEach(async () => void (await writer.end({ outcome: 'complete' })));

const steps = (type: string) =>
  store
    .text(run)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { type: string; step?: string })
    .filter((line) => line.type === type)
    .map(({ step }) => step);

test('a journal that could not be completed is read elsewhere as that of a run that died', async () => {
  const [text] = [store.text(run)];
  for (const cut of ['', '{"type":"step","time":"'])
    expect(
      readForeignJournal(endedText(`${text}${cut}`, new Date(0)), { run, ref: 'r' }).ending?.outcome,
    ).toBe('died');
  await writer.end({ outcome: 'failed' });
  expect(endedText(store.text(run), new Date(0))).toBe(store.text(run));
  writer = await open('r-2-0000');
});

test('writes a request to disk before it may be sent', async () => {
  await writer.add(request(1));
  expect(store.flushes).toBe(1);
  store.crash();
  expect(steps('request')).toEqual(['teams/t1#create']);
});

test('syncs once for all requests of a turn, with earlier responses', async () => {
  await writer.add(request(0));
  store.flushes = 0;
  const sent = Array.from({ length: 16 }, async (_, at) => {
    void writer.add({ ...request(at), type: 'response', outcome: 'done' });
    // The next request of a slot follows a few promises later.
    for (let hop = 0; hop < at; hop += 1) await undefined;
    await writer.add(request(at + 1));
  });
  await Promise.all(sent);
  expect(store.flushes).toBe(1);
  expect(steps('request')).toHaveLength(17);
  expect(steps('response')).toHaveLength(16);
});

test('syncs a second time for all requests that arrive during a sync', async () => {
  const later: Promise<void>[] = [];
  store.onFlush = () => {
    if (later.length > 0) return;
    for (let at = 1; at <= 10; at += 1) later.push(writer.add(request(at)));
    expect(steps('request')).toEqual(['teams/t0#create']);
  };
  await writer.add(request(0));
  await Promise.all(later);
  expect(store.flushes).toBe(2);
  expect(steps('request')).toHaveLength(11);
});

test('writes responses without waiting for a sync', async () => {
  void writer.add({ ...request(1), type: 'response', outcome: 'done' });
  await vi.waitFor(() => expect(steps('response')).toEqual(['teams/t1#create']));
  expect(store.flushes).toBe(0);
});

test('writes nothing after a failure', async () => {
  store.onFlush = () => {
    throw Object.assign(new Error('full'), { code: 'ENOSPC' });
  };
  const failed = [writer.add(request(1)), writer.add(request(2))];
  for (const one of failed) await expect(one).rejects.toThrow('in .octavo/journal: the disk is full');
  store.onFlush = () => undefined;
  await expect(writer.add(request(3))).rejects.toThrow('the disk is full');
  expect(await writer.end({ outcome: 'complete' })).toContain('the disk is full');
  expect(steps('request')).toHaveLength(2);
});

test('stops when another run ended it', async () => {
  appendEnding(store, run, new Date(0));
  await expect(writer.add(request(1))).rejects.toThrow('another run ended it');
});

test('removes the oldest journals, but never its own', async () => {
  for (let at = 0; at < 205; at += 1) store.append(`r-2-${String(at).padStart(4, '0')}`, 'x');
  const other = await open('r-0-0000');
  await other.end({ outcome: 'complete' });
  expect(store.runs()).toHaveLength(201);
  expect(store.runs()).toContain('r-0-0000');
  expect(store.runs()).not.toContain(run);
  await expect(open('r-0-0000')).rejects.toThrow('something else has that name');
});
