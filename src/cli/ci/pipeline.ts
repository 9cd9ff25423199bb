/** A pipeline run: its trigger, and the Octavo commands that it runs, with their results in files. */
import { createHash } from 'node:crypto';
import path from 'node:path';
import { type KeptPost, markerOf } from '../../forge/sticky.ts';
import { refuseLinks } from '../../manifest/files/work-folder.ts';
import { parseFile, readText } from '../../run/read-file.ts';
import { shardText } from '../../run/shard.ts';
import { defined } from '../../util/defined.ts';
import { isRecord } from '../../util/json.ts';
import { reasonOf, userError } from '../../util/user-error.ts';
import { commentsOf, type OpenForge, settlePost, withForge } from '../forge/open.ts';
import { hasForgeToken, type PipelineRun, pipelineRun } from '../forge/place.ts';
import type { Invocation } from '../line/command.ts';
import { type RunSettings, readSettings } from '../service/settings.ts';
import { requireUntracked } from '../service/untracked.ts';
import { variableIn } from '../world/environment.ts';

export interface Pipeline {
  readonly invocation: Invocation;
  /** The ones that bind an apply come from its base; see `boundSettings`. */
  readonly settings: RunSettings;
  /** The base that the configuration of the checkout names. */
  readonly own?: string | undefined;
  /** Undefined outside of GitHub and GitLab. */
  readonly run: PipelineRun | undefined;
  /** Opened on first use. */
  readonly forge: () => OpenForge;
  /** Names the comment and the approval. */
  readonly key: string;
  /** Folder for results, relative to the working folder. */
  readonly folder: string;
}

export const defaultKey = 'plan';
export const approvalName = 'approval.json';

export async function withPipeline<T>(
  invocation: Invocation,
  work: (pipeline: Pipeline) => Promise<T>,
): Promise<T> {
  const settings = await readSettings(invocation);
  const { shard } = settings;
  const { key: given = defaultKey } = invocation.flags;
  const key = shard === undefined ? given : `${given}-${shardText(shard).replace('/', '-')}`;
  markerOf(key);
  const { env, cwd } = invocation;
  const [run, folder] = [pipelineRun(env), folderOf(key)];
  await requireUntracked(invocation, 'ci');
  try {
    for (const one of [folder, 'octavo-ci/.gitignore']) refuseLinks(path.resolve(cwd, one));
  } catch (error) {
    throw userError('ci', `cannot write results: ${reasonOf(error)}`, 'remove the link from the repository');
  }
  const own = settings.base;
  return withForge(invocation, (forge) => work({ invocation, settings, own, run, forge, key, folder }));
}

function folderOf(key: string): string {
  return key === defaultKey ? 'octavo-ci' : `octavo-ci/${key}`;
}

/** Path from the root of the project, as GitLab jobs name their artifacts. */
export function approvalFile({ env, cwd }: Pick<Invocation, 'env' | 'cwd'>, key: string): string {
  const root = variableIn(env, 'CI_PROJECT_DIR') ?? cwd;
  return path
    .relative(root, path.resolve(cwd, folderOf(key), approvalName))
    .split(path.sep)
    .join('/');
}

export function fileIn({ folder }: Pipeline, name: string): string {
  return `${folder}/${name}`;
}

/**
 * Runs a command with the flags of this one. `files`: names of results by format, for example `plan.md` for `markdown`; deletes the
 * results of an earlier run first.
 */
