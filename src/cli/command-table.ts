/** The commands: their names, flags and where their code is, which is loaded only when a command runs. */
import { type FormattedResult, formats } from '../report/formats.ts';
import { authoringCommands } from './authoring/commands.ts';

import type { CompletedWords } from './completion/shells.ts';
import { editingCommands } from './editing/commands.ts';
import { exportCommand } from './export-command.ts';
import { locking, looks, manifests, organizations, planning, records, service } from './flag-groups.ts';
import { type Flags, flagSpecs } from './flags.ts';
import { fleetCommands } from './fleet-commands.ts';
import { forgeCommands } from './forge/commands.ts';
import { graphCommand } from './graph-command.ts';
import type { Invocation } from './invocation.ts';

/** One command. */
export interface Command {
  readonly name: string;
  readonly summary: string;
  /** What may follow the name, for example `[manifest]`. */
  readonly argument?: {
    readonly name: string;
    /** Absent: free text. */
    readonly choices?: readonly string[];
    readonly description: string;
    readonly completes?: CompletedWords;
  };
  /** Any number of words that may follow the name, in place of an argument. */
  readonly words?: {
    readonly name: string;
    readonly description: string;
    readonly completes?: CompletedWords;
  };
  readonly flags: readonly (keyof Flags)[];
  /** What flags mean here, where that is not what they mean elsewhere. */
  readonly flagTexts?: Readonly<Partial<Record<keyof Flags, string>>>;
  /** Command lines that show what it is for. */
  readonly examples?: readonly string[];
  /** What `--format` shows. */
  readonly result?: FormattedResult;
  readonly load: () => Promise<{ readonly run: (invocation: Invocation) => Promise<number> }>;
}

/** The values that a flag of a command takes; undefined where it takes any. */
export function flagChoices(command: Command, flag: keyof Flags): readonly string[] | undefined {
  if (flag !== 'format') return flagSpecs[flag].choices;
  return command.result && formats[command.result];
}

