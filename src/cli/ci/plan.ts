/** `octavo ci plan`: shows the plan of a pull or merge request in its one comment, and keeps it for the apply after the merge. */
import path from 'node:path';
import { checksOf, githubApp, type KeptPlan, saveCheck } from '../../forge/approval.ts';
import { artifactText } from '../../forge/gitlab-approval.ts';
import { githubOpenPlans, gitlabOpenPlans } from '../../forge/open-plans.ts';
import { code, plain } from '../../report/text/markdown.ts';
import { someOf } from '../../util/count.ts';
import { DiagnosticError } from '../../util/diagnostic.ts';
import { lastCommitOf } from '../forge/open.ts';
import { hasForgeToken, type PipelineRequest, type PipelineRun } from '../forge/place.ts';
import type { CommandRan } from '../line/command.ts';
import type { SharedFlags } from '../line/flags.ts';
import { variableIn } from '../world/environment.ts';
import { baseOf, boundSettings } from './base.ts';
import {
  approvalFile,
  approvalName,
  fileIn,
  keepComment,
  type Pipeline,
  requestText,
  runInner,
  say,
  wrongPlace,
} from './pipeline.ts';

const outputs = { markdown: 'plan.md', json: 'plan.json', html: 'plan.html' };

/** Returns the plan's exit code; 1 if the plan could not be shown or kept. */
export async function ciPlan(opened: Pipeline): Promise<number> {
  const { invocation, run } = opened;
  const { flags, cwd, folder } = invocation;
  folder.effects.remove(path.resolve(cwd, fileIn(opened, approvalName)));
  const { request, queue } = run ?? {};
  if (queue !== undefined) {
    const pipeline = { ...opened, settings: (await boundSettings(invocation, opened.settings)).settings };
    const { base, text } = await baseOf(pipeline, queue.target);
    say(opened, `merge queue of ${queue.target}, base ${text}, no comment, no approval`);
    return (await checkedPlan(pipeline, base)).exitCode;
  }
  if (run !== undefined && request !== undefined) return planRequest(opened, run, request);
  if (flags.base === undefined)
    throw wrongPlace(
      'plan',
      'pull and merge requests',
      'elsewhere, name the branch to compare with: --base origin/main',
    );
  say(opened, `No request: base ${flags.base}, no comment, no approval.`);
  return (await checkedPlan(opened, flags.base)).exitCode;
}

async function planRequest(opened: Pipeline, run: PipelineRun, request: PipelineRequest): Promise<number> {
  const { invocation } = opened;
  const { env } = invocation;
  const what = requestText(run, request.number);
  // In a fork without the variable, GitLab passes its unexpanded name.
  const hasToken = ['OCTAVO_TOKEN', 'OCTAVO_TOKEN_FILE'].some(
    (name) => variableIn(env, name)?.startsWith('$') === false,
  );
  if ((request.isFork || env.GITHUB_ACTOR === 'dependabot[bot]') && !hasToken) {
    const who = request.isFork ? 'a fork' : 'Dependabot';
    say(opened, `${what} is from ${who}, which has no token to plan with: it is validated only.`);
    return (await validate(opened)).exitCode;
  }
  const { settings, changed } = await boundSettings(invocation, opened.settings);
  const pipeline = { ...opened, settings };
  const { base, text } = await baseOf(pipeline, request.target);
  const isHeld = settings.ci.approval !== 'none';
  const way = run.forge === 'github' ? 'by check run' : 'by artifact';
  say(pipeline, `${what}, base ${text}, approval ${request.isFork || !isHeld ? 'none' : way}`);
  if (changed.length > 0)
    say(pipeline, `warning[ci]: the request changes ${changed.join(', ')}: from the next request on`);
  const ran = await checkedPlan(pipeline, base);
  const { exitCode: code, last } = ran;
  // A cancelled run has a successor that will comment. A run for a fork may not write.
  if (code === 130 || code === 143 || request.isFork) return code;
  const kept =
    last.planned !== undefined && (code === 0 || code === 3)
      ? (await import('./kept-plan.ts')).keptPlan(pipeline, request, last.planned.plan)
      : undefined;
  const isOld = await isSuperseded(pipeline, request);
  const notes = isHeld && !isOld ? await overlaps(pipeline, request, kept?.plan.objects ?? []) : [];
  const shown = { ran, command: 'plan', only: code === 0 && kept?.isEmpty === true, notes };
  const post = isOld ? 'none' : await keepComment(pipeline, request.number, shown);
  if (kept !== undefined && isHeld) {
    const { digest, commit } = kept.plan;
    const where = await savePlan(pipeline, kept.plan);
    say(pipeline, `Plan ${digest.slice(0, 16)} kept for ${commit.slice(0, 12)}: ${where}`);
  }
  // Without an earlier comment, there is no earlier plan.
  if (kept === undefined && isHeld && post !== 'created') await endApproval(pipeline, request);
  return code;
}

