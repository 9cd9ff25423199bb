/** Flags of `octavo export`. */
import type { FlagSpec } from './flags.ts';

/** Their values. Absent: not set. */
export interface ExportFlags {
  readonly organization?: string;
  readonly only?: readonly string[];
  readonly split?: boolean;
  readonly pin?: string;
}

/** What is exported, and how. */
export const exportFlagSpecs: Readonly<Record<keyof ExportFlags, FlagSpec>> = {
  organization: {
    type: 'string',
    value: 'name',
    description: 'Organization to export: its id, hostname or title (default: the only one there is)',
  },
  only: {
    type: 'string',
    list: true,
    value: 'glob',
    description: 'Only these addresses and what is inside them; repeatable',
  },
  split: { type: 'boolean', description: 'One file for each kind and each site (needs --out)' },
  pin: {
    type: 'string',
    choices: ['all', 'ambiguous', 'none'],
    description: 'Which objects get their id: those that nothing else tells apart (default: ambiguous)',
  },
};
