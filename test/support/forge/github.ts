/**
 * A fake of the parts of GitHub's API that Octavo uses. It checks the token, the headers, the bodies, and each GraphQL query
 * against a schema with the names and types of GitHub's own.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSchema, graphql, parse, type SelectionNode } from 'graphql';
import { onTestFinished } from 'vitest';
import {
  type ForgeAnswer,
  type ForgeCall,
  type ForgeServer,
  fieldsOf,
  pageOf,
  startForge,
  WrongRequest,
} from './server.ts';

/** A comment, or an issue. */
export interface FakePost {
  readonly id: number;
  author: string;
  body: string;
  title?: string;
  minimized?: string;
  state?: 'open' | 'closed';
  reason?: string;
}

export interface FakeCheck {
  readonly id: number;
  readonly name: string;
  readonly head_sha: string;
  conclusion: string;
  external_id: string;
  output: { title: string; summary: string; text?: string };
  app: { slug: string };
}

export interface FakePull {
  readonly number: number;
  merged_at: string | null;
  merge_commit_sha: string | null;
  readonly base: { ref: string; readonly repo?: { readonly id: number } };
  readonly head: { sha: string; readonly ref?: string; readonly repo?: { readonly id: number } };
  title?: string;
  body?: string;
  state?: 'open' | 'closed';
  labels?: string[];
}

/** The pull request of a run. */
export interface PullOfRun {
  readonly number?: number;
  readonly head?: string;
  /** Repository of its branch. */
  readonly from?: string;
}

/** Labels, events and reviews of a pull request, and the members of teams. */
export interface FakeReview {
  readonly labels: string[];
  readonly events: {
    readonly event: string;
    readonly label: { readonly name: string };
    readonly actor: { readonly login: string } | null;
  }[];
  readonly reviews: {
    readonly state: string;
    readonly user: { readonly login: string };
    readonly commit_id: string;
  }[];
  head: string;
  /** Members of teams, as `acme/security/ada`. */
  readonly members: Set<string>;
}

export interface FakeGithub extends ForgeServer {
  readonly token: string;
  /** Comments by the number of their pull request. */
  readonly comments: Map<number, FakePost[]>;
  readonly issues: FakePost[];
  readonly checks: FakeCheck[];
  readonly pulls: FakePull[];
  /** Review of pull request 12. */
  readonly review: FakeReview;
  /** Environment of any run on GitHub. */
  readonly env: Readonly<Record<string, string>>;
  /** Environment of a run for a pull request; defaults to number 12 of this repository. */
  readonly onPull: (pull?: PullOfRun) => Record<string, string>;
  /** Environment of a run for a commit of a branch; `before`: what the branch was at. */
  readonly onPush: (commit: string, branch?: string, before?: string) => Record<string, string>;
  /** Environment of a run for commits of a merge queue. */
  readonly onQueue: (commits: { readonly base: string; readonly head: string }) => Record<string, string>;
  /** Environment of a run for any other event. */
  readonly onEvent: (
    name: string,
    ref: string,
    event: Readonly<Record<string, unknown>>,
    more?: Readonly<Record<string, string>>,
  ) => Record<string, string>;
  /** Adds a comment or an issue by an author. */
  readonly post: (posts: FakePost[], author: string, body: string, title?: string) => FakePost;
}

