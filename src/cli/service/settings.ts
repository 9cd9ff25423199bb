/** Precedence: flags, environment, octavo.config.yaml. Tokens never come from flags. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { isMisnamed } from '../../manifest/files/paths.ts';
import { type Config, maxRpsSchema, parallelismSchema } from '../../manifest/schema/config.ts';
import { parseConfig } from '../../manifest/schema/read-config.ts';
import { isLockName, lockNames } from '../../past/lock/lock-name.ts';
import { configFile } from '../../run/rules/binding.ts';
import { mostShards, parseShard, type Shard } from '../../run/shard.ts';
import type { Prune } from '../../tree/settings.ts';
import { defined } from '../../util/defined.ts';
import { DiagnosticError, hasErrors } from '../../util/diagnostic.ts';
import { parseDuration } from '../../util/duration.ts';
import { systemReason, userError } from '../../util/user-error.ts';
import type { Invocation } from '../line/command.ts';
import { variableIn } from '../world/environment.ts';

export interface RunSettings {
  readonly files: readonly string[];
  readonly overlays: readonly string[];
  /** Base of plans; if undefined, the commit that is recorded as applied. */
  readonly base: string | undefined;
  /** An address, or `local[:path]`. */
  readonly baseUrl: string | undefined;
  /** The configuration file that sets baseUrl; undefined if a flag or the environment does. */
  readonly baseUrlFile: string | undefined;
  readonly seedFile: string | undefined;
  readonly parallelism: number;
  readonly maxRps: number | undefined;
  readonly prune: Prune | undefined;
  readonly allowHttp: boolean;
  readonly shard: Shard | undefined;
  /** Example: `local` or `git:origin`. */
  readonly lock: string;
  readonly isLockChosen: boolean;
  /** Time to wait for the lock of another run, in milliseconds. */
  readonly lockTimeout: number;
  /** Unit: milliseconds. */
  readonly lockLease: number;
  readonly ci: NonNullable<Config['ci']>;
}

export async function readSettings(given: SettingsSource): Promise<RunSettings> {
  return settingsOf(given, await readConfig(given.cwd));
}

type SettingsSource = Pick<Invocation, 'flags' | 'env' | 'cwd'>;

function settingsOf({ flags, env }: SettingsSource, { config: file, name }: FoundConfig): RunSettings {
  const named = flags.baseUrl ?? variableIn(env, 'OCTAVO_BASE_URL');
  const parallelism = flags.parallelism ?? file.parallelism;
  if (!parallelismSchema.safeParse(parallelism).success) {
    throw userError(
      'parallelism',
      `--parallelism must be a whole number from 1 to 64, is ${parallelism}`,
      'leave it out for 8',
    );
  }
  return {
    files: flags.file ?? file.file ?? ['.'],
    overlays: flags.overlay ?? file.overlay ?? [],
    base: flags.base ?? file.base,
    baseUrl: named ?? file.baseUrl,
    baseUrlFile: named === undefined && file.baseUrl !== undefined ? name : undefined,
    seedFile: flags.seed,
    parallelism,
    maxRps: readMaxRps(flags.maxRps ?? file.maxRps),
    prune: flags.prune as Prune | undefined,
    allowHttp: variableIn(env, 'OCTAVO_ALLOW_HTTP') === '1',
    shard: readShard(flags.shard, variableIn(env, 'OCTAVO_SHARD')),
    ...lockSettings(flags, file),
    ci: file.ci ?? {},
  };
}

function readMaxRps(given: number | undefined): number | undefined {
  if (given === undefined || maxRpsSchema.safeParse(given).success) return given;
  throw userError(
    'max-rps',
    `--max-rps must be a whole number from 1 to 10000, is ${given}`,
    'leave it out to follow the pace of the service',
  );
}

