/** Progress messages while a command waits, with and without a terminal. */
import { Writable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Output } from '../../src/cli/world/output.ts';
import { Traffic } from '../../src/cli/world/traffic.ts';
import type { RequestEvent } from '../../src/client/client.ts';
import type { Pace } from '../../src/client/pacing.ts';
import { displayWidth } from '../../src/report/text/safe-text.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const start = Date.UTC(2026, 10, 22, 6, 30);

function output(quiet = false) {
  let written = '';
  const stream = () =>
    new Writable({
      write: (chunk, _encoding, done) => {
        written += String(chunk);
        done();
      },
    });
  const options = { quiet, verbose: false, env: {}, now: () => Date.now() };
  const made = new Output({ stdout: stream(), stderr: stream() }, options);
  return { output: made, written: () => written };
}

test.each([
  ['60', undefined, 60],
  ['60', 120, 120],
  ['0', undefined, 100],
  ['7', undefined, 100],
  ['wide', undefined, 100],
  [undefined, undefined, 100],
])('determines the width with COLUMNS=%s and a terminal of %s columns', (COLUMNS, columns, width) => {
  const stream = Object.assign(new Writable(), columns === undefined ? {} : { columns });
  const options = { quiet: false, verbose: false, env: { COLUMNS }, now: () => Date.now() };
  const made = new Output({ stdout: stream, stderr: stream }, options);
  expect([made.width, made.errorWidth]).toEqual([width, width]);
});

const request = {
  operation: 'orgs.list',
  method: 'GET',
  path: '/v1/orgs',
  query: '',
  failed: false,
  attempt: 1,
  milliseconds: 20,
  outcome: 200,
} as const;

function trafficAt(pace: () => Pace = () => ({})) {
  const traffic = new Traffic({ now: () => Date.now(), pace });
  return {
    traffic,
    record: (more: Partial<RequestEvent> = {}) => traffic.record({ ...request, ...more }),
  };
}

test('prints a line with counts and reason every ten seconds until progress stops', async () => {
  vi.setSystemTime(start);
  const { output: out, written } = output();
  const progress = await out.progress('Reading the live state');
  let pace: Pace = {};
  const { traffic, record } = trafficAt(() => pace);
  out.follow(traffic);
  vi.advanceTimersByTime(9_999);
  expect(written()).toBe('');
  for (let count = 0; count < 1800; count += 1) record({ objects: 6 });
  pace = { pausedUntil: start + 12_000 };
  vi.advanceTimersByTime(1);
  expect(written()).toBe(
    '2026-11-22T06:30:10Z Reading the live state: throttled, retry in 2 s; 1,800 requests, 180/s, 10,800 objects\n',
  );
  pace = {};
  progress.update({ text: 'Applying', counts: '3 of 8 changes, about 9 s left', detail: 'teams/docs' });
  vi.advanceTimersByTime(10_000);
  expect(written()).toMatch(
    /\n2026-11-22T06:30:20Z Applying: 3 of 8 changes, about 9 s left, 90 requests\/s; teams\/docs\n$/,
  );
  const before = written();
  progress.stop();
  vi.advanceTimersByTime(60_000);
  expect(written()).toBe(before);
});

/** A terminal that records its lines. */
class Terminal extends Writable {
  readonly isTTY = true;
  readonly columns: number;
  readonly lines: string[] = [''];

  constructor(columns: number) {
    super();
    this.columns = columns;
  }

  cursorTo = () => true;
  moveCursor = () => true;
  clearLine = () => {
    this.lines[this.lines.length - 1] = '';
    return true;
  };

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    const [first = '', ...rest] = stripVTControlCharacters(chunk.toString('utf8')).split('\n');
    this.lines[this.lines.length - 1] += first;
    for (const line of rest) this.lines.push(line);
    done();
  }
}

test.each([
  [40, '⠋ Applying: throttled, retry in 2 s; 3…'],
  [80, '⠋ Applying: throttled, retry in 2 s; 3 of 12 changes; sites/developer-hub/sect…'],
  [120, '⠋ Applying: throttled, retry in 2 s; 3 of 12 changes; sites/developer-hub/sections/guides'],
])('updates one line that fits a terminal of %i columns, below other messages', async (columns, line) => {
  vi.setSystemTime(start);
  const [stderr, stdout] = [new Terminal(columns), new Terminal(columns)];
  const options = { quiet: false, verbose: false, env: {}, now: () => Date.now(), color: false };
  const out = new Output({ stdout, stderr }, options);
  const { traffic } = trafficAt(() => ({ pausedUntil: start + 2000 }));
  out.follow(traffic);
  const progress = await out.progress('Applying');
  progress.update({
    text: 'Applying',
    counts: '3 of 12 changes',
    detail: 'sites/developer-hub/sections/guides',
  });
  vi.advanceTimersByTime(200);
  const spinner = () => stderr.lines.at(-1)?.replace(/^\S/, '⠋');
  expect(spinner()).toBe(line.replace(/^\S/, '⠋'));
  expect(displayWidth(spinner() ?? '')).toBeLessThan(columns);
  out.error('Interrupted. Waiting for requests in flight; press Ctrl-C again to abort.');
  vi.advanceTimersByTime(200);
  expect(stderr.lines).toContain('Interrupted. Waiting for requests in flight; press Ctrl-C again to abort.');
  expect(spinner()).toBe(line.replace(/^\S/, '⠋'));
  progress.stop();
  expect(stderr.lines.at(-1)).toBe('');
  expect(stdout.lines).toEqual(['']);
});

