/** The commands: their names, flags and where their code is, which is loaded only when a command runs. */
import { type FormattedResult, formats } from '../report/formats.ts';
import { type Flags, flagSpecs } from './flags.ts';
import type { Invocation } from './invocation.ts';

/** One command. */
export interface Command {
  readonly name: string;
  readonly summary: string;
  /** What may follow the name, for example `[manifest]`. */
  readonly argument?: {
    readonly name: string;
    /** Absent: any text. */
    readonly choices?: readonly string[];
    readonly description: string;
  };
  /** Any number of words that may follow the name, in place of an argument. */
  readonly words?: { readonly name: string; readonly description: string };
  readonly flags: readonly (keyof Flags)[];
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

/** Flags that every command takes. */
export const commonFlags: readonly (keyof Flags)[] = ['color', 'quiet', 'verbose'];

/** Flags that name the manifests. */
export const manifests = ['file', 'overlay'] as const;
const service = ['baseUrl', 'tokenFile', 'seed', 'parallelism'] as const;
/** Flags that decide what a plan holds. */
export const planning = [
  'base',
  'allowBehind',
  'offline',
  'ignoreDrift',
  'target',
  'exclude',
  'prune',
  'allowDeletes',
  'skipRefused',
] as const;

/** All commands, in the order in which help shows them. */
export const commands: readonly Command[] = [
  {
    name: 'plan',
    summary: 'Show what would change, and why',
    flags: [
      ...manifests,
      ...service,
      ...planning,
      'merge',
      'mergeBase',
      'showUnmanaged',
      'format',
      'out',
      'detailedExitcode',
    ],
    result: 'plan',
    examples: [
      'octavo plan -f docs',
      'octavo plan -f docs --base origin/main --detailed-exitcode --out plan.json',
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
    },
    flags: [
      ...manifests,
      ...service,
      ...planning,
      'showUnmanaged',
      'format',
      'autoApprove',
      'expect',
      'approved',
      'record',
      'pushRecord',
    ],
    result: 'apply',
    examples: [
      'octavo apply -f docs',
      'octavo apply plan.json',
      'octavo apply -f docs --base applied --record --auto-approve',
    ],
    load: () => import('./commands/apply.ts'),
  },
  {
    name: 'show',
    summary: 'Show a saved plan',
    argument: { name: 'plan', description: 'Plan saved with plan --out' },
    flags: ['showUnmanaged', 'format'],
    result: 'plan',
    examples: ['octavo show plan.json'],
    load: () => import('./commands/show.ts'),
  },
  {
    name: 'validate',
    summary: 'Check the manifests without calling the service',
    flags: [...manifests, 'format'],
    result: 'validation',
    examples: ['octavo validate -f docs --format json'],
    load: () => import('./commands/validate.ts'),
  },
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
    load: () => import('./commands/adopt.ts'),
  },
  {
    name: 'schema',
    summary: 'Print a JSON Schema for editors',
    argument: {
      name: 'of',
      choices: ['manifest', 'plan'],
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
    },
    flags: [
      'baseUrl',
      'tokenFile',
      'seed',
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
    summary: 'Show plan, apply and drift on a made-up organization, in a few seconds',
    flags: [],
    load: () => import('./commands/demo.ts'),
  },
];