function readShard(flag: string | undefined, variable: string | undefined): Shard | undefined {
  const text = flag ?? variable;
  if (text === undefined) return undefined;
  const shard = parseShard(text);
  if (shard !== undefined) return shard;
  throw userError(
    'shard',
    `${flag === undefined ? 'OCTAVO_SHARD' : '--shard'} must be i/n with i from 1 to n, and n at most ${mostShards}, is ${JSON.stringify(text)}`,
    'write it as 2/16: the second of sixteen',
  );
}

function lockSettings(
  flags: Invocation['flags'],
  file: Config,
): Pick<RunSettings, 'lock' | 'isLockChosen' | 'lockTimeout' | 'lockLease'> {
  const chosen = flags.lock ?? file.lock;
  const lock = chosen ?? 'local';
  if (!isLockName(lock)) {
    throw userError('lock', `there is no lock ${JSON.stringify(lock)}`, `use ${lockNames}`);
  }
  const timeout = flags.lockTimeout ?? file.lockTimeout ?? '0s';
  const lockTimeout = parseDuration(timeout);
  if (lockTimeout === undefined) {
    throw userError(
      'lock',
      `the lock timeout ${JSON.stringify(timeout)} is not a duration`,
      'write a duration such as 30s, 5m or 1h',
    );
  }
  const lockLease = Math.max(1000, parseDuration(file.lockLease ?? '60s') ?? 0);
  return { lock, isLockChosen: chosen !== undefined, lockTimeout, lockLease };
}

interface FoundConfig {
  readonly config: Config;
  readonly name: string;
}

/** Finds the configuration of the working folder, or the nearest one above it in its repository. */
async function readConfig(cwd: string): Promise<FoundConfig> {
  const folder = projectFolder(cwd);
  const name = relative(cwd, join(folder, configFile));
  let text = '';
  try {
    text = readFileSync(join(folder, configFile), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT')
      throw userError('config', `cannot read ${name}: ${systemReason(error) ?? String(error)}`);
  }
  const { config, diagnostics } = await parseConfig(name, text);
  if (hasErrors(diagnostics)) throw new DiagnosticError(diagnostics, new Map([[name, text]]));
  const here = folder === cwd ? config : moved(config, { from: folder, to: cwd });
  return { config: here, name };
}

/** Nearest folder with a configuration, from the working folder up to the root of its repository; if none, the working folder. */
export function projectFolder(cwd: string): string {
  const folders: string[] = [];
  for (let folder = cwd; ; folder = dirname(folder)) {
    folders.push(folder);
    if (existsSync(join(folder, '.git'))) break;
    // Outside of a repository, parent folders may belong to someone else.
    if (dirname(folder) === folder) return withConfig([cwd]) ?? cwd;
  }
  return withConfig(folders) ?? cwd;
}

function withConfig(folders: readonly string[]): string | undefined {
  return folders.find((folder) => {
    const names = listFolder(folder);
    const other = names.find((name) => isMisnamed(name, configFile));
    if (other !== undefined) throw userError('config', `${other} is not read`, `rename it to ${configFile}`);
    return names.includes(configFile);
  });
}

function listFolder(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Rebases the settings to another working folder: paths are relative to the folder of the file. */
function moved(config: Config, { from, to }: { readonly from: string; readonly to: string }): Config {
  const path = (given: string) => relative(to, resolve(from, given)) || '.';
  const isPath = (given: string) => /[/\\]|\.ya?ml$/i.test(given);
  const { file, overlay, base, baseUrl } = config;
  const data = /^local:(.+)$/s.exec(baseUrl ?? '')?.[1];
  return {
    ...config,
    ...defined({
      file: file?.map(path),
      overlay: overlay?.map((given) => (isPath(given) ? path(given) : given)),
      // Refs also contain slashes, so a folder must begin with a dot.
      base: base !== undefined && /^\.\.?\//.test(base) ? path(base) : base,
      baseUrl: data === undefined ? baseUrl : `local:${path(data)}`,
    }),
  };
}
