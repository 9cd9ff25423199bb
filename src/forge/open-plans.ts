/** Kept plans of other open requests: they tell a reviewer which objects another request changes, and approve nothing. */
import { recordsIn } from '../util/json.ts';
import { checkName, keptChecks } from './approval.ts';
import { recordOf } from './forge.ts';
import type { GithubRepository } from './github.ts';
import type { GitlabProject } from './gitlab.ts';
import { latestArtifact, needs } from './gitlab-approval.ts';

export interface OpenPlan {
  /** As the forge links it. Example: `#31`. */
  readonly request: string;
  readonly title: string;
  readonly objects: readonly string[];
}

interface OpenQuery {
  /** The request itself. */
  readonly number: number;
  readonly key: string;
}

/** Number of requests to read, newest first. */
const most = 50;

const openQuery = `query($owner: String!, $name: String!, $check: String!) {
  repository(owner: $owner, name: $name) {
    pullRequests(first: ${most}, states: OPEN, orderBy: { field: CREATED_AT, direction: DESC }) {
      nodes { number title headRefOid commits(last: 1) { nodes { commit {
        checkSuites(first: 10, filterBy: { checkName: $check }) { nodes { app { slug }
          checkRuns(last: 10, filterBy: { checkName: $check, checkType: ALL }) {
            nodes { completedAt externalId conclusion text }
      } } } } } } }
    }
  }
}`;

export async function githubOpenPlans(
  github: GithubRepository,
  { number: own, key, app }: OpenQuery & { readonly app: string },
): Promise<readonly OpenPlan[]> {
  const [owner, name] = github.repository.split('/');
  const check = checkName(key);
  const variables = { owner, name, check };
  const permissions = 'the permissions pull-requests: read and checks: read';
  const data = await github.graphql({ query: openQuery, variables, needs: permissions });
  const nodesIn = (list: unknown) => recordsIn(recordOf(list).nodes);
  return nodesIn(recordOf(recordOf(data).repository).pullRequests).flatMap((one) => {
    const { title, commits } = one;
    const [number, head] = [Number(one.number), String(one.headRefOid)];
    if (number === own) return [];
    const suites = nodesIn(commits).flatMap(({ commit }) => nodesIn(recordOf(commit).checkSuites));
    // Named as by the REST API. Ids of check runs do not fit the integers of GraphQL, so the times order them.
    const runs = suites.flatMap(({ app: maker, checkRuns }) =>
      nodesIn(checkRuns).map(({ completedAt, externalId, conclusion, text }) => ({
        ...{ name: check, app: maker, head_sha: head, external_id: externalId, output: { text } },
        ...{ id: Date.parse(String(completedAt)), conclusion: String(conclusion).toLowerCase() },
      })),
    );
    const [kept] = keptChecks(runs, { request: { number, head, isFork: false }, key, app });
    const [, objects = ''] = /^Changes:\n\n`{3}\n([\s\S]*?)\n`{3}$/m.exec(kept?.text ?? '') ?? [];
    return { request: `#${number}`, title: String(title), objects: objects.split('\n') };
  });
}

/** Pipelines of forks are in the forks. */
export async function gitlabOpenPlans(
  gitlab: GitlabProject,
  { number: own, key }: OpenQuery,
  file: string,
): Promise<readonly OpenPlan[]> {
  const path = `/merge_requests?state=opened&order_by=created_at&sort=desc&per_page=${most}`;
  const plans = recordsIn(await gitlab.rest({ method: 'GET', path, needs })).map(async (one) => {
    const [number, head] = [Number(one.iid), String(one.sha)];
    if (number === own || one.source_project_id !== one.target_project_id) return [];
    const query = { request: { number, head, isFork: false }, key, pipelines: 2 };
    const plan = recordOf(await latestArtifact(gitlab, query, file));
    const objects = Array.isArray(plan.objects) && plan.refusal === undefined ? plan.objects.map(String) : [];
    return { request: `!${number}`, title: String(one.title), objects };
  });
  return (await Promise.all(plans)).flat();
}
