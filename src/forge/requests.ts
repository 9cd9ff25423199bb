/** The pull or merge requests of a branch of the repository itself, as a thread with at most one post: the open one. */
import { recordsIn } from '../util/json.ts';
import { type Post, recordOf, type Thread } from './forge.ts';
import type { GithubRepository } from './github.ts';
import type { GitlabProject } from './gitlab.ts';
import { withMarker } from './sticky.ts';

export interface BranchRequest extends Post {
  readonly state: 'open' | 'closed' | 'merged';
  readonly target: string;
  /** Its last commit, which the forge keeps without the branch, too. */
  readonly head: string;
}

export interface BranchRequests extends Thread {
  /** To any target, since people may change it; newest first, at most 100. */
  readonly all: () => Promise<readonly BranchRequest[]>;
}

export interface RequestBranches {
  readonly from: string;
  readonly into: string;
  readonly key: string;
  readonly title: string;
}

/** The one to the target, else any. */
export function openRequest(all: readonly BranchRequest[], into: string): BranchRequest | undefined {
  const open = all.filter(({ state }) => state === 'open');
  return open.find(({ target }) => target === into) ?? open[0];
}

export function githubRequests(github: GithubRepository, branches: RequestBranches): BranchRequests {
  const needs = 'the permission pull-requests: write';
  const { from, into, title } = branches;
  const [owner = ''] = github.repository.split('/');
  const known = (value: unknown): BranchRequest => {
    const { number, html_url: url, body, state, merged_at: merged, head, base } = recordOf(value);
    return {
      ...postOf(number, url, body),
      state: typeof merged === 'string' ? 'merged' : state === 'open' ? 'open' : 'closed',
      target: String(recordOf(base).ref),
      head: String(recordOf(head).sha),
    };
  };
  return threadOf(branches, {
    all: async () => {
      const of = new URLSearchParams({ state: 'all', head: `${owner}:${from}`, per_page: '100' });
      const path = `/pulls?${of}&sort=created&direction=desc`;
      return recordsIn(await github.rest({ method: 'GET', path, needs })).map(known);
    },
    create: async (text) => {
      const body = { title, head: from, base: into, body: text };
      return known(await github.rest({ method: 'POST', path: '/pulls', body, creates: true, needs }));
    },
    change: async ({ id }, text, state) => {
      const body = { body: text, ...(state === 'open' ? {} : { state }) };
      return known(await github.rest({ method: 'PATCH', path: `/pulls/${id}`, body, needs }));
    },
  });
}

export function gitlabRequests(gitlab: GitlabProject, branches: RequestBranches): BranchRequests {
  const needs = 'the scope api, and at least the role Developer';
  const { from, into, title } = branches;
  const known = (value: unknown): BranchRequest => {
    const { iid, web_url: url, description, state, target_branch: target, sha } = recordOf(value);
    return {
      ...postOf(iid, url, description),
      state: state === 'opened' ? 'open' : state === 'closed' ? 'closed' : 'merged',
      target: String(target),
      head: String(sha),
    };
  };
  return threadOf(branches, {
    all: async () => {
      const of = new URLSearchParams({ state: 'all', source_branch: from, per_page: '100' });
      const path = `/merge_requests?${of}&order_by=created_at&sort=desc`;
      // The list also contains requests from forks with a branch of this name.
      return recordsIn(await gitlab.rest({ method: 'GET', path, needs }))
        .filter((one) => one.source_project_id === one.target_project_id)
        .map(known);
    },
    create: async (description) => {
      const between = { source_branch: from, target_branch: into };
      const body = { ...between, title, description, remove_source_branch: true };
      return known(
        await gitlab.rest({ method: 'POST', path: '/merge_requests', body, creates: true, needs }),
      );
    },
    change: async ({ id }, description, state) => {
      const body = { description, ...(state === 'open' ? {} : { state_event: 'close' }) };
      return known(await gitlab.rest({ method: 'PUT', path: `/merge_requests/${id}`, body, needs }));
    },
  });
}

function postOf(number: unknown, url: unknown, body: unknown): Post {
  const text = typeof body === 'string' ? body : '';
  return { id: String(number), url: String(url ?? ''), body: text, isOwn: true, isFolded: false };
}

interface RequestCalls extends Pick<BranchRequests, 'all' | 'create'> {
  /** Sends no title, which is of people after the creation: on GitLab, it also marks drafts. */
  readonly change: (request: Post, body: string, state: 'open' | 'closed') => Promise<Post>;
}

function threadOf({ into, key }: RequestBranches, { change, ...calls }: RequestCalls): BranchRequests {
  return {
    ...calls,
    posts: async function* () {
      const open = openRequest(await calls.all(), into);
      // The branch identifies it, even if people removed the marker.
      if (open !== undefined) yield { ...open, body: withMarker(key, open.body) };
    },
    update: (post, body) => change(post, body, 'open'),
    fold: async () => undefined,
    remove: async (post, body) => {
      await change(post, body, 'closed');
    },
  };
}
