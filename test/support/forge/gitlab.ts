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
  readonly author: { readonly id: number; readonly username?: string };
  body: string;
  readonly system: boolean;
  title?: string;
  state?: 'opened' | 'closed';
}

export interface FakeRequest {
  readonly iid: number;
  state: 'opened' | 'merged' | 'closed';
  target_branch: string;
  readonly merge_commit_sha: string | null;
  readonly squash_commit_sha: string | null;
  sha: string;
  readonly source_branch?: string;
  readonly source_project_id?: number;
  labels?: string[];
  title?: string;
  description?: string;
}

/** A pipeline of a merge request. */
export interface FakePipeline {
  readonly id: number;
  /** Number of the merge request. */
  readonly iid: number;
  /** Project in which it runs; a pipeline of a fork may run in the fork. */
  readonly project: number;
  readonly jobs: FakeJob[];
}

export interface FakeJob {
  readonly id: number;
  /** Artifacts by their path in the project, if any. */
  readonly files?: Readonly<Record<string, string | Buffer>>;
}

export interface FakeGitlab extends ForgeServer {
  readonly token: string;
  /** Notes of merge request 7. */
  /** Notes of request 7. */
  readonly notes: FakeNote[];
  /** Adds the request if it is new. */
  readonly notesOf: (iid: number) => readonly FakeNote[];
  readonly issues: FakeNote[];
  readonly requests: FakeRequest[];
  readonly pipelines: FakePipeline[];
  /** Review of merge request 7. */
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
  /** Environment of a pipeline of merge request 7. */
  readonly env: Readonly<Record<string, string>>;
  /** Last commits of requests. */
  readonly heads: Map<number, string>;
  /** Environment of a pipeline for a commit of a branch. */
  readonly onPush: (commit: string, branch?: string) => Record<string, string>;
  readonly note: (notes: FakeNote[], author: number, body: string, title?: string) => FakeNote;
}

/** The account of the token. */
const self = 41;
const ownProject = 77;
const pageSize = 2;

