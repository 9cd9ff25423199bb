/** `octavo serve`: runs the embedded service until it is interrupted. */

import { once } from 'node:events';
import { resolve } from 'node:path';
import { readJson, readText } from '../../run/read-file.ts';
import type { FaultRule, Service } from '../../server/index.ts';
import { variantsText } from '../../server/variants.ts';
import { defined } from '../../util/defined.ts';
import { userError } from '../../util/user-error.ts';
import { readSeedFile, startEmbedded } from '../connection.ts';
import type { Flags } from '../flags.ts';
import type { Invocation } from '../invocation.ts';
import { readVariants } from '../variants.ts';

/** Exit code 0 after an interrupt. */
export async function run(invocation: Invocation): Promise<number> {
  const { flags, cwd, output, interrupt } = invocation;
  const token = tokenOf(invocation);
  const shows = flags.log === true || flags.verbose === true;
  const variants = readVariants(flags.variant ?? [], invocation.world.clock.random());
  const service = await startEmbedded({
    ...placeOf(flags),
    variants,
    data: flags.data === undefined ? ':memory:' : resolve(cwd, flags.data),
    ...defined({
      token,
      allowFetch: flags.allowFetch?.map(hostName),
      faults: flags.faults === undefined ? undefined : await readFaults(cwd, flags.faults),
      seed: flags.seed === undefined ? undefined : await readSeedFile(cwd, flags.seed),
      log: shows ? (line: string) => output.error(line) : undefined,
    }),
    report: (error) => output.error(`Error: ${error instanceof Error ? error.message : String(error)}`),
  });
  output.result(`Serving on ${service.url}\n`);
  if (variantsText(variants) !== '') output.note(`Variants: ${variantsText(variants)}`);
  for (const line of introduction(service, { ...flags, tokenIsKnown: token !== undefined }))
    output.note(line);
  if (!interrupt.signal.aborted) await once(interrupt.signal, 'abort');
  await service.close();
  output.note('Stopped.');
  return 0;
}

/** Host and port. A host that others can reach needs a flag of its own. */
function placeOf({ host, port = 4000, iKnowThisIsNotProduction = false }: Flags) {
  if (port > 65_535) throw userError('port', '--port must be at most 65535');
  const own = host === undefined || ['127.0.0.1', '::1', 'localhost'].includes(host);
  if (!own && !iKnowThisIsNotProduction) {
    throw userError(
      'host',
      `the service is not made for production, and others can reach it on ${host}`,
      'leave --host out, or add --i-know-this-is-not-production',
    );
  }
  return { port, public: iKnowThisIsNotProduction, ...defined({ host }) };
}

/** The token that was passed; undefined where the service uses the well-known one. */
function tokenOf({ flags, cwd, env }: Invocation): string | undefined {
  const given = flags.tokenFile === undefined ? env.OCTAVO_TOKEN : readText(cwd, flags.tokenFile);
  const token = (flags.token ?? given)?.trim();
  if (token === undefined || (token === '' && flags.token === undefined && flags.tokenFile === undefined)) {
    return undefined;
  }
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  throw userError('token', 'the token is empty or has characters that no token has');
}

/** Hosts are named without a scheme; a port may follow. */
function hostName(host: string): string {
  if (/^[\w.-]+(?::\d+)?$|^[\da-f:]+$|^\[[\da-f:]+\]:\d+$/i.test(host)) return host.toLowerCase();
  throw userError(
    'allow-fetch',
    `${JSON.stringify(host)} is not a host`,
    'for example --allow-fetch docs.example.com',
  );
}

/** How to use the service. */
function introduction(
  { url, token, store, seeded }: Service,
  given: Pick<Flags, 'seed' | 'data'> & { readonly tokenIsKnown: boolean },
): readonly string[] {
  const lines: string[] = [];
  if (given.seed !== undefined && !seeded) {
    lines.push(`The file ${given.data} is not empty; --seed was ignored.`);
  }
  const organizations = store.every('org');
  const named = organizations.slice(0, 5).map(({ id }) => id);
  const more = organizations.length > named.length ? ` and ${organizations.length - named.length} more` : '';
  if (named.length > 0) lines.push(`Organizations: ${named.join(', ')}${more}`);
  // No operation lists link invites.
  const invites = store.every('invite').slice(0, 5);
  if (invites.length > 0)
    lines.push(`Link invites: ${invites.map(({ id, org }) => `${id} (${org})`).join(', ')}`);
  const [secret, set] = given.tokenIsKnown ? ['the one you passed', ''] : [token, ` OCTAVO_TOKEN=${token}`];
  lines.push(
    `Token: ${secret}`,
    `Try: OCTAVO_BASE_URL=${url}${set} octavo api orgs.list`,
    'Stop with Ctrl-C.',
  );
  return lines;
}

async function readFaults(cwd: string, file: string): Promise<readonly FaultRule[]> {
  const { faultsFile } = await import('../../server/index.ts');
  const parsed = faultsFile.safeParse(readJson(cwd, file, 'faults'));
  if (parsed.success) return parsed.data.faults;
  const issue = parsed.error.issues[0];
  throw userError('faults', `the faults file ${file}: ${issue?.path.join('.')}: ${issue?.message}`);
}
