/** GitLab: notes of a merge request and issues of a project as threads, over its REST API. */
import { recordsIn } from '../util/json.ts';
import { ForgeError, type MergedPull, type NotMerged, type Post, recordOf, type Thread } from './forge.ts';
import { ForgeHttp, type ForgeHttpOptions, type ForgeRequest } from './forge-http.ts';

export interface GitlabProject {
  readonly http: ForgeHttp;
  /** `path` is relative to the project. */
  readonly rest: (request: ForgeRequest) => Promise<unknown>;
  readonly list: (path: string, needs: string) => AsyncGenerator<Readonly<Record<string, unknown>>>;
  /** `path` is relative to the API. */
  readonly rootList: (path: string, needs: string) => AsyncGenerator<Readonly<Record<string, unknown>>>;
  readonly authorOf: (post: Readonly<Record<string, unknown>>) => Promise<Pick<Post, 'isOwn' | 'isBot'>>;
}

const needs = 'the scope api, and at least the role Reporter';
/** GitLab makes an account for each access token of a project or a group. */
const tokenAccount = /^(?:project|group)_\d+_bot/;

export function openGitlab(
  project: string,
  options: Omit<ForgeHttpOptions, 'forge' | 'headers'> & { readonly userAgent: string },
): GitlabProject {
  const { token, userAgent, address } = options;
  const headers = { 'private-token': token, accept: 'application/json', 'user-agent': userAgent };
  const http = new ForgeHttp({ ...options, forge: 'GitLab', headers });
  const root = `${address.prefix}/projects/${encodeURIComponent(project)}`;
  let own: Promise<number> | undefined;
  const self = () => {
    own ??= http
      .send({ method: 'GET', path: `${address.prefix}/user`, needs })
      .then(({ value }) => Number(recordOf(value).id));
    return own;
  };
  async function* pages(path: string, permission: string) {
    const seen = new Set<string>();
    for (let page = '1'; page !== ''; ) {
      if (seen.has(page)) throw new ForgeError('pagination loop at GitLab', { mayHaveHappened: false });
      seen.add(page);
      const separator = path.includes('?') ? '&' : '?';
      const query = `${separator}per_page=100&page=${encodeURIComponent(page)}`;
      const request = { method: 'GET', path: `${path}${query}`, needs: permission } as const;
      const { value, header } = await http.send(request);
      yield* recordsIn(value);
      page = header('x-next-page')?.trim() ?? '';
    }
  }
  return {
    http,
    rest: async ({ path, ...request }) => (await http.send({ ...request, path: `${root}${path}` })).value,
    list: (path, permission) => pages(`${root}${path}`, permission),
    rootList: (path, permission) => pages(`${address.prefix}${path}`, permission),
    authorOf: async ({ author }) => {
      const { id, username } = recordOf(author);
      return { isOwn: id === (await self()), isBot: tokenAccount.test(String(username)) };
    },
  };
}

/** `page`: address of the merge request, for links. */
export function gitlabNotes(gitlab: GitlabProject, number: number, page: string): Thread {
  const path = `/merge_requests/${number}/notes`;
  const known = async (value: unknown): Promise<Post> => {
    const { id, body, ...note } = recordOf(value);
    const url = page === '' ? `note ${String(id)}` : `${page}#note_${String(id)}`;
    const by = await gitlab.authorOf(note);
    return { id: String(id), url, body: String(body ?? ''), isFolded: false, ...by };
  };
  const update = async ({ id }: Post, body: string) =>
    known(await gitlab.rest({ method: 'PUT', path: `${path}/${id}`, body: { body }, needs }));
  return {
    posts: async function* () {
      for await (const note of gitlab.list(`${path}?sort=asc&order_by=created_at`, needs))
        if (note.system !== true) yield known(note);
    },
    create: async (body) =>
      known(await gitlab.rest({ method: 'POST', path, body: { body }, creates: true, needs })),
    update,
    // Notes cannot be hidden. Without its marker, the note is no longer found.
    fold: async (post, by) => {
      const newer = by.url.startsWith('http') ? `[the newer note](${by.url})` : by.url;
      await update(post, `Outdated: see ${newer}.\n\n${post.body}`.trim());
    },
  };
}

export function gitlabIssues(gitlab: GitlabProject, title: string): Thread {
  const known = async (value: unknown): Promise<Post> => {
    const { iid, web_url: url, description, ...issue } = recordOf(value);
    const body = typeof description === 'string' ? description : '';
    const by = await gitlab.authorOf(issue);
    return { id: String(iid), url: String(url ?? ''), body, isFolded: false, ...by };
  };
  const put = async ({ id }: Post, body: Readonly<Record<string, unknown>>) =>
    gitlab.rest({ method: 'PUT', path: `/issues/${id}`, body, needs });
  return {
    posts: async function* (which) {
      const order = which === undefined ? 'state=opened&sort=asc' : 'state=closed&sort=desc';
      const query = `${order}&scope=all&order_by=created_at`;
      for await (const issue of gitlab.list(`/issues?${query}`, needs)) yield known(issue);
    },
    create: async (description) =>
      known(
        await gitlab.rest({
          method: 'POST',
          path: '/issues',
          body: { title, description },
          creates: true,
          needs,
        }),
      ),
    update: async (post, description) => known(await put(post, { description })),
    fold: async (post) => {
      await put(post, { state_event: 'close' });
    },
    remove: async (post, description) => {
      await put(post, { description, state_event: 'close' });
    },
  };
}

/** The merge request that brought a commit to a branch, or why none was found. */
export async function mergedRequest(
  gitlab: GitlabProject,
  { commit, branch }: { readonly commit: string; readonly branch: string },
): Promise<MergedPull | NotMerged> {
  let isPart = false;
  const found: MergedPull[] = [];
  const path = `/repository/commits/${encodeURIComponent(commit)}/merge_requests`;
  for await (const one of gitlab.list(path, needs)) {
    // A fast-forward merge creates no commit; the last commit of the branch is the merged one.
    const commits = [one.merge_commit_sha, one.squash_commit_sha, one.sha];
    if (one.state !== 'merged' || one.target_branch !== branch) continue;
    isPart ||= !commits.includes(commit);
    if (commits.includes(commit) && typeof one.iid === 'number')
      found.push({
        number: one.iid,
        head: String(one.sha),
        isFork: one.source_project_id !== one.target_project_id,
      });
  }
  const [only, other] = found;
  if (only !== undefined && other === undefined) return only;
  const which = only === undefined ? 'no merged' : 'more than one';
  const none = `${which} merge request brought ${commit.slice(0, 12)} into ${branch}`;
  return { none, isPart: isPart && only === undefined };
}
