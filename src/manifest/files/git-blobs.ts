/** Reads blobs of a git repository with one `git cat-file --batch`, in the order of the calls. */
import type { ChildProcessWithoutNullStreams } from 'node:child_process';

export interface GitBlob {
  /** Bytes. */
  readonly size: number;
  /** Absent if too large to keep. */
  readonly content?: Uint8Array;
}

interface AskedBlob {
  readonly done: (blob: GitBlob) => void;
  readonly fail: (error: Error) => void;
}

export interface BlobSource {
  readonly start: () => ChildProcessWithoutNullStreams;
  /** Milliseconds without output: a partial clone may wait for a remote that does not answer. */
  readonly longest: number;
  /** Bytes of the largest blob whose content is kept. */
  readonly most: number;
  /** `problem` is a clause. */
  readonly fail: (problem: string) => Error;
}

export class GitBlobs {
  readonly #source: BlobSource;
  /** Oldest first. */
  readonly #asked: AskedBlob[] = [];
  #child: ChildProcessWithoutNullStreams | undefined;
  #problem: Error | undefined;
  #errors = '';
  #timer: NodeJS.Timeout | undefined;
  #chunks: Buffer[] = [];
  #size = 0;
  /** Bytes needed for the next step. */
  #needed = 1;
  #skipped = 0;

  constructor(source: BlobSource) {
    this.#source = source;
  }

  read(oid: string): Promise<GitBlob> {
    if (this.#problem !== undefined) return Promise.reject(this.#problem);
    return new Promise((done, fail) => {
      this.#asked.push({ done, fail });
      this.#child ??= this.#start();
      this.#child.stdin.write(`${oid}\n`);
      this.#wait();
    });
  }

  close(): void {
    this.#stop(this.#source.fail('stopped'));
  }

  #start(): ChildProcessWithoutNullStreams {
    const child = this.#source.start();
    child.stdout.on('data', (chunk: Buffer) => this.#receive(chunk));
    child.stderr.on('data', (chunk: Buffer) => {
      this.#errors += String(chunk);
    });
    child.stdin.on('error', () => undefined);
    child.on('error', () => this.#stop(this.#source.fail('git is not installed, or not on the PATH')));
    child.on('close', () => {
      const [line = ''] = this.#errors.trim().split('\n');
      this.#stop(this.#source.fail(line.replace(/^(fatal|error): /, '') || 'git ended too early'));
    });
    return child;
  }

  /** The timeout runs only while reads are pending. */
  #wait(): void {
    clearTimeout(this.#timer);
    if (this.#asked.length === 0) return;
    const { longest, fail } = this.#source;
    this.#timer = setTimeout(
      () => this.#stop(fail(`git cat-file took longer than ${longest / 1000} seconds`)),
      longest,
    );
  }

  #stop(problem: Error): void {
    if (this.#problem !== undefined) return;
    this.#problem = problem;
    clearTimeout(this.#timer);
    this.#child?.stdin.end();
    this.#child?.kill();
    for (const { fail } of this.#asked.splice(0)) fail(problem);
    this.#chunks = [];
  }

  #receive(bytes: Buffer): void {
    const chunk = bytes.subarray(Math.min(this.#skipped, bytes.length));
    this.#skipped -= bytes.length - chunk.length;
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    if (this.#size < this.#needed || this.#problem !== undefined) return;
    let rest = this.#chunks.length === 1 ? chunk : Buffer.concat(this.#chunks);
    for (let used = this.#answer(rest); used > 0; used = this.#answer(rest)) rest = rest.subarray(used);
    this.#chunks = rest.length === 0 ? [] : [rest];
    this.#size = rest.length;
    this.#wait();
  }

  /** Parses `<oid> blob <size>`, the content and a line break; returns the bytes used. */
  #answer(bytes: Buffer): number {
    const lineEnd = bytes.indexOf(0x0a);
    this.#needed = bytes.length + 1;
    if (lineEnd < 0) return 0;
    const [oid, type, length] = bytes.toString('latin1', 0, lineEnd).split(' ');
    const [asked] = this.#asked;
    if (asked === undefined) return 0;
    if (type !== 'blob') {
      this.#asked.shift();
      asked.fail(this.#source.fail(`git has no blob ${oid}`));
      return lineEnd + 1;
    }
    const start = lineEnd + 1;
    const size = Number(length);
    const end = start + size;
    if (size > this.#source.most) {
      this.#asked.shift();
      asked.done({ size });
      this.#skipped = Math.max(0, end + 1 - bytes.length);
      return Math.min(end + 1, bytes.length);
    }
    this.#needed = end + 1;
    if (bytes.length <= end) return 0;
    this.#asked.shift();
    // Copied, so that a whole chunk is not kept for one file.
    asked.done({ size, content: Uint8Array.from(bytes.subarray(start, end)) });
    return end + 1;
  }
}
