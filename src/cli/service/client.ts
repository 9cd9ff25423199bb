import { type Client, type ClientOptions, createClient, type RequestEvent } from '../../client/client.ts';
import { defined } from '../../util/defined.ts';
import type { Invocation } from '../line/command.ts';
import { Traffic } from '../world/traffic.ts';
import type { RunSettings } from './settings.ts';

export interface ClientChoices {
  readonly limits?: Pick<ClientOptions, 'retries' | 'timeouts'>;
  readonly onRequest?: (event: RequestEvent) => void;
}

export function makeClient(
  { output, interrupt, world, observe }: Pick<Invocation, 'output' | 'interrupt' | 'world' | 'observe'>,
  settings: Pick<RunSettings, 'parallelism' | 'maxRps' | 'allowHttp'> & ClientChoices,
  target: { readonly baseUrl: string; readonly token: string; readonly proxy?: string },
): Client {
  const traffic = new Traffic({
    now: world.clock.now,
    pace: () => client.pace,
  });
  const client = createClient({
    ...target,
    ...settings.limits,
    ...defined({ transport: world.transport?.(target.baseUrl) }),
    clock: world.clock,
    concurrency: settings.parallelism,
    maxPerSecond: settings.maxRps,
    signal: interrupt.signal,
    stopping: interrupt.stopping,
    allowHttp: settings.allowHttp,
    onRequest: (event) => {
      traffic.record(event);
      observe({ type: 'request', request: event });
      if (output.verbose) output.detail(requestLine(event));
      settings.onRequest?.(event);
    },
  });
  output.follow(traffic);
  return client;
}

function requestLine({ method, path, outcome, milliseconds, attempt, retryInMs }: RequestEvent): string {
  const again = retryInMs === undefined ? '' : `, retry in ${Math.round(retryInMs)} ms`;
  return `${method} ${path} ${outcome} ${Math.round(milliseconds)} ms${attempt > 1 ? ` (attempt ${attempt})` : ''}${again}`;
}
