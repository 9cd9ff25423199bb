/** Connects to the service of a run: one at an address, or the embedded one inside this process. */
import { resolve } from 'node:path';
import { parseBaseUrl } from '../client/base-url.ts';
import type { RequestEvent } from '../client/client.ts';
import { ownPath } from '../run/lock/own-path.ts';
import { readJson } from '../run/read-file.ts';
import type { Connection } from '../run/service-link.ts';
import type { Seed, ServiceOptions } from '../server/index.ts';
import type { DesiredTree } from '../tree/desired-tree.ts';
import { defined } from '../util/defined.ts';
import { reasonOf, userError } from '../util/user-error.ts';
import type { Invocation } from './invocation.ts';
import { proxyFor } from './proxy.ts';
import { serviceToken } from './service-token.ts';
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
  // Only commands that reach a service load what requests are sent with.
  const { makeClient } = await import('./service-client.ts');
  const local = /^local(?::(.*))?$/s.exec(baseUrl);
  if (local === null) {
    if (settings.seedFile !== undefined) {
      throw userError('seed', '--seed works with the embedded service only', 'pass it with --base-url local');
    }
    const proxy = proxyFor(baseUrl, invocation.env);
    const client = makeClient(invocation, settings, {
      baseUrl,
      token: await serviceToken(invocation, settings),
      ...defined({ proxy }),
    });
    invocation.observe({ type: 'service', baseUrl: client.address });
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
  invocation.observe({ type: 'service', baseUrl });
  return {
    api: client,
    close: async () => {
      await client.close();
      await service.close();
    },
  };
}

/**
 * What a service is called wherever runs are compared: the same for all who mean the same one. Undefined for the embedded
 * service in memory, which is another one each time.
 */
export function serviceName({ baseUrl, allowHttp }: RunSettings, cwd: string): string | undefined {
  const local = /^local(?::(.*))?$/s.exec(baseUrl ?? 'local');
  if (local === null) return parseBaseUrl(baseUrl ?? '', { allowHttp }).text;
  return local[1] === undefined ? undefined : ownPath(resolve(cwd, local[1]));
}

/** Starts the embedded service. Throws a DiagnosticError where it cannot start. */
export async function startEmbedded(options: ServiceOptions) {
  const { startService } = await import('../server/index.ts');
  try {
    return await startService(options);
  } catch (error) {
    const reason = reasonOf(error);
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
