/** What checking manifests found, as text and as JSON. Pure. */
import { countOf } from '../util/count.ts';
import { type Diagnostic, hasErrors } from '../util/diagnostic.ts';
import { stableStringify } from '../util/json.ts';
import { renderDiagnostics, type Sources } from './diagnostics.ts';
import type { View } from './view.ts';

/** What checking manifests found. */
export interface Validation {
  readonly diagnostics: readonly Diagnostic[];
  /** The texts of the files, by the names that diagnostics use. */
  readonly sources: Sources;
  readonly organizations: number;
  readonly objects: number;
  /** Overlays that were checked, whether or not they are merged over the manifests. */
  readonly overlays: number;
}

/** `validate`: the problems beside the result, absent where the result holds them, and the result. */
export interface ValidationView {
  readonly problems?: View<Validation>;
  readonly result: View<Validation>;
}

/** Problems with excerpts, and one line for manifests without errors. */
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

/** One document. */
export const validationAsJson: ValidationView = {
  result: ({ diagnostics }) =>
    `${stableStringify({ format: 1, valid: !hasErrors(diagnostics), diagnostics }, 2)}\n`,
};
