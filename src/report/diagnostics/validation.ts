/** The result of checking manifests as text, JSON, Markdown and annotations. Pure. */
import { countOf } from '../../util/count.ts';
import { type Diagnostic, hasErrors } from '../../util/diagnostic.ts';
import { stableStringify } from '../../util/json.ts';
import { placeText } from '../../util/places.ts';
import { annotationOf, githubLog, wholeMessage } from '../text/github.ts';
import type { View } from '../view.ts';
import { renderDiagnostics, type Sources } from './diagnostics.ts';
import { failureMarkdown } from './markdown.ts';

export interface Validation {
  readonly diagnostics: readonly Diagnostic[];
  readonly sources: Sources;
  readonly organizations: number;
  readonly objects: number;
  /** All overlays that were checked, merged or not. */
  readonly overlays: number;
}

/** `validate`: the problems (absent if the result contains them) and the result. */
export interface ValidationView {
  readonly problems?: View<Validation>;
  readonly result: View<Validation>;
}

export const validationAsText: ValidationView = {
  problems: ({ diagnostics, sources }, options) => renderDiagnostics(diagnostics, sources, options),
  result: ({ diagnostics, sources, organizations, objects, overlays }) => {
    if (hasErrors(diagnostics)) return '';
    const parts = [
      countOf(organizations, 'organization'),
      countOf(objects, 'object'),
      countOf(sources.size, 'file'),
      ...(overlays === 0 ? [] : [countOf(overlays, 'overlay')]),
    ];
    return `Valid: ${parts.join(', ')}.\n`;
  },
};

export const validationAsJson: ValidationView = {
  result: ({ diagnostics }) =>
    `${stableStringify({ format: 1, valid: !hasErrors(diagnostics), diagnostics }, 2)}\n`,
};

export const validationAsGithub: ValidationView = {
  result: (validation, options) => {
    const { diagnostics } = validation;
    const result = validationAsText.result(validation, options);
    if (diagnostics.length === 0) return result;
    const problems = validationAsText.problems?.(validation, options) ?? '';
    const log = githubLog('octavo validate', [problems], diagnostics.map(annotationOf), options);
    return [...log, result].join('');
  },
};

export const validationAsMarkdown: ValidationView = {
  result: ({ diagnostics }, options) =>
    failureMarkdown({ command: 'octavo validate', diagnostics, isValid: !hasErrors(diagnostics) }, options),
};

export function linesOf(diagnostic: Diagnostic): readonly string[] {
  const { severity, code, at } = diagnostic;
  const place = at === undefined ? '' : `${placeText(at)}: `;
  return `${place}${severity}[${code}]: ${wholeMessage(diagnostic)}`.split('\n');
}
