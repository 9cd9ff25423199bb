/**
 * GitHub: comments of a pull request and issues of a repository as threads. Lists are read with GraphQL, because only
 * GraphQL has `viewerDidAuthor` and `isMinimized`; changes are sent to the REST API.
 */
import { isRecord, recordsIn } from '../util/json.ts';
import { ForgeError, type Post, recordOf, type Thread } from './forge.ts';
import { ForgeHttp, type ForgeHttpOptions, type ForgeRequest } from './forge-http.ts';

export interface GithubRepository {
  readonly http: ForgeHttp;
  /** `owner/name`. */
  readonly repository: string;
  /** `path` is relative to the repository. */
  readonly rest: (request: ForgeRequest) => Promise<unknown>;
  /** `path` is relative to the API. */
  readonly root: (request: ForgeRequest) => Promise<unknown>;
  /** Entries of all pages; `path` is relative to the repository. */
  readonly list: (path: string, needs: string) => AsyncGenerator<Readonly<Record<string, unknown>>>;
  readonly graphql: (request: GraphqlRequest) => Promise<unknown>;
}

interface GraphqlRequest {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly needs: string;
}

export function openGithub(
  repository: string,
  options: Omit<ForgeHttpOptions, 'forge' | 'headers'> & { readonly userAgent: string },
): GithubRepository {
  const { token, userAgent, address } = options;
  const headers = {
    authorization: `Bearer ${token}`,
    accept: 'application/vnd.github+json',
    'x-github-api-version': '2022-11-28',
    'user-agent': userAgent,
  };
  const http = new ForgeHttp({ ...options, forge: 'GitHub', headers });
  // GitHub Enterprise serves its APIs under /api/v3 and /api/graphql.
  const graphqlPath = `${address.prefix.replace(/\/v3$/, '')}/graphql`;
  const [owner = '', name = ''] = repository.split('/').map(encodeURIComponent);
  const rest: GithubRepository['rest'] = async ({ path, ...request }) =>
    (await http.send({ ...request, path: `${address.prefix}/repos/${owner}/${name}${path}` })).value;
  return {
    http,
    repository,
    rest,
    list: async function* (path, needs) {
      for (let page = 1, isLast = false; !isLast; page += 1) {
        const separator = path.includes('?') ? '&' : '?';
        const query = `${separator}per_page=100&page=${page}`;
        const value = await rest({ method: 'GET', path: `${path}${query}`, needs });
        const entries = recordsIn(isRecord(value) ? value.check_runs : value);
        yield* entries;
        isLast = entries.length < 100;
      }
    },
    root: async ({ path, ...request }) =>
      (await http.send({ ...request, path: `${address.prefix}${path}` })).value,
    graphql: async ({ query, variables, needs }) => {
      const body = { query, variables };
      const { value } = await http.send({ method: 'POST', path: graphqlPath, body, needs });
      return isRecord(value) ? value.data : undefined;
    },
  };
}

const commentsQuery = `query($owner: String!, $name: String!, $number: Int!, $after: String) {
  viewer { login }
  repository(owner: $owner, name: $name) { pullRequest(number: $number) {
    comments(first: 100, after: $after) {
      nodes { id url body viewerDidAuthor isMinimized author { __typename login } }
      pageInfo { hasNextPage endCursor }
    }
  } }
}`;

const issuesQuery = `query(
  $owner: String!, $name: String!, $after: String, $state: IssueState!, $direction: OrderDirection!
) {
  viewer { login }
  repository(owner: $owner, name: $name) {
    issues(first: 100, after: $after, states: [$state], orderBy: { field: CREATED_AT, direction: $direction }) {
      nodes { id number url body viewerDidAuthor author { __typename login } }
      pageInfo { hasNextPage endCursor }
    }
  }
}`;

const foldMutation = `mutation($id: ID!) {
  minimizeComment(input: { subjectId: $id, classifier: OUTDATED }) { minimizedComment { isMinimized } }
}`;

// Updates by GraphQL id: the numbers of comments no longer fit the integers of GraphQL.
const updateMutation = `mutation($id: ID!, $body: String!) {
  updateIssueComment(input: { id: $id, body: $body }) { issueComment { id url body isMinimized } }
}`;

