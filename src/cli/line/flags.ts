/** Flags as data, with the types of their values; and tables of flags that several commands share. */

export interface FlagSpec {
  readonly type: 'string' | 'number' | 'boolean';
  readonly list?: true;
  readonly alias?: string;
  readonly choices?: readonly string[];
  readonly description: string;
  /** Shown instead of the type, for example `path`. Completion uses it, too. */
  readonly value?: string;
  /** The value may be omitted, and is written after `=`: `--record`, `--record=origin`. An omitted value is empty. */
  readonly optional?: true;
  readonly group?: FlagGroup;
}

/** `baseUrl` is `--base-url`. */
export type FlagTable = Readonly<Record<string, FlagSpec>>;

/** Flags that are not set are absent. */
export type InferFlags<T extends FlagTable> = { readonly [K in keyof T]?: FlagValue<T[K]> };

type FlagValue<S extends FlagSpec> = S extends { readonly type: 'boolean' }
  ? boolean
  : S extends { readonly type: 'number' }
    ? number
    : S extends { readonly list: true }
      ? readonly FlagChoice<S>[]
      : FlagChoice<S>;

type FlagChoice<S extends FlagSpec> = S extends { readonly choices: readonly (infer C)[] } ? C : string;

// biome-ignore format: a list of words
export const flagGroups = [
  'Manifests', 'Workspace', 'Scope of the plan', 'Approval and record', 'Lock', 'Output', 'Service', 'Other flags',
] as const;

type FlagGroup = (typeof flagGroups)[number];

export function flagTable<const T extends FlagTable>(group: FlagGroup, table: T): T {
  return Object.fromEntries(
    Object.entries(table).map(([name, spec]) => [name, { group, ...spec }]),
  ) as FlagTable as T;
}

/** Example: `base-url`. */
export function flagName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

export const commonFlags = flagTable('Output', {
  color: { type: 'boolean', description: 'Color; --no-color for none (default: on terminals)' },
  quiet: { type: 'boolean', alias: 'q', description: 'Only print results and errors' },
  verbose: { type: 'boolean', description: 'Print each request to stderr' },
});

export const formatFlag = flagTable('Output', {
  format: {
    type: 'string',
    list: true,
    description: 'Output format (default: text); format=path writes it to a file; repeatable',
  },
});

export const manifests = flagTable('Manifests', {
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
});

export const organizations = flagTable('Manifests', {
  shard: {
    type: 'string',
    value: 'i/n',
    description: 'Only the organizations of this shard, such as 2/16; octavo ci matrix lists the shards',
  },
});

export const service = flagTable('Service', {
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
});

/** Flags of commands that read the live state of declared objects. */
export const reading = { ...manifests, ...organizations, ...service };

export const comparing = flagTable('Scope of the plan', {
  base: {
    type: 'string',
    value: 'ref',
    description:
      'What to compare with: applied (the last record, the default if there is one), applied,ref (a git ref where nothing is recorded), none, a git ref, ref:path or a folder',
  },
  ahead: {
    type: 'string',
    choices: ['back'],
    description: 'If the base has commits that HEAD lacks: go back to HEAD',
  },
  offline: {
    type: 'boolean',
    description: 'Do not ask git remotes for records of what was applied',
  },
});

export const targets = flagTable('Scope of the plan', {
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
});

export const skipping = flagTable('Scope of the plan', {
  skipRefused: {
    type: 'boolean',
    description: 'Skip refused changes and their dependents, and apply the rest',
  },
});

export const deciding = {
  ...flagTable('Scope of the plan', {
    ignoreDrift: {
      type: 'boolean',
      description: 'Ignore drift: skip differences that only the live state causes (needs a base)',
    },
    prune: {
      type: 'string',
      choices: ['never', 'removed', 'unlisted'],
      description: 'What may be deleted; overrides the settings in the manifests',
    },
    allowDeletes: { type: 'number', value: 'n', description: 'Deletes to allow once, beyond the limits' },
  }),
  ...skipping,
};

export const { changed } = flagTable('Scope of the plan', {
  changed: {
    type: 'boolean',
    description: 'Only what the manifests changed since the base; drift elsewhere is not checked',
  },
});

export const planning = { ...comparing, ...deciding, ...targets, changed };

/** Flags for plans that are not applied: how to treat a base that is ahead. */
export const merging = flagTable('Scope of the plan', {
  ahead: {
    type: 'string',
    choices: ['merge', 'own', 'back'],
    description:
      "If the base has commits that HEAD lacks: plan the merge of both, only this branch's own change, or a return to HEAD",
  },
});

export const display = flagTable('Output', {
  show: {
    type: 'string',
    list: true,
    choices: ['unmanaged', 'unchanged', 'all'],
    description:
      'Also show live objects that no manifest lists, unchanged declared objects, or every change of a long plan; several with commas',
  },
});

export const planFiles = flagTable('Output', {
  out: { type: 'string', value: 'path', description: 'Save the plan for octavo apply and octavo show' },
  detailedExitcode: { type: 'boolean', description: 'Exit code 2 when there are changes' },
});

export const approving = flagTable('Approval and record', {
  rehearse: {
    type: 'boolean',
    description: 'Rehearse the plan on a copy of the live state in memory, and stop if the rehearsal fails',
  },
  autoApprove: { type: 'boolean', description: 'Do not ask before applying' },
});

export const recording = flagTable('Approval and record', {
  approved: {
    type: 'string',
    value: 'digest|path',
    description:
      'Apply only what was approved: the plan with this digest, the rest of the plan with this approval, the changes of this saved plan; or merged, for the plan of the request whose merge this is',
  },
  record: {
    type: 'string',
    value: 'remote',
    optional: true,
    description:
      "Record the applied commit under refs/octavo/applied, here and in the branch's remote; =<remote> names another one, =none keeps it here",
  },
});

export const locking = flagTable('Lock', {
  lock: {
    type: 'string',
    value: 'where',
    description: 'Lock of the organizations: local (default), git:<remote> or none',
  },
  lockTimeout: {
    type: 'string',
    value: 'duration',
    description: 'Wait this long for the lock of another run, such as 30s or 10m (default: 0s)',
  },
});

export const exporting = flagTable('Workspace', {
  organization: {
    type: 'string',
    value: 'name',
    description: 'Organization to export: its id, hostname or title (default: the only one there is)',
  },
});

export const writing = flagTable('Other flags', {
  dryRun: { type: 'boolean', description: 'Show what would be written without writing it' },
});

export const accepting = flagTable('Other flags', {
  accept: {
    type: 'boolean',
    description: 'Write the live values into the manifests, instead of reporting them',
  },
});

export interface SharedFlags
  extends InferFlags<
    typeof commonFlags &
      typeof formatFlag &
      typeof manifests &
      typeof organizations &
      typeof service &
      Omit<typeof planning, 'ahead'> &
      typeof merging &
      typeof display &
      typeof planFiles &
      typeof approving &
      typeof recording &
      typeof locking &
      typeof accepting
  > {
  readonly key?: string;
}
