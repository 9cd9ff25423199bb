/** What is said while a command waits, where there is no terminal to show a spinner on. */
import { Writable } from 'node:stream';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Output } from '../../src/cli/output.ts';

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
  progress.update('Reading the live state: 12 requests');
  out.waitsFor('throttled by the service, retry in 2 s');
  vi.advanceTimersByTime(1);
  expect(written()).toBe('Reading the live state: 12 requests (throttled by the service, retry in 2 s)\n');
  out.waitsFor(undefined);
  vi.advanceTimersByTime(10_000);
  expect(written()).toMatch(/\nReading the live state: 12 requests\n$/);
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
