import { existsSync } from 'node:fs';
import path from 'node:path';
import { parseBaseUrl } from '../../client/base-url.ts';
import type { Api } from '../../contract/api.ts';
import type { OperationOutput } from '../../contract/index.ts';
import { safeText } from '../../report/text/safe-text.ts';
import { ServiceLink } from '../../run/service-link.ts';
import { defined } from '../../util/defined.ts';
import type { DiagnosticError } from '../../util/diagnostic.ts';
import { userError } from '../../util/user-error.ts';
import type { InvocationWith } from '../line/command.ts';
import { asking, exporting, flagTable, service } from '../line/flags.ts';
import { connect } from '../service/connection.ts';
import { type RunSettings, readSettings } from '../service/settings.ts';
import { problemsOf } from '../show/failure.ts';
import type { Asker } from './ask.ts';
import { type InitAnswers, isOwnFile, type PipelineName, pipelineNames } from './files.ts';

export const initFlags = {
  baseUrl: service.baseUrl,
  tokenFile: service.tokenFile,
  organization: {
    ...exporting.organization,
    description: 'Organization: its id, hostname or title (default: the only one there is)',
  },
  ...flagTable('Workspace', {
    dir: { type: 'string', value: 'path', description: 'Folder for the manifests (default: docs)' },
    fromLive: { type: 'boolean', description: 'Write the live workspace as manifests' },
    ci: {
      type: 'string',
      choices: ['github', 'gitlab', 'none'],
      description: 'Also write pipelines for this CI system (default: none)',
    },
  }),
  ...asking,
};

export type InitInvocation = InvocationWith<typeof initFlags>;

export interface Gathered {
  readonly answers: InitAnswers;
  /** The first manifests are exported from the live state. */
  readonly isFromLive: boolean;
  /** Origin of the service; undefined for the embedded one, and if a configuration above names it, not the user. */
  readonly namedHost: string | undefined;
  readonly api: () => Promise<Api>;
  readonly close: () => Promise<void>;
}