const schema = buildSchema(`
  scalar URI
  interface Actor { login: String! }
  type User implements Actor { login: String! }
  type Bot implements Actor { login: String! }
  type PageInfo { hasNextPage: Boolean! endCursor: String }
  type IssueComment {
    id: ID! databaseId: Int url: URI! body: String! viewerDidAuthor: Boolean! isMinimized: Boolean! author: Actor
  }
  type IssueCommentConnection { nodes: [IssueComment] pageInfo: PageInfo! totalCount: Int! }
  type Issue { id: ID! number: Int! title: String! url: URI! body: String! viewerDidAuthor: Boolean! author: Actor }
  type IssueConnection { nodes: [Issue] pageInfo: PageInfo! totalCount: Int! }
  enum IssueState { OPEN CLOSED }
  enum IssueOrderField { CREATED_AT UPDATED_AT COMMENTS }
  enum OrderDirection { ASC DESC }
  input IssueOrder { field: IssueOrderField! direction: OrderDirection! }
  scalar GitObjectID
  scalar DateTime
  type App { slug: String! }
  enum CheckConclusionState { ACTION_REQUIRED CANCELLED FAILURE NEUTRAL SKIPPED STALE STARTUP_FAILURE SUCCESS TIMED_OUT }
  enum CheckRunType { ALL LATEST }
  input CheckRunFilter { appId: Int checkName: String checkType: CheckRunType }
  input CheckSuiteFilter { appId: Int checkName: String }
  type CheckRun {
    name: String! completedAt: DateTime externalId: String conclusion: CheckConclusionState text: String title: String
  }
  type CheckRunConnection { nodes: [CheckRun] totalCount: Int! }
  type CheckSuite { app: App checkRuns(first: Int, last: Int, filterBy: CheckRunFilter): CheckRunConnection }
  type CheckSuiteConnection { nodes: [CheckSuite] totalCount: Int! }
  type Commit {
    oid: GitObjectID! checkSuites(first: Int, last: Int, filterBy: CheckSuiteFilter): CheckSuiteConnection
  }
  type PullRequestCommit { commit: Commit! }
  type PullRequestCommitConnection { nodes: [PullRequestCommit] totalCount: Int! }
  enum PullRequestState { CLOSED MERGED OPEN }
  type PullRequest {
    number: Int! title: String! headRefOid: GitObjectID! comments(first: Int, after: String): IssueCommentConnection!
    commits(first: Int, last: Int): PullRequestCommitConnection!
  }
  type PullRequestConnection { nodes: [PullRequest] pageInfo: PageInfo! totalCount: Int! }
  type Repository {
    pullRequests(first: Int, after: String, states: [PullRequestState!], orderBy: IssueOrder): PullRequestConnection!
    pullRequest(number: Int!): PullRequest
    issues(first: Int, after: String, states: [IssueState!], orderBy: IssueOrder): IssueConnection!
  }
  type Query { viewer: User! repository(owner: String!, name: String!, followRenames: Boolean): Repository }
  enum ReportedContentClassifiers { SPAM ABUSE OFF_TOPIC OUTDATED DUPLICATE RESOLVED }
  input MinimizeCommentInput { subjectId: ID! classifier: ReportedContentClassifiers! clientMutationId: String }
  type Minimized { isMinimized: Boolean! minimizedReason: String }
  type MinimizeCommentPayload { clientMutationId: String minimizedComment: Minimized }
  input UpdateIssueCommentInput { id: ID! body: String! clientMutationId: String }
  type UpdateIssueCommentPayload { clientMutationId: String issueComment: IssueComment }
  type Mutation {
    minimizeComment(input: MinimizeCommentInput!): MinimizeCommentPayload
    updateIssueComment(input: UpdateIssueCommentInput!): UpdateIssueCommentPayload
  }
`);

/** The account of the token. */
const self = 'github-actions';
const repository = 'acme/docs';
/** Entries of a page; fewer than requested, so that a few entries fill several pages. */
const pageSize = 3;
const largest = 65_536;

interface GithubChoices {
  /** The path of its API, as for GitHub Enterprise. */
  readonly prefix?: string;
  /** Each post states that the account of the token wrote it; otherwise only the names match. */
  readonly knowsAuthors?: boolean;
}

/** Parts of every event. */
const about = {
  repository: { id: 1, full_name: repository, default_branch: 'main', private: true },
  sender: { login: 'ada', type: 'User' },
};

/** The event of a pull request, as far as programs read it. */
export function pullEvent({ number = 12, head = 'a'.repeat(40), from = repository }: PullOfRun) {
  return {
    action: 'synchronize',
    number,
    pull_request: {
      ...{ number, state: 'open', draft: false, merged: false, labels: [], user: { login: 'ada' } },
      head: { ref: 'topic', sha: head, repo: { full_name: from, fork: from !== repository } },
      base: { ref: 'main', sha: 'b'.repeat(40), repo: { full_name: repository } },
    },
    ...about,
  };
}

