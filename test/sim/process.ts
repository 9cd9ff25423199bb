/** A run of Octavo that can end at any of its effects: none of its ports answers again, as after a power cut. */
import { type Exchanges, type RawResponse, TransportError } from '../../src/client/transport.ts';
import { GitError, type Repository } from '../../src/manifest/files/repository.ts';
import { WorkFolder, workFolder } from '../../src/manifest/files/work-folder.ts';
import type { JournalStore } from '../../src/past/journal/journal-folder.ts';

/** What goes wrong at the effect of that number, from 0. */
export interface Fault {
  readonly at: number;
  readonly how: FaultKind;
}

export const faultKinds = ['before', 'after', 'lost', 'unavailable', 'forbidden', 'stale', 'hold'] as const;

/**
 * `before` and `after`: the process is killed; `lost`: the effect happens and its answer is lost; `unavailable`, `forbidden`: the
 * other side rejects it; `stale`: the next lists are as before it; `hold`: others go on before it happens.
 */
export type FaultKind = (typeof faultKinds)[number];

/** Thrown out of synchronous effects of a killed process. */
class Killed extends Error {}

const never = new Promise<never>(() => undefined);

export class Process {
  /** What the process did outside of itself, in order. */
  readonly effects: string[] = [];
  readonly death: Promise<void>;
  readonly #fault: Fault | undefined;
  /** What others do while the process waits. */
  readonly #meanwhile: () => Promise<void>;
  #die: () => void = () => undefined;
  isDead = false;
  /** The fault took place. */
  isHit = false;
  readonly #lists = new Map<string, RawResponse>();
  /** Number of lists that will be answered as before. */
  #stale = 0;

  constructor(fault: Fault | undefined, meanwhile: () => Promise<void> = async () => undefined) {
    this.#fault = fault;
    this.#meanwhile = meanwhile;
    this.death = new Promise((done) => {
      this.#die = done;
    });
  }

  /** Passes an effect on, unless the fault prevents it. `broken`: the error of a lost answer or of a rejection. */
  async effect<T>(what: string, work: () => Promise<T>, broken: (how: FaultKind) => T | Error): Promise<T> {
    if (this.isDead) return never;
    const how = this.#count(what);
    if (how === 'hold') await this.#meanwhile();
    if (how === 'stale') this.#stale = 3;
    if (how === 'before') return this.#kill();
    if (how === 'unavailable' || how === 'forbidden') return thrown(broken(how));
    const result = await work();
    if (this.isDead || how === 'after') return this.#kill();
    return how === 'lost' ? thrown(broken(how)) : result;
  }

  /** An effect that happens at once, such as a write to the disk. */
  now<T>(what: string, work: () => T): T {
    if (this.isDead) throw new Killed();
    const how = this.#count(what);
    if (how === 'before') throw this.#killed();
    const result = work();
    if (how === 'after') throw this.#killed();
    return result;
  }

  async read<T>(work: () => Promise<T>): Promise<T> {
    if (this.isDead) return never;
    const result = await work();
    return this.isDead ? never : result;
  }

  #count(what: string): FaultKind | undefined {
    this.effects.push(what);
    if (this.#fault === undefined || this.effects.length - 1 !== this.#fault.at) return undefined;
    this.isHit = true;
    return this.#fault.how;
  }

  #killed(): Killed {
    this.isDead = true;
    this.#die();
    return new Killed();
  }

  #kill(): Promise<never> {
    this.#killed();
    return never;
  }

  /** The transport to the service. */
  exchanges(exchange: Exchanges['exchange'], refuse: (status: number) => RawResponse): Exchanges {
    return {
      exchange: async (request) => {
        if (request.method === 'GET') return this.read(() => this.#list(request, exchange));
        const lost = () =>
          new TransportError('connection', 'the connection broke', { unsent: false, transient: true });
        return this.effect<RawResponse>(
          `${request.method} ${request.target}`,
          () => exchange(request),
          (how) => (how === 'lost' ? lost() : refuse(how === 'forbidden' ? 403 : 503)),
        );
      },
      close: async () => undefined,
    };
  }

  async #list(request: Parameters<Exchanges['exchange']>[0], exchange: Exchanges['exchange']) {
    const former = this.#lists.get(request.target);
    if (former !== undefined && this.#stale > 0) {
      this.#stale -= 1;
      return former;
    }
    const answer = await exchange(request);
    if (request.target.includes('limit=')) this.#lists.set(request.target, answer);
    return answer;
  }

  /** The disk, below the root of all checkouts. */
  folder(): WorkFolder {
    const { effects } = workFolder;
    return new WorkFolder({
      makeFolder: (...args) => this.now('mkdir', () => effects.makeFolder(...args)),
      create: (...args) => this.now('create', () => effects.create(...args)),
      append: (...args) => this.now('append', () => effects.append(...args)),
      rename: (...args) => this.now('rename', () => effects.rename(...args)),
      remove: (...args) => this.now('remove', () => effects.remove(...args)),
    });
  }

  journals(own: JournalStore): JournalStore {
    const failure = () => new Error('the disk is full');
    return {
      name: own.name,
      runs: () => own.runs(),
      text: (run) => own.text(run),
      lastLine: (run) => own.lastLine(run),
      size: (run) => own.size(run),
      begin: (run) => this.effect('journal begin', () => own.begin(run), failure),
      append: (run, text) => this.now('journal append', () => own.append(run, text)),
      flush: (run) => this.effect('journal flush', () => own.flush(run), failure),
      end: (run) => this.read(() => own.end(run)),
      remove: (run) => this.now('journal remove', () => own.remove(run)),
    };
  }

  /** The repository as this process reaches it. */
  repository(own: Repository): Repository {
    const failure = () => new GitError('the remote hung up unexpectedly');
    const wrap =
      <Args extends readonly unknown[], T>(name: string, work: (...args: Args) => Promise<T>) =>
      (...args: Args) =>
        this.effect(`git ${name}`, () => work(...args), failure);
    const read =
      <Args extends readonly unknown[], T>(work: (...args: Args) => Promise<T>) =>
      (...args: Args) =>
        this.read(() => work(...args));
    return {
      root: own.root,
      settings: own.settings,
      sleep: own.sleep,
      find: read((...args) => own.find(...args)),
      prefetch: read((...args) => own.prefetch(...args)),
      mergeBase: read((...args) => own.mergeBase(...args)),
      independent: read((...args) => own.independent(...args)),
      commits: read((...args) => own.commits(...args)),
      merge: read((...args) => own.merge(...args)),
      tracked: read((...args) => own.tracked(...args)),
      renamedSince: read((...args) => own.renamedSince(...args)),
      search: read((...args) => own.search(...args)),
      branch: read(() => own.branch()),
      isShallow: read(() => own.isShallow()),
      refs: read((...args) => own.refs(...args)),
      fetch: read((...args) => own.fetch(...args)),
      writeTree: read((...args) => own.writeTree(...args)),
      writeCommit: read((...args) => own.writeCommit(...args)),
      setRef: wrap('update-ref', (...args) => own.setRef(...args)),
      changeRefs: (remote, change) =>
        this.effect(
          `git ${remote === undefined ? 'update-ref' : 'push'} ${[...change.from.keys()].join(' ')}`,
          () => own.changeRefs(remote, change),
          (how) => ({
            type: how === 'forbidden' ? 'final' : 'other',
            problem: 'the remote hung up unexpectedly',
          }),
        ),
    };
  }
}

function thrown<T>(broken: T | Error): T {
  if (broken instanceof Error) throw broken;
  return broken;
}
