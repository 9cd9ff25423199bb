/** A team's world in one process: a service, a remote, a folder for each person and job, and a clock that only events advance. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { main } from '../../src/cli/main.ts';
import type { Exchanges, RawResponse } from '../../src/client/transport.ts';
import type { Form } from '../../src/contract/form.ts';
import type { Seed } from '../../src/server/index.ts';
import type { Variants } from '../../src/server/variants.ts';
import { type MemoryService, memoryService } from '../support/memory-service.ts';
import { snapshotOf } from '../support/snapshot.ts';
import { MemoryJournals } from './memory-journals.ts';
import { MemoryRepository } from './memory-repository.ts';
import { type Fault, Process } from './process.ts';

export interface Ran {
  readonly code: number | 'killed';
  readonly stdout: string;
  readonly stderr: string;
  readonly effects: readonly string[];
  readonly isHit: boolean;
  /** The run's document: its plan, what was done, and what it said. */
  readonly json: RunDocument | undefined;
  /** Writes that the service received. */
  readonly writes: readonly string[];
  /** Ids of what it created for them. */
  readonly made: readonly string[];
}

export interface PlannedStep {
  readonly id: string;
  readonly address: string;
  readonly kind: string;
  readonly action: string;
  readonly phase: string;
  readonly cause?: string;
  readonly reason: string;
  readonly liveId?: string;
  readonly fields: readonly { readonly field: string; readonly cause?: string }[];
  readonly calls: readonly {
    readonly operation: string;
    readonly params: Readonly<Record<string, unknown>>;
  }[];
}

export interface RunDocument {
  readonly empty?: boolean;
  readonly diagnostics?: readonly {
    readonly code: string;
    readonly message: string;
    readonly severity: string;
  }[];
  readonly organizations?: readonly {
    readonly steps: readonly PlannedStep[];
    readonly refusals: readonly {
      readonly guard: string;
      readonly address: string;
      readonly message: string;
    }[];
    readonly notes: readonly {
      readonly code?: string;
      readonly message: string;
      readonly address?: string;
    }[];
    readonly leftovers?: readonly { readonly kind: string; readonly id: string; readonly address: string }[];
    readonly ids: Readonly<Record<string, string>>;
  }[];
  readonly run?: { readonly outcome: string; readonly exitCode: number };
}

export interface RunChoices {
  readonly fault?: Fault | undefined;
  readonly meanwhile?: () => Promise<void>;
  readonly token?: string;
  /** A machine of its own: the locks of its killed runs are those of a stranger. */
  readonly host?: string;
  /** Unit: milliseconds. */
  readonly clockError?: number;
  /** Variables of a pipeline. */
  readonly env?: Readonly<Record<string, string>>;
}

/** A checkout, with the journals of its machine. */
export interface Place {
  readonly name: string;
  readonly root: string;
  readonly repository: MemoryRepository;
  readonly journals: MemoryJournals;
}

const start = Date.parse('2026-03-02T09:00:00Z');
export const organization = 'org_acme';
/** Of a member who may read what all members may. */
export const readerToken = 'octavo-reader-token';
const baseUrl = 'http://localhost:4810';

export class World {
  readonly service: MemoryService;
  readonly remote = MemoryRepository.bare();
  readonly places = new Map<string, Place>();
  /** Commands and edits so far, as shell. */
  readonly story: string[] = [];
  /** What each command printed. */
  readonly outputs: string[] = [];
  #now = start;
  #pid = 100;
  readonly #running = new Set<number>();
  readonly #root = mkdtempSync(join(tmpdir(), 'octavo-sim-'));
  readonly #spaces: readonly string[];
  /** Answers what runs ask of other origins than the service. */
  forge: Exchanges['exchange'] | undefined;