/** Starts an empty fake for the duration of a test. */
export async function startGithub(choices: GithubChoices = {}): Promise<FakeGithub> {
  const events = mkdtempSync(join(tmpdir(), 'octavo-events-'));
  onTestFinished(() => rmSync(events, { recursive: true, force: true }));
  return githubOn(startForge, events, choices);
}

/** `start`: serves the fake's answers. `events`: folder for the events of its runs. */
export async function githubOn<S extends ForgeServer>(
  start: (
    answer: (call: ForgeCall) => Promise<ForgeAnswer>,
    nameOf: (call: ForgeCall) => string,
  ) => S | Promise<S>,
  events: string,
  { prefix = '', knowsAuthors = true }: GithubChoices = {},
): Promise<FakeGithub & S> {
  const authorOf = ({ author }: FakePost) => {
    const isSelf = author === self;
    return {
      viewerDidAuthor: isSelf && knowsAuthors,
      author: {
        type: isSelf || author.startsWith('bot:') ? 'Bot' : 'User',
        login: author.replace(/^(?:user|bot):/, ''),
      },
    };
  };
  const token = 'ghs_0123456789abcdefghij';
  const comments = new Map<number, FakePost[]>([[12, []]]);
  const issues: FakePost[] = [];
  const checks: FakeCheck[] = [];
  const pulls: FakePull[] = [];
  const review: FakeReview = {
    labels: [],
    events: [],
    reviews: [],
    head: 'a'.repeat(40),
    members: new Set(),
  };
  const heads = new Map<number, string>();
  let ids = 2_485_035_700;
  const post = (posts: FakePost[], author: string, body: string, title?: string): FakePost => {
    ids += 1;
    const made = { id: ids, author, body, ...(title === undefined ? {} : { title, state: 'open' as const }) };
    posts.push(made);
    return made;
  };
  const commentNode = (post: FakePost) => ({
    id: nodeId(post),
    url: commentUrl(post),
    body: post.body,
    isMinimized: post.minimized !== undefined,
    ...authorOf(post),
  });
  const issueNode = (post: FakePost) => ({
    id: `I_${post.id}`,
    number: post.id % 1000,
    url: issueUrl(post),
    body: post.body,
    ...authorOf(post),
  });
  const graphqlPath = `${prefix.replace(/\/v3$/, '')}/graphql`;
  const root = `${prefix}/repos/${repository}`;

  const answer = async (call: ForgeCall): Promise<ForgeAnswer> => {
    const { method, path, headers } = call;
    if (headers.authorization !== `Bearer ${token}`) throw new WrongRequest(401, 'Bad credentials');
    if ((headers['user-agent'] ?? '') === '') throw new WrongRequest(400, 'a User-Agent is required');
    if (headers.accept !== 'application/vnd.github+json') throw new WrongRequest(415, 'another media type');
    if (headers['x-github-api-version'] !== '2022-11-28') throw new WrongRequest(400, 'no version');
    if (call.body !== undefined && headers['content-type'] !== 'application/json')
      throw new WrongRequest(400, 'a body without its type');
    if (path === graphqlPath) return runGraphql(call);
    const [, team, login] =
      /^\/orgs\/([^/]+\/teams\/[^/]+)\/memberships\/([^/]+)$/.exec(path.slice(prefix.length)) ?? [];
    if (team !== undefined) {
      if (!review.members.has(`${team.replace('/teams', '')}/${login}`))
        throw new WrongRequest(404, 'Not Found');
      return { status: 200, body: { state: 'active', role: 'member' } };
    }
    if (!path.startsWith(`${root}/`)) throw new WrongRequest(404, 'Not Found');
    return runRest(`${method} ${path.slice(root.length)}`, call);
  };

  function runRest(route: string, call: ForgeCall): ForgeAnswer {
    const [, number] = /^POST \/issues\/(\d+)\/comments$/.exec(route) ?? [];
    if (number !== undefined) {
      const { body } = fieldsOf(call, { body: 'string' });
      const made = post(commentsOf(Number(number)), self, checked(body));
      return { status: 201, body: { ...restOf(made), node_id: nodeId(made), html_url: commentUrl(made) } };
    }
    if (route === 'POST /issues') {
      const { title, body } = fieldsOf(call, { title: 'string', body: 'string' });
      return { status: 201, body: issueOf(post(issues, self, checked(body), title)) };
    }
    const [, issue] = /^PATCH \/issues\/(\d+)$/.exec(route) ?? [];
    if (issue !== undefined) return { status: 200, body: issueOf(patchIssue(Number(issue), call)) };
    const [, pulled] = /^GET \/pulls\/(\d+)$/.exec(route) ?? [];
    if (pulled !== undefined) {
      const sha = heads.get(Number(pulled)) ?? review.head;
      const labels = review.labels.map((name) => ({ name }));
      return { status: 200, body: { number: Number(pulled), head: { sha }, labels } };
    }
    if (route === 'GET /issues/12/events')
      return { status: 200, body: pageOf(review.events, call, 100).items };
    if (route === 'GET /pulls/12/reviews')
      return { status: 200, body: pageOf(review.reviews, call, 100).items };
    if (route === 'POST /check-runs') return { status: 201, body: addCheck(call) };
    const [, of] = /^GET \/commits\/([0-9a-f]+)\/check-runs$/.exec(route) ?? [];
    if (of !== undefined) {
      const { query } = call;
      const all = checks.filter(
        ({ head_sha: sha, name }) => sha === of && name === (query.get('check_name') ?? name),
      );
      const { items } = pageOf(all, call, 100);
      return { status: 200, body: { total_count: all.length, check_runs: items } };
    }
    const [, commit] = /^GET \/commits\/([0-9a-f]+)\/pulls$/.exec(route) ?? [];
    if (commit !== undefined) {
      const found = pulls.filter(({ merge_commit_sha, head }) =>
        [merge_commit_sha, head.sha].includes(commit),
      );
      return { status: 200, body: pageOf(found, call, 100).items };
    }
    const pull = pullRoute(route, call);
    if (pull !== undefined) return pull;
    throw new WrongRequest(404, 'Not Found');
  }

  function pullRoute(route: string, call: ForgeCall): ForgeAnswer | undefined {
    const shown = (one: FakePull) => ({
      ...one,
      html_url: `https://github.com/${repository}/pull/${one.number}`,
    });
    if (route === 'GET /pulls') {
      const { query } = call;
      const [owner, ref] = (query.get('head') ?? '').split(':');
      if (owner !== repository.split('/')[0]) throw new WrongRequest(422, 'head needs the owner');
      const found = pulls.filter(
        ({ head, state }) => head.ref === ref && ['all', state].includes(query.get('state') ?? 'open'),
      );
      const order = `${query.get('sort')} ${query.get('direction')}`;
      if (order !== 'created desc') throw new WrongRequest(422, 'the newest first');
      return { status: 200, body: pageOf([...found].reverse(), call, 100).items.map(shown) };
    }
    if (route === 'POST /pulls') {
      const fields = { title: 'string', head: 'string', base: 'string', body: 'string' } as const;
      const { title, head, base, body } = fieldsOf(call, fields);
      const isOpen = pulls.some(
        (one) => one.state === 'open' && one.head.ref === head && one.base.ref === base,
      );
      if (isOpen) throw new WrongRequest(422, 'A pull request already exists');
      const made: FakePull = {
        number: 20 + pulls.length,
        ...{ merged_at: null, merge_commit_sha: null, base: { ref: base }, head: { sha: '', ref: head } },
        ...{ title, body: checked(body), state: 'open', labels: [] },
      };
      pulls.push(made);
      return { status: 201, body: shown(made) };
    }
    const [, number] = /^PATCH \/pulls\/(\d+)$/.exec(route) ?? [];
    const found = pulls.find((one) => String(one.number) === number);
    if (found === undefined) return undefined;
    const { title, body, state } = fieldsOf(call, { title: 'string?', body: 'string?', state: 'string?' });
    if (state !== undefined && state !== 'closed') throw new WrongRequest(422, 'wrong state');
    if (title !== undefined) found.title = title;
    if (body !== undefined) found.body = checked(body);
    if (state !== undefined) found.state = state;
    return { status: 200, body: shown(found) };
  }

  function addCheck(call: ForgeCall): FakeCheck & { html_url: string } {
    const body = call.body as Record<string, unknown>;
    const { output, name, head_sha, conclusion } = body as unknown as FakeCheck;
    const known = ['name', 'head_sha', 'status', 'conclusion', 'external_id', 'output'];
    for (const key of Object.keys(body))
      if (!known.includes(key)) throw new WrongRequest(422, `unknown ${key}`);
    if (body.status !== 'completed' || !['success', 'failure'].includes(conclusion))
      throw new WrongRequest(422, 'no conclusion');
    if (!/^[0-9a-f]{40}$/.test(head_sha) || name === '')
      throw new WrongRequest(422, 'No commit found for SHA');
    if ((output.text ?? '').length > 65_535) throw new WrongRequest(422, 'output.text is too long');
    ids += 1;
    const check = { ...(body as unknown as FakeCheck), id: ids, app: { slug: self } };
    checks.push(check);
    return { ...check, html_url: `https://github.com/${repository}/runs/${ids}` };
  }

  function patchIssue(number: number, call: ForgeCall): FakePost {
    const found = issues.find(({ id }) => id % 1000 === number);
    if (found === undefined) throw new WrongRequest(404, 'Not Found');
    const { title, body, state, state_reason } = fieldsOf(call, {
      title: 'string?',
      body: 'string?',
      state: 'string?',
      state_reason: 'string?',
    });
    if (state !== undefined && !['open', 'closed'].includes(state))
      throw new WrongRequest(422, 'wrong state');
    if (state_reason !== undefined && !['completed', 'not_planned', 'reopened'].includes(state_reason))
      throw new WrongRequest(422, 'wrong reason');
    if (body !== undefined) found.body = checked(body);
    if (title !== undefined) found.title = title;
    if (state !== undefined) found.state = state as 'closed';
    if (state_reason !== undefined) found.reason = state_reason;
    return found;
  }

  async function runGraphql(call: ForgeCall): Promise<ForgeAnswer> {
    if (call.method !== 'POST') throw new WrongRequest(405, 'POST alone');
    const { query, variables } = fieldsOf(call, { query: 'string', variables: 'object' });
    const rootValue = {
      viewer: { login: `${self}[bot]` },
      repository: ({ owner, name }: { owner: string; name: string }) => {
        if (`${owner}/${name}` !== repository) throw notFound('Repository');
        return {
          pullRequest: ({ number }: { number: number }) => ({
            comments: (page: GraphqlPage) => connection(commentsOf(number), page, commentNode),
          }),
          pullRequests: (page: OpenPulls) => openPulls(pulls, checks, page),
          issues: (page: GraphqlPage & Pick<OpenPulls, 'states' | 'orderBy'>) => {
            const order = `${page.states.join()} ${page.orderBy.direction}`;
            if (!['OPEN ASC', 'CLOSED DESC'].includes(order)) throw new Error('another order');
            const found = issues.filter(({ state = '' }) => page.states.includes(state.toUpperCase()));
            return connection(order === 'OPEN ASC' ? found : found.reverse(), page, issueNode);
          },
        };
      },
      minimizeComment: ({ input }: { input: { subjectId: string; classifier: string } }) => {
        const comment = commentWith(input.subjectId);
        comment.minimized = input.classifier;
        return { minimizedComment: { isMinimized: true, minimizedReason: input.classifier } };
      },
      updateIssueComment: ({ input }: { input: { id: string; body: string } }) => {
        const comment = commentWith(input.id);
        comment.body = checked(input.body);
        return { issueComment: commentNode(comment) };
      },
    };
    const result = await graphql({
      schema,
      source: query,
      rootValue,
      variableValues: variables as unknown as Record<string, unknown>,
      typeResolver: (value) => (value as { type: string }).type,
    });
    const errors = result.errors?.map((error) => ({
      type: error.originalError instanceof NotFound ? 'NOT_FOUND' : 'INVALID',
      message: error.message,
    }));
    // An invalid query is a mistake of the caller.
    for (const error of errors ?? []) if (error.type === 'INVALID') fake.problems.push(error.message);
    return { status: 200, body: { data: result.data ?? null, ...(errors && { errors }) } };
  }

  function commentsOf(number: number): FakePost[] {
    const found = comments.get(number);
    if (found === undefined) throw notFound(`PullRequest with the number of ${number}.`);
    return found;
  }

  function commentWith(id: string): FakePost {
    const found = [...comments.values()].flat().find((one) => nodeId(one) === id);
    if (found === undefined) throw notFound(`node with the global id of '${id}'.`);
    return found;
  }

  const server = await start(answer, (call) => `${call.method} ${call.path}${fieldOf(call)}`);
  const env = {
    GITHUB_REPOSITORY: repository,
    GITHUB_API_URL: `${server.url}${prefix}`,
    GITHUB_TOKEN: token,
    GITHUB_REF: 'refs/pull/12/merge',
  };
  let runs = 0;
  const eventOf = (event: unknown): string => {
    runs += 1;
    const file = join(events, `${runs}.json`);
    writeFileSync(file, JSON.stringify(event));
    return file;
  };
  const fake: FakeGithub & S = {
    ...server,
    token,
    comments,
    issues,
    checks,
    pulls,
    review,
    post,
    env,
    onPull: ({ number = 12, head = review.head, from = repository } = {}) => {
      heads.set(number, head);
      return {
        ...env,
        GITHUB_EVENT_NAME: 'pull_request',
        GITHUB_REF: `refs/pull/${number}/merge`,
        GITHUB_BASE_REF: 'main',
        GITHUB_EVENT_PATH: eventOf(pullEvent({ number, head, from })),
      };
    },
    onQueue: ({ base, head }) => ({
      ...env,
      GITHUB_EVENT_NAME: 'merge_group',
      GITHUB_REF: 'refs/heads/gh-readonly-queue/main/pr-12-0a1b',
      GITHUB_SHA: head,
      GITHUB_EVENT_PATH: eventOf({
        action: 'checks_requested',
        merge_group: {
          head_sha: head,
          head_ref: 'refs/heads/gh-readonly-queue/main/pr-12-0a1b',
          base_sha: base,
          base_ref: 'refs/heads/main',
          head_commit: { id: head, message: 'Merge pull request #12' },
        },
        ...about,
      }),
    }),
    onPush: (commit, branch = 'main', before = undefined) => ({
      ...env,
      GITHUB_EVENT_NAME: 'push',
      GITHUB_REF: `refs/heads/${branch}`,
      GITHUB_SHA: commit,
      GITHUB_EVENT_PATH: eventOf({
        ...{ ref: `refs/heads/${branch}`, before, after: commit },
        ...{ created: false, deleted: false, forced: false, base_ref: null },
        ...{ commits: [], head_commit: { id: commit }, pusher: { name: 'ada' } },
        ...about,
      }),
    }),
    onEvent: (name, ref, event, more = {}) => ({
      ...env,
      GITHUB_EVENT_NAME: name,
      GITHUB_REF: ref,
      GITHUB_EVENT_PATH: eventOf({ ...event, ...about }),
      ...more,
    }),
  };
  return fake;
}

