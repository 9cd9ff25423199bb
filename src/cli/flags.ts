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
  readonly format?: string;
  readonly color?: boolean;
  readonly quiet?: boolean;
  readonly verbose?: boolean;
  readonly detailedExitcode?: boolean;
  readonly autoApprove?: boolean;
  readonly expect?: string;
  readonly port?: number;
  readonly host?: string;
  readonly public?: boolean;
  readonly data?: string;
  readonly faults?: string;
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
  seed: { type: 'string', value: 'path', description: 'JSON file that the embedded service starts with' },
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
  allowDeletes: { type: 'number', value: 'n', description: 'Deletes to allow this once, beyond the limits' },
  format: { type: 'string', choices: ['text', 'json'], description: 'Form of the result (default: text)' },
  color: { type: 'boolean', description: 'Colour; --no-color for none (default: on terminals)' },
  quiet: { type: 'boolean', alias: 'q', description: 'Nothing but the result and errors' },
  verbose: { type: 'boolean', description: 'Each request on stderr' },
  detailedExitcode: { type: 'boolean', description: 'Exit code 2 when there are changes' },
  autoApprove: { type: 'boolean', description: 'Do not ask before applying' },
  expect: { type: 'string', value: 'digest', description: 'Apply only a plan that has this digest' },
  port: { type: 'number', value: 'n', description: 'Port to listen on (default: 4000; 0 for any)' },
  host: { type: 'string', value: 'name', description: 'Host to listen on (default: 127.0.0.1)' },
  public: { type: 'boolean', description: 'Allow a host that others can reach' },
  data: {
    type: 'string',
    value: 'path',
    description: 'SQLite file to keep the state in (default: in memory)',
  },
  faults: { type: 'string', value: 'path', description: 'JSON file with faults to answer with, on purpose' },
};

/** The name of a flag on the command line, for example `base-url`. */
export function flagName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
