/** A fake of the parts of GitLab's REST API that Octavo uses. It checks the token, the routes, the bodies and the pages. */
import {
  type ForgeAnswer,
  type ForgeCall,
  type ForgeServer,
  fieldsOf,
  pageOf,
  startForge,
  WrongRequest,
} from './server.ts';

/** A note, or an issue. */
export interface FakeNote {
  readonly id: number;
  readonly author: { readonly id: number };
  body: string;
  readonly system: boolean;
  title?: string;
  state?: 'opened' | 'closed';
}

export interface FakeRequest {
  readonly iid: number;
  state: 'opened' | 'merged' | 'closed';
  readonly target_branch: string;
  readonly merge_commit_sha: string | null;
  readonly squash_commit_sha: string | null;
  readonly sha: string;
  readonly source_branch?: string;
  readonly source_project_id?: number;
  title?: string;
  description?: string;
}

export interface FakeGitlab extends ForgeServer {
  readonly token: string;
  /** Of merge request 7. */
  readonly notes: FakeNote[];
  readonly issues: FakeNote[];
  readonly requests: FakeRequest[];
  /** Of merge request 7. */
  readonly review: {
    readonly labels: string[];
    readonly events: {
      readonly action: string;
      readonly label: { readonly name: string } | null;
      readonly user: { readonly username: string };
    }[];
    readonly approvedBy: string[];
    readonly members: { readonly username: string; readonly state: string }[];
  };
  /** What a pipeline has in its environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly note: (notes: FakeNote[], author: number, body: string, title?: string) => FakeNote;
}

/** The account of the token. */
const self = 41;
const pageSize = 2;

/** Starts it, empty. */
export async function startGitlab(): Promise<FakeGitlab> {
  const token = 'glpat-0123456789abcdef';
  const notes: FakeNote[] = [];
  const issues: FakeNote[] = [];
  const requests: FakeRequest[] = [];
  const review: FakeGitlab['review'] = { labels: [], events: [], approvedBy: [], members: [] };
  let ids = 900;
  const note: FakeGitlab['note'] = (list, author, body, title) => {
    ids += 1;
    const state = title === undefined ? {} : { title, state: 'opened' as const };
    const made = { id: ids, author: { id: author }, body, system: false, ...state };
    list.push(made);
    return made;
  };
  const answer = async (call: ForgeCall): Promise<ForgeAnswer> => {
    const { method, path, headers } = call;
    if (headers['private-token'] !== token) throw new WrongRequest(401, '401 Unauthorized');
    if (headers.authorization !== undefined) throw new WrongRequest(400, 'one token is enough');
    if (call.body !== undefined && headers['content-type'] !== 'application/json')
      throw new WrongRequest(400, 'a body without its type');
    if (`${method} ${path}` === 'GET /api/v4/user')
      return { status: 200, body: { id: self, username: 'bot' } };
    if (path === '/api/v4/groups/acme%2Fsecurity/members/all') return paged(review.members, call);
    const [, project, rest = ''] = /^\/api\/v4\/projects\/([^/]+)(\/.*)$/.exec(path) ?? [];
    if (project !== '77' && project !== 'acme%2Fdocs') throw new WrongRequest(404, '404 Project Not Found');
    const [, commit] = /^\/repository\/commits\/([0-9a-f]+)\/merge_requests$/.exec(rest) ?? [];
    if (commit !== undefined && method === 'GET') return paged(requests, call);
    if (rest === '/merge_requests/7') return { status: 200, body: { iid: 7, labels: review.labels } };
    if (rest === '/merge_requests/7/resource_label_events') return paged(review.events, call);
    if (rest === '/merge_requests/7/approvals')
      return {
        status: 200,
        body: { approved_by: review.approvedBy.map((username) => ({ user: { username } })) },
      };
    if (/^\/merge_requests(\/\d+)?$/.test(rest)) return requestRoute(method, rest, call);
    return rest.startsWith('/issues') ? issueRoute(method, rest, call) : noteRoute(method, rest, call);
  };
  const requestRoute = (method: string, path: string, call: ForgeCall): ForgeAnswer => {
    const shown = (one: FakeRequest) => ({
      ...one,
      web_url: `https://gitlab.com/acme/docs/-/merge_requests/${one.iid}`,
    });
    if (path === '/merge_requests' && method === 'GET') {
      const { query } = call;
      const found = requests.filter((one) =>
        (['state', 'source_branch', 'target_branch'] as const).every((name) => one[name] === query.get(name)),
      );
      return {
        status: 200,
        body: pageOf(found, call, Number(query.get('per_page') ?? pageSize)).items.map(shown),
      };
    }
    if (path === '/merge_requests' && method === 'POST') {
      const { remove_source_branch: removes, ...body } = call.body as Record<string, unknown>;
      if (removes !== true) throw new WrongRequest(400, 'the branch stays');
      const fields = {
        source_branch: 'string',
        target_branch: 'string',
        title: 'string',
        description: 'string',
      } as const;
      const given = fieldsOf({ ...call, body }, fields);
      const isOpen = requests.some(
        (one) =>
          one.state === 'opened' && one.source_branch === given.source_branch && one.source_project_id === 77,
      );
      if (isOpen) throw new WrongRequest(409, 'Another open merge request already exists');
      const commits = { merge_commit_sha: null, squash_commit_sha: null, sha: '' };
      const made: FakeRequest = {
        iid: 20 + requests.length,
        state: 'opened',
        source_project_id: 77,
        ...commits,
        ...given,
      };
      requests.push(made);
      return { status: 201, body: shown(made) };
    }
    const found = requests.find(({ iid }) => path === `/merge_requests/${iid}`);
    if (found === undefined || method !== 'PUT') throw new WrongRequest(404, '404 Not found');
    const {
      title,
      description,
      state_event: event,
    } = fieldsOf(call, {
      title: 'string?',
      description: 'string?',
      state_event: 'string?',
    });
    if (event !== undefined && event !== 'close') throw new WrongRequest(400, 'wrong event');
    if (title !== undefined) found.title = title;
    if (description !== undefined) found.description = description;
    if (event !== undefined) found.state = 'closed';
    return { status: 200, body: shown(found) };
  };
  const noteRoute = (method: string, path: string, call: ForgeCall): ForgeAnswer => {
    const [, id] = /^\/merge_requests\/7\/notes(?:\/(\d+))?$/.exec(path) ?? [undefined, undefined];
    if (!/^\/merge_requests\/7\/notes(\/\d+)?$/.test(path)) throw new WrongRequest(404, '404 Not found');
    if (id === undefined && method === 'GET') return list(notes, call);
    if (id === undefined && method === 'POST')
      return { status: 201, body: note(notes, self, fieldsOf(call, { body: 'string' }).body) };
    const found = notes.find((one) => String(one.id) === id);
    if (found === undefined) throw new WrongRequest(404, '404 Note Not Found');
    if (method === 'PUT') found.body = fieldsOf(call, { body: 'string' }).body;
    else if (method === 'DELETE') notes.splice(notes.indexOf(found), 1);
    else throw new WrongRequest(405, 'no such method');
    return method === 'DELETE' ? { status: 204 } : { status: 200, body: found };
  };
  const issueRoute = (method: string, path: string, call: ForgeCall): ForgeAnswer => {
    if (path === '/issues' && method === 'GET') {
      const { query } = call;
      if (query.get('scope') !== 'all') throw new WrongRequest(400, 'only issues of the token itself');
      const author = Number(query.get('author_id'));
      const found = issues.filter(
        ({ state, author: by }) => state === query.get('state') && by.id === author,
      );
      return list(found.map(issueOf), call);
    }
    if (path === '/issues' && method === 'POST') {
      const { title, description } = fieldsOf(call, { title: 'string', description: 'string' });
      return { status: 201, body: issueOf(note(issues, self, description, title)) };
    }
    const [, id] = /^\/issues\/(\d+)$/.exec(path) ?? [];
    const found = issues.find((one) => String(one.id) === id);
    if (found === undefined || method !== 'PUT') throw new WrongRequest(404, '404 Issue Not Found');
    const { title, description, state_event } = fieldsOf(call, {
      title: 'string?',
      description: 'string?',
      state_event: 'string?',
    });
    if (title !== undefined) found.title = title;
    if (description !== undefined) found.body = description;
    if (state_event !== undefined && state_event !== 'close') throw new WrongRequest(400, 'wrong event');
    if (state_event === 'close') found.state = 'closed';
    return { status: 200, body: issueOf(found) };
  };
  const server = await startForge(answer);
  return {
    ...server,
    token,
    notes,
    issues,
    requests,
    review,
    note,
    env: {
      CI_PROJECT_ID: '77',
      CI_API_V4_URL: `${server.url}/api/v4`,
      CI_PROJECT_URL: 'https://gitlab.com/acme/docs',
      CI_MERGE_REQUEST_IID: '7',
      GITLAB_TOKEN: token,
    },
  };
}

function issueOf({ id, body, title, state }: FakeNote) {
  return {
    iid: id,
    title,
    description: body,
    state,
    web_url: `https://gitlab.com/acme/docs/-/issues/${id}`,
  };
}

function list(items: readonly unknown[], call: ForgeCall): ForgeAnswer {
  if (call.query.get('sort') !== 'asc') throw new WrongRequest(400, 'the newest first, unless asked for');
  return paged(items, call);
}

function paged(items: readonly unknown[], call: ForgeCall): ForgeAnswer {
  const { page, items: some, hasNext } = pageOf(items, call, pageSize);
  return { status: 200, body: some, headers: { 'x-next-page': hasNext ? String(page + 1) : '' } };
}