interface GraphqlPage {
  readonly first: number;
  readonly after: string | null;
}

interface OpenPulls {
  readonly first: number;
  readonly states: readonly string[];
  readonly orderBy: { readonly field: string; readonly direction: string };
}

/** Pull requests with the check runs of their last commits. */
function openPulls(
  pulls: readonly FakePull[],
  checks: readonly FakeCheck[],
  { first, states, orderBy }: OpenPulls,
) {
  if (states.join() !== 'OPEN' || `${orderBy.field} ${orderBy.direction}` !== 'CREATED_AT DESC')
    throw new Error('open ones alone, the newest first');
  const runsOf = (sha: string, slug: string, name: string) =>
    checks.filter((one) => one.head_sha === sha && one.app.slug === slug && one.name === name);
  const commitOf = (sha: string) => ({
    oid: sha,
    checkSuites: ({ filterBy: { checkName } }: { filterBy: { checkName: string } }) => ({
      nodes: [...new Set(checks.map(({ app }) => app.slug))].map((slug) => ({
        app: { slug },
        checkRuns: ({
          last,
          filterBy,
        }: {
          last: number;
          filterBy: { checkName: string; checkType: string };
        }) => {
          if (filterBy.checkType !== 'ALL') throw new Error('another pull may have the same commit');
          return {
            nodes: runsOf(sha, slug, filterBy.checkName)
              .filter(({ name }) => name === checkName)
              .slice(-last)
              .map(({ id, external_id, conclusion, output, name }) => ({
                ...{ name, externalId: external_id, text: output.text, title: output.title },
                completedAt: new Date(id * 1000).toISOString(),
                conclusion: conclusion.toUpperCase(),
              })),
          };
        },
      })),
    }),
  });
  const open = pulls.filter(({ state }) => state === 'open');
  const nodes = [...open].reverse().map(({ number, title = '', head }) => ({
    ...{ number, title, headRefOid: head.sha },
    commits: { nodes: [{ commit: commitOf(head.sha) }] },
  }));
  return { nodes: nodes.slice(0, first), totalCount: nodes.length };
}

