/** Flags as data, with the types of their values; and tables of flags that several commands share. */

export interface FlagSpec {
  readonly type: 'string' | 'number' | 'boolean';
  readonly list?: true;
  readonly alias?: string;
  readonly choices?: readonly string[];
  readonly description: string;
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

type More = Pick<FlagSpec, 'alias' | 'optional'>;

function flag<const T extends Omit<FlagSpec, 'description'>>(
  description: string,
  spec: T,
): T & { readonly description: string } {
  return { description, ...spec };
}

export const toggle = (description: string, more: More = {}) =>
  flag(description, { type: 'boolean', ...more });

export const number = (description: string) => flag(description, { type: 'number', value: 'n' });

/** `value`: shown instead of the type, for example `path`. Completion uses it, too. */
export const text = (value: string, description: string, more: More = {}) =>
  flag(description, { type: 'string', value, ...more });

export const texts = (value: string, description: string, more: More = {}) =>
  flag(description, { type: 'string', list: true, value, ...more });

export const oneOf = <const C extends readonly string[]>(choices: C, description: string) =>
  flag(description, { type: 'string', choices });

const someOf = <const C extends readonly string[]>(choices: C, description: string) =>
  flag(description, { type: 'string', list: true, choices });

export const commonFlags = flagTable('Output', {
  color: toggle('Color; --no-color for none (default: on terminals)'),
  quiet: toggle('Only print results and errors', { alias: 'q' }),
  verbose: toggle('Print each request to stderr'),
});

export const formatFlag = flagTable('Output', {
  format: flag('Output format (default: text); format=path writes it to a file; repeatable', {
    type: 'string',
    list: true,
  }),
});

export const manifests = flagTable('Manifests', {
  file: texts('path', 'Manifest file or folder; repeatable (default: .)', { alias: 'f' }),
  overlay: texts('name', 'Overlay to merge over the manifests: its name, or a file or folder; repeatable'),
});

export const organizations = flagTable('Manifests', {
  shard: text('i/n', 'Only the organizations of this shard, such as 2/16; octavo ci matrix lists the shards'),
});

export const service = flagTable('Service', {
  baseUrl: text('url', 'Address of the service before /v1, or local[:path] for the embedded service'),
  tokenFile: text('path', 'File with the token'),
  seed: text('path', 'Initial state of the embedded service: a JSON file, or sample for a bit of everything'),
  parallelism: number('Concurrent requests, at most (default: 8)'),
  maxRps: number('Requests per second, at most (default: as many as the service takes)'),
});

/** Flags of commands that read the live state of declared objects. */
export const reading = { ...manifests, ...organizations, ...service };

export const comparing = flagTable('Scope of the plan', {
  base: text(
    'ref',
    'What to compare with: applied (the last record, the default if there is one), applied,ref (a git ref where nothing is recorded), none, a git ref, ref:path or a folder',
  ),
  ahead: oneOf(['back'], 'If the base has commits that HEAD lacks: go back to HEAD'),
  offline: toggle('Do not ask git remotes for records of what was applied'),
});

export const targets = flagTable('Scope of the plan', {
  target: texts('glob', 'Only these addresses and their dependencies; repeatable'),
  exclude: texts('glob', 'Skip these addresses and their dependents; repeatable'),
});

export const skipping = flagTable('Scope of the plan', {
  skipRefused: toggle('Skip refused changes and their dependents, and apply the rest'),
});

export const deciding = {
  ...flagTable('Scope of the plan', {
    ignoreDrift: toggle('Ignore drift: skip differences that only the live state causes (needs a base)'),
    prune: oneOf(
      ['never', 'removed', 'unlisted'],
      'What may be deleted; overrides the settings in the manifests',
    ),
    allowDeletes: number('Deletes to allow once, beyond the limits'),
  }),
  ...skipping,
};

export const { changed } = flagTable('Scope of the plan', {
  changed: toggle('Only what the manifests changed since the base; drift elsewhere is not checked'),
});

export const planning = { ...comparing, ...deciding, ...targets, changed };

/** Flags for plans that are not applied: how to treat a base that is ahead. */
export const merging = flagTable('Scope of the plan', {
  ahead: oneOf(
    ['merge', 'own', 'back'],
    "If the base has commits that HEAD lacks: plan the merge of both, only this branch's own change, or a return to HEAD",
  ),
});

export const display = flagTable('Output', {
  show: someOf(
    ['unmanaged', 'unchanged', 'all'],
    'Also show live objects that no manifest lists, unchanged declared objects, or every change of a long plan; several with commas',
  ),
});

export const planFiles = flagTable('Output', {
  out: text('path', 'Save the plan for octavo apply and octavo show'),
  detailedExitcode: toggle('Exit code 2 when there are changes'),
});

export const approving = flagTable('Approval and record', {
  rehearse: toggle(
    'Rehearse the plan on a copy of the live state in memory, and stop if the rehearsal fails',
  ),
  autoApprove: toggle('Do not ask before applying'),
});

export const recording = flagTable('Approval and record', {
  approved: text(
    'digest|path',
    'Apply only what was approved: the plan with this digest, the rest of the plan with this approval, or the changes of this saved plan',
  ),
  record: text(
    'remote',
    "Record the applied commit under refs/octavo/applied, here and in the branch's remote; =<remote> names another one, =none keeps it here",
    { optional: true },
  ),
});

export const locking = flagTable('Lock', {
  lock: text('where', 'Lock of the organizations: local (default), git:<remote> or none'),
  lockTimeout: text(
    'duration',
    'Wait this long for the lock of another run, such as 30s or 10m (default: 0s)',
  ),
});

export const exporting = flagTable('Workspace', {
  organization: text(
    'name',
    'Organization to export: its id, hostname or title (default: the only one there is)',
  ),
});

export const writing = flagTable('Other flags', {
  dryRun: toggle('Show what would be written without writing it'),
});

export const accepting = flagTable('Other flags', {
  accept: toggle('Write the live values into the manifests, instead of reporting them'),
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
