/** Flags of the commands that help to write manifests, as data. */
import type { FlagSpec } from '../flags.ts';

/** Values of these flags. Absent: not set. */
export interface AuthoringFlags {
  readonly recursive?: boolean;
}

/** By the name under which the value is kept. */
export const authoringFlagSpecs: Readonly<Record<keyof AuthoringFlags, FlagSpec>> = {
  recursive: { type: 'boolean', description: 'Also show the fields of what is inside, at every level' },
};
