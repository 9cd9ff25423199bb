/** Reads the event of a GitHub Actions run, and writes the files that Actions reads afterwards. */
import { readFileSync } from 'node:fs';
import { isRecord } from '../../util/json.ts';
import { userError } from '../../util/user-error.ts';
import type { Invocation } from '../line/command.ts';
import { variableIn } from './environment.ts';
import type { World } from './world.ts';

type CiEvent = Readonly<Record<string, unknown>>;

export function readEvent(env: World['env']): CiEvent {
  const path = variableIn(env, 'GITHUB_EVENT_PATH');
  if (path === undefined) return {};
  try {
    const event: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return isRecord(event) ? event : {};
  } catch {
    throw userError('forge-place', 'the file that GITHUB_EVENT_PATH names cannot be read');
  }
}

/** The last commit of a pull request; undefined for other events. */
export function pullHead({ pull_request: pull }: CiEvent): string | undefined {
  const head = isRecord(pull) && isRecord(pull.head) ? pull.head.sha : undefined;
  return typeof head === 'string' ? head : undefined;
}

/** The commit that users know. CI systems check out a temporary merge of the pull request with its target. */
export function headCommitOf(env: World['env']): string | undefined {
  const head =
    env.GITHUB_ACTIONS === 'true'
      ? (eventHead(env) ?? env.GITHUB_SHA)
      : (variableIn(env, 'CI_MERGE_REQUEST_SOURCE_BRANCH_SHA') ?? env.CI_COMMIT_SHA);
  return /^[0-9a-f]{7,64}$/.test(head ?? '') ? head : undefined;
}

/** The account of the forge that started the run; undefined outside of a pipeline. */
export function actorOf(env: World['env']): string | undefined {
  if (env.GITHUB_ACTIONS !== 'true') return variableIn(env, 'GITLAB_USER_LOGIN');
  return variableIn(env, 'GITHUB_TRIGGERING_ACTOR') ?? variableIn(env, 'GITHUB_ACTOR');
}

/** Outputs for later steps, or the summary of the job. Throws a SystemError if the file cannot be written. */
export function appendForGithub(
  { env, folder }: Pick<Invocation, 'env' | 'folder'>,
  name: 'GITHUB_OUTPUT' | 'GITHUB_STEP_SUMMARY',
  text: string,
): void {
  const file = variableIn(env, name);
  if (file !== undefined) folder.effects.append(file, text);
}

/** Returns undefined if the event cannot be read, so that the report does not fail. */
function eventHead(env: World['env']): string | undefined {
  try {
    return pullHead(readEvent(env));
  } catch {
    return undefined;
  }
}

const runPages: readonly ((env: World['env']) => string | undefined)[] = [
  ({ GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository, GITHUB_RUN_ID: run }) =>
    server && repository && run ? `${server}/${repository}/actions/runs/${run}` : undefined,
  ({ CI_JOB_URL: gitlab }) => gitlab,
  ({ BUILDKITE_BUILD_URL: buildkite }) => buildkite,
  ({ CIRCLE_BUILD_URL: circle }) => circle,
  ({ TRAVIS_BUILD_WEB_URL: travis }) => travis,
  ({ SYSTEM_COLLECTIONURI: server, SYSTEM_TEAMPROJECT: project, BUILD_BUILDID: build }) =>
    server && project && build
      ? `${server}${encodeURIComponent(project)}/_build/results?buildId=${build}`
      : undefined,
  ({ BUILD_URL: jenkins }) => jenkins,
];

/** The page of the run: an http(s) address without user name and password; undefined outside of CI. */
export function ciRunUrl(env: World['env']): string | undefined {
  const text = runPages.map((page) => page(env)).find((page) => page !== undefined && page !== '');
  if (text === undefined || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return undefined;
  url.username = '';
  url.password = '';
  return url.href;
}
