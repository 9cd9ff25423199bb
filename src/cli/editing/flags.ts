/** Flags of the commands that edit manifests, as data. */
import type { FlagSpec } from '../flags.ts';

/** Values of these flags. Absent: not set. */
export interface EditingFlags {
  readonly dryRun?: boolean;
  readonly accept?: boolean;
  readonly unmanaged?: string;
  readonly check?: boolean;
  readonly diff?: boolean;
}

/** By the name under which the value is kept. */
export const editingFlagSpecs: Readonly<Record<keyof EditingFlags, FlagSpec>> = {
  dryRun: { type: 'boolean', description: 'Show what would be written without writing it' },
  accept: {
    type: 'boolean',
    description: 'Write the live values into the manifests, in place of reporting them',
  },
  unmanaged: {
    type: 'string',
    choices: ['show', 'fail', 'hide'],
    description:
      'What to make of live objects that no manifest lists: fail counts them as drift (default: show)',
  },
  check: { type: 'boolean', description: 'Write nothing; exit with 3 when a file is not formatted' },
  diff: { type: 'boolean', description: 'Show what changes in the files' },
};
