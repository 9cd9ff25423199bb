/**
 * Approvals of plans as check runs of GitHub: only an app can create one, and the token of a run for a fork cannot. A
 * check run on the last commit of a pull request keeps the effects of its plan; merging that commit approves it.
 */
import { isRecord } from '../util/json.ts';
import { userError } from '../util/user-error.ts';
import type { GithubRepository } from './github.ts';

export interface PlanCheck {
  readonly pullRequest: number;
  /** The last commit of the pull request. */
  readonly commit: string;
  readonly key: string;
  readonly digest: string;
  readonly approval: string;
  /** Absent if the plan may be applied. */
  readonly refusal?: string;
  readonly title: string;
}

export interface FoundApproval {
  /** The argument of `--approved`. */
  readonly expect: string;
  readonly pullRequest: number;
  readonly commit: string;
}

/** GitHub's limit for a text of a check run, in characters. */
const largestText = 65_535;
const fence = '```';

export function checkName(key: string): string {
  return `octavo ${key}`;
}

/** A second check run of the same name replaces the first, so a retry does no harm. */
export async function saveApproval(github: GithubRepository, plan: PlanCheck): Promise<string> {
  const { pullRequest, commit, key, digest, approval, refusal, title } = plan;
  const text = `What \`octavo apply --approved\` takes:\n\n${fence}\n${approval}\n${fence}\n`;
  // Without its parts, a digest approves only that very plan, not the remainder of it later.
  const short = text.replace(approval, digest);
  const made = await github.rest({
    method: 'POST',
    path: '/check-runs',
    needs: 'the permission checks: write',
    body: {
      name: checkName(key),
      head_sha: commit,
      status: 'completed',
      conclusion: refusal === undefined ? 'success' : 'failure',
      // One commit may be the last one of several pull requests, each with a plan of its own.
      external_id: `${pullRequest}:${digest}`,
      output: {
        title: refusal ?? title,
        summary: `Plan ${digest.slice(0, 16)}: ${title}.`,
        ...(refusal === undefined ? { text: text.length <= largestText ? text : short } : {}),
      },
    },
  });
  return String((isRecord(made) ? made.html_url : undefined) ?? '');
}

export interface ApprovalQuery {
  readonly commit: string;
  /** Any branch if absent. */
  readonly branch?: string;
  readonly key: string;
  /** The app that created the check run: that of GitHub Actions, or your own. */
  readonly app: string;
}

/** The approval that a commit was merged with. Throws a DiagnosticError if there is none. */
export async function findApproval(github: GithubRepository, query: ApprovalQuery): Promise<FoundApproval> {
  const pull = await mergedPull(github, query);
  if ('none' in pull) {
    throw none(pull.none, 'merge one pull request at a time, and apply the commit of its merge');
  }
  const checks = await checksOf(github, pull, query);
  const latest = checks.reduce<KeptCheck | undefined>(
    (best, one) => (best && best.id > one.id ? best : one),
    undefined,
  );
  const short = pull.head.slice(0, 12);
  if (latest === undefined) {
    throw none(
      `no plan of ${short}, the last commit of pull request ${pull.number}, was kept by ${query.app}`,
      'run its plan job again (octavo approval save), or open another pull request; one from a fork has to be planned from a branch of the repository',
    );
  }
  if (latest.conclusion !== 'success') {
    throw none(
      `the plan of pull request ${pull.number} at ${short} cannot be applied: ${latest.title}`,
      'change the manifests in another pull request',
    );
  }
  const expect = /^`{3}\n([0-9a-f]{64}(?:\.[\w-]*)?)\n`{3}$/m.exec(latest.text)?.[1] ?? '';
  if (expect === '' || expect.split('.')[0] !== latest.digest) {
    throw none(`the plan kept for ${short} cannot be read`, 'run the plan job of the pull request again');
  }
  return { expect, pullRequest: pull.number, commit: pull.head };
}

export interface MergedPull {
  readonly number: number;
  readonly head: string;
}

/** The pull request whose merge is a commit, or why that is not one. */
export async function mergedPull(
  github: GithubRepository,
  { commit, branch }: Pick<ApprovalQuery, 'commit' | 'branch'>,
): Promise<MergedPull | { readonly none: string }> {
  const path = `/commits/${encodeURIComponent(commit)}/pulls?per_page=100`;
  const value = await github.rest({ method: 'GET', path, needs: 'the permission pull-requests: read' });
  const pulls = (Array.isArray(value) ? (value as readonly unknown[]) : []).filter(isRecord);
  const merged = pulls.flatMap(({ number, merged_at, merge_commit_sha, base, head }) => {
    const isHere = isRecord(base) && (branch === undefined || base.ref === branch);
    const isMerged = typeof merged_at === 'string' && merge_commit_sha === commit;
    const sha = isRecord(head) ? head.sha : undefined;
    return isHere && isMerged && typeof number === 'number' && typeof sha === 'string'
      ? [{ number, head: sha }]
      : [];
  });
  const [only, other] = merged;
  if (only !== undefined && other === undefined) return only;
  const into = branch === undefined ? '' : ` into ${branch}`;
  return {
    none: `${only === undefined ? 'no merged' : 'more than one'} pull request brought ${commit.slice(0, 12)}${into}`,
  };
}

interface KeptCheck {
  readonly id: number;
  readonly conclusion: unknown;
  readonly digest: string;
  readonly title: string;
  readonly text: string;
}

async function checksOf(
  github: GithubRepository,
  pull: MergedPull,
  { key, app }: ApprovalQuery,
): Promise<readonly KeptCheck[]> {
  const name = checkName(key);
  const found: KeptCheck[] = [];
  for (let page = 1; ; page += 1) {
    const query = `check_name=${encodeURIComponent(name)}&filter=all&per_page=100&page=${page}`;
    const path = `/commits/${pull.head}/check-runs?${query}`;
    const value = await github.rest({ method: 'GET', path, needs: 'the permission checks: read' });
    const runs =
      isRecord(value) && Array.isArray(value.check_runs) ? (value.check_runs as readonly unknown[]) : [];
    for (const run of runs) {
      const check = isRecord(run) ? checkIn(run, { name, pull, app }) : undefined;
      if (check !== undefined) found.push(check);
    }
    if (runs.length < 100) return found;
  }
}

/** By the given app; a check run of another app may have any name. */
function checkIn(
  run: Readonly<Record<string, unknown>>,
  { name, pull, app }: { readonly name: string; readonly pull: MergedPull; readonly app: string },
): KeptCheck | undefined {
  const { id, app: maker, output } = run;
  const isItsOwn = isRecord(maker) && maker.slug === app;
  if (!isItsOwn || run.name !== name || run.head_sha !== pull.head || typeof id !== 'number')
    return undefined;
  const [number, digest = ''] = String(run.external_id ?? '').split(':');
  if (number !== String(pull.number)) return undefined;
  const { title, text } = isRecord(output) ? output : {};
  return {
    id,
    conclusion: run.conclusion,
    digest,
    title: String(title ?? 'it was refused'),
    text: String(text ?? '').replaceAll('\r\n', '\n'),
  };
}

function none(message: string, suggestion: string) {
  return userError('no-approval', message, suggestion);
}
