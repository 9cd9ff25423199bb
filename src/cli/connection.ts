/** Reaches the service that a run is about: one behind an address, or the embedded one inside this process. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Client, createClient, type RequestEvent } from '../client/client.ts';
import type { WantTree } from '../graph/want.ts';
import type { Seed, ServiceOptions } from '../server/index.ts';
import { isRecord } from '../util/json.ts';
import { systemClock } from './clock.ts';
import type { Invocation } from './invocation.ts';
import type { RunSettings } from './settings.ts';
import { systemReason, userError } from './user-error.ts';
import { version } from './version.ts';

/** A client, and how to let go of it and of what stands behind it. */
export interface Connection {
  readonly client: Client;
  readonly close: () => Promise<void>;
}

/** Connects. An embedded service without a seed starts with the organizations that the manifests speak of, empty. */
export async function connect(
  invocation: Invocation,
  settings: RunSettings,
  trees: readonly WantTree[],
): Promise<Connection> {
  const { baseUrl } = settings;
  if (baseUrl === undefined) {
    throw userError(
      'no-base-url',
      'there is no service to speak to',
      'give --base-url, set OCTAVO_BASE_URL, or write baseUrl in octavo.config.yaml; --base-url local tries things out',
    );
  }
  const local = /^local(?::(.*))?$/s.exec(baseUrl);
  if (local === null) {
    if (settings.seedFile !== undefined) {
      throw userError('seed', '--seed is for the embedded service alone', 'use it with --base-url local');
    }
    const client = makeClient(invocation, settings, { baseUrl, token: settings.token() });
    return { client, close: () => client.close() };
  }
  if (local[1] === '')
    throw userError('base-url', 'local: needs a path', 'for example local:octavo.db, or local alone');
  const service = await startEmbedded({
    data: local[1] === undefined ? ':memory:' : resolve(invocation.cwd, local[1]),
    seed: settings.seedFile === undefined ? emptySeed(trees) : readSeed(invocation.cwd, settings.seedFile),
  });
  const client = makeClient(invocation, settings, { baseUrl: service.url, token: service.token });
  return {
    client,
    close: async () => {
      await client.close();
      await service.close();
    },
  };
}

/** Starts the embedded service. What stands in its way is a clear error. */
export async function startEmbedded(options: ServiceOptions) {
  const { startService } = await import('../server/index.ts');
  try {
    return await startService(options);
  } catch (error) {
    const reason = systemReason(error) ?? (error instanceof Error ? error.message : String(error));
    throw userError('embedded-service', `the embedded service cannot start: ${reason}`);
  }
}

/** The seed in a JSON file. */
export function readSeed(cwd: string, file: string): Seed {
  const seed = readJson(cwd, file, 'seed');
  if (!isRecord(seed) || !Array.isArray(seed.organizations)) {
    throw userError(
      'seed',
      `the seed ${file} holds no organizations`,
      'it is an object with a list: organizations',
    );
  }
  return seed as unknown as Seed;
}

/** A JSON file that a flag names. Throws a DiagnosticError where it cannot be read. */
export function readJson(cwd: string, file: string, what: string): unknown {
  try {
    return JSON.parse(readFileSync(resolve(cwd, file), 'utf8'));
  } catch (error) {
    const reason = error instanceof SyntaxError ? `it is not JSON: ${error.message}` : systemReason(error);
    throw userError(what, `the ${what} file ${file} cannot be read: ${reason ?? String(error)}`);
  }
}

function emptySeed(trees: readonly WantTree[]): Seed {
  return {
    organizations: trees.map(({ id, match, label }) => ({
      ...(id === undefined ? {} : { id }),
      ...(match?.hostname === undefined ? {} : { hostname: match.hostname }),
      title: match?.title ?? label,
    })),
  };
}

/** A client that logs its requests where that is asked for. */
export function makeClient(
  { output, interrupt }: Pick<Invocation, 'output' | 'interrupt'>,
  settings: Pick<RunSettings, 'parallelism' | 'allowHttp'>,
  target: { readonly baseUrl: string; readonly token: string },
): Client {
  return createClient({
    ...target,
    userAgent: `octavo/${version}`,
    clock: systemClock,
    concurrency: settings.parallelism,
    signal: interrupt.signal,
    allowHttp: settings.allowHttp,
    ...(output.verbose ? { onRequest: (event) => output.detail(requestLine(event)) } : {}),
  });
}

function requestLine({ method, path, outcome, milliseconds, attempt, retryInMs }: RequestEvent): string {
  const again = retryInMs === undefined ? '' : `, again in ${Math.round(retryInMs)} ms`;
  return `${method} ${path} ${outcome} ${Math.round(milliseconds)} ms${attempt > 1 ? ` (attempt ${attempt})` : ''}${again}`;
}
