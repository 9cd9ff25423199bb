/** `octavo ci apply`: applies the approved plan of a merged request, records it, and reports the outcome in the request. */
import { githubApp } from '../../forge/approval.ts';
import type { Approval } from '../../run/approval/approval.ts';
import { DiagnosticError } from '../../util/diagnostic.ts';
import { applyManifests } from '../commands/apply.ts';
import { type ApprovalPlace, mergedApprovals } from '../forge/merged.ts';
import { mergedInto } from '../forge/open.ts';
import type { CommandRan, Invocation } from '../line/command.ts';
import { readSettings } from '../service/settings.ts';
import { boundSettings, remoteOf } from './base.ts';
import {
  approvalFile,
  keepComment,
  type Pipeline,
  requestText,
  runInner,
  say,
  wrongPlace,
} from './pipeline.ts';

export async function ciApply(opened: Pipeline): Promise<number> {
  const { invocation, run } = opened;
  if (run?.push === undefined)
    throw wrongPlace('apply', 'commits of a branch', 'elsewhere, run octavo apply');
  const { settings, unapplied } = await boundSettings(invocation, opened.settings);
  const pipeline = { ...opened, settings };
  const { ci, isLockChosen } = settings;
  const { commit, branch, before, main } = run.push;
  const branches = ci.branches ?? (main === undefined ? [branch] : [main]);
  if (!branches.includes(branch))
    throw wrongPlace(
      'apply',
      `commits of ${branches.join(', ')}, not of ${branch}`,
      'merge them; or name the branch in ci: { branches } of octavo.config.yaml, and run octavo apply --record once',
    );
  if (settings.base === undefined && (await unapplied()).length === 0) {
    say(
      opened,
      `Commit ${commit.slice(0, 7)} of ${branch} is part of the commit that was applied last: nothing to apply.`,
    );
    return 0;
  }
  const isHeld = ci.approval !== 'none';
  // A fleet without comments and approvals needs no forge token.
  const merged = isHeld || ci.comment !== false ? await mergedInto(pipeline.forge(), run.push) : undefined;
  const request = merged === undefined || 'none' in merged ? undefined : merged.number;
  const remote = await remoteOf(pipeline);
  const by = run.forge === 'github' ? 'by check run' : 'by artifact';
  const from = request === undefined ? 'by no merged request' : `by ${requestText(run, request)}`;
  say(
    pipeline,
    `commit ${commit.slice(0, 7)} of ${branch}, brought ${from}, approval ${isHeld ? by : 'none'}, record and lock in ${remote ?? 'this clone'}`,
  );
  const former = before === undefined ? 'applied' : `applied,${before}`;
  const flags = {
    autoApprove: true,
    record: '',
    ...(opened.own !== settings.base && { base: settings.base ?? former }),
    ...(!isLockChosen && remote !== undefined && { lock: `git:${remote}`, lockTimeout: '10m' }),
  };
  const { push } = run;
  const approval =
    isHeld && merged !== undefined
      ? await approvalOf(pipeline, { push, merged, unapplied: await unapplied() })
      : undefined;
  const next = isHeld ? 'Run this job again to continue' : undefined;
  const applying = async (inner: Invocation) =>
    applyManifests(inner, await readSettings(inner), { approval, next });
  const files = { markdown: 'apply.md', json: 'apply.json' };
  const ran = await runInner(pipeline, { name: 'apply', flags, run: applying }, files);
  if (request !== undefined) await comment(pipeline, request, ran);
  return ran.exitCode;
}

/** A plan without changes needs no approval, so that a problem is part of its result. */
async function approvalOf(
  { invocation, settings, forge, key }: Pipeline,
  commits: Pick<ApprovalPlace, 'push' | 'merged' | 'unapplied'>,
): Promise<Approval> {
  const { app = githubApp } = settings.ci;
  const place = { ...commits, key, app, file: approvalFile(invocation, key) };
  try {
    return await mergedApprovals(forge(), place, (line) => invocation.output.note(line));
  } catch (error) {
    if (error instanceof DiagnosticError) return error;
    throw error;
  }
}

/** Never fails: the apply is over. Without changes it posts no comment, unless the existing one shows a plan. */
async function comment(pipeline: Pipeline, request: number, ran: CommandRan): Promise<void> {
  pipeline.invocation.interrupt.finishFirst();
  const isNothing = ran.last.planned?.plan.organizations.every(({ steps }) => steps.length === 0) === true;
  try {
    await keepComment(pipeline, request, { ran, command: 'apply', only: ran.exitCode === 0 && isNothing });
  } catch (error) {
    if (!(error instanceof DiagnosticError)) throw error;
    const [problem] = error.diagnostics;
    say(
      pipeline,
      `warning[comment]: the result could not be written in the comment: ${problem?.message ?? ''}`,
    );
  }
}
