/** `octavo ci drift`: one issue while the workspace has drifted, or one request that writes the drift into the manifests. */

import { declinedPosts, driftDigest, endedBody } from '../../forge/sticky.ts';
import { isRecord, recordsIn } from '../../util/json.ts';
import { userError } from '../../util/user-error.ts';
import { issuesOf, settlePost } from '../forge/open.ts';
import { appendForGithub } from '../world/ci-event.ts';
import { keepAccepted } from './accepted.ts';
import {
  defaultKey,
  driftLine,
  jsonResult,
  noDriftSince,
  type Pipeline,
  readResult,
  runOctavo,
  say,
  sumOf,
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
  const code = await runOctavo(pipeline, ['drift'], { markdown: 'drift.md', json: 'drift.json' });
  if (code !== 0 && code !== 2) return code;
  const { drift, expiring, ended } = driftIn(pipeline);
  // The last line of an output takes precedence.
  appendForGithub(invocation, 'GITHUB_OUTPUT', `drift=${drift}\nfailure_reason=\n`);
  if (!accepts) {
    await keepIssue(pipeline, drift + expiring > 0);
    return 0;
  }
  const branches = { into: push.branch, from: branchOf(pipeline) };
  if (drift + ended > 0) {
    const outputs = { markdown: 'accepted.md', json: 'accepted.json' };
    const accepted = await runOctavo(pipeline, ['drift', '--accept'], outputs);
    if (accepted !== 0 && accepted !== 2) return accepted;
  }
  const accepted = drift + ended === 0 ? [] : recordsIn(jsonResult(pipeline, 'accepted.json').files);
  const files = accepted.flatMap(({ name }) => (typeof name === 'string' ? [name] : []));
  await keepAccepted(pipeline, branches, files);
  if (drift === 0 || files.length > 0) return 0;
  throw userError(
    'ci',
    'there is drift, and none of it can be written into the manifests',
    'the output above gives the reason for each value; change it by hand, or in the app',
  );
}

function branchOf({ settings, key }: Pipeline): string {
  return `${settings.ci.driftBranch ?? 'octavo/drift'}${key === defaultKey ? '' : `-${key}`}`;
}

/**
 * Counts drifted objects, and certificates and access that end soon or have ended. Without a base, drift cannot be distinguished from
 * changes that are not applied yet.
 */
function driftIn(pipeline: Pipeline): Readonly<Record<'drift' | 'expiring' | 'ended', number>> {
  const { counts, organizations } = jsonResult(pipeline, 'drift.json');
  const all = recordsIn(organizations);
  if (!all.every(({ withBase }) => withBase === true))
    throw userError(
      'ci',
      'drift cannot be distinguished from unapplied changes: nothing is recorded',
      'run octavo ci apply, or octavo apply --record, once',
    );
  const entries = (list: unknown) => (Array.isArray(list) ? list.length : 0);
  const sum = (of: (one: (typeof all)[number]) => number) => all.reduce((total, one) => total + of(one), 0);
  return {
    drift: sumOf(counts) + sum(({ leftovers }) => entries(leftovers)),
    expiring: sum((one) => expiringIn(one).length),
    ended: sum((one) => expiringIn(one).filter(({ ends }) => ends === 'over').length),
  };
}

function expiringIn({ review }: Readonly<Record<string, unknown>>) {
  return recordsIn(isRecord(review) ? review.expiring : []);
}

async function keepIssue(pipeline: Pipeline, isOpen: boolean): Promise<void> {
  const { invocation, settings, key: own, forge } = pipeline;
  const key = own === defaultKey ? 'drift' : `drift-${own}`;
  const title =
    settings.ci.issueTitle ?? `Drift of the documentation workspace${own === defaultKey ? '' : ` (${own})`}`;
  const drift = driftLine(driftOf(pipeline));
  const body = `${drift}\n${readResult(pipeline, 'drift.md') ?? ''}`;
  const ending = noDriftSince(pipeline);
  const thread = issuesOf(forge(), title);
  const closed = await declinedPosts(thread, key);
  const declined = isOpen && closed.find((one) => driftDigest(one.body) === drift);
  const wanted = { key, creates: !declined, thread, ...(isOpen ? { body } : { ending }) };
  const kept = await settlePost(invocation, 'issue', wanted);
  if (declined && kept === 'none')
    say(pipeline, `Closed already, and there is no other drift: ${declined.url}`);
  if (!isOpen) for (const one of closed) await thread.update(one, endedBody(key, one.body, ending));
}

/** Values without their places, which other changes move. */
function driftOf(pipeline: Pipeline) {
  const { organizations } = jsonResult(pipeline, 'drift.json');
  return recordsIn(organizations).map(({ organizationId, steps, leftovers, review }) => [
    ...[organizationId, leftovers],
    expiringIn({ review }).map(({ address, ends }) => [address, ends]),
    recordsIn(steps).map(({ action, address, fields }) => [
      ...[action, address],
      recordsIn(fields).map(({ field, before, after }) => [field, before, after]),
    ]),
  ]);
}
