/** How `octavo graph` is called. Loaded with every command. */
import type { Command } from './command-table.ts';
import { manifests, organizations, planning, service } from './flag-groups.ts';

/** Flags that are about a plan that is made now. */
export const newPlanFlags = [
  ...organizations,
  ...service,
  ...planning.filter((name) => name !== 'target' && name !== 'exclude'),
  'merge',
  'mergeBase',
] as const;

/** `octavo graph`. */
export const graphCommand: Command = {
  name: 'graph',
  summary: 'Draw the manifests, or the steps of a plan, as a graph',
  argument: {
    name: 'saved-plan',
    description: 'Plan saved with plan --out, whose steps are drawn; without it, the manifests',
    completes: 'files',
  },
  flags: [...manifests, 'target', 'exclude', 'plan', ...newPlanFlags, 'format', 'full'],
  result: 'graph',
  examples: [
    'octavo graph -f docs',
    "octavo graph -f docs --target 'sites/developer-hub/**' --format html=hub.html",
    'octavo graph plan.json --format dot=plan.dot',
    'octavo graph --plan -f docs --base origin/main --format svg=plan.svg',
  ],
  load: () => import('./commands/graph.ts'),
};
