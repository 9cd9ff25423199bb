/**
 * The stage of a rehearsal: a copy of the service in this process, behind the client that also speaks to the real one. The
 * copy is handed over as a function, since sessions start no service.
 */
import { setImmediate as turn } from 'node:timers/promises';
import { createClient } from '../../client/client.ts';
import type { Clock } from '../../client/pacing.ts';
import type { Rehearsal } from '../../plan/rehearsal.ts';
import { defined } from '../../util/defined.ts';
import { userError } from '../../util/user-error.ts';
import { version } from '../../util/version.ts';
import type { LoggedRead } from './read-log.ts';
import type { PlannedCall, StageMaker } from './rehearse.ts';

/** A copy of a service. */
interface StagedService {
  /** The only token that it knows. */
  readonly token: string;
  readonly assumptions: Rehearsal['notIncluded'];
  readonly respond: (request: {
    readonly method: string;
    readonly target: string;
    readonly authorization: string | undefined;
    readonly contentType: string | undefined;
    readonly body: Uint8Array;
  }) => Promise<{
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string | null;
  }>;
  readonly close: () => void;
}

/** What stages are made with. */
export interface StageOptions {
  /** Makes a copy of a service from what was read of it: `copyService`. */
  readonly copy: (source: {
    readonly reads: readonly LoggedRead[];
    readonly calls: readonly PlannedCall[];
    readonly now: () => Date;
    readonly random: () => number;
    /** The error to throw where there can be no copy on this machine. */
    readonly refuse: (reason: string) => Error;
  }) => StagedService | Promise<StagedService>;
  readonly clock: Pick<Clock, 'now' | 'random'>;
  /** Ends a rehearsal that is under way. */
  readonly signal?: AbortSignal;
}

/** Makes stages. Requests reach no socket; nothing is waited for. */
export function stageMaker({ copy, clock, signal }: StageOptions): StageMaker {
  const { now, random } = clock;
  return async (source) => {
    const refuse = (reason: string) =>
      userError('embedded-service', `the plan cannot be rehearsed: ${reason}`);
    const service = await copy({ ...source, now: () => new Date(now()), random, refuse });
    const api = createClient({
      baseUrl: 'http://localhost',
      token: service.token,
      userAgent: `octavo/${version}`,
      clock: { now, random, sleep: () => Promise.resolve() },
      ...defined({ signal }),
      transport: {
        exchange: async ({ method, target, headers, body = '' }) => {
          // Ctrl-C is heard between two requests.
          await turn();
          const { authorization, 'content-type': contentType } = headers;
          const bytes = Buffer.from(body);
          const request = { method, target, authorization, contentType, body: bytes };
          const { status, headers: given, body: text } = await service.respond(request);
          return {
            status,
            header: (name) => given[name.toLowerCase()],
            body: text ?? '',
            bytes: Buffer.byteLength(text ?? ''),
          };
        },
        close: async () => service.close(),
      },
    });
    return { api, assumptions: service.assumptions, close: () => api.close() };
  };
}
