/**
 * Approvals of plans on GitLab: an artifact of a pipeline of the merge request stores the effects of its plan. Pipelines
 * of forks are in the fork's project and are not read.
 */
import { isRecord } from '../util/json.ts';
import { type ApprovalQuery, applicable, type KeptPlan } from './approval.ts';
import { ForgeError, type ForgeItem, recordOf, undefinedIfGone } from './forge.ts';
import type { GitlabProject } from './gitlab.ts';

export const needs = 'the scope api, and at least the role Developer';

export function artifactText(plan: KeptPlan): string {
  return `${JSON.stringify({ format: 1, ...plan })}\n`;
}

/**
 * Returns the value for `--approved`. `file`: path of the artifact.
 * @throws DiagnosticError if no plan was stored, or the stored one may not be applied.
 */
export async function approvedArtifact(
  gitlab: GitlabProject,
  query: ApprovalQuery,
  file: string,
): Promise<string> {
  const plan = await latestArtifact(gitlab, query, file);
  if (plan === undefined) return applicable(plan, query.request);
  const { digest = '', approval = '', refusal } = plan === 'unreadable' ? ({} as ForgeItem) : plan;
  const kept = { digest: String(digest), approval: String(approval) };
  return applicable(refusal === undefined ? kept : { ...kept, refusal: String(refusal) }, query.request);
}

/** The last stored plan of the request's last commit. */
export async function latestArtifact(
  gitlab: GitlabProject,
  { request, key, pipelines: most }: ApprovalQuery,
  file: string,
) {
  const all = await idsIn(gitlab, `/merge_requests/${request.number}/pipelines`);
  const pipelines = all.slice(0, most);
  const hasArtifacts = ({ artifacts_file: stored }: ForgeItem) => recordOf(stored).filename !== undefined;
  const jobsIn = async (pipeline: number) =>
    (await foundIn(idsIn(gitlab, `/pipelines/${pipeline}/jobs`, hasArtifacts))) ?? [];
  const jobs = await Promise.all(pipelines.map(jobsIn));
  if (jobs.includes('unreadable')) return 'unreadable';
  // A job of an older pipeline may have been run again.
  for (const job of jobs.flat().sort((left, right) => Number(right) - Number(left))) {
    const plan = await planIn(gitlab, Number(job), file);
    if (plan === 'unreadable') return plan;
    const isMeant =
      plan?.request === request.number &&
      plan.commit === request.head &&
      plan.key === key &&
      plan.format === 1;
    if (isMeant) return plan;
  }
  return undefined;
}

async function planIn(gitlab: GitlabProject, job: number, file: string) {
  const path = file.split('/').map(encodeURIComponent).join('/');
  const request = { method: 'GET', path: `/jobs/${job}/artifacts/${path}`, needs } as const;
  const value = await foundIn(gitlab.rest(request));
  return value === undefined || isRecord(value) ? value : 'unreadable';
}

async function idsIn(gitlab: GitlabProject, path: string, isMeant: (one: ForgeItem) => boolean = () => true) {
  const ids: number[] = [];
  for await (const one of gitlab.list(path, needs))
    if (typeof one.id === 'number' && isMeant(one)) ids.push(one.id);
  return ids.sort((left, right) => right - left);
}

/** Returns undefined if the item is not in this project: the pipeline of a fork, or a job without the file. */
async function foundIn<T>(work: Promise<T>): Promise<T | 'unreadable' | undefined> {
  return work.catch((error: unknown) => {
    // The request succeeded, but the file is not JSON.
    if (error instanceof ForgeError && error.status === 200) return 'unreadable';
    return undefinedIfGone(error);
  });
}
