/**
 * `--format github` in GitHub Actions: writes outputs for later steps to `$GITHUB_OUTPUT`, and a report for people to
 * `$GITHUB_STEP_SUMMARY`.
 */
import { countActions, type Plan } from '../../plan/plan.ts';
import { applyAsMarkdown } from '../../report/apply/markdown.ts';
import { planMarkdown } from '../../report/plan/markdown.ts';
import { fenced } from '../../report/text/markdown.ts';
import { safeText } from '../../report/text/safe-text.ts';
import { digestsOf } from '../../run/approval/digest.ts';
import type { RunEnd } from '../../run/results/run-event.ts';
import { reasonOf } from '../../util/user-error.ts';
import { reportContext } from '../show/report-context.ts';
import { appendForGithub } from '../world/ci-event.ts';
import type { Observer, WatchedRun } from './observer.ts';

/** Appends to the files when the run ends. */
export function openGithubFiles({ world: { env, clock }, folder, output }: WatchedRun): Observer {
  const append = (name: Parameters<typeof appendForGithub>[1], text: string) => {
    try {
      appendForGithub({ env, folder }, name, text);
    } catch (error) {
      output.error(`warning[github]: cannot write to ${env[name]}: ${reasonOf(error)}`);
    }
  };
  return {
    end: (end, { planned, applied }) => {
      const plan = planned?.plan;
      append('GITHUB_OUTPUT', outputLines(plan, end));
      const options = { color: false, width: 120, context: reportContext(env, clock.now()) };
      const digests = plan && digestsOf(plan);
      let report: Iterable<string> = [];
      if (plan !== undefined && digests !== undefined)
        report = applied
          ? [applyAsMarkdown.result({ plan, digest: digests.digest, result: applied.result }, options)]
          : planMarkdown({ plan, digests }, options);
      append('GITHUB_STEP_SUMMARY', [...errorsOf(end), ...report, ''].join('\n'));
    },
  };
}

/** Values are single lines, so they must not contain line breaks. */
function outputLines(plan: Plan | undefined, { exitCode, diagnostics }: RunEnd): string {
  const counts = plan && countActions(plan);
  const digests = plan && digestsOf(plan);
  const error = diagnostics.find(({ severity }) => severity === 'error');
  const values = {
    changes: counts === undefined ? '' : Object.values(counts).reduce((sum, count) => sum + count, 0),
    deletes: counts?.delete ?? '',
    digest: digests?.digest ?? '',
    approval: digests?.approval ?? '',
    failure_reason: exitCode === 0 ? '' : (error?.code ?? exitCode),
  };
  return Object.entries(values)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');
}

function errorsOf({ diagnostics }: RunEnd): readonly string[] {
  const errors = diagnostics.map(
    ({ severity, code, message }) => `${severity}[${code}]: ${safeText(message)}`,
  );
  return errors.length === 0 ? [] : ['### octavo failed', '', ...fenced(errors, 'text'), ''];
}
