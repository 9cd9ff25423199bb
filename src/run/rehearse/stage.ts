/**
 * The copy of the service for a rehearsal, behind the usual client. It is passed in as a function, because sessions do not start
 * services.
 */

import { setImmediate as turn } from 'node:timers/promises';
import { createClient } from '../../client/client.ts';
import type { Clock } from '../../client/pacing.ts';
import type { PlannedCall, ServiceRead, ServiceRequest, ServiceResponse } from '../../contract/api.ts';
import type { Rehearsal } from '../../plan/rehearsal.ts';
import { defined } from '../../util/defined.ts';
import { userError } from '../../util/user-error.ts';
import type { StageMaker } from './rehearse.ts';

interface StagedService {
  readonly token: string;
  readonly assumptions: Rehearsal['notIncluded'];
  readonly respond: (request: ServiceRequest) => Promise<ServiceResponse>;
  readonly close: () => void;
}

export interface StageOptions {
  readonly copy: (source: {
    readonly reads: readonly ServiceRead[];
    readonly calls: readonly PlannedCall[];
    readonly now: () => Date;
    readonly random: () => number;
    readonly refuse: (reason: string) => Error;
  }) => StagedService | Promise<StagedService>;
  readonly clock: Pick<Clock, 'now' | 'random'>;
  readonly signal?: AbortSignal;
}

/** Requests use no sockets and no delays. */
export function stageMaker({ copy, clock, signal }: StageOptions): StageMaker {
  const { now, random } = clock;
  return async (source) => {
    const refuse = (reason: string) =>
      userError('embedded-service', `the plan cannot be rehearsed: ${reason}`);
    const service = await copy({ ...source, now: () => new Date(now()), random, refuse });
    const api = createClient({
      baseUrl: 'http://localhost',
      token: service.token,
      clock: { now, random, sleep: () => Promise.resolve() },
      ...defined({ signal }),
      transport: {
        exchange: async ({ method, target, headers, body = '' }) => {
          // Handle Ctrl-C between two requests.
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
    const { assumptions } = service;
    return { api, assumptions, now: () => new Date(now()), close: () => api.close() };
  };
}
