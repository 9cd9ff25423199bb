/**
 * `--format github` in GitHub Actions: writes outputs for later steps to `$GITHUB_OUTPUT`, and a report for people to
 * `$GITHUB_STEP_SUMMARY`.
 */
import type { ApplyResult } from '../../apply/events.ts';
import { countActions, type Plan } from '../../plan/plan.ts';
import { applyAsMarkdown } from '../../report/apply/markdown.ts';
import { planMarkdown } from '../../report/plan/markdown.ts';
import { fenced } from '../../report/text/markdown.ts';
import { safeText } from '../../report/text/safe-text.ts';
import type { TextOptions } from '../../report/view.ts';
import { digestsOf } from '../../run/digest.ts';
import type { RunEnd, RunEvent } from '../../run/run-event.ts';
import { reasonOf } from '../../util/user-error.ts';
import { reportContext } from '../show/report-context.ts';
import { appendForGithub } from '../world/ci-event.ts';
import type { World } from '../world/world.ts';
import { failureReason, type RunFacts } from './failure-reason.ts';
import type { Observer } from './observer.ts';

export interface GithubRun {
  readonly env: World['env'];
  readonly now: () => number;
  readonly warn: (text: string) => void;
}

/** Appends to the files when the run ends. */
export function openGithubFiles({ env, now, warn }: GithubRun): Observer {
  let plan: Plan | undefined;
  let result: ApplyResult | undefined;
  const append = (name: Parameters<typeof appendForGithub>[1], text: string) => {
    try {
      appendForGithub(env, name, text);
    } catch (error) {
      warn(`warning[github]: cannot write to ${env[name]}: ${reasonOf(error)}`);
    }
  };
  return {
    observe: (event: RunEvent) => {
      if (event.type === 'planned') plan = event.plan;
      if (event.type === 'applied') result = event.result;
    },
    end: (end) => {
      const reason = failureReason(end, { plan, result });
      append('GITHUB_OUTPUT', outputLines(plan, reason));
      const options = { color: false, width: 120, context: reportContext(env, now()) };
      append('GITHUB_STEP_SUMMARY', summaryOf(end, { plan, result }, options));
    },
  };
}

/** Values are single lines, so they must not contain line breaks. */
function outputLines(plan: Plan | undefined, reason: string): string {
  const counts = plan && countActions(plan);
  const digests = plan && digestsOf(plan);
  const values = {
    changes: counts === undefined ? '' : Object.values(counts).reduce((sum, count) => sum + count, 0),
    deletes: counts?.delete ?? '',
    digest: digests?.digest ?? '',
    approval: digests?.approval ?? '',
    failure_reason: reason,
  };
  return Object.entries(values)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');
}

function summaryOf(end: RunEnd, { plan, result }: RunFacts, options: TextOptions): string {
  const errors = end.diagnostics.map(
    ({ severity, code, message }) => `${severity}[${code}]: ${safeText(message)}`,
  );
  const failed = errors.length === 0 ? [] : ['### octavo failed', '', ...fenced(errors, 'text'), ''];
  let report: readonly string[] = [];
  if (plan !== undefined && result === undefined)
    report = [...planMarkdown({ plan, digests: digestsOf(plan) }, options)];
  if (plan !== undefined && result !== undefined)
    report = [applyAsMarkdown.result({ plan, digest: digestsOf(plan).digest, result }, options)];
  return [...failed, ...report, ''].join('\n');
}
