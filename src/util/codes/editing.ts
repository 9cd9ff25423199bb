/** Problems of the commands that edit manifests. */
import type { DiagnosticTexts } from './texts.ts';

/** By code. */
export const editingCodes = {
  accept: [
    'The live state cannot be written into the manifests: they would not be valid, or would mean something else as well',
    '`octavo drift --accept`, where an overlay brings back what was removed',
    'Accept fewer objects by naming their addresses, or edit the manifests by hand',
  ],
  format: [
    'A file cannot be formatted: it is not valid YAML, or its meaning would change',
    '`octavo fmt`, in a folder with a broken file',
    'Fix the file; `octavo validate` shows what is wrong',
  ],
} as const satisfies Readonly<Record<string, DiagnosticTexts>>;
