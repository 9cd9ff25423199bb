import { mergedPull } from '../../forge/approval.ts';
import {
  type FoundExemptions,
  githubExemptions,
  gitlabExemptions,
  type WantedExemptions,
} from '../../forge/exemptions.ts';
import { type MergedPull, type NotMerged, recordOf, type Thread } from '../../forge/forge.ts';
import { type GithubRepository, githubComments, githubIssues, openGithub } from '../../forge/github.ts';
import {
  type GitlabProject,
  gitlabIssues,
  gitlabNotes,
  mergedRequest,
  openGitlab,
} from '../../forge/gitlab.ts';
import { type KeptPost, keepPost, removePosts } from '../../forge/sticky.ts';
import { countOf } from '../../util/count.ts';
import { defined } from '../../util/defined.ts';
import { DiagnosticError } from '../../util/diagnostic.ts';
import { userError } from '../../util/user-error.ts';
import { version } from '../../util/version.ts';
import type { Invocation } from '../line/command.ts';
import { proxyFor } from '../service/connection.ts';
import { variableIn } from '../world/environment.ts';
import { forgePlace, type PipelineRun, pipelineRun } from './place.ts';

export type OpenForge =
  | { readonly type: 'github'; readonly github: GithubRepository }
  | { readonly type: 'gitlab'; readonly gitlab: GitlabProject };

/** Opens the forge only if the work does. */
export async function withForge<T>(
  invocation: Invocation,
  work: (forge: () => OpenForge) => Promise<T>,
): Promise<T> {
  const opened: OpenForge[] = [];
  try {
    return await work(() => (opened[0] ??= openForge(invocation)));
  } finally {
    for (const one of opened) await (one.type === 'github' ? one.github : one.gitlab).http.close();
  }
}

/** @throws DiagnosticError if neither GitHub nor GitLab runs this process, or no token is set. */
function openForge({ env, world, interrupt, output }: Invocation): OpenForge {
  const { type, repository, ...access } = forgePlace(env);
  const options = {
    ...access,
    userAgent: `octavo/${version}`,
    clock: world.clock,
    transport: world.transport,
    signal: interrupt.signal,
    stopping: interrupt.stopping,
    onAttempt: (line: string) => output.detail(line),
    ...defined({ proxy: proxyFor(access.address.origin, env) }),
  };
  return type === 'github'
    ? { type, github: openGithub(repository, options) }
    : { type, gitlab: openGitlab(repository, options) };
}

/** Request number, the reason why a pushed commit has none, or undefined if the run is for neither. */
export async function requestOf(
  forge: OpenForge,
  { env }: Pick<Invocation, 'env'>,
): Promise<number | { readonly none: string } | undefined> {
  const { request, push } = pipelineRun(env) ?? {};
  if (request !== undefined || push === undefined) return request?.number;
  const merged = await mergedInto(forge, push);
  return 'none' in merged ? merged : merged.number;
}

/** The last commit of a request now; undefined if the forge does not name it. */
export async function lastCommitOf(forge: OpenForge, number: number): Promise<string | undefined> {
  const needs = 'the permission to read requests';
  const { rest } = forge.type === 'github' ? forge.github : forge.gitlab;
  const path = `/${forge.type === 'github' ? 'pulls' : 'merge_requests'}/${number}`;
  const request = recordOf(await rest({ method: 'GET', path, needs }));
  const commit = request.sha ?? recordOf(request.head).sha;
  return typeof commit === 'string' ? commit : undefined;
}

/** The request whose merge created a commit of a branch, with the request's last commit. */
export function mergedInto(
  forge: OpenForge,
  push: NonNullable<PipelineRun['push']>,
): Promise<MergedPull | NotMerged> {
  return forge.type === 'github' ? mergedPull(forge.github, push) : mergedRequest(forge.gitlab, push);
}

/** Exemptions of the pull request of this run, or of the one whose merge was pushed. Undefined without a forge. */
export async function exemptionsOf(
  invocation: Invocation,
  wanted: WantedExemptions,
): Promise<FoundExemptions | undefined> {
  const { env, output } = invocation;
  try {
    if (pipelineRun(env) === undefined) return undefined;
    return await withForge(invocation, async (opened) => {
      const forge = opened();
      const number = await requestOf(forge, invocation);
      if (typeof number !== 'number') return undefined;
      return forge.type === 'github'
        ? githubExemptions(forge.github, number, wanted)
        : gitlabExemptions(forge.gitlab, number, wanted);
    });
  } catch (error) {
    if (!(error instanceof DiagnosticError)) throw error;
    const [problem] = error.diagnostics;
    output.note(`Cannot read what lifts rules: ${problem?.message}; ${problem?.suggestion ?? ''}`.trim());
    return undefined;
  }
}

export function commentsOf(forge: OpenForge, { env }: Invocation, number: number): Thread {
  if (forge.type === 'github') return githubComments(forge.github, number);
  const page = variableIn(env, 'CI_PROJECT_URL');
  return gitlabNotes(forge.gitlab, number, page === undefined ? '' : `${page}/-/merge_requests/${number}`);
}

export function issuesOf(forge: OpenForge, title: string): Thread {
  return forge.type === 'github' ? githubIssues(forge.github, title) : gitlabIssues(forge.gitlab, title);
}

export interface PostChoice {
  readonly key: string;
  readonly body?: string;
  readonly creates: boolean;
  readonly ending?: string;
}

/** @throws DiagnosticError if a public text contains the token of the forge. */
function withoutToken(text: string, { env }: Pick<Invocation, 'env'>): string {
  const { token, tokenName } = forgePlace(env);
  if (!text.includes(token)) return text;
  throw userError(
    'comment-body',
    `the body contains ${tokenName}`,
    'remove it from the manifests or the live workspace, and replace the token',
  );
}

const nouns = { comment: 'Comment', issue: 'Issue', request: 'Request' } as const;

export async function settlePost(
  invocation: Invocation,
  noun: keyof typeof nouns,
  { key, body, creates, ending, thread }: PostChoice & { readonly thread: Thread },
): Promise<KeptPost['type']> {
  const { world, interrupt, output } = invocation;
  const pause = (milliseconds: number) => world.clock.sleep(milliseconds, interrupt.stopping);
  const kept =
    body === undefined
      ? await removePosts(thread, key, ending)
      : await keepPost(thread, { key, body: withoutToken(body, invocation), creates, pause });
  output.note(outcomeText(noun, kept));
  for (const { url } of kept.left)
    output.note(`${nouns[noun]} of another account, which the token may not change: ${url}`);
  return kept.type;
}

function outcomeText(noun: keyof typeof nouns, { type, post, folded }: KeptPost): string {
  if (post === undefined) return `No ${noun} to ${noun === 'comment' ? 'update' : 'close'}.`;
  if (type === 'removed') return `${nouns[noun]} closed: ${post.url}`;
  const also = folded === 0 ? '' : ` (${countOf(folded, `older ${noun}`)} folded)`;
  return `${nouns[noun]} ${type}${also}: ${post.url}`;
}
