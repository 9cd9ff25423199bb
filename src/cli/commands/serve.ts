import { once } from 'node:events';
import { resolve } from 'node:path';
import { forms } from '../../contract/form.ts';
import { readJson } from '../../run/read-file.ts';
import type { FaultRule, Service } from '../../server/index.ts';
import {
  randomVariants,
  type Variants,
  valuesOf,
  variantNames,
  variantsText,
} from '../../server/variants.ts';
import { someOf } from '../../util/count.ts';
import { defined } from '../../util/defined.ts';
import { nearest } from '../../util/nearest.ts';
import { userError } from '../../util/user-error.ts';
import { defineCommand, type InvocationWith } from '../line/command.ts';
import { flagTable, number, oneOf, service, text, texts, toggle } from '../line/flags.ts';
import { readSeedFile, startEmbedded } from '../service/connection.ts';
import { variableIn } from '../world/environment.ts';

const flags = {
  ...flagTable('Other flags', {
    port: number('Port to listen on (default: 4000; 0 for any)'),
    host: text('name', 'Host to listen on (default: 127.0.0.1)'),
    iKnowThisIsNotProduction: toggle('Allow a host that others can reach'),
    data: text('path', 'SQLite file for the state (default: in memory)'),
    token: text('text', "Administrator's token of the service (default: OCTAVO_TOKEN, or one that is shown)"),
    allowFetch: texts('host', 'Other host that imports and specifications may be fetched from; repeatable'),
    faults: text('path', 'JSON file of faults to inject (for testing)'),
    variant: texts(
      'name=value',
      'What the service does where the API document is silent (docs/reference/embedded-service.md); random[:seed] for any mix; repeatable',
    ),
    profile: oneOf(forms, 'Form of the service: that of the API document (default), or the newer one'),
  }),
  seed: service.seed,
};

type ServeInvocation = InvocationWith<typeof flags>;
type Flags = ServeInvocation['flags'];

export const command = defineCommand({
  flags,
  run,
});

async function run(invocation: ServeInvocation): Promise<number> {
  const { flags, cwd, output, interrupt } = invocation;
  const { signal } = interrupt;
  const token = tokenOf(invocation);
  const variants = readVariants(flags.variant ?? [], invocation.world.clock.random());
  const service = await startEmbedded({
    ...placeOf(flags),
    variants,
    // Same default as the library.
    data: [undefined, ':memory:'].includes(flags.data) ? ':memory:' : resolve(cwd, flags.data ?? ''),
    ...defined({
      form: flags.profile,
      token,
      allowFetch: flags.allowFetch?.map(hostName),
      faults: flags.faults === undefined ? undefined : await readFaults(cwd, flags.faults),
      seed: flags.seed === undefined ? undefined : await readSeedFile(cwd, flags.seed),
      log: flags.verbose === true ? (line: string) => output.error(line) : undefined,
    }),
    report: (error) => output.error(`Error: ${error instanceof Error ? error.message : String(error)}`),
  });
  output.result(`Serving on ${service.url}\n`);
  if (flags.profile !== undefined) output.note(`Profile: ${flags.profile}`);
  if (variantsText(variants) !== '') output.note(`Variants: ${variantsText(variants)}`);
  for (const line of introduction(service, { ...flags, tokenIsKnown: token !== undefined }))
    output.note(line);
  if (!signal.aborted) await once(signal, 'abort');
  await service.close();
  output.note('Stopped.');
  return 0;
}

/** A host that others can reach requires an extra flag. */
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

/** Undefined if the service uses the well-known token. */
function tokenOf({ flags, env }: ServeInvocation): string | undefined {
  const token = flags.token ?? variableIn(env, 'OCTAVO_TOKEN');
  if (token === undefined) return undefined;
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  throw userError('token', 'the token is empty or has characters that no token has');
}

/** Accepts a host without a scheme, optionally with a port. */
function hostName(host: string): string {
  if (/^[\w.-]+(?::\d+)?$|^[\da-f:]+$|^\[[\da-f:]+\]:\d+$/i.test(host)) return host.toLowerCase();
  throw userError(
    'allow-fetch',
    `${JSON.stringify(host)} is not a host`,
    'for example --allow-fetch docs.example.com',
  );
}

function introduction(
  { url, token, store, seeded }: Service,
  given: Pick<Flags, 'seed' | 'data'> & { readonly tokenIsKnown: boolean },
): readonly string[] {
  const lines: string[] = [];
  if (given.seed !== undefined && !seeded) {
    lines.push(`The file ${given.data} is not empty; --seed was ignored.`);
  }
  const organizations = store.every('org').map(({ id }) => id);
  if (organizations.length > 0) lines.push(`Organizations: ${someOf(organizations, 5)}`);
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

/** The last word wins. `chance`: seed of `random` if none is given, between 0 and 1. */
export function readVariants(words: readonly string[], chance: number): Partial<Variants> {
  let chosen: Partial<Variants> = {};
  for (const word of words) {
    const seed = /^random(?::(\d{1,9}))?$/.exec(word);
    const more =
      seed === null ? readVariant(word) : randomVariants(numbersFrom(Number(seed[1] ?? chance * 1e9)));
    chosen = { ...chosen, ...more };
  }
  return chosen;
}

function readVariant(word: string): Partial<Variants> {
  const [, name = word, value] = /^([^=]*)=(.*)$/s.exec(word) ?? [];
  const known = variantNames.find((one) => one === name);
  if (known === undefined) {
    const names = [...variantNames, 'random'];
    throw userError('variant', `unknown variant ${JSON.stringify(name)}`, suggestion(name, names));
  }
  const values = valuesOf(known);
  if (value === undefined) {
    throw userError('variant', `the variant ${known} needs a value`, `pass ${known}=${values.join('|')}`);
  }
  if (!values.includes(value)) {
    throw userError(
      'variant',
      `the variant ${known} has no value ${JSON.stringify(value)}`,
      suggestion(value, values),
    );
  }
  return { [known]: value };
}

function suggestion(word: string, candidates: readonly string[]): string {
  const near = nearest(word, candidates);
  return `${near === undefined ? '' : `did you mean ${near}? `}one of: ${candidates.join(', ')}`;
}

/** Numbers between 0 and 1, derived from a seed. */
function numbersFrom(seed: number): () => number {
  let state = Math.floor(seed) % 2147483646;
  const next = () => {
    state = (state * 48271) % 2147483647;
    return state / 2147483647;
  };
  state += 1;
  // Similar seeds have similar first numbers.
  for (let at = 0; at < 8; at += 1) next();
  return next;
}
