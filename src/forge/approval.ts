/**
 * Approvals of plans. On GitHub, a check run on the last commit of a pull request stores the effects of its plan: only an app can
 * create one, and the token of a run for a fork cannot. Merging that commit approves the plan.
 */
import { isRecord, recordsIn } from '../util/json.ts';
import { userError } from '../util/user-error.ts';
import { type ForgeItem, type MergedPull, type NotMerged, recordOf } from './forge.ts';
import type { GithubRepository } from './github.ts';

/** The stored effects of a request's plan. */
export interface KeptPlan {
  readonly request: number;
  readonly commit: string;
  readonly key: string;
  readonly digest: string;
  readonly approval: string;
  readonly refusal?: string;
  readonly title: string;
  /** Organization and address of each change, for information; a final `/` includes what is below. */
  readonly objects?: readonly string[];
}

export interface ApprovalQuery {
  readonly request: MergedPull;
  readonly key: string;
  /** Number of pipelines to look at on GitLab, newest first. Default: all. */
  readonly pipelines?: number;
}

type CheckQuery = ApprovalQuery & { readonly app: string };

/** The app whose check runs keep plans, by default. */
export const githubApp = 'github-actions';

/** End of a refusal that a label or an approval may lift. */
export const byRules = ' by rules';

/** GitHub's limit for a text of a check run, in characters. */
const largestText = 65_535;
const fence = '```';

export function checkName(key: string): string {
  return `octavo ${key}`;
}

/** Creates a check run. A second one with the same name replaces the first, so a retry does no harm. */
export async function saveCheck(github: GithubRepository, plan: KeptPlan): Promise<string> {
  const { request, commit, key, digest, approval, refusal, title, objects = [] } = plan;
  const text = `For \`octavo apply --approved\`:\n\n${fence}\n${approval}\n${fence}\n`;
  // A digest without its parts approves only the exact plan, not its remainder later.
  const short = text.length <= largestText ? text : text.replace(approval, digest);
  const all = `\n${objects.join('\n')}`;
  const room = largestText - short.length - 40;
  const shown = all.length <= room ? all : all.slice(0, room).replace(/\n[^\n]*$/, '');
  const changes = `\nChanges:\n\n${fence}${shown}\n${fence}\n`;
  const made = await github.rest({
    method: 'POST',
    path: '/check-runs',
    needs: 'the permission checks: write',
    body: {
      name: checkName(key),
      head_sha: commit,
      status: 'completed',
      conclusion: refusal === undefined ? 'success' : 'failure',
      // Several pull requests may share a last commit, each with its own plan.
      external_id: `${request}:${digest}`,
      output: {
        title: refusal ?? title,
        summary: `Plan ${digest.slice(0, 16)}: ${title}.`,
        ...(refusal === undefined ? { text: short + changes } : {}),
      },
    },
  });
  return String((isRecord(made) ? made.html_url : undefined) ?? '');
}

/**
 * Returns an approval: the plan of a merged pull request, as stored by GitHub Actions or the given app.
 * @throws DiagnosticError if no plan was stored, or the stored one may not be applied.
 */
export async function approvedCheck(
  github: GithubRepository,
  { request, key, app }: CheckQuery,
): Promise<string> {
  const [latest] = await checksOf(github, { request, key, app });
  const approval = /^`{3}\n(.*)\n`{3}$/m.exec(latest?.text ?? '')?.[1] ?? '';
  return applicable(latest && { ...latest, approval }, request);
}

/** Returns the approval if the stored plan may be applied. Throws a DiagnosticError otherwise. */
export function applicable(
  found: Pick<KeptPlan, 'digest' | 'approval' | 'refusal'> | undefined,
  { number, head }: MergedPull,
): string {
  const short = head.slice(0, 12);
  const again = `run the plan job of request ${number} again, and then the job of the last commit; if that plan fails, change the manifests in another request`;
  if (found === undefined)
    throw noApproval(`no plan of ${short}, the last commit of request ${number}, was kept`, again);
  const { digest, approval, refusal } = found;
  if (refusal !== undefined)
    throw noApproval(
      `the plan of request ${number} at ${short} cannot be applied: ${refusal}`,
      refusal.endsWith(byRules)
        ? `give request ${number} what lifts the rule, such as its label, run its plan job again, and then the job of the last commit; or change the manifests in another request`
        : 'change the manifests in another request',
    );
  if (/^[0-9a-f]{64}(?:\.[\w-]*)?$/.test(approval) && approval.split('.')[0] === digest) return approval;
  throw noApproval(`the plan kept for ${short} cannot be read`, again);
}

/** Always suggests the interactive apply too, which needs no stored plan. */
export function noApproval(message: string, suggestion: string) {
  const other = 'or review the plan here, and apply it with octavo apply, which asks';
  return userError('no-approval', message, `${suggestion}\n${other}`);
}

/** The pull request whose merge created the commit, or why none was found. */
export async function mergedPull(
  github: GithubRepository,
  { commit, branch }: { readonly commit: string; readonly branch: string },
): Promise<MergedPull | NotMerged> {
  const path = `/commits/${encodeURIComponent(commit)}/pulls?per_page=100`;
  const value = await github.rest({ method: 'GET', path, needs: 'the permission pull-requests: read' });
  const pulls = recordsIn(value);
  const here = pulls.filter(
    ({ merged_at, base }) => typeof merged_at === 'string' && recordOf(base).ref === branch,
  );
  const merged = here.flatMap(({ number, merge_commit_sha, base, head }) => {
    const [from, to] = [head, base].map((one) => recordOf(recordOf(one).repo).id);
    const { sha } = recordOf(head);
    return merge_commit_sha === commit && typeof number === 'number' && typeof sha === 'string'
      ? [{ number, head: sha, isFork: from !== to }]
      : [];
  });
  const [only, other] = merged;
  if (only !== undefined && other === undefined) return only;
  const which = only === undefined ? 'no merged' : 'more than one';
  const none = `${which} pull request brought ${commit.slice(0, 12)} into ${branch}`;
  return { none, isPart: only === undefined && here.length > 0 };
}

interface KeptCheck extends Pick<KeptPlan, 'digest' | 'refusal'> {
  readonly id: number;
  readonly text: string;
}

export async function checksOf(github: GithubRepository, query: CheckQuery): Promise<readonly KeptCheck[]> {
  const runs: ForgeItem[] = [];
  const name = encodeURIComponent(checkName(query.key));
  const path = `/commits/${query.request.head}/check-runs?check_name=${name}&filter=all`;
  for await (const run of github.list(path, 'the permission checks: read')) runs.push(run);
  return keptChecks(runs, query);
}

/** Newest first. Ignores check runs of other apps, which may use any name. */
export function keptChecks(
  runs: readonly ForgeItem[],
  { request, key, app }: CheckQuery,
): readonly KeptCheck[] {
  const kept = runs.flatMap(({ id, app: maker, ...run }) => {
    const isItsOwn = recordOf(maker).slug === app && run.name === checkName(key);
    if (!isItsOwn || run.head_sha !== request.head || typeof id !== 'number') return [];
    const [number, digest = ''] = String(run.external_id ?? '').split(':');
    if (number !== String(request.number)) return [];
    const { title, text } = recordOf(run.output);
    const refusal = run.conclusion === 'success' ? {} : { refusal: String(title ?? 'it was refused') };
    return [{ id, digest, ...refusal, text: String(text ?? '').replaceAll('\r\n', '\n') }];
  });
  return kept.sort((left, right) => right.id - left.id);
}
