/** A pull request or merge request between branches of the repository itself: finds an open one, opens, updates and closes it. */
import { isRecord } from '../util/json.ts';
import { recordOf } from './forge.ts';
import type { GithubRepository } from './github.ts';
import type { GitlabProject } from './gitlab.ts';

export interface OpenRequest {
  readonly number: number;
  readonly url: string;
}

export interface BranchRequests {
  readonly find: () => Promise<OpenRequest | undefined>;
  readonly open: (title: string, body: string) => Promise<OpenRequest>;
  readonly update: (request: OpenRequest, title: string, body: string) => Promise<void>;
  readonly close: (request: OpenRequest) => Promise<void>;
}

export interface RequestBranches {
  readonly from: string;
  readonly into: string;
}

export function githubRequests(github: GithubRepository, { from, into }: RequestBranches): BranchRequests {
  const needs = 'the permission pull-requests: write';
  const [owner = ''] = github.repository.split('/');
  const known = (value: unknown): OpenRequest => {
    const { number, html_url: url } = recordOf(value);
    return { number: Number(number), url: String(url ?? '') };
  };
  const patch = async ({ number }: OpenRequest, body: Readonly<Record<string, unknown>>) => {
    await github.rest({ method: 'PATCH', path: `/pulls/${number}`, body, needs });
  };
  return {
    find: async () => {
      const query = new URLSearchParams({ state: 'open', head: `${owner}:${from}`, base: into });
      const found = await github.rest({ method: 'GET', path: `/pulls?${query}`, needs });
      const [first] = Array.isArray(found) ? (found as readonly unknown[]) : [];
      return first === undefined ? undefined : known(first);
    },
    open: async (title, text) => {
      const body = { title, head: from, base: into, body: text };
      return known(await github.rest({ method: 'POST', path: '/pulls', body, creates: true, needs }));
    },
    update: (request, title, body) => patch(request, { title, body }),
    close: (request) => patch(request, { state: 'closed' }),
  };
}

export function gitlabRequests(gitlab: GitlabProject, { from, into }: RequestBranches): BranchRequests {
  const needs = 'the scope api, and at least the role Developer';
  const between = { source_branch: from, target_branch: into };
  const known = (value: unknown): OpenRequest => {
    const { iid, web_url: url } = recordOf(value);
    return { number: Number(iid), url: String(url ?? '') };
  };
  const put = async ({ number }: OpenRequest, body: Readonly<Record<string, unknown>>) => {
    await gitlab.rest({ method: 'PUT', path: `/merge_requests/${number}`, body, needs });
  };
  return {
    find: async () => {
      const query = new URLSearchParams({ state: 'opened', ...between });
      // The list also contains requests from forks with a branch of this name.
      for await (const one of gitlab.list(`/merge_requests?${query}`, needs))
        if (isRecord(one) && one.source_project_id === one.target_project_id) return known(one);
      return undefined;
    },
    open: async (title, description) => {
      const body = { ...between, title, description, remove_source_branch: true };
      return known(
        await gitlab.rest({ method: 'POST', path: '/merge_requests', body, creates: true, needs }),
      );
    },
    update: (request, title, description) => put(request, { title, description }),
    close: (request) => put(request, { state_event: 'close' }),
  };
}