test('prints no progress with --quiet', async () => {
  const { output: out, written } = output(true);
  await out.progress('Reading the live state');
  vi.advanceTimersByTime(60_000);
  expect(written()).toBe('');
});

test('counts requests and their rate, and reports throttling', () => {
  vi.setSystemTime(0);
  let pace: Pace = {};
  const { traffic, record } = trafficAt(() => pace);
  const begin = traffic.snapshot();
  expect(traffic.counts(begin)).toBe(undefined);
  record({ objects: 1, milliseconds: 30 });
  expect(traffic.counts(begin)).toBe('1 request, 1 object');
  expect(traffic.waiting()).toBe(undefined);
  record({ outcome: 'connection', failed: true, retryInMs: 3500 });
  expect(traffic.waiting()).toBe('failed: connection, retry in 4 s');
  record({ outcome: 503, failed: true, retryInMs: 800, milliseconds: 9000 });
  expect(traffic.waiting()).toBe('throttled, retry in 1 s');
  pace = { pausedUntil: 12_000 };
  expect(traffic.waiting()).toBe('throttled, retry in 12 s');
  pace = { perSecond: 19.6, limitedBy: 'service' };
  expect(traffic.waiting()).toBe('throttled to about 20/s');
  pace = { perSecond: 5, limitedBy: 'user' };
  expect(traffic.waiting()).toBe('limited to 5/s by --max-rps');
  pace = {};
  vi.setSystemTime(2000);
  expect(traffic.waiting()).toBe(undefined);
  record({ milliseconds: 50 });
  record({ milliseconds: 40 });
  expect(traffic.counts(begin)).toBe('3 requests, 1.5/s, 1 object');
  expect(traffic.counts(traffic.snapshot())).toBe(undefined);
});

test('prints progress lines in batches, and in order with other output', async () => {
  const pieces: string[] = [];
  const stream = () =>
    new Writable({
      write: (chunk, _encoding, done) => {
        pieces.push(String(chunk));
        done();
      },
    });
  const out = new Output(
    { stdout: stream(), stderr: stream() },
    { quiet: false, verbose: false, env: {}, now: () => Date.now() },
  );
  const progress = await out.progress('Applying');
  const lines = Array.from({ length: 100 }, (_, at) => `team ${at}`);
  for (const line of lines) progress.line(line);
  expect(pieces).toEqual([]);
  vi.advanceTimersByTime(100);
  expect(pieces).toEqual([`${lines.join('\n')}\n`]);
  progress.line('one');
  out.error('Interrupted.');
  progress.line('two');
  out.result('the result\n');
  progress.line('three');
  progress.stop();
  expect(pieces.slice(1)).toEqual(['one\n', 'Interrupted.\n', 'two\n', 'the result\n', 'three\n']);
});

test.each([{ CI: 'true' }, { GITHUB_ACTIONS: 'true' }, { TF_BUILD: 'True' }])(
  'escapes workflow commands in text from others: %o',
  (env) => {
    const made = (given: object) => {
      let written = '';
      const stream = new Writable({
        write: (chunk, _encoding, done) => {
          written += String(chunk);
          done();
        },
      });
      const options = { quiet: false, verbose: false, env: { ...given }, now: () => Date.now() };
      return { output: new Output({ stdout: stream, stderr: stream }, options), written: () => written };
    };
    const odd = 'a\n  ::stop-commands::x\n\u3000::add-mask::a\n ##[add-mask]a ##vso[task.x]b\n';
    const shown =
      'a\n  \\u{3a}:stop-commands::x\n\u3000\\u{3a}:add-mask::a\n #\\u{23}[add-mask]a #\\u{23}vso[task.x]b\n';
    const own = '::group::Plan\n::error file=a.yaml::x\n';
    const report = made(env);
    report.output.report(own + odd);
    expect(report.written()).toBe(own + shown);
    const pieces = made(env);
    pieces.output.report(
      (function* () {
        yield own;
        yield odd;
      })(),
    );
    expect(pieces.written()).toBe(own + shown);
    const error = made(env);
    error.output.error(`::error::x\n${odd}a :: b ## [c]`);
    expect(error.written()).toBe(`\\u{3a}:error::x\n${shown}a :: b ## [c]\n`);
    const data = made(env);
    data.output.result(odd);
    expect(data.written()).toBe(odd);
    const terminal = made({});
    terminal.output.report(odd);
    expect(terminal.written()).toBe(odd);
  },
);