/** Without an asker, flags and defaults have to suffice. Throws AskingEnded, or a DiagnosticError. */
export async function gather(invocation: InitInvocation, asker: Asker | undefined): Promise<Gathered> {
  const { cwd, env } = invocation;
  const baseUrl = await baseUrlFor(invocation, asker);
  const tokenFile = await tokenFileFor(invocation, asker, baseUrl);
  // Without a question, the address is not the user's: one of a configuration above gets no token by being repeated here.
  const named = asker === undefined ? {} : { baseUrl };
  const flags = { ...invocation.flags, ...named, ...defined({ tokenFile }) };
  const settings = await readSettings({ flags, env, cwd });
  const link = new ServiceLink((trees) => connect({ ...invocation, flags }, settings, trees));
  const api = () => link.api([]);
  const close = () => link.close();
  try {
    // An embedded service would create its file when asked, and has no data yet.
    const known = hasState(baseUrl, cwd) ? api : undefined;
    const { id: organization, isReached } = await organizationFor(invocation, asker, known);
    const dir = await dirFor(invocation, asker);
    const isFromLive = invocation.flags.fromLive ?? (isReached && (await isLiveWanted(asker)));
    const ci = await pipelinesFor(invocation, asker);
    const answers = { baseUrl, tokenFile, organization, dir, ci };
    return { answers, isFromLive, namedHost: namedHostOf(settings), api, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function namedHostOf({ baseUrl = 'local', baseUrlFile, allowHttp }: RunSettings): string | undefined {
  if (baseUrlFile !== undefined || /^local(?::|$)/.test(baseUrl)) return undefined;
  return parseBaseUrl(baseUrl, { allowHttp }).origin;
}

async function baseUrlFor(invocation: InitInvocation, asker: Asker | undefined): Promise<string> {
  const { flags, env, cwd } = invocation;
  const { baseUrl: given, baseUrlFile, allowHttp } = await readSettings({ flags, env, cwd });
  const problem = (text: string): string | undefined => {
    if (/^local(?::.+)?$/s.test(text)) return undefined;
    try {
      parseBaseUrl(text, { allowHttp });
      return undefined;
    } catch (error) {
      return problemsOf(error)
        .map(({ message, suggestion }) => `${message}; ${suggestion ?? ''}`)
        .join('; ');
    }
  };
  if (asker !== undefined && flags.baseUrl === undefined) {
    const question = 'Address of the service before /v1, or local:octavo.db for the embedded one';
    return asker.text({ question, initial: baseUrlFile === undefined ? given : undefined, problem });
  }
  if (given === undefined) throw missing('--base-url, or set OCTAVO_BASE_URL');
  const wrong = problem(given);
  if (wrong !== undefined) throw userError('base-url', wrong);
  return given;
}

/** Only the source of the token: the token itself is never asked for or stored. */
async function tokenFileFor(
  { flags, env }: InitInvocation,
  asker: Asker | undefined,
  baseUrl: string,
): Promise<string | undefined> {
  const { tokenFile } = flags;
  if (tokenFile !== undefined || asker === undefined || /^local(?::|$)/.test(baseUrl)) return tokenFile;
  if ((env.OCTAVO_TOKEN ?? '') !== '' || (env.OCTAVO_TOKEN_FILE ?? '') !== '') {
    asker.say('The token comes from the environment. It is not stored.');
    return undefined;
  }
  const choices = [
    { value: 'environment', about: 'OCTAVO_TOKEN, set by you or by CI' },
    { value: 'file', about: 'a file that octavo reads and git ignores' },
  ] as const;
  const how = await asker.choose('Where will the token come from?', choices, 'environment');
  if (how === 'environment') return undefined;
  const problem = (file: string) =>
    isOwnFile(file) ? undefined : 'a file inside of this folder is needed; OCTAVO_TOKEN_FILE names any other';
  return asker.text({ question: 'Path of the file', initial: '.octavo-token', problem });
}

interface NamedOrganization {
  readonly id: string;
  readonly isReached: boolean;
}

async function organizationFor(
  { flags, output }: InitInvocation,
  asker: Asker | undefined,
  api: (() => Promise<Api>) | undefined,
): Promise<NamedOrganization> {
  const { organization: named, fromLive = false } = flags;
  const told = toldOrganization(flags, { isAsking: asker !== undefined, isLive: api !== undefined });
  if (told !== undefined) return { id: told, isReached: false };
  const seen = api === undefined ? [] : await organizationsSeen(api, fromLive ? undefined : asker);
  if (seen.length === 0 && asker !== undefined && !fromLive) {
    const id = named ?? (await asker.text({ question: 'Id of the organization, such as org_acme' }));
    return { id, isReached: false };
  }
  const isNamed = ({ id, title, hostname }: VisibleOrganization) => [id, title, hostname].includes(named);
  const found = named === undefined ? seen : seen.filter(isNamed);
  const [only] = found;
  if (only !== undefined && found.length === 1) {
    output.note(safeText(`Organization: ${only.title} (${only.id})`));
    return { id: only.id, isReached: true };
  }
  if (asker === undefined || only === undefined) throw notOne(named, seen);
  const choices = found.map(({ id, title }) => ({ value: id, about: safeText(title) }));
  return { id: await asker.choose('Which organization?', choices, only.id), isReached: true };
}

/** From flags alone. Throws a DiagnosticError if they do not decide. */
function toldOrganization(
  { organization: named, fromLive = false }: InitInvocation['flags'],
  { isAsking, isLive }: { readonly isAsking: boolean; readonly isLive: boolean },
): string | undefined {
  if (fromLive) {
    if (isLive) return undefined;
    throw userError(
      'init',
      'nothing is live: the embedded service has no state yet',
      'leave out --from-live',
    );
  }
  if (isAsking || (isLive && named === undefined)) return undefined;
  if (named === undefined) throw missing('--organization');
  if (/^\S+$/.test(named)) return named;
  const help = 'pass the id with --organization: --yes asks no question';
  throw userError('init', `${JSON.stringify(named)} is no id`, help);
}

/** False for an embedded service without data. */
function hasState(baseUrl: string, cwd: string): boolean {
  const local = /^local(?::(.+))?$/s.exec(baseUrl);
  return local === null || (local[1] !== undefined && existsSync(path.resolve(cwd, local[1])));
}

type VisibleOrganization = OperationOutput<'orgs.get'>;

/** With an asker, empty if the service cannot be reached: the asker reports why. */
async function organizationsSeen(
  api: () => Promise<Api>,
  asker: Asker | undefined,
): Promise<readonly VisibleOrganization[]> {
  try {
    const seen = (await (await api()).all('orgs.list', {})) as readonly VisibleOrganization[];
    if (seen.length === 0) asker?.say('  The token sees no organization.');
    return seen;
  } catch (error) {
    const problems = problemsOf(error);
    if (asker === undefined || problems.length === 0) throw error;
    for (const { message } of problems) asker.say(`  The service could not be asked: ${safeText(message)}`);
    return [];
  }
}

function notOne(named: string | undefined, seen: readonly VisibleOrganization[]): DiagnosticError {
  const shown = seen.slice(0, 10).map(({ id, title }) => `${id} (${title})`);
  const which =
    named === undefined
      ? `the token can see ${seen.length} organizations`
      : `the token can see no ${JSON.stringify(named)}`;
  return userError(
    'organization-not-found',
    which,
    shown.length === 0
      ? 'check the token and the base URL'
      : `pass one with --organization: ${shown.join(', ')}`,
  );
}

async function dirFor({ flags, cwd }: InitInvocation, asker: Asker | undefined): Promise<string> {
  const problem = (dir: string): string | undefined => {
    const relative = path.relative(cwd, path.resolve(cwd, dir));
    if (relative.startsWith('..') || path.isAbsolute(relative))
      return 'a folder inside of this one is needed';
    return /\.ya?ml$/i.test(dir) ? 'a folder is needed, not a file' : undefined;
  };
  const dir =
    flags.dir ??
    (await asker?.text({ question: 'Folder for the manifests', initial: 'docs', problem })) ??
    'docs';
  const wrong = problem(dir);
  if (wrong !== undefined) throw userError('init', `--dir ${dir}: ${wrong}`, 'pass --dir docs, or --dir .');
  return path.relative(cwd, path.resolve(cwd, dir)).replaceAll(path.sep, '/') || '.';
}

async function isLiveWanted(asker: Asker | undefined): Promise<boolean> {
  return (await asker?.confirm('Write what is live now as manifests?', { initial: 'yes' })) ?? false;
}

async function pipelinesFor({ flags, cwd }: InitInvocation, asker: Asker | undefined): Promise<PipelineName> {
  const given = pipelineNames.find((name) => name === flags.ci);
  if (given !== undefined || asker === undefined) return given ?? 'none';
  const isThere = (name: string) => existsSync(path.join(cwd, name));
  const initial = isThere('.github') ? 'github' : 'none';
  const choices = [
    { value: 'github', about: 'workflows that plan pull requests and apply merges' },
    { value: 'gitlab', about: 'a .gitlab-ci.yml that does the same' },
    { value: 'none', about: '' },
  ] as const;
  return asker.choose('Pipelines?', choices, initial);
}

function missing(flag: string): DiagnosticError {
  return userError('init', 'init asks on a terminal, and there is none', `pass ${flag}`);
}