class NotFound extends Error {}

function notFound(what: string): NotFound {
  return new NotFound(`Could not resolve to a ${what}`);
}

function connection<T>(
  posts: readonly FakePost[],
  { first, after }: GraphqlPage,
  nodeOf: (post: FakePost) => T,
) {
  if (!(first >= 1 && first <= 100)) throw new Error('`first` must be from 1 to 100');
  const from = after === null ? 0 : Number(atob(after));
  const to = from + Math.min(first, pageSize);
  return {
    nodes: posts.slice(from, to).map(nodeOf),
    pageInfo: { hasNextPage: to < posts.length, endCursor: btoa(String(to)) },
  };
}

function issueOf(post: FakePost) {
  return {
    number: post.id % 1000,
    html_url: issueUrl(post),
    body: post.body,
    title: post.title,
    state: post.state,
  };
}

function restOf({ id, body, author }: FakePost) {
  return { id, body, user: { login: `${author}[bot]` } };
}

function nodeId({ id }: FakePost): string {
  return `IC_kwDO${id}`;
}

function commentUrl({ id }: FakePost): string {
  return `https://github.com/${repository}/pull/12#issuecomment-${id}`;
}

function issueUrl({ id }: FakePost): string {
  return `https://github.com/${repository}/issues/${id % 1000}`;
}

function checked(body: string): string {
  if (body.length > largest)
    throw new WrongRequest(422, `Body is too long (maximum is ${largest} characters)`);
  return body;
}

/** The first requested field of a GraphQL request other than the viewer. */
function fieldOf({ path, body }: ForgeCall): string {
  if (!path.endsWith('/graphql')) return '';
  const { query } = body as { query: string };
  const names = parse(query).definitions.flatMap((definition) =>
    definition.kind === 'OperationDefinition' ? definition.selectionSet.selections.map(nameOf) : [],
  );
  return ` ${names.find((name) => name !== 'viewer') ?? ''}`;
}

function nameOf(selection: SelectionNode): string {
  return selection.kind === 'Field' ? selection.name.value : '';
}
