/** The commands that split many organizations over jobs and join what these report, as entries of the table of commands. */
import type { Command } from './command-table.ts';
import { manifests } from './flag-groups.ts';

/** In the order in which help shows them. */
export const fleetCommands: readonly Command[] = [
  {
    name: 'matrix',
    summary: 'Split the organizations over the jobs of a CI system',
    flags: [...manifests, 'of', 'format'],
    result: 'matrix',
    examples: ['octavo matrix --of 16', 'octavo matrix -f organizations --of 16 --format github'],
    load: () => import('./commands/matrix.ts'),
  },
  {
    name: 'report',
    summary: 'Join the run reports of several shards into one',
    words: {
      name: 'words',
      description: 'merge, then the files that --report-file wrote',
      completes: 'files',
    },
    flags: ['format'],
    result: 'report',
    examples: [
      'octavo report merge reports/*.json',
      'octavo report merge --format json a.json b.json > all.json',
    ],
    load: () => import('./commands/report.ts'),
  },
];
