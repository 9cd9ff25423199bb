/**
 * One apply at a time for an organization of a service: what a lock says of its holder, and what each backend can do.
 * Backends are in backends.ts, one line each.
 */
import * as z from 'zod';
import { once } from '../../contract/once.ts';
import { list, object } from '../../util/data-schema.ts';

/** What is locked: some organizations of one service. */
export interface LockScope {
  /** Their ids. */
  readonly organizations: readonly string[];
  /** Address of the service, without user name and password; the path of the data file for an embedded one. */
  readonly baseUrl: string;
}

/** One line without control characters: locks are read from places that others can write to. */
const line = z
  .string()
  .max(2000)
  .regex(/^[^\p{Cc}]*$/u);

/** Which process holds a lock, as far as its system tells; runs in a journal have the same form. */
export const processSchema = once(() =>
  object({
    pid: z.int().positive(),
    started: line.exactOptional().describe('When the process started, in ticks since the machine did'),
    boot: line.exactOptional().describe('Id of the machine since it started'),
    namespace: line
      .exactOptional()
      .describe('Which processes the id counts among; containers have their own'),
    machine: line.exactOptional().describe('Id of the machine'),
  }),
);

/** The content of a lock. Nothing secret is in it. */
export const lockSchema = once(() =>
  object({
    format: z.literal(1),
    organizations: list(line).describe('Ids of the organizations that the run locked together'),
    baseUrl: line,
    owner: line.describe('user@host'),
    host: line,
    process: processSchema(),
    since: line.describe('When it was taken, as an ISO 8601 date-time'),
    run: line.describe('Id of the run'),
    command: line.describe('For example: octavo apply'),
    url: line.exactOptional().describe('Page of the CI job'),
    lease: z.number().positive().exactOptional().describe('Seconds for which it lasts without being renewed'),
    renewed: line.exactOptional().describe('When it was renewed, as an ISO 8601 date-time'),
  }),
);

/** What a lock says of its holder. */
export type LockContent = z.infer<ReturnType<typeof lockSchema>>;

/** The process of a holder. */
export type HolderProcess = z.infer<ReturnType<typeof processSchema>>;

/** The holder of locks: their content without what is locked. */
export type LockHolder = Omit<LockContent, 'organizations' | 'baseUrl' | 'lease' | 'renewed'>;

/** A lock that this run holds: on all organizations of its scope. */
export interface HeldLock {
  /** Why it is no longer held on all of them; undefined while it is. Once lost, it stays lost. */
  readonly lost: () => string | undefined;
  /** Lets go of it. Returns why that was not possible, where it was not; the lock of somebody else is never removed. */
  readonly release: () => Promise<string | undefined>;
  /** Lets go of it as far as that is possible without waiting: the process is about to end. */
  readonly releaseNow: () => void;
}

/** What came of an attempt to take a lock. */
export type LockAttempt =
  | {
      readonly type: 'held';
      readonly lock: HeldLock;
      /** The runs whose locks were taken over, and why that was allowed. */
      readonly takenOver: readonly { readonly run: string; readonly because: string }[];
    }
  | {
      readonly type: 'busy';
      /** The first organization that somebody else has. */
      readonly organization: string;
      readonly holder: LockContent;
      /** Milliseconds after which it can be taken over, where its holder seems to be gone. */
      readonly abandonedIn?: number | undefined;
    };

/** A lock that somebody holds, or held when it was looked at. */
export interface LockOnRecord {
  /** The organizations that it is on now. */
  readonly organizations: readonly string[];
  readonly content: LockContent;
  /** True where its process is known to be gone. */
  readonly isAbandoned: boolean;
  /** Removes it. False where it is another one by now, which stays. */
  readonly remove: () => Promise<boolean>;
}

/** A backend. All throw a DiagnosticError (`lock`) for what they cannot read or write. */
export interface Lock {
  /** Takes the lock on all organizations, or on none and tells who has one of them. Never waits for it; the signal ends it. */
  readonly acquire: (scope: LockScope, holder: LockHolder, signal?: AbortSignal) => Promise<LockAttempt>;
  /** All locks that the backend knows. */
  readonly list: () => Promise<readonly LockOnRecord[]>;
  /** Milliseconds between two attempts. */
  readonly interval: number;
}

/** Reads the content of a lock; undefined for what is none. */
export function parseLock(text: string): LockContent | undefined {
  try {
    const parsed = lockSchema().safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}