  constructor(
    given: Seed,
    { form, variants }: { readonly form: Form; readonly variants: Partial<Variants> },
  ) {
    const seed = withReader(given);
    this.service = memoryService(seed, { form, now: () => this.#now });
    this.service.reset(seed, variants, form);
    this.#spaces = seed.organizations.flatMap(({ spaces = [] }) => spaces.map(({ id }) => id ?? ''));
  }

  get time(): string {
    return new Date(this.#now).toISOString();
  }

  /** Every event is some minutes after the last. */
  pass(milliseconds = 600_000): void {
    this.#now += milliseconds;
  }

  /** A checkout of that name; created if there is none. */
  place(name: string): Place {
    const known = this.places.get(name);
    if (known !== undefined) return known;
    const root = join(this.#root, name);
    mkdirSync(root);
    const place = {
      name,
      root,
      repository: this.remote.clone(root, filesOf(root)),
      journals: new MemoryJournals(),
    };
    this.places.set(name, place);
    return place;
  }

  /** A new checkout on a new machine. */
  fresh(name: string): Place {
    const known = this.places.get(name);
    if (known !== undefined) rmSync(known.root, { recursive: true });
    this.places.delete(name);
    return this.place(name);
  }

  /** Runs a command; `killed` if it never ended. */
  async run(place: Place, args: readonly string[], choices: RunChoices = {}): Promise<Ran> {
    const { fault, meanwhile, token = this.service.token, host = place.name, clockError = 0, env } = choices;
    this.#pid += 1;
    const pid = this.#pid;
    this.#running.add(pid);
    const process = new Process(fault, meanwhile);
    const [stdout, stderr] = [new Capture(), new Capture()];
    const random = numbers(pid);
    const writes: string[] = [];
    const made: string[] = [];
    const [name = '', event = ''] = args;
    const file = name === 'ci' ? join(place.root, `octavo-ci/${event}.json`) : join(this.#root, 'run.json');
    rmSync(file, { force: true });
    const answer = (status: number) => ({
      status,
      header: () => undefined,
      body: JSON.stringify({ error: { code: status, message: 'rejected' } }),
      bytes: 40,
    });
    const code = await Promise.race([
      main([...args, ...(withDocument.has(name) ? ['--format', 'json=../run.json'] : [])], {
        env: { OCTAVO_BASE_URL: baseUrl, OCTAVO_TOKEN: token, CI: 'true', ...env },
        cwd: place.root,
        stdin: Readable.from([]),
        stdout,
        stderr,
        onSignal: () => () => undefined,
        onStrayError: () => () => undefined,
        exit: () => undefined,
        clock: {
          now: () => this.#now + clockError,
          random,
          sleep: async (milliseconds) => {
            // Ids of runs have whole milliseconds.
            this.#now += Math.ceil(milliseconds);
          },
        },
        machine: { host, user: place.name, pid, isRunning: (other) => this.#running.has(other) },
        openRepository: async () => process.repository(place.repository),
        folder: async () => process.folder(),
        journals: async () => process.journals(place.journals),
        transport: (origin) =>
          process.exchanges(async (request) => {
            if (origin !== baseUrl && this.forge !== undefined) return this.forge(request);
            if (request.method !== 'GET') writes.push(`${request.method} ${request.target}`);
            const response = await this.service.exchange(request);
            if (request.method === 'POST') made.push(...idIn(response));
            return response;
          }, answer),
      }),
      process.death.then(() => 'killed' as const),
    ]);
    this.#running.delete(pid);
    this.pass(10_000);
    // The power was cut.
    if (code === 'killed') place.journals.crash();
    return {
      code,
      stdout: stdout.text,
      stderr: stderr.text,
      effects: process.effects,
      isHit: process.isHit,
      json: readJson(file),
      writes,
      made,
    };
  }

  /** The live state without ids. */
  snapshot(): Promise<unknown> {
    const { get } = this.service;
    return snapshotOf({ get, organizationId: organization, spaces: this.#spaces, linkInvites: [] });
  }

  /** A folder next to all checkouts. */
  folder(name: string): string {
    const folder = join(this.#root, name);
    mkdirSync(folder);
    return folder;
  }

  async close(): Promise<void> {
    rmSync(this.#root, { recursive: true, force: true });
    await this.service.close();
  }
}

function withReader({ organizations, ...rest }: Seed): Seed {
  const reader = { id: 'user_rea', email: 'rea@acme.dev', displayName: 'Rea', role: 'read' as const };
  return {
    ...rest,
    organizations: organizations.map((one) => ({
      ...one,
      members: [...(one.members ?? []), { ...reader, token: readerToken }],
    })),
  };
}

/** Commands whose plan and end can be written as a document next to their text. */
const withDocument = new Set(['plan', 'apply', 'drift', 'undo']);

class Capture extends Writable {
  text = '';

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += String(chunk);
    done();
  }
}

function idIn({ status, body }: RawResponse): readonly string[] {
  if (status > 299 || body === '') return [];
  const { id } = Object(JSON.parse(body)) as { readonly id?: unknown };
  return typeof id === 'string' ? [id] : [];
}

function readJson(file: string): RunDocument | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as RunDocument;
  } catch {
    return undefined;
  }
}

/** Numbers between 0 and 1, other ones for each process. */
function numbers(seed: number): () => number {
  let state = seed * 7919 + 1;
  return () => {
    state = (state * 48271) % 2147483647;
    return state / 2147483647;
  };
}

/** The work tree of a folder, without what git ignores. */
function filesOf(root: string) {
  return {
    read: () => {
      const files = readdirSync(root, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name))
        .filter((file) => !/^(?:\.octavo|octavo-ci)\b/.test(relative(root, file)));
      return new Map(files.map((file) => [relative(root, file), readFileSync(file, 'utf8')]));
    },
    write: (changes: ReadonlyMap<string, string | undefined>) => {
      for (const [name, text] of changes) {
        const file = join(root, name);
        if (text === undefined) rmSync(file, { force: true });
        else {
          mkdirSync(dirname(file), { recursive: true });
          writeFileSync(file, text);
        }
      }
    },
  };
}
