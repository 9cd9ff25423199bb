/** Parses the command line, runs the command and turns every failure into one message. */

import type { Clock } from '../client/pacing.ts';
import type { RunEnd } from '../run/results/run-event.ts';
import { build } from '../util/version.ts';
import { type Command, type CommandRan, type Invocation, UsageError } from './line/command.ts';
import { loadCommand } from './line/list.ts';
import { isCommandName } from './line/names.ts';
import type { CommandLine } from './line/read-line.ts';
import { RunWatch } from './observe/run-watch.ts';
import { misspelledVariables } from './world/environment.ts';
import { Interrupt } from './world/interrupt.ts';
import { Output } from './world/output.ts';
import type { World } from './world/world.ts';

/** Returns the exit code. Never throws. */
export async function main(args: readonly string[], world: World): Promise<number> {
  if (args[0] === '__complete') {
    const { answerShell } = await import('./completion/answer.ts');
    await answerShell(args.slice(1), world);
    return 0;
  }
  let line: CommandLine;
  try {
    const help = await requestedHelp(args);
    if (help !== undefined) {
      outputFor(world, {}).result(help);
      return 0;
    }
    const { readLine } = await import('./line/read-line.ts');
    line = await readLine(args);
  } catch (error) {
    const output = outputFor(world, {});
    if (!(error instanceof UsageError)) return (await fail(output, error)).exitCode;
    output.error(`error[usage]: ${error.message}`);
    return 1;
  }
  return (await runCommand(line, world)).exitCode;
}

async function runCommand({ name, command, ...given }: CommandLine, world: World): Promise<CommandRan> {
  const { env, cwd } = world;
  const output = outputFor(world, given.flags);
  const runId = newRunId(world.clock);
  const folder = await world.folder();
  const watch = new RunWatch({ ...given, name, command, runId, world, folder, output });
  const interrupt = new Interrupt((line) => output.error(line), world);
  interrupt.onExit(() => watch.cut({ exitCode: interrupt.exitCode, interrupted: true, diagnostics: [] }));
  interrupt.onExit(() => output.flush());
  const invocation: Invocation = {
    commandName: name,
    ...given,
    env,
    cwd,
    world,
    folder,
    runId,
    writesJson: watch.writesJson,
    output,
    interrupt,
    observe: watch.observe,
    runOther: async (other) => {
      // Signals are for the other command.
      interrupt.end();
      const { run, ...line } = other;
      const command = { ...(await loadCommand(line.name)), ...(run && { run }) };
      return runCommand({ ...line, command }, world).finally(() => interrupt.listen());
    },
  };
  const forget = world.onStrayError(
    (error) =>
      void fail(output, error, invocation)
        .then((failure) => watch.end(failure))
        .then((code) => interrupt.exit(code)),
  );
  try {
    const end = await runWatched(invocation, command, watch);
    return { exitCode: await watch.end(end), last: watch.last, texts: output.texts };
  } finally {
    interrupt.end();
    forget();
  }
}

async function runWatched(invocation: Invocation, command: Command, watch: RunWatch): Promise<RunEnd> {
  const { env, output, interrupt } = invocation;
  try {
    for (const warning of await misspelledVariables(env)) output.note(warning);
    await watch.open();
    if (watch.isWatched) interrupt.listen();
    const exitCode = await runAgain(invocation, command);
    return { exitCode, interrupted: interrupt.requested, diagnostics: [] };
  } catch (error) {
    return fail(output, error, invocation);
  }
}

/** If the same command was interrupted between two files, it starts again from the files as they were. */
async function runAgain(invocation: Invocation, command: Command): Promise<number> {
  try {
    return await command.run(invocation);
  } catch (error) {
    const { HalfWritten } = await import('../manifest/files/half-written.ts');
    const { args, cwd, flags, folder } = invocation;
    const isSame =
      error instanceof HalfWritten && error.command.split(' ').every((word) => args.includes(word));
    if (!isSame || 'dryRun' in flags) throw error;
    folder.restore(error, cwd);
  }
  return runAgain(invocation, command);
}

async function fail(output: Output, error: unknown, invocation?: Invocation): Promise<RunEnd> {
  const { explain } = await import('./show/failure.ts');
  return explain(output, error, invocation);
}

function outputFor({ stdout, stderr, env, clock }: World, flags: Invocation['flags']): Output {
  const { color, quiet = false, verbose = false } = flags;
  return new Output({ stdout, stderr }, { color, quiet, verbose, env, now: clock.now });
}

async function requestedHelp(args: readonly string[]): Promise<string | undefined> {
  const own = args.includes('--') ? args.slice(0, args.indexOf('--')) : args;
  const [first, second] = own.filter((arg) => !arg.startsWith('-'));
  const isVersion =
    ['version', '--version', '-v', '-V'].includes(own[0] ?? '') &&
    own.slice(1).every((arg) => arg.startsWith('-'));
  if (isVersion) return `${build}\n`;
  const isHelp = first === 'help' || own.includes('--help') || own.includes('-h');
  if (!isHelp && args.length > 0) return undefined;
  const name = first === 'help' ? second : first;
  const { commandHelp, overallHelp } = await import('./line/help.ts');
  if (name === undefined) return overallHelp();
  if (isCommandName(name)) return commandHelp(name, await loadCommand(name));
  const { mistake } = await import('./line/mistakes.ts');
  throw mistake.command([name]);
}

/** Example: `r-mdlq2v9k-03faaf30`. Later runs have greater names, up to the last part. */
function newRunId({ now, random }: Pick<Clock, 'now' | 'random'>): string {
  const suffix = Math.floor(random() * 0x100000000)
    .toString(16)
    .padStart(8, '0');
  return `r-${now().toString(36)}-${suffix}`;
}
