/** Reads the forge, repository and trigger of a pipeline, using only its variables and event. */
import { parseBaseUrl, type ServiceAddress } from '../../client/base-url.ts';
import type { MergedPull } from '../../forge/forge.ts';
import type { ForgeHttpOptions } from '../../forge/forge-http.ts';
import { defined } from '../../util/defined.ts';
import { isRecord } from '../../util/json.ts';
import { userError } from '../../util/user-error.ts';
import { pullHead, readEvent } from '../world/ci-event.ts';
import { variableIn } from '../world/environment.ts';
import type { World } from '../world/world.ts';

export interface ForgePlace extends Pick<ForgeHttpOptions, 'address' | 'token' | 'tokenName'> {
  readonly type: 'github' | 'gitlab';
  /** `owner/name`, or the id of a project. */
  readonly repository: string;
}

/** A pull request of GitHub or a merge request of GitLab. No one has reviewed the code of a fork. */
export interface PipelineRequest extends Pick<MergedPull, 'number' | 'isFork'> {
  readonly target: string;
  /** Last commit of the request; CI systems may check out a merge with the target. */
  readonly head: string;
}

export interface PipelineRun {
  readonly forge: ForgePlace['type'];
  readonly repository: string;
  readonly request?: PipelineRequest;
  /** Commits of a merge queue, which may never be merged: planned, but neither kept nor applied. */
  readonly queue?: { readonly base: string; readonly target: string };
  /** Absent unless the run is for a branch. `main`: the default branch of the repository. */
  readonly push?: { readonly [Name in 'commit' | 'branch']: string } & {
    readonly [Name in 'before' | 'main']?: string;
  };
}

/** Undefined if neither GitHub nor GitLab runs this process. Throws a DiagnosticError if both do, or variables are invalid. */
export function pipelineRun(env: World['env']): PipelineRun | undefined {
  const isGithub = variableIn(env, 'GITHUB_REPOSITORY') !== undefined;
  const isGitlab = variableIn(env, 'CI_PROJECT_ID') !== undefined;
  if (isGithub && isGitlab)
    throw userError(
      'forge-place',
      'the variables of both GitHub and GitLab are set',
      'unset GITHUB_REPOSITORY or CI_PROJECT_ID',
    );
  if (isGithub) return githubRun(env);
  return isGitlab ? gitlabRun(env) : undefined;
}

function githubRun(env: World['env']): PipelineRun {
  const repository = variableIn(env, 'GITHUB_REPOSITORY') ?? '';
  const event = readEvent(env);
  const { pull_request: pull, merge_group: group } = event;
  const number = isRecord(pull) ? numberIn(pull.number) : undefined;
  const head = pullHead(event);
  const branch = /^refs\/heads\/(.+)$/.exec(variableIn(env, 'GITHUB_REF') ?? '')?.[1];
  // The run of such an event has secrets, and the code of the target.
  const isTarget = variableIn(env, 'GITHUB_EVENT_NAME') === 'pull_request_target';
  const request =
    !isRecord(pull) || number === undefined || head === undefined || isTarget
      ? undefined
      : {
          number,
          head: checkCommit(head),
          isFork:
            (isRecord(pull.head) && isRecord(pull.head.repo) ? pull.head.repo.full_name : undefined) !==
            repository,
          target:
            variableIn(env, 'GITHUB_BASE_REF') ?? (isRecord(pull.base) ? String(pull.base.ref ?? '') : ''),
        };
  const queue = isRecord(group)
    ? {
        base: checkCommit(String(group.base_sha)),
        target: String(group.base_ref ?? '').replace('refs/heads/', ''),
      }
    : undefined;
  const { default_branch: main } = isRecord(event.repository) ? event.repository : {};
  const commit = variableIn(env, 'GITHUB_SHA');
  const isPush = !isRecord(pull) && queue === undefined;
  const push = isPush ? pushed({ branch, commit }, { before: event.before, main }) : undefined;
  return { forge: 'github', repository, ...defined({ request, queue, push }) };
}

