/** What is said while a command waits, where there is no terminal to show a spinner on. */
import { Writable } from 'node:stream';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Output } from '../../src/cli/output.ts';
import { Traffic } from '../../src/cli/traffic.ts';
import type { RequestEvent } from '../../src/client/client.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function output(quiet = false) {
  let written = '';
  const stream = () =>
    new Writable({
      write: (chunk, _encoding, done) => {
        written += String(chunk);
        done();
      },
    });
  const made = new Output({ stdout: stream(), stderr: stream() }, { quiet, verbose: false, env: {} });
  return { output: made, written: () => written };
}

test('a line every ten seconds, with the reason, until it is over', async () => {
  const { output: out, written } = output();
  const progress = await out.progress('Reading the live state');
  vi.advanceTimersByTime(9_999);
  expect(written()).toBe('');
  progress.update('Reading the live state: one');
  let status: string | undefined = '12 requests done; throttled by the service, next request in 2 s';
  out.follow(() => status);
  vi.advanceTimersByTime(1);
  expect(written()).toBe(
    'Reading the live state: one (12 requests done; throttled by the service, next request in 2 s)\n',
  );
  status = undefined;
  vi.advanceTimersByTime(10_000);
  expect(written()).toMatch(/\nReading the live state: one\n$/);
  const before = written();
  progress.stop();
  vi.advanceTimersByTime(60_000);
  expect(written()).toBe(before);
});

test('nothing with --quiet', async () => {
  const { output: out, written } = output(true);
  await out.progress('Reading the live state');
  vi.advanceTimersByTime(60_000);
  expect(written()).toBe('');
});

test('how many requests are done, what throttles them, and until when', () => {
  let now = 0;
  const traffic = new Traffic(() => now);
  const event = {
    operation: 'orgs.list',
    method: 'GET',
    path: '/v1/orgs',
    query: '',
    failed: false,
    attempt: 1,
    milliseconds: 1,
  } as const;
  const record = (more: Pick<RequestEvent, 'outcome' | 'retryInMs'>) => traffic.record({ ...event, ...more });
  expect(traffic.describe({})).toBe(undefined);
  expect(traffic.describe({ perSecond: 5, limitedBy: 'user' })).toBe(
    '0 requests done; limited to 5 requests/s by --max-rps',
  );
  record({ outcome: 200 });
  expect(traffic.describe({})).toBe('1 request done');
  record({ outcome: 'connection', retryInMs: 3500 });
  expect(traffic.describe({})).toBe('1 request done; failed: connection, retry in 4 s');
  record({ outcome: 503, retryInMs: 800 });
  expect(traffic.describe({})).toBe('1 request done; throttled by the service, retry in 1 s');
  expect(traffic.describe({ pausedUntil: 12_000 })).toBe(
    '1 request done; throttled by the service, next request in 12 s',
  );
  expect(traffic.describe({ perSecond: 19.6, limitedBy: 'service' })).toBe(
    '1 request done; throttled by the service, about 20 requests/s',
  );
  now = 900;
  expect(traffic.describe({})).toBe('1 request done');
});

test('lines about what is under way are written together, and before whatever is written later', async () => {
  const pieces: string[] = [];
  const stream = () =>
    new Writable({
      write: (chunk, _encoding, done) => {
        pieces.push(String(chunk));
        done();
      },
    });
  const out = new Output({ stdout: stream(), stderr: stream() }, { quiet: false, verbose: false, env: {} });
  const progress = await out.progress('Applying');
  const lines = Array.from({ length: 100 }, (_, at) => `team ${at}`);
  for (const line of lines) progress.line(line);
  expect(pieces).toEqual([]);
  vi.advanceTimersByTime(50);
  expect(pieces).toEqual([`${lines.join('\n')}\n`]);
  progress.line('one');
  out.error('Interrupted.');
  progress.line('two');
  out.result('the result\n');
  progress.line('three');
  progress.stop();
  expect(pieces.slice(1)).toEqual(['one\n', 'Interrupted.\n', 'two\n', 'the result\n', 'three\n']);
});
