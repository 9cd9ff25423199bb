/**
 * Exemptions from rules in a pull request: labels with the person who added them, and teams with a member who approved the last
 * commit. A label counts only if the forge reports who added it.
 */
import { recordsIn } from '../util/json.ts';
import { rememberedIn } from '../util/remembered.ts';
import { type ForgeItem, recordOf, undefinedIfGone } from './forge.ts';
import type { GithubRepository } from './github.ts';
import type { GitlabProject } from './gitlab.ts';

export interface WantedExemptions {
  readonly labels: readonly string[];
  readonly teams: readonly string[];
}

/** The responsible person, keyed by label and by team. */
export interface FoundExemptions {
  readonly labels: ReadonlyMap<string, string>;
  readonly teams: ReadonlyMap<string, string>;
  /** Example: `pull request 12`. */
  readonly pull: string;
}

/** Resolves to undefined if no pull request is known. */
export type ExemptionSource = (wanted: WantedExemptions) => Promise<FoundExemptions | undefined>;

export async function githubExemptions(
  github: GithubRepository,
  number: number,
  { labels, teams }: WantedExemptions,
): Promise<FoundExemptions> {
  const needs = 'the permission pull-requests: read';
  const pull = recordOf(await github.rest({ method: 'GET', path: `/pulls/${number}`, needs }));
  const has = new Set(recordsIn(pull.labels).map(({ name }) => name));
  const own = labels.filter((label) => has.has(label));
  const by = new Map<string, string>();
  if (own.length > 0)
    for await (const { event, label, actor } of github.list(`/issues/${number}/events`, needs)) {
      const { name } = recordOf(label);
      const { login } = recordOf(actor);
      if (event === 'labeled' && isOneOf(own, name) && typeof login === 'string') by.set(name, login);
    }
  const head = recordOf(pull.head).sha;
  const last = new Map<string, ForgeItem>();
  if (teams.length > 0)
    for await (const review of github.list(`/pulls/${number}/reviews`, needs))
      if (review.state !== 'COMMENTED') last.set(String(recordOf(review.user).login ?? ''), review);
  // An approval of an earlier commit does not count for the current one.
  const approving = [...last].flatMap(([login, { state, commit_id: commit }]) =>
    state === 'APPROVED' && commit === head && login !== '' ? [login] : [],
  );
  const isMember = (team: string, login: string) => isGithubMember(github, team, login);
  return { labels: by, teams: await firstOf(teams, approving, isMember), pull: `pull request ${number}` };
}

async function isGithubMember(github: GithubRepository, team: string, login: string): Promise<boolean> {
  const [organization = '', slug = ''] = team.split('/').map(encodeURIComponent);
  const path = `/orgs/${organization}/teams/${slug}/memberships/${encodeURIComponent(login)}`;
  const needs = 'to read members of the organization, which the token of a workflow may not';
  const membership = await github.root({ method: 'GET', path, needs }).catch(undefinedIfGone);
  return recordOf(membership).state === 'active';
}

/** On GitLab, a project setting determines whether an approval survives a push. */
export async function gitlabExemptions(
  gitlab: GitlabProject,
  number: number,
  { labels, teams }: WantedExemptions,
): Promise<FoundExemptions> {
  const needs = 'the scope read_api';
  const path = `/merge_requests/${number}`;
  const request = recordOf(await gitlab.rest({ method: 'GET', path, needs }));
  const has = Array.isArray(request.labels) ? (request.labels as readonly unknown[]) : [];
  const own = labels.filter((label) => has.includes(label));
  const by = new Map<string, string>();
  if (own.length > 0)
    for await (const { action, label, user } of gitlab.list(`${path}/resource_label_events`, needs)) {
      const { name } = recordOf(label);
      const { username } = recordOf(user);
      if (action === 'add' && isOneOf(own, name) && typeof username === 'string') by.set(name, username);
    }
  const approvals =
    teams.length === 0 ? {} : await gitlab.rest({ method: 'GET', path: `${path}/approvals`, needs });
  const approving = recordsIn(recordOf(approvals).approved_by).map(({ user }) =>
    String(recordOf(user).username ?? ''),
  );
  const members = new Map<string, Promise<ReadonlySet<string>>>();
  const isMember = async (team: string, name: string) => {
    return (await rememberedIn(members, team, () => gitlabMembers(gitlab, team))).has(name);
  };
  return { labels: by, teams: await firstOf(teams, approving, isMember), pull: `merge request ${number}` };
}

async function gitlabMembers(gitlab: GitlabProject, group: string): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  const path = `/groups/${encodeURIComponent(group)}/members/all`;
  for await (const { username, state } of gitlab.rootList(path, 'to read members of the group'))
    if (typeof username === 'string' && state === 'active') found.add(username);
  return found;
}

async function firstOf(
  teams: readonly string[],
  approving: readonly string[],
  isMember: (team: string, person: string) => Promise<boolean>,
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (const team of teams)
    for (const person of approving)
      if (!found.has(team) && (await isMember(team, person))) found.set(team, person);
  return found;
}

function isOneOf(names: readonly string[], name: unknown): name is string {
  return names.some((one) => one === name);
}
