/** Connects to the service of a run: one at an address, or the embedded one inside this process. */
import { resolve } from 'node:path';
import { type Client, createClient, type RequestEvent } from '../client/client.ts';
import { readJson } from '../run/read-file.ts';
import type { Connection } from '../run/session.ts';
import type { Seed, ServiceOptions } from '../server/index.ts';
import type { DesiredTree } from '../tree/desired-tree.ts';
import { defined } from '../util/defined.ts';
import { systemReason, userError } from '../util/user-error.ts';
import { version } from '../util/version.ts';
import type { Invocation } from './invocation.ts';
import { proxyFor } from './proxy.ts';
import type { RunSettings } from './settings.ts';

/** Settings, and a listener for each request. */
export type ConnectSettings = RunSettings & { readonly onRequest?: (event: RequestEvent) => void };

/** Connects. An embedded service without a seed starts with the organizations of the manifests, empty. */
export async function connect(
  invocation: Invocation,
  settings: ConnectSettings,
  trees: readonly DesiredTree[],
): Promise<Connection> {
  const { baseUrl } = settings;
  if (baseUrl === undefined) {
    throw userError(
      'no-base-url',
      'no service configured',
      'pass --base-url, set OCTAVO_BASE_URL, or set baseUrl in octavo.config.yaml; --base-url local runs the embedded service',
    );
  }
  const local = /^local(?::(.*))?$/s.exec(baseUrl);
  if (local === null) {
    if (settings.seedFile !== undefined) {
      throw userError('seed', '--seed works with the embedded service only', 'pass it with --base-url local');
    }
    const proxy = proxyFor(baseUrl, invocation.env);
    const client = makeClient(invocation, settings, {
      baseUrl,
      token: settings.token(),
      ...defined({ proxy }),
    });
    return { api: client, close: () => client.close() };
  }
  if (local[1] === '')
    throw userError(
      'base-url',
      'local: needs a path',
      'write one, for example local:octavo.db, or local alone',
    );
  const service = await startEmbedded({
    data: local[1] === undefined ? ':memory:' : resolve(invocation.cwd, local[1]),
    seed:
      settings.seedFile === undefined
        ? emptySeed(trees)
        : await readSeedFile(invocation.cwd, settings.seedFile),
  });
  const client = makeClient(invocation, settings, { baseUrl: service.url, token: service.token });
  return {
    api: client,
    close: async () => {
      await client.close();
      await service.close();
    },
  };
}

/** Starts the embedded service. Throws a DiagnosticError where it cannot start. */
export async function startEmbedded(options: ServiceOptions) {
  const { startService } = await import('../server/index.ts');
  try {
    return await startService(options);
  } catch (error) {
    const reason = systemReason(error) ?? (error instanceof Error ? error.message : String(error));
    throw userError('embedded-service', `the embedded service cannot start: ${reason}`);
  }
}

/** The seed of that name. Throws a DiagnosticError where a file cannot be read or is not a seed. */
export async function readSeedFile(cwd: string, name: string): Promise<Seed> {
  const { readSeed, sampleSeed } = await import('../server/index.ts');
  if (name === 'sample') return sampleSeed;
  const value = readJson(cwd, name, 'seed');
  try {
    return readSeed(value);
  } catch (error) {
    throw userError(
      'seed',
      `${name}: ${error instanceof Error ? error.message : String(error)}`,
      'write an object with a list of organizations, or pass --seed sample',
    );
  }
}

function emptySeed(trees: readonly DesiredTree[]): Seed {
  return {
    organizations: trees.map(({ id, match, label }) => ({
      ...defined({ id, hostname: match?.hostname }),
      title: match?.title ?? label,
    })),
  };
}

/** A client that logs its requests with --verbose. */
export function makeClient(
  { output, interrupt, world }: Pick<Invocation, 'output' | 'interrupt' | 'world'>,
  settings: Pick<ConnectSettings, 'parallelism' | 'allowHttp' | 'onRequest'>,
  target: { readonly baseUrl: string; readonly token: string; readonly proxy?: string },
): Client {
  return createClient({
    ...target,
    userAgent: `octavo/${version}`,
    clock: world.clock,
    concurrency: settings.parallelism,
    signal: interrupt.signal,
    allowHttp: settings.allowHttp,
    onRequest: (event) => {
      output.waitsFor(reasonOf(event));
      if (output.verbose) output.detail(requestLine(event));
      settings.onRequest?.(event);
    },
  });
}

/** Why a request is sent again later, for people; undefined for one that needs no other. */
function reasonOf({ outcome, retryInMs }: RequestEvent): string | undefined {
  if (retryInMs === undefined) return undefined;
  const seconds = Math.max(1, Math.ceil(retryInMs / 1000));
  const why = /\b(?:429|503)\b/.test(String(outcome)) ? 'throttled by the service' : `failed: ${outcome}`;
  return `${why}, retry in ${seconds} s`;
}

function requestLine({ method, path, outcome, milliseconds, attempt, retryInMs }: RequestEvent): string {
  const again = retryInMs === undefined ? '' : `, retry in ${Math.round(retryInMs)} ms`;
  return `${method} ${path} ${outcome} ${Math.round(milliseconds)} ms${attempt > 1 ? ` (attempt ${attempt})` : ''}${again}`;
}
