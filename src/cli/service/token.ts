/** The only access to the token of a run: a checkout cannot choose the host that receives it, or the file that it is read from. */
import { readFileSync } from 'node:fs';
import { platform } from 'node:os';
import path from 'node:path';
import { parseBaseUrl } from '../../client/base-url.ts';
import { isRecord, stableStringify } from '../../util/json.ts';
import { reasonOf, systemReason, userError } from '../../util/user-error.ts';
import type { Invocation } from '../line/command.ts';
import { ask, isInteractive } from '../world/ask.ts';
import { variableIn } from '../world/environment.ts';
import type { World } from '../world/world.ts';
import type { RunSettings } from './settings.ts';

/**
 * The token for the configured service. No message contains its text.
 *
 * @param untrusted How to treat a host that only the configuration names. Without a terminal it is always refused.
 * @throws DiagnosticError if the token is missing, or the user did not name the host.
 */
export async function serviceToken(
  invocation: Invocation,
  settings: RunSettings,
  untrusted: 'ask' | 'refuse' = 'ask',
): Promise<string> {
  const token = readToken(invocation);
  const { baseUrl = '', baseUrlFile, allowHttp } = settings;
  // The user set the flag or variable, so the host is trusted.
  if (baseUrlFile === undefined) return token;
  const { origin, text } = parseBaseUrl(baseUrl, { allowHttp });
  const { env, world, output, interrupt } = invocation;
  if (readList(listFile(env)).includes(origin)) return token;
  if (untrusted === 'ask' && isInteractive(invocation)) {
    const question = `${baseUrlFile} would send the token to ${origin}, which you have not trusted yet.\nTrust this host from now on? Only "yes" is accepted: `;
    const isTrusted = await output.withoutProgress(() => ask(world, interrupt, question));
    interrupt.signal.throwIfAborted();
    if (isTrusted) {
      trustHost(invocation, origin);
      return token;
    }
  }
  throw userError(
    'untrusted-host',
    `${baseUrlFile} would send the token to ${origin}`,
    `set OCTAVO_BASE_URL=${text}, or run octavo plan at a terminal to trust ${origin}`,
  );
}

function readToken({ flags, env, cwd }: Invocation): string {
  const direct = variableIn(env, 'OCTAVO_TOKEN');
  if (flags.tokenFile === undefined && direct !== undefined) return direct;
  const named = flags.tokenFile ?? variableIn(env, 'OCTAVO_TOKEN_FILE');
  if (named === undefined) throw userError('no-token', 'no token configured', noTokenHelp(env));
  try {
    return readFileSync(path.resolve(cwd, named), 'utf8').trim();
  } catch (error) {
    throw userError(
      'token-file',
      `cannot read the token file ${named}: ${systemReason(error) ?? String(error)}`,
    );
  }
}

/** A pipeline may hide a variable that is set. */
function noTokenHelp(env: World['env']): string {
  if (env.GITLAB_CI === 'true' && env.CI_COMMIT_REF_PROTECTED === 'false')
    return 'this ref is not protected, so GitLab hides protected variables: set OCTAVO_TOKEN, or the variable that it is filled from (OCTAVO_READ_TOKEN), to a token that only reads, and clear "Protect variable"';
  if (env.GITHUB_ACTOR === 'dependabot[bot]')
    return 'GitHub gives runs of dependabot no secrets of Actions: add a token that only reads, such as OCTAVO_READ_TOKEN, to the secrets for Dependabot';
  return 'set OCTAVO_TOKEN or OCTAVO_TOKEN_FILE, or pass --token-file';
}

export function trustHost({ env, folder }: Pick<Invocation, 'env' | 'folder'>, origin: string): void {
  const file = listFile(env);
  if (file === undefined)
    throw userError('trusted-hosts', 'no folder for the list of trusted hosts', elsewhere);
  const hosts = readList(file);
  if (hosts.includes(origin)) return;
  try {
    folder.effects.makeFolder(path.dirname(file), { recursive: true, mode: 0o700 });
    folder.put(file, `${stableStringify({ format: 1, hosts: [...hosts, origin].sort() }, 2)}\n`, 0o600);
  } catch (error) {
    throw userError('trusted-hosts', `cannot write ${file}: ${reasonOf(error)}`, elsewhere);
  }
}

const elsewhere = 'set XDG_STATE_HOME to a folder that can be written to, or set OCTAVO_BASE_URL';

/** Undefined without a home. A relative path counts as not set: it could name a file of the checkout. */
function listFile({ XDG_STATE_HOME, LOCALAPPDATA, HOME = '' }: World['env']): string | undefined {
  const inHome = path.join(HOME, platform() === 'darwin' ? 'Library/Application Support' : '.local/state');
  const folders = [XDG_STATE_HOME, platform() === 'win32' ? LOCALAPPDATA : inHome];
  const folder = folders.find((one) => one !== undefined && path.isAbsolute(one));
  return folder && path.join(folder, 'octavo', 'trusted-hosts.json');
}

function readList(file: string | undefined): readonly string[] {
  if (file === undefined) return [];
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw userError('trusted-hosts', `cannot read ${file}: ${reasonOf(error)}`, elsewhere);
  }
  const hosts = hostsIn(text);
  if (hosts !== undefined) return hosts;
  throw userError('trusted-hosts', `the list of trusted hosts ${file} is damaged`, 'fix or delete it');
}

function hostsIn(text: string): readonly string[] | undefined {
  try {
    const list: unknown = JSON.parse(text);
    if (!isRecord(list) || list.format !== 1 || !Array.isArray(list.hosts)) return undefined;
    const hosts: readonly unknown[] = list.hosts;
    return hosts.every((host) => typeof host === 'string' && new URL(host).origin === host)
      ? (hosts as readonly string[])
      : undefined;
  } catch {
    return undefined;
  }
}
