/** One apply at a time for an organization of a service: the content of a lock, and the interface of refs and journals as locks. */
import * as z from 'zod';
import { once } from '../../contract/once.ts';
import { list, object } from '../../util/data-schema.ts';

export const lockFile = 'lock.json';

export interface LockScope {
  readonly organizations: readonly string[];
  /** Address of the service, without user name and password; name and number of the database for an embedded one. */
  readonly baseUrl: string;
}

/** A single line without control characters: others can write to the places that locks are read from. */
const line = z
  .string()
  .max(2000)
  .regex(/^[^\p{Cc}]*$/u);

/** The process of a holder, as far as its system reports it; runs in a journal have the same form. */
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

export type LockContent = z.infer<ReturnType<typeof lockSchema>>;

export type LockHolder = Omit<LockContent, 'organizations' | 'baseUrl' | 'lease' | 'renewed'>;

export interface HeldLock {
  /** Why the run no longer holds all locks. A lost lock never comes back. */
  readonly lost: () => string | undefined;
  /** Returns the reason if releasing fails; never removes the lock of another run. */
  readonly release: () => Promise<string | undefined>;
}

export type LockAttempt =
  | {
      readonly type: 'held';
      readonly lock: HeldLock;
      readonly takenOver: readonly { readonly run: string; readonly because: string }[];
    }
  | {
      readonly type: 'busy';
      readonly organization: string;
      readonly holder: LockContent;
      /** Remaining milliseconds until the lock can be taken, if its holder seems to be dead. */
      readonly abandonedIn?: number | undefined;
    };

export interface LockOnRecord {
  readonly organizations: readonly string[];
  readonly content: LockContent;
  readonly isAbandoned: boolean;
  /** False, permanently, if another run has the lock now. */
  readonly remove: () => Promise<boolean>;
}

export interface Lock {
  /** Takes the lock on all organizations or on none. Never waits for the holder; the signal ends it. Throws a DiagnosticError (`lock`). */
  readonly acquire: (scope: LockScope, holder: LockHolder, signal?: AbortSignal) => Promise<LockAttempt>;
  readonly list: () => Promise<readonly LockOnRecord[]>;
  /** For example: this repository. */
  readonly where: string;
  readonly interval: number;
}

export function parseLock(text: string): LockContent | undefined {
  try {
    const parsed = lockSchema().safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}
