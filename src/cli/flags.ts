/** All flags of all commands as data: their types, names and descriptions. Commands pick theirs by name. */

/** How one flag is written. */
export interface FlagSpec {
  readonly type: 'string' | 'number' | 'boolean';
  /** True when the flag may be given several times. */
  readonly list?: true;
  readonly alias?: string;
  readonly choices?: readonly string[];
  readonly description: string;
  /** Shown in place of the type, for example `path`. */
  readonly value?: string;
}

/** Values of flags, as given. Absent: not given. */
export interface Flags {
  readonly file?: readonly string[];
  readonly overlay?: readonly string[];
  readonly baseUrl?: string;
  readonly tokenFile?: string;
  readonly seed?: string;
  readonly parallelism?: number;
  readonly target?: readonly string[];
  readonly exclude?: readonly string[];
  readonly prune?: string;
  readonly allowDeletes?: number;
  readonly skipRefused?: boolean;
  readonly base?: string;
  readonly ignoreDrift?: boolean;
  readonly record?: boolean;
  readonly pushRecord?: string;
  readonly format?: string;
  readonly color?: boolean;
  readonly quiet?: boolean;
  readonly verbose?: boolean;
  readonly detailedExitcode?: boolean;
  readonly autoApprove?: boolean;
  readonly expect?: string;
  readonly approved?: string;
  readonly out?: string;
  readonly dryRun?: boolean;
  readonly port?: number;
  readonly host?: string;
  readonly iKnowThisIsNotProduction?: boolean;
  readonly data?: string;
  readonly faults?: string;
  readonly token?: string;
  readonly allowFetch?: readonly string[];
  readonly log?: boolean;
  readonly field?: readonly string[];
  readonly input?: string;
  readonly paginate?: boolean;
  readonly select?: string;
  readonly include?: boolean;
  readonly showSecrets?: boolean;
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
    description: 'Manifest file or folder; may be repeated (default: .)',
  },
  overlay: {
    type: 'string',
    list: true,
    value: 'path',
    description: 'File that is merged over the manifests; may be repeated',
  },
  baseUrl: {
    type: 'string',
    value: 'url',
    description: 'Address of the service before /v1, or local[:path] for the embedded service',
  },
  tokenFile: { type: 'string', value: 'path', description: 'File that holds the token' },
  seed: {
    type: 'string',
    value: 'path',
    description: 'What the embedded service starts with: a JSON file, or sample for something of everything',
  },
  parallelism: { type: 'number', value: 'n', description: 'Requests at the same time, at most (default: 8)' },
  target: {
    type: 'string',
    list: true,
    value: 'glob',
    description: 'Only these addresses, and what they need; may be repeated',
  },
  exclude: {
    type: 'string',
    list: true,
    value: 'glob',
    description: 'Not these addresses, nor what needs them; may be repeated',
  },
  prune: {
    type: 'string',
    choices: ['never', 'removed', 'unlisted'],
    description: 'What may be deleted, in place of the settings in the manifests',
  },
  base: {
    type: 'string',
    value: 'ref',
    description: 'What was applied before: a git ref, a folder, or applied (see --record)',
  },
  ignoreDrift: {
    type: 'boolean',
    description: 'Leave alone what only the live state changed (needs --base)',
  },
  record: { type: 'boolean', description: 'Record the applied commit under refs/octavo/applied' },
  pushRecord: {
    type: 'string',
    value: 'remote',
    description: 'Record the applied commit and push the record',
  },
  allowDeletes: { type: 'number', value: 'n', description: 'Deletes to allow this once, beyond the limits' },
  skipRefused: {
    type: 'boolean',
    description: 'Leave out what a guard refuses, and what needs that, and go on with the rest',
  },
  format: { type: 'string', description: 'Form of the result (default: text)' },
  color: { type: 'boolean', description: 'Colour; --no-color for none (default: on terminals)' },
  quiet: { type: 'boolean', alias: 'q', description: 'Nothing but the result and errors' },
  verbose: { type: 'boolean', description: 'Each request on stderr' },
  detailedExitcode: { type: 'boolean', description: 'Exit code 2 when there are changes' },
  autoApprove: { type: 'boolean', description: 'Do not ask before applying' },
  expect: {
    type: 'string',
    value: 'digest',
    description: 'Apply only the plan with this digest, or what is left of the plan with this approval',
  },
  approved: {
    type: 'string',
    value: 'path',
    description: 'Apply only what this saved plan holds as well',
  },
  out: { type: 'string', value: 'path', description: 'Save the plan for octavo apply and octavo show' },
  dryRun: { type: 'boolean', description: 'Show what would be written, and write nothing' },
  port: { type: 'number', value: 'n', description: 'Port to listen on (default: 4000; 0 for any)' },
  host: { type: 'string', value: 'name', description: 'Host to listen on (default: 127.0.0.1)' },
  iKnowThisIsNotProduction: { type: 'boolean', description: 'Allow a host that others can reach' },
  data: {
    type: 'string',
    value: 'path',
    description: 'SQLite file to keep the state in (default: in memory)',
  },
  faults: { type: 'string', value: 'path', description: 'JSON file with faults to answer with, on purpose' },
  token: {
    type: 'string',
    value: 'text',
    description:
      'Token that the service takes, of an administrator (default: OCTAVO_TOKEN, or one that is shown)',
  },
  allowFetch: {
    type: 'string',
    list: true,
    value: 'host',
    description: 'Host beside this machine that imports and specifications may be read from; may be repeated',
  },
  log: { type: 'boolean', description: 'Each request on stderr' },
  field: {
    type: 'string',
    list: true,
    alias: 'F',
    value: 'name=value',
    description: 'Field of the body; dots reach inside, @file reads a file, repeated for lists',
  },
  input: { type: 'string', value: 'path', description: 'JSON file that is the body; - for stdin' },
  paginate: { type: 'boolean', description: 'All pages, as one list of their items' },
  select: {
    type: 'string',
    value: 'expression',
    description:
      'JMESPath expression over the response; entries of a list one per line: items[].title, items[0].id',
  },
  include: { type: 'boolean', alias: 'i', description: 'The status of the answer before it' },
  showSecrets: { type: 'boolean', description: 'Addresses of share links, which are hidden otherwise' },
  list: { type: 'boolean', description: 'Show the operations, or those about the words that follow' },
  describe: { type: 'boolean', description: 'Show what the operation takes, and send nothing' },
};

/** The name of a flag on the command line, for example `base-url`. */
export function flagName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
