/** A pipeline run: its trigger, its forge, and the Octavo commands that it runs, with files of their results for later jobs. */
import { createHash } from 'node:crypto';
import path from 'node:path';
import { type KeptPost, markerOf } from '../../forge/sticky.ts';
import { refuseLinks } from '../../manifest/files/work-folder.ts';
import type { Counts } from '../../plan/plan.ts';
import { shardText } from '../../run/shard.ts';
import { defined } from '../../util/defined.ts';
import { stableStringify } from '../../util/json.ts';
import { reasonOf, userError } from '../../util/user-error.ts';
import { commentsOf, type OpenForge, settlePost, withForge } from '../forge/open.ts';
import { hasForgeToken, type PipelineRun, pipelineRun } from '../forge/place.ts';
import type { Command, CommandRan, Invocation } from '../line/command.ts';
import { flagName, type SharedFlags } from '../line/flags.ts';
import type { CommandName } from '../line/names.ts';
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

interface InnerCommand {
  readonly name: CommandName;
  readonly flags?: SharedFlags;
  /** Runs in place of the command, with the same flags and results. */
  readonly run?: Command['run'];
}

/**
 * Runs a command with these flags and those of this one. `files`: names of results by format, for example `plan.md` for `markdown`;
 * deletes the results of an earlier run first.
 */
export async function runInner(
  pipeline: Pipeline,
  { name, flags: given = {}, run: inPlace }: InnerCommand,
  files: Readonly<Record<string, string>>,
): Promise<CommandRan> {
  const { invocation, run, folder } = pipeline;
  const { cwd } = invocation;
  const { effects } = invocation.folder;
  effects.makeFolder(path.resolve(cwd, folder), { recursive: true });
  // Keep results out of git.
  invocation.folder.put(path.resolve(cwd, 'octavo-ci/.gitignore'), '*\n');
  for (const one of Object.values(files)) effects.remove(path.resolve(cwd, folder, one));
  const { file, overlay, shard, verbose, quiet, color } = invocation.flags;
  const format = [
    // Accepted drift produces no result with annotations.
    ...(run?.forge === 'github' && given.accept !== true ? ['github'] : []),
    ...Object.entries(files).map(([one, file]) => `${one}=${fileIn(pipeline, file)}`),
  ];
  const scope = name === 'validate' ? { file, overlay } : { file, overlay, shard };
  const flags = defined({ ...given, ...scope, format, ...{ verbose, quiet, color } });
  invocation.output.flush();
  return invocation.runOther({ name, flags, words: [], args: argsOf(name, flags), run: inPlace });
}

export function countChanges(counts: Counts): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

/** For messages such as `Continue with: octavo apply --file docs`. */
function argsOf(command: string, flags: SharedFlags): readonly string[] {
  const words = Object.entries(flags).flatMap(([flag, values]: [string, unknown]) =>
    [values].flat().flatMap((value) => {
      if (value === false) return [`--no-${flagName(flag)}`];
      return [`--${flagName(flag)}`, ...(value === true || value === '' ? [] : [String(value)])];
    }),
  );
  return [command, ...words];
}

interface CommentChoice {
  readonly ran: CommandRan;
  readonly command: string;
  readonly only: boolean;
  readonly notes?: readonly string[];
}

/** `only`: updates an existing comment, but does not create one. `notes`: shown below the heading. */
export async function keepComment(
  pipeline: Pipeline,
  request: number,
  { ran, command, only, notes = [] }: CommentChoice,
): Promise<KeptPost['type']> {
  const { invocation, settings, key } = pipeline;
  const isShown = settings.ci.comment !== false;
  // A comment from before the setting must not show an earlier plan.
  if (!isShown && !hasForgeToken(invocation.env)) return 'none';
  const text = ran.texts.get(fileIn(pipeline, `${command}.md`));
  const shown = text?.replace('\n', () => `\n${notes.map((note) => `\n${note}\n`).join('')}`);
  const body = shown ?? `### octavo ${command} · ✗ ended without a result\n\nSee the log of the run.\n`;
  const creates = isShown && text !== undefined && !only;
  const thread = commentsOf(pipeline.forge(), invocation, request);
  return settlePost(invocation, 'comment', { key, body, creates, thread });
}

/** A hidden line: people decline a drift by closing its issue or request. */
export function driftLine(drift: unknown): string {
  return `<!-- drift ${createHash('sha256').update(stableStringify(drift)).digest('hex')} -->`;
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
