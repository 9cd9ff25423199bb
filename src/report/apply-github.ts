/** An apply in a run of GitHub Actions: what failed is beside the lines of the manifests. Pure. */

import { type AppliedPlan, type ApplyView, appliedText } from './apply-view.ts';
import { type Annotation, annotationLines, folded } from './github-annotations.ts';
import { noGithub, planGithub } from './plan-github.ts';

/** The plan with its annotations, the result, and what failed. */
export const applyAsGithub: ApplyView = {
  plan: planGithub,
  result: (applied, options) => {
    const { github = noGithub } = options;
    const text = appliedText(applied, options);
    const lines = text === '' ? [] : [...folded('octavo apply', [text], github)];
    return lines.join('') + annotationLines(failuresOf(applied), github);
  },
};

function failuresOf({ result }: AppliedPlan): readonly Annotation[] {
  return result.organizations
    .flatMap(({ outcomes }) => outcomes)
    .flatMap((outcome): readonly Annotation[] => {
      if (outcome.type !== 'failed') return [];
      const { step, error, uncertain } = outcome;
      const title = `octavo: ${step.action} ${uncertain ? 'unknown' : 'failed'}`;
      return [{ level: 'error', title, message: `${step.address}: ${error.message}`, at: step.at }];
    });
}
