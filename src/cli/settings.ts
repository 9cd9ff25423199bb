/** The settings of a command: flags over environment over octavo.config.yaml. Tokens never come from flags. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Config, parallelismSchema } from '../manifest/config.ts';
import { parseConfig } from '../manifest/read-config.ts';
import type { Prune } from '../tree/settings.ts';
import { DiagnosticError, hasErrors } from '../util/diagnostic.ts';
import { systemReason, userError } from '../util/user-error.ts';
import type { Invocation } from './invocation.ts';

/** Settings of a run, complete. */
export interface RunSettings {
  readonly files: readonly string[];
  readonly overlays: readonly string[];
  /** An address, or `local[:path]`. */
  readonly baseUrl: string | undefined;
  /** Reads the token when it is needed. */
  readonly token: () => string;
  readonly seedFile: string | undefined;
  readonly parallelism: number;
  readonly prune: Prune | undefined;
  readonly allowHttp: boolean;
}

/** The name of the configuration file. */
const configFile = 'octavo.config.yaml';

/** Puts the settings together. Throws a DiagnosticError for what cannot be right. */
export function readSettings({ flags, env, cwd }: Pick<Invocation, 'flags' | 'env' | 'cwd'>): RunSettings {
  const file = readConfig(cwd);
  const parallelism = flags.parallelism ?? file.parallelism;
  if (!parallelismSchema.safeParse(parallelism).success) {
    throw userError('parallelism', '--parallelism must be a whole number from 1 to 64');
  }
  return {
    files: flags.file ?? file.file ?? ['.'],
    overlays: flags.overlay ?? file.overlay ?? [],
    baseUrl: flags.baseUrl ?? given(env.OCTAVO_BASE_URL) ?? file.baseUrl,
    token: () => readToken(flags.tokenFile, env, { cwd, configured: file.tokenFile }),
    seedFile: flags.seed,
    parallelism,
    prune: flags.prune as Prune | undefined,
    allowHttp: given(env.OCTAVO_ALLOW_HTTP) === '1',
  };
}

/** The token from a file or the environment. Its text is in no message. */
function readToken(
  flag: string | undefined,
  env: Invocation['env'],
  more: { readonly cwd: string; readonly configured: string | undefined },
): string {
  const direct = given(env.OCTAVO_TOKEN);
  if (flag === undefined && direct !== undefined) return direct.trim();
  const file = flag ?? given(env.OCTAVO_TOKEN_FILE) ?? more.configured;
  if (file === undefined) {
    throw userError(
      'no-token',
      'no token configured',
      'set OCTAVO_TOKEN or OCTAVO_TOKEN_FILE, or pass --token-file',
    );
  }
  try {
    return readFileSync(resolve(more.cwd, file), 'utf8').trim();
  } catch (error) {
    throw userError(
      'token-file',
      `cannot read the token file ${file}: ${systemReason(error) ?? String(error)}`,
    );
  }
}

function readConfig(cwd: string): Config {
  let text = '';
  try {
    text = readFileSync(resolve(cwd, configFile), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT')
      throw userError('config', `cannot read ${configFile}: ${systemReason(error) ?? String(error)}`);
  }
  const { config, diagnostics } = parseConfig(configFile, text);
  if (hasErrors(diagnostics)) throw new DiagnosticError(diagnostics, new Map([[configFile, text]]));
  return config;
}

/** An environment variable; an empty one counts as not set. */
function given(value: string | undefined): string | undefined {
  return value === undefined || value.trim() === '' ? undefined : value.trim();
}
