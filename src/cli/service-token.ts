/** The token of a run, and the only way to it: a checkout chooses neither the host that gets it nor a file outside of itself. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseBaseUrl } from '../client/base-url.ts';
import { leaves } from '../manifest/paths.ts';
import { ownPath } from '../run/lock/own-path.ts';
import { systemReason, userError } from '../util/user-error.ts';
import { ask } from './approval.ts';
import { variableIn } from './environment.ts';
import type { Invocation } from './invocation.ts';
import type { ConfiguredPath, RunSettings } from './settings.ts';
import { isTrustedHost, trustHost } from './trusted-hosts.ts';

/** What to do about a host that only the configuration names. Without a terminal it is refused in any case. */
interface UntrustedHost {
  readonly untrusted: 'ask' | 'refuse';
}

/**
 * The token for the configured service. Its text is in no message.
 *
 * @throws DiagnosticError where there is none, or where the user did not name the host.
 */
export async function serviceToken(
  invocation: Invocation,
  settings: RunSettings,
  { untrusted }: UntrustedHost = { untrusted: 'ask' },
): Promise<string> {
  const token = readToken(invocation, settings.configuredTokenFile);
  const { baseUrl = '', baseUrlFile, allowHttp } = settings;
  // A flag or a variable is the user's own word.
  if (baseUrlFile === undefined) return token;
  const { origin, text } = parseBaseUrl(baseUrl, { allowHttp });
  const { env, world, output, interrupt } = invocation;
  if (isTrustedHost(env, origin)) return token;
  if (untrusted === 'ask' && canAsk(invocation)) {
    const question = `${baseUrlFile} would send the token to ${origin}, which you have not trusted yet.\nTrust this host from now on? Only "yes" is accepted: `;
    const isTrusted = await output.withoutProgress(() => ask(world, interrupt, question));
    interrupt.signal.throwIfAborted();
    if (isTrusted) {
      trustHost(env, origin);
      return token;
    }
  }
  throw userError(
    'untrusted-host',
    `${baseUrlFile} would send the token to ${origin}`,
    `set OCTAVO_BASE_URL=${text}, or run octavo plan at a terminal to trust ${origin}`,
  );
}

function canAsk({ flags, env, world: { stdin, stdout, stderr } }: Invocation): boolean {
  const isTerminal = [stdin, stdout, stderr].every(({ isTTY }) => isTTY === true);
  return isTerminal && flags.quiet !== true && flags.yes !== true && variableIn(env, 'CI') === undefined;
}

function readToken({ flags, env, cwd }: Invocation, configured: ConfiguredPath | undefined): string {
  const direct = variableIn(env, 'OCTAVO_TOKEN');
  if (flags.tokenFile === undefined && direct !== undefined) return direct;
  const named = flags.tokenFile ?? variableIn(env, 'OCTAVO_TOKEN_FILE');
  if (named !== undefined) return readTokenFile(path.resolve(cwd, named), named);
  if (configured !== undefined) return readTokenFile(requireInside(configured), configured.path);
  throw userError(
    'no-token',
    'no token configured',
    'set OCTAVO_TOKEN or OCTAVO_TOKEN_FILE, or pass --token-file',
  );
}

function readTokenFile(file: string, name: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw userError(
      'token-file',
      `cannot read the token file ${name}: ${systemReason(error) ?? String(error)}`,
    );
  }
}

/** The file without links, so that what is read is what was checked. */
function requireInside({ path: given, folder, configFile }: ConfiguredPath): string {
  const file = ownPath(path.resolve(folder, given));
  if (!path.isAbsolute(given) && !leaves(ownPath(folder), file)) return file;
  throw userError(
    'token-file',
    `${configFile} names a token file outside of its folder: ${JSON.stringify(given)}`,
    'name the file with OCTAVO_TOKEN_FILE or --token-file',
  );
}
