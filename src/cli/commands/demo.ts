/** Runs the commands of a story in order and shows their output. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Writable } from 'node:stream';
import { Git, GitError } from '../../manifest/files/git.ts';
import { wrap } from '../../report/text/safe-text.ts';
import { makeStyle } from '../../report/text/style.ts';
import { defined } from '../../util/defined.ts';
import { reasonOf, userError } from '../../util/user-error.ts';
import { type DemoCommit, files, manifest, scenes, seed, silent } from '../demo/story.ts';
import { defineCommand, type InvocationWith } from '../line/command.ts';
import { flagTable } from '../line/flags.ts';
import { startEmbedded } from '../service/connection.ts';
import type { World } from '../world/world.ts';

const flags = flagTable('Other flags', {
  keep: {
    type: 'string',
    value: 'path',
    description: 'Use this folder, new or empty, and keep it (default: a temporary one)',
  },
});

type DemoInvocation = InvocationWith<typeof flags>;

export const command = defineCommand({
  flags,
  examples: ['octavo demo', 'octavo demo --keep acme'],
  guide: 'first-workspace',
  run,
});

/** Fixed dates give commits the same ids in every demo. */
const dates = { GIT_AUTHOR_DATE: '2026-01-05T09:00:00Z', GIT_COMMITTER_DATE: '2026-01-05T09:00:00Z' };
/** Stored in the repository, because users who run the demo's commands by hand have other git settings. */
const gitSettings = {
  'user.name': 'Cleo',
  'user.email': 'cleo@acme.example',
  'commit.gpgsign': 'false',
  'core.autocrlf': 'false',
  'core.hooksPath': '.git/no-hooks',
  'advice.detachedHead': 'false',
};

async function run(invocation: DemoInvocation): Promise<number> {
  const { interrupt, flags } = invocation;
  const folder = makeFolder(invocation);
  const remove = () => {
    if (flags.keep === undefined) rmSync(folder, { recursive: true, force: true });
  };
  const forget = interrupt.onExit(remove);
  // The running command ends before its folder is removed.
  interrupt.finishFirst();
  try {
    return await play(invocation, folder);
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    throw userError('demo', `the demo needs git: ${error.message}`, 'install git, then run the demo again');
  } finally {
    forget();
    remove();
  }
}

function makeFolder({ flags: { keep }, cwd }: DemoInvocation): string {
  if (keep === undefined) return mkdtempSync(path.join(tmpdir(), 'octavo-demo-'));
  const folder = path.resolve(cwd, keep);
  try {
    mkdirSync(folder, { recursive: true });
    if (readdirSync(folder).length === 0) return folder;
  } catch (error) {
    throw userError('demo', `cannot use the folder ${keep}: ${reasonOf(error)}`, 'name another one');
  }
  throw userError('demo', `the folder ${keep} is not empty`, 'name a new one with --keep');
}

async function play(invocation: DemoInvocation, folder: string): Promise<number> {
  const { output, interrupt, flags, env } = invocation;
  const { strong } = makeStyle(output);
  const repository = new Git({ PATH: env.PATH, HOME: folder });
  const git = async (...args: readonly string[]) => {
    const { exitCode, stdout, problem } = await repository.attempt(folder, args, dates);
    if (exitCode !== 0) throw new GitError(problem);
    return String(stdout);
  };
  const commit = async ({ commit: message, edits = [] }: DemoCommit) => {
    const file = path.join(folder, manifest);
    const before = readFileSync(file, 'utf8');
    writeFileSync(
      file,
      edits.reduce((text, [from, to]) => text.replace(from, to), before),
    );
    await git('add', '--all');
    await git('commit', '--quiet', '--message', message);
  };
  await prepare(folder, git);
  output.result(`Octavo keeps documentation workspaces in git. This is Acme, which is made up: a git repository,
and a service on this machine. Every command below runs in this folder, and can be run by hand:

  ${strong(folder)}

`);
  let undoable: string | undefined;
  for (const [at, { title, text, steps, exitCode = 0 }] of scenes.entries()) {
    output.result(
      `${strong(`${at + 1}. ${title}`)}\n${wrap(text, Math.min(output.width, 100)).join('\n')}\n\n`,
    );
    for (const step of steps) {
      if (interrupt.requested) return interrupt.exitCode;
      if (typeof step !== 'string') {
        await commit(step);
        continue;
      }
      const line = step.replace('$RUN', undoable ?? '');
      output.result(`${strong(`$ ${line}`)}\n`);
      const [program, ...args] = line.replace(silent, '').split(' ');
      if (program === 'git') {
        output.result(`${await git(...(output.color ? ['-c', 'color.ui=always', ...args] : args))}\n`);
        continue;
      }
      const { code, printed } = await runOctavo(invocation, folder, args);
      if (!line.endsWith(silent)) output.result(printed);
      undoable ??= /octavo undo (r-\S+)/.exec(printed)?.[1];
      output.result('\n');
      if (code === exitCode || interrupt.requested) continue;
      output.error(`The demo failed: ${step} ended with exit code ${code}, not ${exitCode}`);
      return 1;
    }
  }
  output.result(farewell(folder, flags.keep));
  return interrupt.requested ? interrupt.exitCode : 0;
}

function farewell(folder: string, kept: string | undefined): string {
  const where =
    kept === undefined
      ? 'The folder is removed now; octavo demo --keep DIR keeps it, with demo.html, the plan as a page.'
      : `Everything is in ${folder}: open demo.html, or change ${manifest} and run octavo plan.`;
  return `That is all: change the files, read the plan, apply it.\n${where}\nYour own workspace: octavo init, or docs/adopting.md of Octavo.\n`;
}

async function prepare(folder: string, git: (...args: readonly string[]) => Promise<string>): Promise<void> {
  mkdirSync(path.join(folder, '.octavo'), { recursive: true });
  const service = await startEmbedded({ data: path.join(folder, '.octavo/acme.db'), seed });
  await service.close();
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text);
  await git('init', '--quiet', '--initial-branch=main', '--object-format=sha1');
  for (const [name, value] of Object.entries(gitSettings)) await git('config', name, value);
}

/** Runs Octavo in this world, but without the user's settings. */
async function runOctavo(
  { world, output, env, runLine }: DemoInvocation,
  cwd: string,
  args: readonly string[],
): Promise<{ readonly code: number; readonly printed: string }> {
  let printed = '';
  const stream = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      printed += chunk.toString('utf8');
      done();
    },
  });
  const shown: World['stdout'] = Object.assign(stream, { columns: world.stdout.columns ?? 100 });
  const code = await runLine(args, {
    ...world,
    cwd,
    env: {
      ...defined({ PATH: env.PATH }),
      HOME: cwd,
      XDG_STATE_HOME: path.join(cwd, '.octavo/state'),
      ...(output.color ? { FORCE_COLOR: '1' } : { NO_COLOR: '1' }),
    },
    // Readers see both streams together.
    stdout: shown,
    stderr: shown,
    // A command ends soon; the demo ends after it.
    onSignal: () => () => undefined,
    onStrayError: () => () => undefined,
  });
  return { code, printed };
}
