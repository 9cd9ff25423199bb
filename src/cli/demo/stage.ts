/**
 * Where the demo plays: a git repository in a folder of its own, with a service in a file. Every command line that it shows
 * is run there as it stands, by this process or by git.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Writable } from 'node:stream';
import { Git, GitError } from '../../manifest/git.ts';
import { makeStyle } from '../../report/style.ts';
import { defined } from '../../util/defined.ts';
import { reasonOf, userError } from '../../util/user-error.ts';
import { startEmbedded } from '../connection.ts';
import type { Invocation } from '../invocation.ts';
import { main } from '../main.ts';
import type { World } from '../world.ts';
import { type DemoEdit, demoFiles, demoSeed } from './files.ts';

/** What came of a command. */
export interface DemoResult {
  readonly code: number;
  readonly text: string;
}

/** Commits have the same ids in every demo. */
const dates = { GIT_AUTHOR_DATE: '2026-01-05T09:00:00Z', GIT_COMMITTER_DATE: '2026-01-05T09:00:00Z' };

/** Settings of the repository, so that nothing depends on those of the user, who may run the commands as well. */
const gitSettings = {
  'user.name': 'Cleo',
  'user.email': 'cleo@acme.example',
  'commit.gpgsign': 'false',
  'core.autocrlf': 'false',
  'core.hooksPath': '.git/no-hooks',
  'advice.detachedHead': 'false',
};

/** The folder, and the commands that run there. */
export class DemoStage {
  readonly folder: string;
  readonly #invocation: Invocation;
  readonly #git: Git;
  readonly #isKept: boolean;

  private constructor(invocation: Invocation, folder: string) {
    this.#invocation = invocation;
    this.folder = folder;
    this.#isKept = invocation.flags.keep !== undefined;
    this.#git = new Git({ PATH: invocation.env.PATH, HOME: folder });
  }

  /** Makes the folder with everything in it. Throws a DiagnosticError where something is missing. */
  static async open(invocation: Invocation): Promise<DemoStage> {
    const stage = new DemoStage(invocation, makeFolder(invocation));
    try {
      await stage.#prepare();
      return stage;
    } catch (error) {
      stage.close();
      if (!(error instanceof GitError)) throw error;
      throw userError('demo', `the demo needs git: ${error.message}`, 'install git, then run the demo again');
    }
  }

  /** Removes the folder, unless it is to be kept. */
  close(): void {
    if (!this.#isKept) rmSync(this.folder, { recursive: true, force: true });
  }

  /** Shows a command line, runs it, and shows what it prints. Of `octavo`, and of git. */
  async run(line: string): Promise<DemoResult> {
    const { output } = this.#invocation;
    output.result(`${makeStyle(output).strong(`$ ${line}`)}\n`);
    const [program, ...args] = wordsOf(line);
    const result = program === 'git' ? await this.#runGit(args) : await this.#runOctavo(args);
    output.result('\n');
    return result;
  }

  /** Runs git without showing it. */
  async git(...args: readonly string[]): Promise<string> {
    const { exitCode, stdout, problem } = await this.#git.attempt(this.folder, args, dates);
    if (exitCode !== 0) throw new GitError(problem);
    return String(stdout);
  }

  /** Edits files as their author would, and commits that. */
  async commit(message: string, edits: readonly DemoEdit[]): Promise<void> {
    for (const { file, from, to } of edits) {
      const name = path.join(this.folder, file);
      writeFileSync(name, readFileSync(name, 'utf8').replace(from, to));
    }
    await this.git('commit', '--quiet', '--all', '--message', message);
  }

  async #prepare(): Promise<void> {
    mkdirSync(path.join(this.folder, '.octavo'), { recursive: true });
    const service = await startEmbedded({ data: path.join(this.folder, '.octavo/acme.db'), seed: demoSeed });
    await service.close();
    for (const [name, text] of Object.entries(demoFiles)) writeFileSync(path.join(this.folder, name), text);
    await this.git('init', '--quiet', '--initial-branch=main', '--object-format=sha1');
    for (const [name, value] of Object.entries(gitSettings)) await this.git('config', name, value);
    await this.git('add', '--all');
    await this.git('commit', '--quiet', '--message', 'Acme in git');
  }

  async #runGit(args: readonly string[]): Promise<DemoResult> {
    const { output } = this.#invocation;
    const colored = output.color ? ['-c', 'color.ui=always', ...args] : args;
    const text = await this.git(...colored);
    output.result(text);
    return { code: 0, text };
  }

  async #runOctavo(args: readonly string[]): Promise<DemoResult> {
    const { output, world } = this.#invocation;
    const printed = new Echo((text) => output.result(text), world.stdout.columns);
    const code = await main(args, this.#world(printed));
    return { code, text: printed.text };
  }

  /** The same machine, but nothing of the user's settings. */
  #world(printed: Echo): World {
    const { world, output, env } = this.#invocation;
    const { PATH } = env;
    return {
      ...world,
      cwd: this.folder,
      env: {
        ...defined({ PATH }),
        HOME: this.folder,
        XDG_STATE_HOME: path.join(this.folder, '.octavo/state'),
        ...(output.color ? { FORCE_COLOR: '1' } : { NO_COLOR: '1' }),
      },
      // What is printed to both is read together.
      stdout: printed,
      stderr: printed,
      // A command is over soon; the demo ends after it.
      onSignal: () => () => undefined,
      onStrayError: () => () => undefined,
    };
  }
}

/** Hands on what is written to it, and keeps it. */
class Echo extends Writable {
  text = '';
  readonly columns: number;
  readonly #write: (text: string) => void;

  constructor(write: (text: string) => void, columns: number | undefined) {
    super();
    this.#write = write;
    this.columns = columns ?? 100;
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    const text = chunk.toString('utf8');
    this.text += text;
    this.#write(text);
    done();
  }
}

function makeFolder({ flags: { keep }, cwd }: Invocation): string {
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

/** The words of a command line; quotes keep words together. */
function wordsOf(line: string): readonly string[] {
  return [...line.matchAll(/'([^']*)'|[^\s']+/g)].map(([word, quoted]) => quoted ?? word);
}