export async function runOctavo(
  pipeline: Pipeline,
  args: readonly string[],
  files: Readonly<Record<string, string>> = {},
): Promise<number> {
  const { invocation, run, folder } = pipeline;
  const { cwd, flags, world, runLine, output } = invocation;
  const { effects } = invocation.folder;
  effects.makeFolder(path.resolve(cwd, folder), { recursive: true });
  // Keep results out of git.
  invocation.folder.put(path.resolve(cwd, 'octavo-ci/.gitignore'), '*\n');
  for (const name of Object.values(files)) effects.remove(path.resolve(cwd, folder, name));
  const formats = [
    // Accepted drift produces no result with annotations.
    ...(run?.forge === 'github' && !args.includes('--accept') ? ['github'] : []),
    ...Object.entries(files).map(([format, name]) => `${format}=${fileIn(pipeline, name)}`),
  ];
  const switches = { verbose: flags.verbose, quiet: flags.quiet, color: flags.color };
  output.flush();
  // Signals are for the running command.
  return runLine(
    [
      ...args,
      ...(flags.file ?? []).flatMap((file) => ['--file', file]),
      ...(flags.overlay ?? []).flatMap((overlay) => ['--overlay', overlay]),
      ...(flags.shard === undefined || args[0] === 'validate' ? [] : ['--shard', flags.shard]),
      ...formats.flatMap((format) => ['--format', format]),
      ...Object.entries(defined(switches)).map(([name, isOn]) => `--${isOn === true ? '' : 'no-'}${name}`),
    ],
    world,
  );
}

export function readResult({ invocation: { cwd }, folder }: Pipeline, name: string): string | undefined {
  try {
    const text = readText(cwd, `${folder}/${name}`);
    return text.trim() === '' ? undefined : text;
  } catch {
    return undefined;
  }
}

/** @throws DiagnosticError if the command did not write the file. */
export function jsonResult(pipeline: Pipeline, name: string): Readonly<Record<string, unknown>> {
  const file = fileIn(pipeline, name);
  const wrong = (why: string) => userError('file', `${file}: ${why}`);
  const value = parseFile(pipeline.invocation.cwd, file, wrong);
  if (isRecord(value)) return value;
  throw wrong('it has another form');
}

export function sumOf(counts: unknown): number {
  return Object.values(isRecord(counts) ? counts : {}).reduce<number>((sum, count) => sum + Number(count), 0);
}

interface CommentChoice {
  readonly name: string;
  readonly only: boolean;
  readonly notes?: readonly string[];
}

/** `only`: updates an existing comment, but does not create one. `notes`: shown below the heading. */
export async function keepComment(
  pipeline: Pipeline,
  request: number,
  { name, only, notes = [] }: CommentChoice,
): Promise<KeptPost['type']> {
  const { invocation, settings, key } = pipeline;
  const isShown = settings.ci.comment !== false;
  // A comment from before the setting must not show an earlier plan.
  if (!isShown && !hasForgeToken(invocation.env)) return 'none';
  const command = name.replace(/\.md$/, '');
  const result = readResult(pipeline, name);
  const shown = result?.replace('\n', () => `\n${notes.map((note) => `\n${note}\n`).join('')}`);
  const body = shown ?? `### octavo ${command} · ✗ ended without a result\n\nSee the log of the run.\n`;
  const creates = isShown && result !== undefined && !only;
  const thread = commentsOf(pipeline.forge(), invocation, request);
  return settlePost(invocation, 'comment', { key, body, creates, thread });
}

/** A hidden line: people decline a drift by closing its issue or request. */
export function driftLine(drift: unknown): string {
  return `<!-- drift ${createHash('sha256').update(JSON.stringify(drift)).digest('hex')} -->`;
}

/** Last words of an issue or a request about drift. */
export function noDriftSince({ invocation: { world }, run }: Pipeline): string {
  const time = new Date(world.clock.now()).toISOString().slice(0, 16).replace('T', ' ');
  return `**No drift since ${time} UTC (commit \`${run?.push?.commit.slice(0, 10)}\`).**`;
}

export function say({ invocation: { output } }: Pipeline, text: string): void {
  output.note(text);
}

/** Example: `pull request 12 of acme/docs`. */
export function requestText({ forge, repository }: PipelineRun, number: number): string {
  return `${forge === 'github' ? 'pull' : 'merge'} request ${number} of ${repository}`;
}

export function wrongPlace(command: string, where: string, otherwise: string) {
  return userError('ci', `octavo ci ${command} is for ${where}`, otherwise);
}
