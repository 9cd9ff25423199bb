/** The pull or merge requests of a branch of the repository itself, as a thread with at most one post: the open one. */
import { recordsIn } from '../util/json.ts';
import { type ForgeItem, type Post, recordOf, type Thread } from './forge.ts';
import type { ForgeRequest } from './forge-http.ts';
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

interface Dialect {
  readonly needs: string;
  readonly send: (request: ForgeRequest) => Promise<unknown>;
  readonly path: string;
  readonly query: string;
  readonly change: 'PATCH' | 'PUT';
  readonly body: 'body' | 'description';
  readonly created: ForgeItem;
  readonly closed: ForgeItem;
  readonly known: (one: ForgeItem) => Pick<BranchRequest, 'id' | 'url' | 'state' | 'target' | 'head'>;
}

export function githubRequests(github: GithubRepository, branches: RequestBranches): BranchRequests {
  const { from, into } = branches;
  const [owner = ''] = github.repository.split('/');
  return requestsIn(branches, {
    needs: 'the permission pull-requests: write',
    send: github.rest,
    path: '/pulls',
    query: `state=all&head=${encodeURIComponent(`${owner}:${from}`)}&sort=created&direction=desc`,
    change: 'PATCH',
    body: 'body',
    created: { head: from, base: into },
    closed: { state: 'closed' },
    known: ({ number, html_url: url, state, merged_at: merged, head, base }) => ({
      id: String(number),
      url: String(url),
      state: typeof merged === 'string' ? 'merged' : state === 'open' ? 'open' : 'closed',
      target: String(recordOf(base).ref),
      head: String(recordOf(head).sha),
    }),
  });
}

export function gitlabRequests(gitlab: GitlabProject, branches: RequestBranches): BranchRequests {
  const { from, into } = branches;
  return requestsIn(branches, {
    needs: 'the scope api, and at least the role Developer',
    send: gitlab.rest,
    path: '/merge_requests',
    query: `state=all&source_branch=${encodeURIComponent(from)}&order_by=created_at&sort=desc`,
    change: 'PUT',
    body: 'description',
    created: { source_branch: from, target_branch: into, remove_source_branch: true },
    closed: { state_event: 'close' },
    known: ({ iid, web_url: url, state, target_branch: target, sha }) => ({
      id: String(iid),
      url: String(url),
      state: state === 'opened' ? 'open' : state === 'closed' ? 'closed' : 'merged',
      target: String(target),
      head: String(sha),
    }),
  });
}

function requestsIn({ into, key, title }: RequestBranches, forge: Dialect): BranchRequests {
  const { needs, path, send } = forge;
  const known = (value: unknown): BranchRequest => {
    const one = recordOf(value);
    const text = one[forge.body];
    return { ...forge.known(one), body: typeof text === 'string' ? text : '', isOwn: true, isFolded: false };
  };
  const all = async () => {
    const found = await send({ method: 'GET', path: `${path}?${forge.query}&per_page=100`, needs });
    // GitLab lists requests from forks with a branch of this name, too.
    const own = recordsIn(found).filter((one) => one.source_project_id === one.target_project_id);
    return own.map(known);
  };
  // Sends no title, which is of people after the creation: on GitLab, it also marks drafts.
  const change = async ({ id }: Post, text: string, more: ForgeItem = {}) =>
    known(
      await send({
        method: forge.change,
        path: `${path}/${id}`,
        body: { [forge.body]: text, ...more },
        needs,
      }),
    );
  return {
    all,
    posts: async function* () {
      const open = openRequest(await all(), into);
      // The branch identifies it, even if people removed the marker.
      if (open !== undefined) yield { ...open, body: withMarker(key, open.body) };
    },
    create: async (text) => {
      const body = { ...forge.created, title, [forge.body]: text };
      return known(await send({ method: 'POST', path, body, creates: true, needs }));
    },
    update: (post, text) => change(post, text),
    fold: async () => undefined,
    remove: async (post, text) => void (await change(post, text, forge.closed)),
  };
}
