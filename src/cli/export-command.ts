/** How `octavo export` is called. Loaded with every command. */
import type { Command } from './command-table.ts';
import { service } from './flag-groups.ts';

/** `octavo export`. */
export const exportCommand: Command = {
  name: 'export',
  summary: 'Write the live workspace as manifests whose plan is empty',
  flags: [...service, 'organization', 'only', 'pin', 'out', 'split', 'overlay', 'dryRun', 'format'],
  flagTexts: { out: 'Write the manifests to this file or folder (default: stdout)' },
  result: 'export',
  examples: [
    'octavo export > octavo.yaml',
    'octavo export --organization acme --out docs --split',
    "octavo export --only 'sites/**' --out sites.yaml",
  ],
  load: () => import('./commands/export.ts'),
};
