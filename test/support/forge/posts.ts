/** The part of `octavo ci` that posts to a forge, in this process through its own functions. */
import { Writable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import {
  commentsOf,
  issuesOf,
  type OpenForge,
  requestOf,
  settlePost,
  withForge,
} from '../../../src/cli/forge/open.ts';
import type { Invocation } from '../../../src/cli/line/command.ts';
import { explain } from '../../../src/cli/show/failure.ts';
import { Interrupt } from '../../../src/cli/world/interrupt.ts';
import { Output } from '../../../src/cli/world/output.ts';
import type { StopSignal, World } from '../../../src/cli/world/world.ts';

type Env = Readonly<Record<string, string>>;

export interface ForgeRunOptions {
  readonly env: Env;
  readonly verbose?: boolean;
  /** Defaults to not waiting. */
  readonly sleep?: World['clock']['sleep'];
}

/** Result of a run; notes are on stdout, so that stderr only has problems. */
export interface ForgeRan {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface WantedPost {
  /** If absent, the issue is closed. */
  readonly body?: string;
  readonly key?: string;
  readonly creates?: boolean;
  readonly ending?: string;
  /** Title of an issue. */
  readonly title?: string;
}

class Kept extends Writable {
  text = '';

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.text += chunk.toString('utf8');
    done();
  }
}

class NotesAsResult extends Output {
  override note(text: string): void {
    this.result(`${text}\n`);
  }
}

/** Starts a run; `kill` sends a signal to the process. */
export function startOnForge(
  work: (invocation: Invocation) => Promise<void>,
  { env, verbose = false, sleep = () => turn() }: ForgeRunOptions,
) {
  const [stdout, stderr] = [new Kept(), new Kept()];
  const clock = { now: Date.now, random: Math.random, sleep };
  const output = new NotesAsResult({ stdout, stderr }, { quiet: false, verbose, env, now: clock.now });
  let kill: (signal: StopSignal) => void = () => undefined;
  const onSignal: World['onSignal'] = (listener) => {
    kill = listener;
    return () => undefined;
  };
  const interrupt = new Interrupt((line) => output.error(line), { exit: () => undefined, onSignal });
  // Only the parts that these functions need.
  const invocation = { env, flags: {}, world: { clock }, output, interrupt } as unknown as Invocation;
  const ended = work(invocation)
    .then(
      () => 0,
      (error: unknown) => explain(output, error, invocation).exitCode,
    )
    .then((code): ForgeRan => ({ code, stdout: stdout.text, stderr: stderr.text }));
  return { kill: (signal: StopSignal) => kill(signal), ended };
}

export function startComment(wanted: WantedPost, options: ForgeRunOptions) {
  return startOnForge(
    (invocation) =>
      withForge(invocation, async (opened) => {
        const forge = opened();
        const number = await requestOf(forge, invocation);
        if (typeof number !== 'number')
          invocation.output.note(`No comment: ${number?.none ?? 'no request'}.`);
        else await settle(invocation, 'comment', wanted, commentsOf(forge, invocation, number));
      }),
    options,
  );
}

/** Comments on the pull or merge request of the run. */
export function comment(wanted: WantedPost, options: ForgeRunOptions): Promise<ForgeRan> {
  return startComment(wanted, options).ended;
}

export function issue(wanted: WantedPost, options: ForgeRunOptions): Promise<ForgeRan> {
  return startOnForge(
    (invocation) =>
      withForge(invocation, (forge) =>
        settle(invocation, 'issue', wanted, issuesOf(forge(), wanted.title ?? '')),
      ),
    options,
  ).ended;
}

/** Runs any other work on the forge. Rethrows its errors. */
export async function onForge<T>(env: Env, work: (forge: OpenForge) => Promise<T>): Promise<T> {
  const found: T[] = [];
  const failures: unknown[] = [];
  await startOnForge(
    async (invocation) => {
      try {
        found.push(await withForge(invocation, (forge) => work(forge())));
      } catch (error) {
        failures.push(error);
      }
    },
    { env },
  ).ended;
  if (failures.length > 0) throw failures[0];
  return found[0] as T;
}

async function settle(
  invocation: Invocation,
  noun: 'comment' | 'issue',
  { body, key = noun === 'comment' ? 'plan' : 'drift', creates = true, ending }: WantedPost,
  thread: ReturnType<typeof issuesOf>,
): Promise<void> {
  const texts = { ...(body === undefined ? {} : { body }), ...(ending === undefined ? {} : { ending }) };
  await settlePost(invocation, noun, { key, ...texts, creates, thread });
}
