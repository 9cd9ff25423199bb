/** All flags of all commands as data: types, names and descriptions. Commands pick theirs by name. */
import { type AuthoringFlags, authoringFlagSpecs } from './authoring/flags.ts';
import { type EditingFlags, editingFlagSpecs } from './editing/flags.ts';
import { type ExportFlags, exportFlagSpecs } from './export-flags.ts';
import { type ForgeFlags, forgeFlagSpecs } from './forge/flags.ts';

/** How one flag is written. */
export interface FlagSpec {
  readonly type: 'string' | 'number' | 'boolean';
  /** True when the flag may be repeated. */
  readonly list?: true;
  readonly alias?: string;
  readonly choices?: readonly string[];
  readonly description: string;
  /** What `--no-<flag>` stands for; flags with values have no such form otherwise. */
  readonly no?: string;
  /** Shown in place of the type, for example `path`. */
  readonly value?: string;
}

/** Values of flags. Absent: not set. */
export interface Flags extends ForgeFlags, AuthoringFlags, ExportFlags, EditingFlags {
  readonly file?: readonly string[];
  readonly overlay?: readonly string[];
  readonly baseUrl?: string;
  readonly tokenFile?: string;
  readonly seed?: string;
  readonly parallelism?: number;
  readonly maxRps?: number;
  readonly target?: readonly string[];
  readonly exclude?: readonly string[];
  readonly prune?: string;
  readonly allowDeletes?: number;
  readonly skipRefused?: boolean;
  readonly base?: string;
  readonly merge?: boolean;
  readonly mergeBase?: boolean;
  readonly allowBehind?: boolean;
  readonly offline?: boolean;
  readonly showUnmanaged?: boolean;
  readonly ignoreDrift?: boolean;
  readonly record?: boolean;
  readonly pushRecord?: string;
  readonly shard?: string;
  readonly of?: number;
  readonly lock?: string;
  readonly lockTimeout?: string;
  readonly force?: boolean;
  readonly format?: readonly string[];
  readonly full?: boolean;
  readonly showUnchanged?: boolean;
  readonly color?: boolean;
  readonly quiet?: boolean;
  readonly verbose?: boolean;
  readonly detailedExitcode?: boolean;
  readonly autoApprove?: boolean;
  readonly expect?: string;
  readonly approved?: string;
  readonly out?: string;
  readonly rehearse?: boolean;
  readonly reportFile?: string;
  readonly logFile?: string;
  readonly into?: string;
  readonly port?: number;
  readonly host?: string;
  readonly iKnowThisIsNotProduction?: boolean;
  readonly data?: string;
  readonly faults?: string;
  readonly token?: string;
  readonly allowFetch?: readonly string[];
  readonly variant?: readonly string[];
  readonly log?: boolean;
  readonly field?: readonly string[];
  readonly input?: string;
  readonly paginate?: boolean;
  readonly select?: string;
  readonly include?: boolean;
  readonly showSecrets?: boolean;
  readonly plan?: boolean;
  readonly step?: boolean;
  readonly keep?: string;
  readonly list?: boolean;
  readonly describe?: boolean;
}