export function githubComments(github: GithubRepository, number: number): Thread {
  const needs = 'the permission pull-requests: write';
  const known = (value: unknown, by: PostAuthor): Post => {
    const { node_id: node, id, html_url: page, url, body, isMinimized } = recordOf(value);
    return {
      id: String(node ?? id),
      url: String(page ?? url ?? ''),
      body: String(body ?? ''),
      isFolded: isMinimized === true,
      ...by,
    };
  };
  return {
    posts: async function* () {
      const lists = pagesOf(github, { query: commentsQuery, variables: { number }, needs }, (repository) => {
        const { pullRequest } = repository;
        if (isRecord(pullRequest)) return pullRequest.comments;
        throw missing(`${github.repository} has no pull request ${number}`);
      });
      for await (const { node, by } of lists) yield known(node, by);
    },
    create: async (body) => {
      const path = `/issues/${number}/comments`;
      return known(await github.rest({ method: 'POST', path, body: { body }, creates: true, needs }), own);
    },
    update: async ({ id }, body) => {
      const data = await github.graphql({ query: updateMutation, variables: { id, body }, needs });
      return known(recordOf(recordOf(data).updateIssueComment).issueComment, own);
    },
    fold: async ({ id }) => {
      await github.graphql({ query: foldMutation, variables: { id }, needs });
    },
  };
}

export function githubIssues(github: GithubRepository, title: string): Thread {
  const needs = 'the permission issues: write';
  const known = (value: unknown, by: PostAuthor): Post => {
    const { number, html_url: page, url, body } = recordOf(value);
    const text = typeof body === 'string' ? body : '';
    return { id: String(number), url: String(page ?? url ?? ''), body: text, isFolded: false, ...by };
  };
  const patch = async ({ id }: Post, body: Readonly<Record<string, unknown>>) =>
    github.rest({ method: 'PATCH', path: `/issues/${id}`, body, needs });
  return {
    posts: async function* (which) {
      const variables =
        which === undefined ? { state: 'OPEN', direction: 'ASC' } : { state: 'CLOSED', direction: 'DESC' };
      const request = { query: issuesQuery, variables, needs };
      for await (const { node, by } of pagesOf(github, request, ({ issues }) => issues))
        yield known(node, by);
    },
    create: async (body) =>
      known(
        await github.rest({ method: 'POST', path: '/issues', body: { title, body }, creates: true, needs }),
        own,
      ),
    // Its title is of people from now on.
    update: async (post, body) => known(await patch(post, { body }), own),
    fold: async (post) => {
      await patch(post, { state: 'closed', state_reason: 'not_planned' });
    },
    remove: async (post, body) => {
      await patch(post, { body, state: 'closed', state_reason: 'completed' });
    },
  };
}

async function* pagesOf(
  github: GithubRepository,
  request: GraphqlRequest,
  listIn: (repository: Readonly<Record<string, unknown>>) => unknown,
): AsyncGenerator<{ readonly node: unknown; readonly by: PostAuthor }> {
  const [owner, name] = github.repository.split('/');
  const seen = new Set<string>();
  for (let after: string | null = null; ; ) {
    const variables = { ...request.variables, owner, name, after };
    const { viewer, repository } = recordOf(await github.graphql({ ...request, variables }));
    if (!isRecord(repository)) throw missing(`there is no repository ${github.repository}`);
    const { nodes, pageInfo } = recordOf(listIn(repository));
    for (const node of Array.isArray(nodes) ? (nodes as readonly unknown[]) : [])
      yield { node, by: authorOf(recordOf(viewer).login, recordOf(node)) };
    const { hasNextPage, endCursor } = recordOf(pageInfo);
    if (hasNextPage !== true || typeof endCursor !== 'string') return;
    if (seen.has(endCursor)) throw missing('pagination loop: a page points back to one already read');
    seen.add(endCursor);
    after = endCursor;
  }
}

type PostAuthor = Pick<Post, 'isOwn' | 'isBot'>;
const own: PostAuthor = { isOwn: true };

/** An app is `name[bot]` as the viewer, but `name` as an author. */
function authorOf(viewer: unknown, node: Readonly<Record<string, unknown>>): PostAuthor {
  const { __typename: type, login } = recordOf(node.author);
  const isBot = type === 'Bot';
  return { isOwn: node.viewerDidAuthor === true || (isBot && viewer === `${String(login)}[bot]`), isBot };
}

function missing(message: string): ForgeError {
  const suggestion = 'check the repository and the number, and what the token may see';
  return new ForgeError(message, { mayHaveHappened: false, suggestion });
}
