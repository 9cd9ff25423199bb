import { findApproval, saveApproval } from '../../forge/approval.ts';
import type { GithubRepository } from '../../forge/github.ts';
import { markerOf } from '../../forge/sticky.ts';
import { parseFile } from '../../run/read-file.ts';
import { countOf } from '../../util/count.ts';
import { defined } from '../../util/defined.ts';
import { isRecord } from '../../util/json.ts';
import { userError } from '../../util/user-error.ts';
import { withForge } from '../forge/open.ts';
import { headCommit, pullNumber, pushedBranch, pushedCommit, readPlace } from '../forge/place.ts';
import { defineCommand, type InvocationWith } from '../line/command.ts';
import { flagTable, forges, posting } from '../line/flags.ts';

const flags = {
  pull: posting.pull,
  commit: posting.commit,
  ...flagTable('Other flags', {
    app: {
      type: 'string',
      value: 'slug',
      description: 'GitHub app that kept the plan (default: github-actions)',
    },
  }),
  ...forges,
};

type ApprovalInvocation = InvocationWith<typeof flags>;

export const command = defineCommand({
  words: {
    name: 'words',
    description: 'save, then the plan as JSON; or find',
    many: true,
    completes: 'files',
  },
  flags,
  examples: ['octavo approval save plan.json', 'octavo approval find'],
  guide: 'ci',
  run,
});

async function run(invocation: ApprovalInvocation): Promise<number> {
  const [action, file, ...more] = invocation.words;
  if (action === 'save' && file !== undefined && more.length === 0) return save(invocation, file);
  if (action === 'find' && file === undefined) return find(invocation);
  throw userError(
    'usage',
    'octavo approval needs a word: save, with a plan, or find',
    'write octavo approval save plan.json on the pull request, and octavo approval find after its merge',
  );
}

async function save(invocation: ApprovalInvocation, file: string): Promise<number> {
  const { cwd, output } = invocation;
  const key = keyOf(invocation);
  const plan = readPlan(cwd, file);
  const commit = headCommit(invocation);
  const pullRequest = pullNumber('github', invocation);
  const url = await onGithub(invocation, (github) =>
    saveApproval(github, { pullRequest, commit, key, ...plan }),
  );
  output.result(`Plan ${plan.digest.slice(0, 16)} kept for ${commit.slice(0, 12)}: ${url}\n`);
  return 0;
}

async function find(invocation: ApprovalInvocation): Promise<number> {
  const { flags, env, output } = invocation;
  const key = keyOf(invocation);
  const commit = pushedCommit(invocation);
  const { app = 'github-actions' } = flags;
  const branch = pushedBranch(env);
  const {
    expect,
    pullRequest,
    commit: planned,
  } = await onGithub(invocation, (github) =>
    findApproval(github, { commit, key, app, ...defined({ branch }) }),
  );
  output.note(`Approved by the merge of pull request ${pullRequest}, planned at ${planned.slice(0, 12)}`);
  output.result(`${expect}\n`);
  return 0;
}

/** Must also be valid for a comment: both belong to one plan. */
function keyOf({ flags: { key = 'plan' } }: ApprovalInvocation): string {
  markerOf(key);
  return key;
}

function onGithub<T>(
  invocation: ApprovalInvocation,
  work: (github: GithubRepository) => Promise<T>,
): Promise<T> {
  const place = readPlace(invocation);
  return withForge(invocation, place, (forge) => {
    if (forge.type === 'github') return work(forge.github);
    throw userError(
      'forge-place',
      'GitLab has no check runs to keep a plan in',
      'save the plan with octavo plan --out, and pass it on as an artifact of the pipeline of the default branch',
    );
  });
}

function readPlan(cwd: string, file: string) {
  const wrong = (why: string) =>
    userError('plan-file', `${file} is not a plan: ${why}`, 'pass what octavo plan --format json printed');
  const value = parseFile(cwd, file, wrong);
  const { format, digest, approval, counts, organizations } = isRecord(value) ? value : {};
  if (format !== 1 || !isRecord(counts) || !Array.isArray(organizations)) throw wrong('it has another form');
  if (!matches(digest, /^[0-9a-f]{64}$/) || !matches(approval, /^[0-9a-f]{64}\.[\w-]*$/))
    throw wrong('it has no digest, or no approval');
  if (!approval.startsWith(`${digest}.`)) throw wrong('its approval belongs to another plan');
  const refused = countRefused(organizations);
  const title = titleOf(counts);
  const refusal = refused === 0 ? undefined : `${countOf(refused, 'change')} refused`;
  return { digest, approval, title, ...defined({ refusal }) };
}

function matches(value: unknown, pattern: RegExp): value is string {
  return typeof value === 'string' && pattern.test(value);
}

/** Skipped refusals do not count. */
function countRefused(organizations: readonly unknown[]): number {
  return organizations
    .flatMap((one) => (isRecord(one) && Array.isArray(one.refusals) ? (one.refusals as unknown[]) : []))
    .filter((refusal) => !isRecord(refusal) || refusal.skipped !== true).length;
}

function titleOf(counts: Readonly<Record<string, unknown>>): string {
  const total = Object.values(counts).reduce<number>((sum, count) => sum + Number(count), 0);
  const deletes = Number(counts.delete ?? 0);
  return `${countOf(total, 'change')}${deletes === 0 ? '' : `, ${countOf(deletes, 'delete')}`}`;
}