/** Every flag, by the name under which its value is kept. */
export const flagSpecs: Readonly<Record<keyof Flags, FlagSpec>> = {
  file: {
    type: 'string',
    list: true,
    alias: 'f',
    value: 'path',
    description: 'Manifest file or folder; repeatable (default: .)',
  },
  overlay: {
    type: 'string',
    list: true,
    value: 'name',
    description: 'Overlay to merge over the manifests: its name, or a file or folder; repeatable',
  },
  baseUrl: {
    type: 'string',
    value: 'url',
    description: 'Address of the service before /v1, or local[:path] for the embedded service',
  },
  tokenFile: { type: 'string', value: 'path', description: 'File with the token' },
  seed: {
    type: 'string',
    value: 'path',
    description: 'Initial state of the embedded service: a JSON file, or sample for a bit of everything',
  },
  parallelism: { type: 'number', value: 'n', description: 'Concurrent requests, at most (default: 8)' },
  maxRps: {
    type: 'number',
    value: 'n',
    description: 'Requests per second, at most (default: as many as the service takes)',
  },
  target: {
    type: 'string',
    list: true,
    value: 'glob',
    description: 'Only these addresses and their dependencies; repeatable',
  },
  exclude: {
    type: 'string',
    list: true,
    value: 'glob',
    description: 'Skip these addresses and their dependents; repeatable',
  },
  prune: {
    type: 'string',
    choices: ['never', 'removed', 'unlisted'],
    description: 'What may be deleted; overrides the settings in the manifests',
  },
  base: {
    type: 'string',
    value: 'ref',
    description:
      'What to compare with: applied (the last record, the default where there is one), none, a git ref, ref:path or a folder',
  },
  merge: { type: 'boolean', description: 'Plan what a merge of HEAD and the base gives' },
  mergeBase: {
    type: 'boolean',
    description: "Plan this branch's own change, against its common ancestor with the base",
  },
  allowBehind: {
    type: 'boolean',
    description: 'Allow a base that has commits that HEAD lacks, and go back to HEAD',
  },
  offline: {
    type: 'boolean',
    description: 'Do not ask git remotes for records of what was applied; list asks no service either',
  },
  showUnmanaged: { type: 'boolean', description: 'List live objects that no manifest lists' },
  ignoreDrift: {
    type: 'boolean',
    description: 'Ignore drift: leave alone what only the live state changed (needs a base)',
  },
  record: { type: 'boolean', description: 'Record the applied commit under refs/octavo/applied' },
  pushRecord: {
    type: 'string',
    value: 'remote',
    description: 'Record the applied commit and push the record',
  },
  shard: {
    type: 'string',
    value: 'i/n',
    description: 'Only the organizations of this shard, such as 2/16; octavo matrix lists the shards',
  },
  of: { type: 'number', value: 'n', description: 'Shards, at most' },
  lock: {
    type: 'string',
    value: 'where',
    no: 'none',
    description: 'Lock of the organizations: file (default), git:<remote> or none; --no-lock for none',
  },
  lockTimeout: {
    type: 'string',
    value: 'duration',
    description: 'Wait this long for the lock of another run, such as 30s or 10m (default: 0s)',
  },
  force: { type: 'boolean', description: 'Do not ask before removing the lock' },
  allowDeletes: { type: 'number', value: 'n', description: 'Deletes to allow once, beyond the limits' },
  skipRefused: {
    type: 'boolean',
    description: 'Skip refused changes and their dependents, and apply the rest',
  },
  format: {
    type: 'string',
    list: true,
    description: 'Output format (default: text); format=path writes it to a file; repeatable',
  },
  full: { type: 'boolean', description: 'Show every change whole, however long the plan is' },
  showUnchanged: { type: 'boolean', description: 'List declared objects that stay as they are' },
  color: { type: 'boolean', description: 'Colour; --no-color for none (default: on terminals)' },
  quiet: { type: 'boolean', alias: 'q', description: 'Only print results and errors' },
  verbose: { type: 'boolean', description: 'Print each request to stderr' },
  detailedExitcode: { type: 'boolean', description: 'Exit code 2 when there are changes' },
  autoApprove: { type: 'boolean', description: 'Do not ask before applying' },
  expect: {
    type: 'string',
    value: 'digest',
    description: 'Apply only the plan with this digest, or the rest of the plan with this approval',
  },
  approved: {
    type: 'string',
    value: 'path',
    description: 'Apply only changes that this saved plan has too',
  },
  rehearse: {
    type: 'boolean',
    description: 'Rehearse the plan on a copy of the live state in memory; go no further where it fails',
  },
  out: {
    type: 'string',
    value: 'path',
    description: 'Save the plan for octavo apply and octavo show',
  },
  reportFile: {
    type: 'string',
    value: 'path',
    description: 'Write what the run did to this JSON file, however it ends',
  },
  logFile: {
    type: 'string',
    value: 'path',
    description: 'Append a line of JSON for each request to this file',
  },
  into: {
    type: 'string',
    value: 'path',
    description: 'Write into this file, new or existing: the ids as an overlay, or the skeleton',
  },
  port: { type: 'number', value: 'n', description: 'Port to listen on (default: 4000; 0 for any)' },
  host: { type: 'string', value: 'name', description: 'Host to listen on (default: 127.0.0.1)' },
  iKnowThisIsNotProduction: { type: 'boolean', description: 'Allow a host that others can reach' },
  data: {
    type: 'string',
    value: 'path',
    description: 'SQLite file for the state (default: in memory)',
  },
  faults: { type: 'string', value: 'path', description: 'JSON file of faults to inject (for testing)' },
  token: {
    type: 'string',
    value: 'text',
    description:
      'Token of an administrator that the service accepts (default: OCTAVO_TOKEN, or one that is shown)',
  },
  allowFetch: {
    type: 'string',
    list: true,
    value: 'host',
    description: 'Other host that imports and specifications may be fetched from; repeatable',
  },
  variant: {
    type: 'string',
    list: true,
    value: 'name=value',
    description:
      'What the service does where the API document is silent (docs/reference/variants.md); random[:seed] for any mix; repeatable',
  },
  log: { type: 'boolean', description: 'Print each request to stderr' },
  field: {
    type: 'string',
    list: true,
    alias: 'F',
    value: 'name=value',
    description: 'Field of the body; dots for nested fields, @file for the text of a file, repeat for lists',
  },
  input: { type: 'string', value: 'path', description: 'JSON file with the body; - for stdin' },
  paginate: { type: 'boolean', description: 'Fetch all pages and print their items as one list' },
  select: {
    type: 'string',
    value: 'expression',
    description: 'Print only what this JMESPath expression selects, one list entry per line: items[].title',
  },
  include: { type: 'boolean', alias: 'i', description: 'Print the status before the response' },
  showSecrets: { type: 'boolean', description: 'Show the addresses of share links, hidden by default' },
  step: { type: 'boolean', description: 'Wait for Enter between the scenes (on a terminal)' },
  keep: {
    type: 'string',
    value: 'path',
    description: 'Play in this folder, new or empty, and keep it (default: a temporary one)',
  },
  plan: { type: 'boolean', description: 'Plan, and show the steps of the plan' },
  list: {
    type: 'boolean',
    description: 'List the operations, or those that match the words that follow; or the kinds',
  },
  describe: { type: 'boolean', description: 'Show the parameters of the operation without calling it' },
  ...exportFlagSpecs,
  ...editingFlagSpecs,
  ...forgeFlagSpecs,
  ...authoringFlagSpecs,
};

/** The name of a flag on the command line, for example `base-url`. */
export function flagName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