/** A run that is repeated has the commit of its first attempt. */
async function isSuperseded(pipeline: Pipeline, { number, head }: PipelineRequest): Promise<boolean> {
  if (pipeline.settings.ci.comment === false && !hasForgeToken(pipeline.invocation.env)) return false;
  const now = await lastCommitOf(pipeline.forge(), number);
  const isOld = now !== undefined && now !== head;
  if (isOld)
    say(pipeline, `Request ${number} has other commits than ${head.slice(0, 12)}: its comment stays.`);
  return isOld;
}

function validate(pipeline: Pipeline): Promise<CommandRan> {
  return runInner(pipeline, { name: 'validate' }, { markdown: 'plan.md' });
}

async function checkedPlan(pipeline: Pipeline, base: string | undefined): Promise<CommandRan> {
  const valid = await validate(pipeline);
  if (valid.exitCode !== 0) return valid;
  const { rehearse, changed } = pipeline.settings.ci;
  const isCompared = (base ?? pipeline.settings.base) !== 'none';
  const flags: SharedFlags = {
    ...(base !== undefined && { base }),
    ...(isCompared && { ahead: 'merge' }),
    ...(rehearse !== false && { rehearse: true }),
    ...(changed === true && { changed }),
  };
  return runInner(pipeline, { name: 'plan', flags }, outputs);
}

/** Lines about objects that other open requests change, too. */
async function overlaps(
  pipeline: Pipeline,
  { number }: PipelineRequest,
  objects: readonly string[],
): Promise<readonly string[]> {
  const { invocation, key, settings } = pipeline;
  if (objects.length === 0 || settings.ci.comment === false) return [];
  try {
    const forge = pipeline.forge();
    const others =
      forge.type === 'github'
        ? await githubOpenPlans(forge.github, { number, key, app: settings.ci.app ?? githubApp })
        : await gitlabOpenPlans(forge.gitlab, { number, key }, approvalFile(invocation, key));
    const isOne = new Set(objects.map((one) => one.split(' ', 1)[0])).size === 1;
    return others.flatMap(({ request, title, objects: theirs }) => {
      const both = sharedObjects(objects, theirs).map((one) =>
        code(isOne ? one.slice(one.indexOf(' ') + 1) : one),
      );
      return both.length === 0
        ? []
        : [`${someOf(both, 10)}: also changed by ${request}: ${plain(title.slice(0, 100))}`];
    });
  } catch (error) {
    if (!(error instanceof DiagnosticError)) throw error;
    say(pipeline, `Cannot read the plans of other requests: ${error.diagnostics[0]?.message}`);
    return [];
  }
}

/** A deleted object includes what is below it. */
function sharedObjects(own: readonly string[], theirs: readonly string[]): readonly string[] {
  const bare = (one: string) => one.replace(/\/$/, '');
  const same = new Set(theirs.map(bare));
  const deleted = theirs.filter((one) => one.endsWith('/'));
  const found = own.filter(
    (one) =>
      same.has(bare(one)) ||
      deleted.some((above) => one.startsWith(above)) ||
      (one.endsWith('/') && theirs.some((below) => below.startsWith(one))),
  );
  return found.map(bare);
}

/** A plan that failed ends the approval of an earlier one of the same commit. */
async function endApproval(pipeline: Pipeline, request: PipelineRequest): Promise<void> {
  const { key, settings } = pipeline;
  const refusal = 'its last plan failed';
  const { number, head } = request;
  const ended = { request: number, commit: head, key, digest: '', approval: '', title: 'failed', refusal };
  const query = { request, key, app: settings.ci.app ?? githubApp };
  const github = githubOf(pipeline);
  const isKept = github === undefined || (await checksOf(github, query)).length > 0;
  if (isKept) await savePlan(pipeline, ended);
}

/** Returns the file or the page of the check run. */
async function savePlan(pipeline: Pipeline, plan: KeptPlan): Promise<string> {
  const { invocation } = pipeline;
  const github = githubOf(pipeline);
  if (github !== undefined) return saveCheck(github, plan);
  const file = fileIn(pipeline, approvalName);
  invocation.folder.put(path.resolve(invocation.cwd, file), artifactText(plan));
  return file;
}

/** Plans are artifacts on GitLab, which need no token. */
function githubOf({ run, forge }: Pipeline) {
  const opened = run?.forge === 'github' ? forge() : undefined;
  return opened?.type === 'github' ? opened.github : undefined;
}
