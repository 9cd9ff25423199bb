/** Connects to the service of a run: at an address, or embedded in this process. */
import { closeSync, existsSync, lstatSync, openSync, readFileSync, readSync } from 'node:fs';
import { BlockList, isIP } from 'node:net';
import { basename, dirname, resolve } from 'node:path';
import { parseBaseUrl } from '../../client/base-url.ts';
import type { Client } from '../../client/client.ts';
import type { Form } from '../../contract/form.ts';
import { isOutside, ownPath } from '../../manifest/files/paths.ts';
import { readJson } from '../../run/read-file.ts';
import type { Connection } from '../../run/reads/service-link.ts';
import type { Seed, ServiceOptions } from '../../server/index.ts';
import { numberAt } from '../../server/store/database-number.ts';
import type { DesiredTree } from '../../tree/desired-tree.ts';
import { defined } from '../../util/defined.ts';
import { isRecord } from '../../util/json.ts';
import { reasonOf, userError } from '../../util/user-error.ts';
import type { Invocation } from '../line/command.ts';
import type { ClientChoices } from './client.ts';
import type { RunSettings } from './settings.ts';
import { serviceToken } from './token.ts';

/** An embedded service without a seed starts with the empty organizations of the manifests, and with their profile. */
export async function connect(
  invocation: Invocation,
  settings: RunSettings & ClientChoices,
  trees: readonly DesiredTree[],
): Promise<Connection & { readonly api: Client }> {
  const { baseUrl } = settings;
  if (baseUrl === undefined) {
    throw userError(
      'no-base-url',
      'no service configured',
      'pass --base-url, set OCTAVO_BASE_URL, or set baseUrl in octavo.config.yaml; --base-url local runs the embedded service',
    );
  }
  // Only commands that reach a service load the HTTP client.
  const { makeClient } = await import('./client.ts');
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
  const form = pinnedForm(trees);
  const data = local[1] === undefined ? ':memory:' : resolve(invocation.cwd, local[1]);
  if (isOfCheckout(settings)) requireOwnData(resolve(invocation.cwd, settings.baseUrlFile ?? ''), data);
  const service = await startEmbedded({
    data,
    seed:
      settings.seedFile === undefined
        ? emptySeed(trees)
        : await readSeedFile(invocation.cwd, settings.seedFile),
    ...defined({ form }),
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
 * Identifies the service when runs are compared: the same text for the same service, and no folder of this machine, since
 * records are pushed. A database has a number of its own. Undefined for the embedded service in memory, which is new each time.
 *
 *   local:x.db, local:../r/x.db    local:x.db#5f3a01bc
 */
export function serviceName({ baseUrl, allowHttp }: RunSettings, cwd: string): string | undefined {
  const local = /^local(?::(.*))?$/s.exec(baseUrl ?? 'local');
  if (local === null) return parseBaseUrl(baseUrl ?? '', { allowHttp }).text;
  if (local[1] === undefined) return undefined;
  const file = ownPath(resolve(cwd, local[1]));
  return `local:${basename(file)}#${(numberIn(file) ?? numberAt(file)).toString('hex')}`;
}

/** Reads the number from the file's header, which can be read despite any lock; see the store. Undefined before the file is created. */
function numberIn(file: string): Buffer | undefined {
  try {
    const opened = openSync(file, 'r');
    const number = Buffer.alloc(4);
    const isThere = readSync(opened, number, 0, 4, 68) === 4 && number.readInt32BE() !== 0;
    closeSync(opened);
    return isThere ? number : undefined;
  } catch {
    return undefined;
  }
}

/** True if only the configuration chose a file to serve. */
export function isOfCheckout({ baseUrl, baseUrlFile }: RunSettings): boolean {
  return baseUrlFile !== undefined && baseUrl?.startsWith('local:') === true;
}

/** The checkout is not trusted: its service must store data inside its folder, and must not overwrite files. */
function requireOwnData(configFile: string, data: string): void {
  const wrong = (what: string, help: string) =>
    userError(
      'base-url',
      `${basename(configFile)} names the embedded service ${JSON.stringify(data)}: ${what}`,
      help,
    );
  const file = ownPath(data);
  const isLink = (name: string) => lstatSync(name, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  // SQLite opens these as well.
  const hasLink = ['', '.lock', '-wal', '-shm', '-journal'].some((end) => isLink(`${file}${end}`));
  if (hasLink || isOutside(ownPath(dirname(configFile)), file))
    throw wrong('it is outside of the folder', 'name a file inside, or set OCTAVO_BASE_URL yourself');
  if (existsSync(file) && !readFileSync(file).subarray(0, 15).equals(Buffer.from('SQLite format 3')))
    throw wrong('the file is not a database', 'name another file, or remove this one');
}

export async function startEmbedded(options: ServiceOptions) {
  const { startService } = await import('../../server/index.ts');
  try {
    return await startService(options);
  } catch (error) {
    throw userError('embedded-service', `the embedded service cannot start: ${reasonOf(error)}`);
  }
}

export async function readSeedFile(cwd: string, name: string): Promise<Seed> {
  const { readSeed, sampleSeed } = await import('../../server/index.ts');
  if (name === 'sample') return sampleSeed;
  const value = readJson(cwd, name, 'seed');
  try {
    return readSeed(value);
  } catch (error) {
    throw userError(
      'seed',
      `${name}: ${error instanceof Error ? error.message : String(error)}`,
      isRecord(value) && Array.isArray(value.organizations)
        ? 'change it there: docs/reference/embedded-service.md of Octavo lists what a seed may have'
        : 'write an object with a list of organizations, or pass --seed sample',
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

/** Uses the first pinned version, since an embedded service has only one. */
export function pinnedForm(trees: readonly DesiredTree[]): Form | undefined {
  return trees.flatMap(({ settings: { service } }) => service?.profile ?? [])[0];
}

export function isEmbedded(baseUrl: string | undefined): boolean {
  return baseUrl !== undefined && /^local(?::.+)?$/s.test(baseUrl);
}

/** False for an embedded service without data: connecting would create its file. */
export function hasState(baseUrl: string | undefined, cwd: string): boolean {
  if (!isEmbedded(baseUrl)) return true;
  const [, data] = /^local:(.+)$/s.exec(baseUrl ?? '') ?? [];
  return data !== undefined && existsSync(resolve(cwd, data));
}

/** Undefined if no proxy applies. Services on this machine are never reached through one. */
export function proxyFor(
  baseUrl: string,
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const { origin, loopback } = parseBaseUrl(baseUrl, { allowHttp: true });
  const { protocol, hostname, port } = new URL(origin);
  const [name, usual] = protocol === 'https:' ? ['HTTPS_PROXY', '443'] : ['HTTP_PROXY', '80'];
  const proxy = lookUp(env, name);
  if (proxy === undefined || loopback || isExempt(lookUp(env, 'NO_PROXY'), hostname, port || usual))
    return undefined;
  const address = proxy.includes('://') ? proxy : `http://${proxy}`;
  if (URL.canParse(address) && /^https?:$/.test(new URL(address).protocol)) return address;
  throw userError(
    'proxy',
    `${name} is not the address of an HTTP proxy`,
    'for example http://proxy.acme.dev:3128',
  );
}

function lookUp(env: Readonly<Record<string, string | undefined>>, name: string): string | undefined {
  const value = env[name.toLowerCase()] ?? env[name];
  return value === undefined || value.trim() === '' ? undefined : value.trim();
}

/**
 * As curl reads the list, but for other spellings and networks of IPv6: `acme.dev` and `.acme.dev` match the host and its subdomains,
 * `10.0.0.0/8` only addresses, `*` everything; `host:port` and `[address]:port` match only that port.
 */
function isExempt(list: string | undefined, hostname: string, port: string): boolean {
  const host = hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
  return (list ?? '').split(/[\s,]+/).some((text) => {
    const entry = text.toLowerCase();
    if (entry === '*') return true;
    const isBare = isIP(entry.split('/')[0] ?? '') === 6;
    const [, named = '', only = port] = isBare ? [entry, entry] : (/^(.*?)(?::(\d*))?$/.exec(entry) ?? []);
    if (only !== port) return false;
    const name = named.replace(/^\[(.*)\]/, '$1');
    if (isIP(name.split('/')[0] ?? '') !== 0) return isWithin(name, host);
    const domain = name.replace(/^\*?\./, '').replace(/\.$/, '');
    return domain !== '' && isIP(host) === 0 && (host === domain || host.endsWith(`.${domain}`));
  });
}

function isWithin(network: string, host: string): boolean {
  const [address = '', bits] = network.split('/');
  const version = isIP(address);
  const whole = version === 6 ? 128 : 32;
  // Like curl, which takes a length of 0 for a single address.
  const length = bits === undefined ? whole : Number(bits) || whole;
  if (version !== isIP(host) || !/^\d{0,3}$/.test(bits ?? '') || length > whole) return false;
  const networks = new BlockList();
  const family = version === 6 ? 'ipv6' : 'ipv4';
  networks.addSubnet(address, length, family);
  return networks.check(host, family);
}
