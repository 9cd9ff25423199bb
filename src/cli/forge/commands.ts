/** The commands that write to GitHub and GitLab, as entries of the table of commands. */
import type { Command } from '../command-table.ts';

/** Flags that say which repository of a forge is meant. */
const forges = ['forge', 'repository', 'apiUrl', 'key'] as const;

/** In the order in which help shows them. */
export const forgeCommands: readonly Command[] = [
  {
    name: 'comment',
    summary: 'Keep one comment of a pull request up to date, on GitHub or GitLab',
    flags: ['body', 'updateOnly', 'delete', 'pull', ...forges],
    examples: [
      'octavo comment --body plan.md',
      'octavo comment --body plan.md --key production --update-only',
    ],
    load: () => import('../commands/comment.ts'),
  },
  {
    name: 'issue',
    summary: 'Keep one issue open while there is drift, and up to date',
    flags: ['title', 'body', 'close', ...forges],
    examples: ['octavo issue --title Drift --body drift.md', 'octavo issue --close'],
    load: () => import('../commands/issue.ts'),
  },
  {
    name: 'approval',
    summary: 'Keep the plan of a pull request on GitHub, and find it after the merge',
    words: { name: 'words', description: 'save, then the plan as JSON; or find', completes: 'files' },
    flags: ['pull', 'commit', 'app', ...forges],
    examples: ['octavo approval save plan.json', 'octavo approval find'],
    load: () => import('../commands/approval.ts'),
  },
];
