import { mergedPull } from '../../forge/approval.ts';
import {
  type FoundExemptions,
  githubExemptions,
  gitlabExemptions,
  type WantedExemptions,
} from '../../forge/exemptions.ts';
import type { Thread } from '../../forge/forge.ts';
import { type GithubRepository, githubComments, githubIssues, openGithub } from '../../forge/github.ts';
import {
  type GitlabProject,
  gitlabIssues,
  gitlabNotes,
  mergedRequest,
  openGitlab,
} from '../../forge/gitlab.ts';
import { type KeptPost, keepPost, markedBody, removePosts } from '../../forge/sticky.ts';
import { readText } from '../../run/read-file.ts';
import { countOf } from '../../util/count.ts';
import { defined } from '../../util/defined.ts';
import { DiagnosticError } from '../../util/diagnostic.ts';
import { userError } from '../../util/user-error.ts';
import { version } from '../../util/version.ts';
import type { Invocation } from '../line/command.ts';
import { proxyFor } from '../service/connection.ts';
import { variableIn } from '../world/environment.ts';
import { type ForgePlace, knownPull, pullNumber, pushOf, readPlace } from './place.ts';

export type OpenForge =
  | { readonly type: 'github'; readonly github: GithubRepository }
  | { readonly type: 'gitlab'; readonly gitlab: GitlabProject };

export async function withForge<T>(
  invocation: Invocation,
  place: ForgePlace,
  work: (forge: OpenForge) => Promise<T>,
): Promise<T> {
  const { env, world, interrupt, output } = invocation;
  const { type, repository, ...access } = place;
  const options = {
    ...access,
    userAgent: `octavo/${version}`,
    clock: world.clock,
    signal: interrupt.signal,
    onAttempt: (line: string) => output.detail(line),
    ...defined({ proxy: proxyFor(place.address.origin, env) }),
  };
  const forge: OpenForge =
    type === 'github'
      ? { type, github: openGithub(repository, options) }
      : { type, gitlab: openGitlab(repository, options) };
  try {
    return await work(forge);
  } finally {
    await (forge.type === 'github' ? forge.github : forge.gitlab).speaker.close();
  }
}

/** After a merge, the comments of the pull request that brought the pushed commit. Or why there is none. */
export async function commentsOf(
  forge: OpenForge,
  invocation: Invocation,
): Promise<Thread | { readonly none: string }> {
  const number = await pullOf(forge, invocation);
  if (typeof number !== 'number' && number !== undefined) return number;
  return threadOf(forge, invocation, number ?? pullNumber(forge.type, invocation));
}

/** Its number, why a pushed commit has none, or undefined for a run about neither. */
async function pullOf(
  forge: OpenForge,
  invocation: Invocation,
): Promise<number | { readonly none: string } | undefined> {
  const { type } = forge;
  const push = pushOf(type, invocation.env);
  const known = knownPull(type, invocation);
  if (known !== undefined || push === undefined) return known;
  const merged = await (type === 'github'
    ? mergedPull(forge.github, push)
    : mergedRequest(forge.gitlab, push));
  return 'none' in merged ? merged : merged.number;
}

/** Of the pull request of this run, or of the one whose merge was pushed. Without a forge, nothing lifts a rule. */
export async function exemptionsOf(
  invocation: Invocation,
  wanted: WantedExemptions,
): Promise<FoundExemptions | undefined> {
  const { env, output } = invocation;
  if (['GITHUB_REPOSITORY', 'CI_PROJECT_ID'].every((name) => variableIn(env, name) === undefined))
    return undefined;
  try {
    const place = readPlace(invocation);
    return await withForge(invocation, place, async (forge) => {
      const number = await pullOf(forge, invocation);
      if (typeof number !== 'number') return undefined;
      return forge.type === 'github'
        ? githubExemptions(forge.github, number, wanted)
        : gitlabExemptions(forge.gitlab, number, wanted);
    });
  } catch (error) {
    if (!(error instanceof DiagnosticError)) throw error;
    const [problem] = error.diagnostics;
    output.note(`What lifts rules is not known: ${problem?.message}; ${problem?.suggestion ?? ''}`.trim());
    return undefined;
  }
}

function threadOf(forge: OpenForge, { env }: Invocation, number: number): Thread {
  if (forge.type === 'github') return githubComments(forge.github, number);
  const page = variableIn(env, 'CI_PROJECT_URL');
  return gitlabNotes(forge.gitlab, number, page === undefined ? '' : `${page}/-/merge_requests/${number}`);
}

export function issuesOf(forge: OpenForge, title: string): Thread {
  return forge.type === 'github' ? githubIssues(forge.github, title) : gitlabIssues(forge.gitlab, title);
}

export interface PostChoice {
  readonly key: string;
  /** The post is removed if absent. */
  readonly body?: string;
  readonly creates: boolean;
  /** Added to an issue that is closed. */
  readonly ending?: string;
}

export async function settlePost(
  invocation: Invocation,
  noun: 'comment' | 'issue',
  { key, body, creates, ending, thread }: PostChoice & { readonly thread: Thread },
): Promise<void> {
  const { world, interrupt, output } = invocation;
  const pause = (milliseconds: number) => world.clock.sleep(milliseconds, interrupt.signal);
  const kept =
    body === undefined
      ? await removePosts(thread, key, ending)
      : await keepPost(thread, { key, body, creates, pause });
  output.result(`${outcomeText(noun, kept)}\n`);
}

function outcomeText(noun: 'comment' | 'issue', { type, post, folded }: KeptPost): string {
  const what = noun === 'comment' ? 'Comment' : 'Issue';
  const removed = noun === 'comment' ? 'deleted' : 'closed';
  if (post === undefined) return `No ${noun} to ${noun === 'comment' ? 'update or delete' : 'close'}.`;
  if (type === 'removed') return `${what} ${removed}: ${post.url}`;
  const also = folded === 0 ? '' : ` (${countOf(folded, `older ${noun}`)} folded)`;
  return `${what} ${type}${also}: ${post.url}`;
}

/** Throws a DiagnosticError if the text is too large or contains the token. */
export async function readBody(invocation: Invocation, place: ForgePlace, key: string): Promise<string> {
  const { flags, cwd, world } = invocation;
  const file = flags.body ?? (world.stdin.isTTY === true ? undefined : '-');
  if (file === undefined) throw userError('comment-body', 'what is it to say?', 'pass a file with --body');
  const body = file === '-' ? await readInput(world) : readText(cwd, file);
  if (body.includes(place.token)) {
    throw userError('comment-body', `the body contains ${place.tokenName}`, 'find out how it got there');
  }
  markedBody(key, body);
  return body;
}

async function readInput({ stdin }: Invocation['world']): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stdin) chunks.push(chunk as Buffer);
  return new TextDecoder().decode(Buffer.concat(chunks));
}
