/** Problems of the commands that help to write manifests. */
import type { DiagnosticTexts } from './texts.ts';

/** By code. */
export const authoringCodes = {
  'unknown-topic': [
    'There is nothing of that name to explain',
    '`octavo explain sites.colour`',
    'Use the name that is suggested; `octavo explain` lists what there is',
  ],
  scaffold: [
    'It is not clear where a new object goes, or there is one already',
    '`octavo scaffold section`, with two sites',
    'Pass `--under`, `--organization`, `--into` or another key, as the message says',
  ],
  init: [
    '`octavo init` lacks an answer, or was given one that does not do',
    '`octavo init`, in a pipeline',
    'Pass `--yes`, with `--base-url` and `--organization`',
  ],
  'init-exists': [
    '`octavo init` never writes over a file',
    'a folder with octavo.config.yaml',
    'Move the file away, or pass another `--dir`',
  ],
} as const satisfies Readonly<Record<string, DiagnosticTexts>>;
