/** Problems of the commands that help to write manifests. */
import type { DiagnosticTexts } from './texts.ts';

/** By code. */
export const authoringCodes = {
  'unknown-topic': [
    'There is nothing of that name to explain',
    '`octavo explain sites.colour`',
    'Use the name that is suggested; `octavo explain` lists what there is',
  ],
} as const satisfies Readonly<Record<string, DiagnosticTexts>>;
