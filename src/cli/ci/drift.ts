/** `octavo ci drift`: one issue while the workspace has drifted, or one request that writes the drift into the manifests. */

import { declinedPosts, driftDigest, endedBody } from '../../forge/sticky.ts';
import { countActions } from '../../plan/plan.ts';
import type { ReviewedPlan } from '../../review/reviewed-plan.ts';
import { userError } from '../../util/user-error.ts';
import { issuesOf, settlePost } from '../forge/open.ts';
import type { CommandRan } from '../line/command.ts';
import { appendForGithub } from '../world/ci-event.ts';
import { keepAccepted } from './accepted.ts';
import {
  countChanges,
  defaultKey,
  driftLine,
  fileIn,
  noDriftSince,
  type Pipeline,
  runInner,
  say,
  wrongPlace,
} from './pipeline.ts';

/** Drift is not a failure: the issue or the request reports it. */
export async function ciDrift(pipeline: Pipeline): Promise<number> {
  const { invocation, run } = pipeline;
  const { push } = run ?? {};
  if (run === undefined || push === undefined)
    throw wrongPlace('drift', 'a schedule of the default branch', 'elsewhere, run octavo drift');
  const accepts = invocation.flags.accept === true;
  if (accepts && branchOf(pipeline) === push.branch)
    throw userError(
      'ci',
      `the drift of ${push.branch} cannot be written to ${push.branch} itself`,
      'name another driftBranch under ci: in octavo.config.yaml',
    );
  const kept = accepts ? `a request from ${branchOf(pipeline)}` : 'an issue';
  say(pipeline, `drift of ${run.repository}, ${push.branch}@${push.commit.slice(0, 7)}, kept as ${kept}`);
  const ran = await runInner(pipeline, { name: 'drift' }, { markdown: 'drift.md', json: 'drift.json' });
  const plan = ran.last.planned?.plan;
  if (plan === undefined || !hasReport(ran)) return ran.exitCode;
  const { drift, expiring, ended } = driftIn(plan);
  // The last line of an output takes precedence.
  appendForGithub(invocation, 'GITHUB_OUTPUT', `drift=${drift}\nfailure_reason=\n`);
  if (!accepts) {
    const text = ran.texts.get(fileIn(pipeline, 'drift.md')) ?? '';
    await keepIssue(pipeline, drift + expiring > 0, `${driftLine(driftOf(plan))}\n${text}`);
    return 0;
  }
  const branches = { into: push.branch, from: branchOf(pipeline) };
  const outputs = { markdown: 'accepted.md', json: 'accepted.json' };
  const accepted =
    drift + ended > 0
      ? await runInner(pipeline, { name: 'drift', flags: { accept: true } }, outputs)
      : undefined;
  if (accepted !== undefined && !hasReport(accepted)) return accepted.exitCode;
  const files = accepted?.last.accepted?.acceptance.files ?? [];
  const text = accepted?.texts.get(fileIn(pipeline, 'accepted.md')) ?? '';
  await keepAccepted(pipeline, branches, { files, text });
  if (drift === 0 || files.length > 0) return 0;
  throw userError(
    'ci',
    'there is drift, and none of it can be written into the manifests',
    'the output above gives the reason for each value; change it by hand, or in the app',
  );
}

function hasReport({ exitCode }: CommandRan): boolean {
  return exitCode === 0 || exitCode === 2;
}

function branchOf({ settings, key }: Pipeline): string {
  return `${settings.ci.driftBranch ?? 'octavo/drift'}${key === defaultKey ? '' : `-${key}`}`;
}

/**
 * Counts drifted objects, and certificates and access that end soon or have ended. Without a base, drift cannot be distinguished from
 * changes that are not applied yet.
 */
function driftIn(plan: ReviewedPlan): Readonly<Record<'drift' | 'expiring' | 'ended', number>> {
  const { organizations } = plan;
  if (!organizations.every(({ withBase }) => withBase))
    throw userError(
      'ci',
      'drift cannot be distinguished from unapplied changes: nothing is recorded',
      'run octavo ci apply, or octavo apply --record, once',
    );
  const expiring = organizations.flatMap(({ review }) => review?.expiring ?? []);
  return {
    drift: countChanges(countActions(plan)) + organizations.flatMap(({ leftovers = [] }) => leftovers).length,
    expiring: expiring.length,
    ended: expiring.filter(({ ends }) => ends === 'over').length,
  };
}

async function keepIssue(pipeline: Pipeline, isOpen: boolean, body: string): Promise<void> {
  const { invocation, settings, key: own, forge } = pipeline;
  const key = own === defaultKey ? 'drift' : `drift-${own}`;
  const title =
    settings.ci.issueTitle ?? `Drift of the documentation workspace${own === defaultKey ? '' : ` (${own})`}`;
  const ending = noDriftSince(pipeline);
  const thread = issuesOf(forge(), title);
  const closed = await declinedPosts(thread, key);
  const declined = isOpen && closed.find((one) => driftDigest(one.body) === driftDigest(body));
  const wanted = { key, creates: !declined, thread, ...(isOpen ? { body } : { ending }) };
  const kept = await settlePost(invocation, 'issue', wanted);
  if (declined && kept === 'none')
    say(pipeline, `Closed already, and there is no other drift: ${declined.url}`);
  if (!isOpen) for (const one of closed) await thread.update(one, endedBody(key, one.body, ending));
}

/** Values without their places, which other changes move. */
function driftOf({ organizations }: ReviewedPlan) {
  return organizations.map(({ organizationId, steps, leftovers, review }) => [
    ...[organizationId, leftovers],
    (review?.expiring ?? []).map(({ address, ends }) => [address, ends]),
    steps.map(({ action, address, fields }) => [
      ...[action, address],
      fields.map(({ field, before, after }) => [field, before, after]),
    ]),
  ]);
}