function gitlabRun(env: World['env']): PipelineRun {
  const number = numberIn(variableIn(env, 'CI_MERGE_REQUEST_IID'));
  const commit = variableIn(env, 'CI_COMMIT_SHA');
  const head = variableIn(env, 'CI_MERGE_REQUEST_SOURCE_BRANCH_SHA') ?? commit;
  const project = variableIn(env, 'CI_PROJECT_ID');
  const request =
    number === undefined || head === undefined
      ? undefined
      : {
          number,
          head: checkCommit(head),
          // A GitLab setting decides whether pipelines of forks run in the fork or here.
          isFork:
            variableIn(env, 'CI_MERGE_REQUEST_SOURCE_PROJECT_ID') !==
            (variableIn(env, 'CI_MERGE_REQUEST_PROJECT_ID') ?? project),
          target: variableIn(env, 'CI_MERGE_REQUEST_TARGET_BRANCH_NAME') ?? '',
        };
  const [branch, main, before] = ['COMMIT_BRANCH', 'DEFAULT_BRANCH', 'COMMIT_BEFORE_SHA'].map((name) =>
    variableIn(env, `CI_${name}`),
  );
  const push = request === undefined ? pushed({ branch, commit }, { before, main }) : undefined;
  const repository = variableIn(env, 'CI_PROJECT_PATH') ?? `project ${project}`;
  if (request === undefined || variableIn(env, 'CI_MERGE_REQUEST_EVENT_TYPE') !== 'merge_train')
    return { forge: 'gitlab', repository, ...defined({ request, push }) };
  const base = checkCommit(variableIn(env, 'CI_MERGE_REQUEST_TARGET_BRANCH_SHA') ?? '');
  return { forge: 'gitlab', repository, queue: { base, target: request.target } };
}

/** `before`: the commit of the branch before the push; zeros for a new branch, and for a run that was started by hand. */
function pushed(
  { branch, commit }: { readonly branch: string | undefined; readonly commit: string | undefined },
  { before, main }: { readonly before: unknown; readonly main: unknown },
): PipelineRun['push'] {
  if (branch === undefined || commit === undefined) return undefined;
  const text = (value: unknown) => (typeof value === 'string' ? value : undefined);
  const known = /^(?!0+$)[0-9a-f]{40,64}$/.exec(text(before) ?? '')?.[0];
  return { branch, commit: checkCommit(commit), ...defined({ before: known, main: text(main) }) };
}

export function forgePlace(env: World['env']): ForgePlace {
  const run = pipelineRun(env);
  if (run === undefined)
    throw userError(
      'forge-place',
      'this does not run in GitHub or GitLab',
      'run it in a GitHub workflow or a GitLab pipeline',
    );
  const { forge: type } = run;
  const repository = type === 'github' ? run.repository : (variableIn(env, 'CI_PROJECT_ID') ?? '');
  if (type === 'github' && !/^[\w.-]+\/[\w.-]+$/.test(repository))
    throw userError('forge-place', `${JSON.stringify(repository)} is not a repository of GitHub`);
  return { type, repository, address: addressOf(type, env), ...tokenOf(type, env) };
}

function addressOf(type: ForgePlace['type'], env: World['env']): ServiceAddress {
  const name = type === 'github' ? 'GITHUB_API_URL' : 'CI_API_V4_URL';
  const usual = type === 'github' ? 'https://api.github.com' : 'https://gitlab.com/api/v4';
  return parseBaseUrl(variableIn(env, name) ?? usual, {
    name,
    allowHttp: env.OCTAVO_ALLOW_HTTP === '1',
  });
}

const tokenNames = { github: ['GITHUB_TOKEN', 'GH_TOKEN'], gitlab: ['GITLAB_TOKEN'] } as const;

export function hasForgeToken(env: World['env']): boolean {
  return Object.values(tokenNames)
    .flat()
    .some((name) => variableIn(env, name) !== undefined);
}

/** Ignores a GitLab job token, which may not write notes. */
function tokenOf(type: ForgePlace['type'], env: World['env']): Pick<ForgePlace, 'token' | 'tokenName'> {
  const names = tokenNames[type];
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

function checkCommit(commit: string): string {
  if (/^[0-9a-f]{40}(?:[0-9a-f]{24})?$/.test(commit)) return commit;
  throw userError('forge-place', `the variables of the run name no commit: ${JSON.stringify(commit)}`);
}

function numberIn(value: unknown): number | undefined {
  const text = typeof value === 'number' ? String(value) : value;
  return typeof text === 'string' && /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined;
}
