import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Writable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { Git, GitError } from '../../manifest/files/git.ts';
import { wrap } from '../../report/text/safe-text.ts';
import { makeStyle } from '../../report/text/style.ts';
import { defined } from '../../util/defined.ts';
import { reasonOf, userError } from '../../util/user-error.ts';
import { demoFiles, demoSeed } from '../demo/files.ts';
import { type DemoCommit, scenes } from '../demo/script.ts';
import { Asker, AskingEnded } from '../init/ask.ts';
import { defineCommand, type InvocationWith } from '../line/command.ts';
import { flagTable } from '../line/flags.ts';
import { startEmbedded } from '../service/connection.ts';
import { canAsk } from '../world/ask.ts';
import type { World } from '../world/world.ts';

const flags = flagTable('Other flags', {
  keep: {
    type: 'string',
    value: 'path',
    description: 'Use this folder, new or empty, and keep it (default: a temporary one)',
  },
  step: {
    type: 'boolean',
    description: 'Wait for Enter after each part (default: on terminals, but not in CI)',
  },
});

type DemoInvocation = InvocationWith<typeof flags>;

export const command = defineCommand({
  flags,
  examples: ['octavo demo', 'octavo demo --no-step', 'octavo demo --keep acme'],
  guide: 'first-workspace',
  run,
});

/** Fixed, so that commits have the same ids in every demo. */
const dates = { GIT_AUTHOR_DATE: '2026-01-05T09:00:00Z', GIT_COMMITTER_DATE: '2026-01-05T09:00:00Z' };
/** Written into the repository: users who run the demo's commands by hand have other settings. */
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
    return await new Demo(invocation, folder).play();
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

class Demo {
  readonly #invocation: DemoInvocation;
  readonly #folder: string;
  readonly #git: Git;
  #run = '';

  constructor(invocation: DemoInvocation, folder: string) {
    this.#invocation = invocation;
    this.#folder = folder;
    this.#git = new Git({ PATH: invocation.env.PATH, HOME: folder });
  }

  async play(): Promise<number> {
    const { interrupt, world, flags } = this.#invocation;
    await this.#prepare();
    const asker = (flags.step ?? true) && canAsk(this.#invocation) ? new Asker(world, interrupt) : undefined;
    try {
      return await this.#scenes(asker);
    } finally {
      asker?.close();
    }
  }

  async #scenes(asker: Asker | undefined): Promise<number> {
    const { output, interrupt, flags } = this.#invocation;
    output.result(introduction(this.#strong(this.#folder)));
    for (const [at, { title, text, steps, exitCode = 0, note }] of scenes.entries()) {
      const finished = interrupt.finishFirst();
      const lines = wrap(text, Math.min(output.width, 100)).join('\n');
      output.result(`${this.#strong(`${at + 1}. ${title}`)}\n${lines}\n\n`);
      for (const step of steps) {
        if (interrupt.requested) return interrupt.exitCode;
        if (typeof step !== 'string') {
          await this.#commit(step);
          continue;
        }
        const code = await this.#show(step);
        if (code === exitCode || interrupt.requested) continue;
        output.error(`The demo failed: ${step} ended with exit code ${code}, not ${exitCode}`);
        return 1;
      }
      // Without a stop, the folder may be removed before anybody can open the page.
      if (note !== undefined && (asker !== undefined || flags.keep !== undefined))
        output.result(`${note.replace('$FOLDER', pathToFileURL(this.#folder).href)}\n\n`);
      finished();
      if (at < scenes.length - 1) await pause(asker, `${at + 1} of ${scenes.length}`);
      if (interrupt.requested) return interrupt.exitCode;
    }
    output.result(farewell(this.#folder, flags.keep));
    return 0;
  }

  async #prepare(): Promise<void> {
    mkdirSync(path.join(this.#folder, '.octavo'), { recursive: true });
    const service = await startEmbedded({ data: path.join(this.#folder, '.octavo/acme.db'), seed: demoSeed });
    await service.close();
    for (const [name, text] of Object.entries(demoFiles)) writeFileSync(path.join(this.#folder, name), text);
    await this.#runGit('init', '--quiet', '--initial-branch=main', '--object-format=sha1');
    for (const [name, value] of Object.entries(gitSettings)) await this.#runGit('config', name, value);
    await this.#runGit('add', '--all');
    await this.#runGit('commit', '--quiet', '--message', 'Acme in git');
  }

  async #show(step: string): Promise<number> {
    const { output } = this.#invocation;
    const line = step.replace('$RUN', this.#run);
    output.result(`${this.#strong(`$ ${line}`)}\n`);
    const [program, ...args] = line.split(' ');
    let code = 0;
    if (program === 'git') {
      output.result(await this.#runGit(...(output.color ? ['-c', 'color.ui=always', ...args] : args)));
    } else code = await this.#runOctavo(args);
    output.result('\n');
    return code;
  }

  async #commit({ commit, edits }: DemoCommit): Promise<void> {
    for (const { file, from, to } of edits) {
      const name = path.join(this.#folder, file);
      writeFileSync(name, readFileSync(name, 'utf8').replace(from, to));
    }
    await this.#runGit('commit', '--quiet', '--all', '--message', commit);
  }

  async #runGit(...args: readonly string[]): Promise<string> {
    const { exitCode, stdout, problem } = await this.#git.attempt(this.#folder, args, dates);
    if (exitCode !== 0) throw new GitError(problem);
    return String(stdout);
  }

  /** On the same machine, but without the user's settings. */
  async #runOctavo(args: readonly string[]): Promise<number> {
    const { world, output, env, runLine } = this.#invocation;
    let printed = '';
    const stream = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        printed += chunk.toString('utf8');
        output.result(chunk.toString('utf8'));
        done();
      },
    });
    const shown: World['stdout'] = Object.assign(stream, { columns: world.stdout.columns ?? 100 });
    const code = await runLine(args, {
      ...world,
      cwd: this.#folder,
      env: {
        ...defined({ PATH: env.PATH }),
        HOME: this.#folder,
        XDG_STATE_HOME: path.join(this.#folder, '.octavo/state'),
        ...(output.color ? { FORCE_COLOR: '1' } : { NO_COLOR: '1' }),
      },
      // People read both together.
      stdout: shown,
      stderr: shown,
      // A command ends soon; the demo ends after it.
      onSignal: () => () => undefined,
      onStrayError: () => () => undefined,
    });
    if (this.#run === '') this.#run = /octavo undo (r-\S+)/.exec(printed)?.[1] ?? '';
    return code;
  }

  #strong(text: string): string {
    return makeStyle(this.#invocation.output).strong(text);
  }
}

/** The rest runs through if the input ends. */
async function pause(asker: Asker | undefined, where: string): Promise<void> {
  try {
    await asker?.line(`(${where}) Press Enter to go on: `);
  } catch (error) {
    if (!(error instanceof AskingEnded)) throw error;
  }
}

function introduction(folder: string): string {
  return `Octavo keeps documentation workspaces in git. This is Acme, which is made up: a git repository,
and a service on this machine. Every command below runs in this folder, and can be run by hand:

  ${folder}

`;
}

function farewell(folder: string, kept: string | undefined): string {
  const where =
    kept === undefined
      ? 'The folder is removed now; octavo demo --keep DIR keeps it, with demo.html, the plan as a page.'
      : `Everything is in ${folder}: open demo.html, or change a file and run octavo plan.`;
  return `That is all: change the files, read the plan, apply it.\n${where}\nYour own workspace: octavo init, or docs/adopting.md of Octavo.\n`;
}
