/** The result of checking manifests as text, JSON, annotations and JUnit. Pure. */
import { countOf } from '../../util/count.ts';
import { type Diagnostic, hasErrors } from '../../util/diagnostic.ts';
import { push } from '../../util/group.ts';
import { stableStringify } from '../../util/json.ts';
import { placeText } from '../../util/places.ts';
import { annotationLines, annotationOf, folded, noGithub, wholeMessage } from '../text/github.ts';
import { junitPieces, type TestCase } from '../text/junit.ts';
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
    const { github = noGithub } = options;
    const { diagnostics } = validation;
    const problems = validationAsText.problems?.(validation, options) ?? '';
    const log = diagnostics.length === 0 ? [] : [...folded('octavo validate', [problems], github)];
    const lines = annotationLines(diagnostics.map(annotationOf), github);
    return log.join('') + lines + validationAsText.result(validation, options);
  },
};

export const validationAsMarkdown: ValidationView = {
  result: ({ diagnostics }, options) =>
    failureMarkdown({ command: 'octavo validate', diagnostics, isValid: !hasErrors(diagnostics) }, options),
};

/** Each file is a test case; it fails if it has errors. */
export const validationAsJunit: ValidationView = {
  result: (validation) => {
    const cases = [...byFile(validation)].map(([name, diagnostics]): TestCase => {
      const [errors, others] = [diagnostics.filter(isError), diagnostics.filter((one) => !isError(one))];
      return {
        name,
        failures: errors.map((one) => ({ type: one.code, message: one.message, details: linesOf(one) })),
        output: others.flatMap(linesOf),
      };
    });
    return [...junitPieces([{ name: 'octavo validate', group: 'octavo', cases }])].join('');
  },
};

/** Includes files without problems; diagnostics without a place belong to the workspace. */
function byFile({ diagnostics, sources }: Validation): ReadonlyMap<string, readonly Diagnostic[]> {
  const files = new Map<string, Diagnostic[]>([...sources.keys()].map((file) => [file, []]));
  for (const diagnostic of diagnostics) push(files, diagnostic.at?.file ?? 'workspace', diagnostic);
  return files;
}

function isError({ severity }: Diagnostic): boolean {
  return severity === 'error';
}

export function linesOf(diagnostic: Diagnostic): readonly string[] {
  const { severity, code, at } = diagnostic;
  const place = at === undefined ? '' : `${placeText(at)}: `;
  return `${place}${severity}[${code}]: ${wholeMessage(diagnostic)}`.split('\n');
}
