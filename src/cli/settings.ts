/** What a command works with: flags over environment over octavo.config.yaml. Tokens never come from flags. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseDocument } from 'yaml';
import { z } from 'zod';
import { LineTable } from '../manifest/line-table.ts';
import type { Prune } from '../tree/settings.ts';
import { DiagnosticError, type SourceRange } from '../util/diagnostic.ts';
import { nearest } from '../util/nearest.ts';
import type { Invocation } from './invocation.ts';
import { systemReason, userError } from './user-error.ts';

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

const texts = z.union([z.string(), z.array(z.string())]);
const config = z.strictObject({
  baseUrl: z.string().optional(),
  tokenFile: z.string().optional(),
  file: texts.optional(),
  overlay: texts.optional(),
  parallelism: z.number().int().min(1).max(64).optional(),
});

type Config = z.infer<typeof config>;

/** Puts the settings together. Throws a DiagnosticError for what cannot be right. */
export function readSettings({ flags, env, cwd }: Pick<Invocation, 'flags' | 'env' | 'cwd'>): RunSettings {
  const file = readConfig(cwd);
  const parallelism = flags.parallelism ?? file.parallelism ?? 8;
  if (!Number.isInteger(parallelism) || parallelism < 1 || parallelism > 64) {
    throw userError('parallelism', '--parallelism is a whole number from 1 to 64');
  }
  return {
    files: flags.file ?? list(file.file) ?? ['.'],
    overlays: flags.overlay ?? list(file.overlay) ?? [],
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
      'there is no token',
      'set OCTAVO_TOKEN or OCTAVO_TOKEN_FILE, or give --token-file',
    );
  }
  try {
    return readFileSync(resolve(more.cwd, file), 'utf8').trim();
  } catch (error) {
    throw userError(
      'token-file',
      `the token file ${file} cannot be read: ${systemReason(error) ?? String(error)}`,
    );
  }
}

function readConfig(cwd: string): Config {
  let text: string;
  try {
    text = readFileSync(resolve(cwd, configFile), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw userError('config', `${configFile} cannot be read: ${systemReason(error) ?? String(error)}`);
  }
  const lines = new LineTable(text);
  const document = parseDocument(text);
  const range = (start: number, end: number): SourceRange => {
    const [from, to] = [lines.placeOf(start), lines.placeOf(end)];
    return { file: configFile, line: from.line, column: from.column, endLine: to.line, endColumn: to.column };
  };
  const [broken] = document.errors;
  if (broken !== undefined) {
    throw problem(broken.message.split(' at line')[0] ?? broken.message, range(broken.pos[0], broken.pos[1]));
  }
  const parsed = config.safeParse(document.toJS({ maxAliasCount: 10 }) ?? {});
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const unknown = issue?.code === 'unrecognized_keys' ? issue.keys[0] : undefined;
  const place = unknown === undefined ? (issue?.path ?? []) : [...(issue?.path ?? []), unknown];
  const node = document.getIn(place, true) as { range?: readonly [number, number, number] } | undefined;
  const at = node?.range === undefined ? undefined : range(node.range[0], node.range[1]);
  if (unknown === undefined) throw problem(`${place.join('.')}: ${issue?.message ?? 'not as expected'}`, at);
  const meant = nearest(unknown, Object.keys(config.shape));
  const known = Object.keys(config.shape).join(', ');
  throw problem(
    `${unknown} is no setting`,
    at,
    meant === undefined ? `known are: ${known}` : `did you mean ${meant}? Known are: ${known}`,
  );
}

function problem(message: string, at: SourceRange | undefined, suggestion?: string): DiagnosticError {
  return new DiagnosticError([
    {
      severity: 'error',
      code: 'config',
      message: at === undefined ? `${configFile}: ${message}` : message,
      ...(at === undefined ? {} : { at }),
      ...(suggestion === undefined ? {} : { suggestion }),
    },
  ]);
}

function list(value: string | readonly string[] | undefined): readonly string[] | undefined {
  return typeof value === 'string' ? [value] : value;
}

/** An environment variable; an empty one counts as not set. */
function given(value: string | undefined): string | undefined {
  return value === undefined || value.trim() === '' ? undefined : value.trim();
}
