/** What checking manifests found, in a run of GitHub Actions: beside the lines. Pure. */
import { annotationLines, annotationOf, folded } from './github-annotations.ts';
import { noGithub } from './plan-github.ts';
import { type ValidationView, validationAsText } from './validation.ts';

/** Problems as annotations, and with excerpts in the log. */
export const validationAsGithub: ValidationView = {
  result: (validation, options) => {
    const { github = noGithub } = options;
    const { diagnostics } = validation;
    const problems = validationAsText.problems?.(validation, options) ?? '';
    const log = diagnostics.length === 0 ? [] : [...folded('octavo validate', [problems], github)];
    const lines = annotationLines(diagnostics.map(annotationOf), github);
    return log.join('') + lines + validationAsText.result(validation, options);
  },
};
