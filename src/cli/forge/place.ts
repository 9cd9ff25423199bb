import { type ForgeAddress, parseForgeUrl } from '../../forge/address.ts';
import { isRecord } from '../../util/json.ts';
import { userError } from '../../util/user-error.ts';
import type { Invocation } from '../line/command.ts';
import { pullHead, readEvent } from '../world/ci-event.ts';
import { variableIn } from '../world/environment.ts';

export interface ForgePlace {
  readonly type: 'github' | 'gitlab';
  readonly address: ForgeAddress;
  /** `owner/name`, or the id or path of a project. */
  readonly repository: string;
  readonly token: string;
  readonly tokenName: string;
}

type Given = Pick<Invocation, 'flags' | 'env'>;

/** Throws a DiagnosticError if the repository is unknown. */
export function readPlace({ flags, env }: Given): ForgePlace {
  const type = typeOf({ flags, env });
  const isGithub = type === 'github';
  const repository = flags.repository ?? variableIn(env, isGithub ? 'GITHUB_REPOSITORY' : 'CI_PROJECT_ID');
  if (repository === undefined || (isGithub && !/^[\w.-]+\/[\w.-]+$/.test(repository))) {
    throw userError(
      'forge-place',
      repository === undefined
        ? 'which repository?'
        : `${JSON.stringify(repository)} is not a repository of GitHub`,
      isGithub
        ? 'pass --repository owner/name, or set GITHUB_REPOSITORY'
        : 'pass --repository with the id or path of the project, or set CI_PROJECT_ID',
    );
  }
  return { type, repository, address: addressOf(type, { flags, env }), ...tokenOf(type, env) };
}

function typeOf({ flags, env }: Given): ForgePlace['type'] {
  if (flags.forge === 'github' || flags.forge === 'gitlab') return flags.forge;
  const isGithub = variableIn(env, 'GITHUB_REPOSITORY') !== undefined;
  const isGitlab = variableIn(env, 'CI_PROJECT_ID') !== undefined;
  if (isGithub !== isGitlab) return isGithub ? 'github' : 'gitlab';
  throw userError(
    'forge-place',
    isGithub ? 'the variables of both GitHub and GitLab are set' : 'neither GitHub nor GitLab runs this',
    'pass --forge github or --forge gitlab',
  );
}

function addressOf(type: ForgePlace['type'], { flags, env }: Given): ForgeAddress {
  const name = type === 'github' ? 'GITHUB_API_URL' : 'CI_API_V4_URL';
  const usual = type === 'github' ? 'https://api.github.com' : 'https://gitlab.com/api/v4';
  return parseForgeUrl(flags.apiUrl ?? variableIn(env, name) ?? usual, {
    name: flags.apiUrl === undefined ? name : '--api-url',
    allowHttp: env.OCTAVO_ALLOW_HTTP === '1',
  });
}

/** A GitLab job token may not write notes, and is not used. */
function tokenOf(type: ForgePlace['type'], env: Given['env']): Pick<ForgePlace, 'token' | 'tokenName'> {
  const names = type === 'github' ? ['GITHUB_TOKEN', 'GH_TOKEN'] : ['GITLAB_TOKEN'];
  const tokenName = names.find((name) => variableIn(env, name) !== undefined);
  const token = variableIn(env, tokenName ?? '');
  if (tokenName === undefined || token === undefined) {
    throw userError(
      'forge-place',
      `no token: ${names[0]} is not set`,
      type === 'github'
        ? 'set it to ${{ github.token }} in the workflow'
        : 'set it to a project access token with the scope api',
    );
  }
  if (/^[\x21-\x7e]+$/.test(token)) return { token, tokenName };
  throw userError(
    'token',
    `${tokenName} contains spaces, line breaks or other characters that are not valid`,
  );
}

/** Throws a DiagnosticError if there is none. */
export function pullNumber(type: ForgePlace['type'], given: Given): number {
  const number = knownPull(type, given);
  if (number !== undefined) return number;
  throw userError(
    'forge-place',
    `which ${type === 'github' ? 'pull request' : 'merge request'}?`,
    'pass --pull with its number; in CI, run this for pull requests',
  );
}

/** Undefined in a run that is not for a pull request. */
export function knownPull(type: ForgePlace['type'], { flags, env }: Given): number | undefined {
  const number =
    flags.pull ?? (type === 'github' ? githubNumber(env) : numberIn(variableIn(env, 'CI_MERGE_REQUEST_IID')));
  return number !== undefined && number > 0 ? number : undefined;
}

function githubNumber(env: Given['env']): number | undefined {
  const { pull_request: pull, issue } = readEvent(env);
  const number = isRecord(pull)
    ? pull.number
    : isRecord(issue) && isRecord(issue.pull_request)
      ? issue.number
      : undefined;
  return numberIn(number) ?? numberIn(/^refs\/pull\/(\d+)\//.exec(variableIn(env, 'GITHUB_REF') ?? '')?.[1]);
}

/** The last commit of GitHub's pull request: the checkout is a merge with its base. */
export function headCommit({ flags, env }: Given): string {
  return checkCommit(flags.commit ?? pullHead(readEvent(env)));
}

export function pushedCommit({ flags, env }: Given): string {
  return checkCommit(flags.commit ?? variableIn(env, 'GITHUB_SHA'));
}

function checkCommit(commit: string | undefined): string {
  if (commit !== undefined && /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/.test(commit)) return commit;
  throw userError(
    'forge-place',
    commit === undefined ? 'which commit?' : `${JSON.stringify(commit)} is not a commit`,
    'pass --commit with all 40 characters of its id',
  );
}

/** What a run for a pushed branch is about; undefined for tags and pull requests. */
export function pushOf(
  type: ForgePlace['type'],
  env: Given['env'],
): { readonly commit: string; readonly branch: string } | undefined {
  const [branch, commit] =
    type === 'github'
      ? [pushedBranch(env), variableIn(env, 'GITHUB_SHA')]
      : [variableIn(env, 'CI_COMMIT_BRANCH'), variableIn(env, 'CI_COMMIT_SHA')];
  return branch === undefined || commit === undefined ? undefined : { branch, commit: checkCommit(commit) };
}

export function pushedBranch(env: Given['env']): string | undefined {
  return /^refs\/heads\/(.+)$/.exec(variableIn(env, 'GITHUB_REF') ?? '')?.[1];
}

function numberIn(value: unknown): number | undefined {
  const text = typeof value === 'number' ? String(value) : value;
  return typeof text === 'string' && /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined;
}
