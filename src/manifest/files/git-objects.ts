/** Reads objects of a git repository with one `git cat-file --batch`, in the order of the calls. */
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import type { Socket } from 'node:net';
import type { GitObject } from './repository.ts';

interface PendingRead {
  readonly most: number;
  readonly done: (object: GitObject | undefined) => void;
  readonly fail: (error: Error) => void;
}

export interface GitObjectSource {
  readonly start: () => ChildProcessWithoutNullStreams;
  /** Unit: milliseconds without output. A partial clone may wait for a remote that does not respond. */
  readonly longest: number;
  /** `problem` is a clause. */
  readonly fail: (problem: string) => Error;
}

/** Unit: milliseconds. An idle process is stopped after this time; the next read starts another one. */
const idle = 1000;

/** Does not keep the program running, and needs no cleanup. */
export class GitObjects {
  readonly #source: GitObjectSource;
  /** Pending reads, oldest first. */
  readonly #asked: PendingRead[] = [];
  #child: ChildProcessWithoutNullStreams | undefined;
  #errors = '';
  #timer: NodeJS.Timeout | undefined;
  #chunks: Buffer[] = [];
  #size = 0;
  /** Number of bytes that the next parsing step needs. */
  #needed = 1;
  #skipped = 0;

  constructor(source: GitObjectSource) {
    this.#source = source;
  }

  /** `name`: an id, a full ref or `commit:path`; undefined if the object does not exist. */
  find(name: string, most: number): Promise<GitObject | undefined> {
    return new Promise((done, fail) => {
      this.#asked.push({ most, done, fail });
      this.#child ??= this.#start();
      this.#child.stdin.write(`${name}\n`);
      this.#wait();
    });
  }

  #start(): ChildProcessWithoutNullStreams {
    const child = this.#source.start();
    child.stdout.on('data', (chunk: Buffer) => {
      if (child === this.#child) this.#receive(chunk);
    });
    child.stderr.on('data', (chunk: Buffer) => {
      this.#errors += String(chunk);
    });
    child.stdin.on('error', () => undefined);
    const stop = (problem: string) => {
      if (child === this.#child) this.#stop(this.#source.fail(problem));
    };
    child.on('error', () => stop('git is not installed, or not on the PATH'));
    child.on('close', () => {
      const [line = ''] = this.#errors.trim().split('\n');
      stop(line.replace(/^(fatal|error): /, '') || 'git ended too early');
    });
    return child;
  }

  #wait(): void {
    clearTimeout(this.#timer);
    const { longest, fail } = this.#source;
    const isIdle = this.#asked.length === 0;
    if (isIdle) this.#timer = setTimeout(() => this.#stop(fail('stopped')), idle).unref();
    else
      this.#timer = setTimeout(
        () => this.#stop(fail(`git cat-file took longer than ${longest / 1000} seconds`)),
        longest,
      );
    const { stdin, stdout, stderr } = this.#child ?? {};
    for (const part of [
      this.#child,
      stdin as Socket | undefined,
      stdout as Socket | undefined,
      stderr as Socket | undefined,
    ])
      if (isIdle) part?.unref();
      else part?.ref();
  }

  #stop(problem: Error): void {
    clearTimeout(this.#timer);
    this.#child?.stdin.end();
    this.#child?.kill();
    this.#child = undefined;
    this.#errors = '';
    this.#chunks = [];
    [this.#size, this.#needed, this.#skipped] = [0, 1, 0];
    for (const { fail } of this.#asked.splice(0)) fail(problem);
  }

  #receive(bytes: Buffer): void {
    const chunk = bytes.subarray(Math.min(this.#skipped, bytes.length));
    this.#skipped -= bytes.length - chunk.length;
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    if (this.#size < this.#needed) return;
    let rest = this.#chunks.length === 1 ? chunk : Buffer.concat(this.#chunks);
    for (let used = this.#answer(rest); used > 0; used = this.#answer(rest)) rest = rest.subarray(used);
    this.#chunks = rest.length === 0 ? [] : [rest];
    this.#size = rest.length;
    this.#wait();
  }

  /** Parses `<oid> <type> <size>`, the content and a line break, or `<name> missing`; returns the bytes used. */
  #answer(bytes: Buffer): number {
    const lineEnd = bytes.indexOf(0x0a);
    this.#needed = bytes.length + 1;
    const [asked] = this.#asked;
    if (lineEnd < 0 || asked === undefined) return 0;
    const [, oid, type = '', length] =
      /^([0-9a-f]{40}|[0-9a-f]{64}) (\w+) (\d+)$/.exec(bytes.toString('latin1', 0, lineEnd)) ?? [];
    const start = lineEnd + 1;
    if (oid === undefined) {
      this.#asked.shift();
      asked.done(undefined);
      return start;
    }
    const size = Number(length);
    const end = start + size;
    if (size > asked.most) {
      this.#asked.shift();
      asked.done({ oid, type, size });
      this.#skipped = Math.max(0, end + 1 - bytes.length);
      return Math.min(end + 1, bytes.length);
    }
    this.#needed = end + 1;
    if (bytes.length <= end) return 0;
    this.#asked.shift();
    // Copied, so that one file does not keep a whole chunk in memory.
    asked.done({ oid, type, size, content: Uint8Array.from(bytes.subarray(start, end)) });
    return end + 1;
  }
}
