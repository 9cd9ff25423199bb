/** The commands that edit manifests, as entries of the table of commands. Loaded with every command. */
import type { Command } from '../command-table.ts';
import { looks, manifests, organizations, records, service } from '../flag-groups.ts';

/** In the order in which help shows them. */
export const editingCommands: readonly Command[] = [
  {
    name: 'adopt',
    summary: 'Write the ids of live objects into the manifests that declare them',
    flags: [
      ...manifests,
      ...service,
      'base',
      'allowBehind',
      'offline',
      'target',
      'exclude',
      'into',
      'dryRun',
      'format',
    ],
    result: 'adoption',
    examples: [
      'octavo adopt -f docs --dry-run',
      'octavo adopt -f docs --overlay production --into production.ids.yaml',
    ],
    load: () => import('../commands/adopt.ts'),
  },
  {
    name: 'drift',
    summary: 'Show what was changed outside the manifests, or write it into them',
    words: {
      name: 'addresses',
      description: 'Only these addresses; globs. With --accept, also of unmanaged objects to add',
    },
    flags: [
      ...manifests,
      ...organizations,
      ...service,
      'base',
      'allowBehind',
      'offline',
      'unmanaged',
      ...looks.filter((name) => name !== 'showUnmanaged'),
      'accept',
      'dryRun',
      'format',
      ...records,
    ],
    result: 'plan',
    examples: [
      'octavo drift -f docs',
      'octavo drift -f docs --unmanaged fail --format junit=drift.xml',
      'octavo drift -f docs --accept --dry-run',
      "octavo drift -f docs --accept 'sites/**' 'teams/id=*'",
    ],
    load: () => import('../commands/drift.ts'),
  },
  {
    name: 'fmt',
    summary: 'Lay out manifests the one way: indentation, order of keys, blank lines, quotes',
    words: {
      name: 'paths',
      description: 'Files, and folders whose manifests are formatted (default: .); - for stdin',
    },
    flags: ['check', 'diff'],
    examples: ['octavo fmt', 'octavo fmt --check docs', 'octavo fmt --check --diff docs', 'octavo fmt -'],
    load: () => import('../commands/fmt.ts'),
  },
];