/** Starts an empty fake. */
export async function startGitlab(): Promise<FakeGitlab> {
  const token = 'glpat-0123456789abcdef';
  const notes: FakeNote[] = [];
  const others = new Map<number, FakeNote[]>([[7, notes]]);
  const notesOf = (iid: number) => {
    const found = others.get(iid) ?? [];
    others.set(iid, found);
    return found;
  };
  const issues: FakeNote[] = [];
  const requests: FakeRequest[] = [];
  const pipelines: FakePipeline[] = [];
  const review: FakeGitlab['review'] = { labels: [], events: [], approvedBy: [], members: [] };
  const heads = new Map<number, string>();
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
    const [, iid] = /^\/merge_requests\/(\d+)$/.exec(rest) ?? [];
    if (iid !== undefined && method === 'GET') {
      const sha = heads.get(Number(iid)) ?? 'a'.repeat(40);
      return { status: 200, body: { iid: Number(iid), sha, labels: review.labels } };
    }
    if (rest === '/merge_requests/7/resource_label_events') return paged(review.events, call);
    if (rest === '/merge_requests/7/approvals')
      return {
        status: 200,
        body: { approved_by: review.approvedBy.map((username) => ({ user: { username } })) },
      };
    if (/^\/(pipelines|jobs|merge_requests\/\d+\/pipelines)\b/.test(rest))
      return pipelineRoute(method, rest, call);
    if (/^\/merge_requests(\/\d+)?$/.test(rest)) return requestRoute(method, rest, call);
    return rest.startsWith('/issues') ? issueRoute(method, rest, call) : noteRoute(method, rest, call);
  };
  const pipelineRoute = (method: string, path: string, call: ForgeCall): ForgeAnswer => {
    if (method !== 'GET') throw new WrongRequest(405, 'no such method');
    const own = pipelines.filter(({ project }) => project === ownProject);
    const [, iid] = /^\/merge_requests\/(\d+)\/pipelines$/.exec(path) ?? [];
    if (iid !== undefined) {
      const found = pipelines.filter((one) => String(one.iid) === iid);
      return paged(
        found.map(({ id, project }) => ({ id, project_id: project })),
        call,
      );
    }
    const [, id] = /^\/pipelines\/(\d+)\/jobs$/.exec(path) ?? [];
    const pipeline = own.find((one) => String(one.id) === id);
    if (pipeline !== undefined) {
      const jobs = pipeline.jobs.map((job) => ({
        id: job.id,
        ...(job.files && { artifacts_file: { filename: 'artifacts.zip', size: 900 } }),
      }));
      return paged(jobs, call);
    }
    const [, job, name = ''] = /^\/jobs\/(\d+)\/artifacts\/(.+)$/.exec(path) ?? [];
    const { files = {} } = own.flatMap(({ jobs }) => jobs).find((one) => String(one.id) === job) ?? {};
    const file = Object.entries(files).find(([path]) => path === decodeURIComponent(name))?.[1];
    if (file === undefined) throw new WrongRequest(404, '404 Not found');
    return { status: 200, file, headers: { 'content-type': 'application/octet-stream' } };
  };
  const requestRoute = (method: string, path: string, call: ForgeCall): ForgeAnswer => {
    const shown = (one: FakeRequest) => ({
      ...one,
      target_project_id: ownProject,
      web_url: `https://gitlab.com/acme/docs/-/merge_requests/${one.iid}`,
    });
    if (path === '/merge_requests' && method === 'GET') {
      const { query } = call;
      const found = requests.filter(
        (one) =>
          [null, one.source_branch].includes(query.get('source_branch')) &&
          ['all', one.state].includes(query.get('state') ?? 'all'),
      );
      const order = `${query.get('order_by')} ${query.get('sort')}`;
      if (order !== 'created_at desc') throw new WrongRequest(400, 'the newest first');
      const size = Number(query.get('per_page') ?? pageSize);
      return { status: 200, body: pageOf([...found].reverse(), call, size).items.map(shown) };
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
          one.state === 'opened' &&
          one.source_branch === given.source_branch &&
          one.target_branch === given.target_branch &&
          one.source_project_id === ownProject,
      );
      if (isOpen) throw new WrongRequest(409, 'Another open merge request already exists');
      const commits = { merge_commit_sha: null, squash_commit_sha: null, sha: '' };
      const made: FakeRequest = {
        iid: 20 + requests.length,
        state: 'opened',
        source_project_id: ownProject,
        labels: [],
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
    const [isKnown, iid, id] = /^\/merge_requests\/(\d+)\/notes(?:\/(\d+))?$/.exec(path) ?? [];
    if (isKnown === undefined) throw new WrongRequest(404, '404 Not found');
    const own = others.get(Number(iid));
    if (own === undefined) throw new WrongRequest(404, '404 Not found');
    if (id === undefined && method === 'GET') return list(own, call);
    if (id === undefined && method === 'POST')
      return { status: 201, body: note(own, self, fieldsOf(call, { body: 'string' }).body) };
    const found = own.find((one) => String(one.id) === id);
    if (found === undefined) throw new WrongRequest(404, '404 Note Not Found');
    // Only the author and a maintainer may change a note.
    if (found.author.id !== self) throw new WrongRequest(403, '403 Forbidden');
    if (method === 'PUT') found.body = fieldsOf(call, { body: 'string' }).body;
    else throw new WrongRequest(405, 'no such method');
    return { status: 200, body: found };
  };
  const issueRoute = (method: string, path: string, call: ForgeCall): ForgeAnswer => {
    if (path === '/issues' && method === 'GET') {
      const { query } = call;
      if (query.get('scope') !== 'all') throw new WrongRequest(400, 'only issues of the token itself');
      const found = issues.filter(({ state }) => state === query.get('state'));
      if (query.get('state') === 'opened') return list(found.map(issueOf), call);
      if (query.get('sort') !== 'desc') throw new WrongRequest(400, 'the newest first');
      return paged(found.map(issueOf).reverse(), call);
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
  const env = {
    CI_PROJECT_ID: String(ownProject),
    CI_PROJECT_PATH: 'acme/docs',
    CI_API_V4_URL: `${server.url}/api/v4`,
    CI_PROJECT_URL: 'https://gitlab.com/acme/docs',
    GITLAB_TOKEN: token,
  };
  return {
    ...server,
    token,
    notes,
    notesOf,
    issues,
    requests,
    pipelines,
    review,
    note,
    env: {
      ...env,
      CI_COMMIT_SHA: 'a'.repeat(40),
      ...{ CI_PIPELINE_SOURCE: 'merge_request_event', CI_MERGE_REQUEST_EVENT_TYPE: 'detached' },
      ...{ CI_DEFAULT_BRANCH: 'main', CI_COMMIT_REF_NAME: 'topic', CI_MERGE_REQUEST_SOURCE_BRANCH_SHA: '' },
      CI_MERGE_REQUEST_IID: '7',
      CI_MERGE_REQUEST_PROJECT_ID: String(ownProject),
      CI_MERGE_REQUEST_SOURCE_PROJECT_ID: String(ownProject),
      CI_MERGE_REQUEST_TARGET_BRANCH_NAME: 'main',
    },
    heads,
    onPush: (commit, branch = 'main') => ({
      ...{ ...env, CI_PIPELINE_SOURCE: 'push', CI_COMMIT_BRANCH: branch, CI_COMMIT_REF_NAME: branch },
      ...{ CI_DEFAULT_BRANCH: 'main', CI_COMMIT_SHA: commit },
    }),
  };
}

function issueOf({ id, body, title, state, author }: FakeNote) {
  return {
    author,
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