/** All commands, in the order in which help shows them. */
export const commands: readonly Command[] = [
  {
    name: 'plan',
    summary: 'Show what would change, and why',
    flags: [
      ...manifests,
      ...organizations,
      ...service,
      ...planning,
      'merge',
      'mergeBase',
      ...looks,
      'format',
      'rehearse',
      'out',
      'detailedExitcode',
      ...records,
    ],
    result: 'plan',
    examples: [
      'octavo plan -f docs',
      'octavo plan -f docs --base origin/main --detailed-exitcode --out plan.json',
      'octavo plan -f docs --base origin/main --rehearse',
      "octavo plan -f docs --overlay production --target 'sites/developer-hub/**'",
    ],
    load: () => import('./commands/plan.ts'),
  },
  {
    name: 'apply',
    summary: 'Apply the manifests to the live workspace',
    argument: {
      name: 'plan',
      description: 'Plan saved with plan --out; applied as it is, without asking',
      completes: 'files',
    },
    flags: [
      ...manifests,
      ...organizations,
      ...service,
      ...planning,
      ...looks,
      'format',
      'rehearse',
      'autoApprove',
      'expect',
      'approved',
      'record',
      'pushRecord',
      ...locking,
      ...records,
    ],
    result: 'apply',
    examples: [
      'octavo apply -f docs',
      'octavo apply plan.json',
      'octavo apply -f docs --record --auto-approve',
    ],
    load: () => import('./commands/apply.ts'),
  },
  {
    name: 'rehearse',
    summary: 'Apply the plan to a copy of the live state in memory, and say what would fail',
    flags: [
      ...manifests,
      ...organizations,
      ...service,
      ...planning,
      'merge',
      'mergeBase',
      'format',
      ...records,
    ],
    result: 'rehearsal',
    examples: ['octavo rehearse -f docs', 'octavo rehearse -f docs --base origin/main --merge --format json'],
    load: () => import('./commands/rehearse.ts'),
  },
  {
    name: 'undo',
    summary: 'Take back what a run changed',
    argument: {
      name: 'run',
      description: 'Id of the run (default: the last one that changed something)',
      completes: 'runs',
    },
    flags: [
      'baseUrl',
      'tokenFile',
      'parallelism',
      'maxRps',
      ...locking,
      'skipRefused',
      ...looks,
      'format',
      'rehearse',
      'autoApprove',
      'out',
      'detailedExitcode',
      ...records,
    ],
    result: 'apply',
    examples: ['octavo undo', 'octavo undo r-mdlq2v9k-03fa', 'octavo undo --out undo.json'],
    load: () => import('./commands/undo.ts'),
  },
  {
    name: 'history',
    summary: 'List the runs that changed the workspace, or show one',
    argument: { name: 'run', description: 'Id of the run to show with its steps', completes: 'runs' },
    flags: ['format'],
    result: 'history',
    examples: ['octavo history', 'octavo history r-mdlq2v9k-03fa'],
    load: () => import('./commands/history.ts'),
  },
  {
    name: 'show',
    summary: 'Show a saved plan',
    argument: { name: 'plan', description: 'Plan saved with plan --out', completes: 'files' },
    flags: [...looks, 'format'],
    result: 'plan',
    examples: ['octavo show plan.json'],
    load: () => import('./commands/show.ts'),
  },
  graphCommand,
  {
    name: 'validate',
    summary: 'Check the manifests without calling the service',
    flags: [...manifests, 'lint', 'format'],
    result: 'validation',
    examples: [
      'octavo validate -f docs --format json',
      'octavo validate --lint error',
      'octavo validate --format sarif=octavo.sarif --format junit=octavo.xml',
    ],
    load: () => import('./commands/validate.ts'),
  },
  exportCommand,
  ...editingCommands,
  ...fleetCommands,
  ...authoringCommands,
  ...forgeCommands,
  {
    name: 'unlock',
    summary: 'Remove the lock of a run that is gone, or list the locks',
    argument: { name: 'run', description: 'Id of the run, as the message about its lock has it' },
    flags: ['file', 'lock', 'force'],
    examples: ['octavo unlock', 'octavo unlock r-mdlq2v9k-03fa --lock git:origin'],
    load: () => import('./commands/unlock.ts'),
  },
  {
    name: 'schema',
    summary: 'Print a JSON Schema for editors',
    argument: {
      name: 'of',
      choices: ['manifest', 'config', 'plan', 'events'],
      description: 'Document to describe (default: manifest)',
    },
    flags: [],
    examples: ['octavo schema > manifest.schema.json'],
    load: () => import('./commands/schema.ts'),
  },
  {
    name: 'api',
    summary: 'Call an API operation, by name or by method and path',
    words: {
      name: 'words',
      description: 'Operation such as sites.list, or method and path; then parameters as name=value',
      completes: 'operations',
    },
    flags: [
      'baseUrl',
      'tokenFile',
      'seed',
      'maxRps',
      'field',
      'input',
      'paginate',
      'select',
      'include',
      'showSecrets',
      'list',
      'describe',
    ],
    examples: [
      'octavo api --list share-link',
      "octavo api sites.list organizationId=org_acme --select 'items[].title'",
    ],
    load: () => import('./commands/api.ts'),
  },
  {
    name: 'serve',
    summary: 'Run the embedded service on this machine',
    flags: [
      'port',
      'host',
      'iKnowThisIsNotProduction',
      'data',
      'seed',
      'token',
      'tokenFile',
      'allowFetch',
      'faults',
      'variant',
      'log',
    ],
    examples: ['octavo serve --seed sample', 'octavo serve --data acme.db --port 4000'],
    load: () => import('./commands/serve.ts'),
  },
  {
    name: 'demo',
    summary: 'Follow a made-up pull request from its plan to its undo',
    flags: ['step', 'keep'],
    examples: ['octavo demo', 'octavo demo --step --keep acme'],
    load: () => import('./commands/demo.ts'),
  },
];
