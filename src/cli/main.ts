/** Reads the command line, runs the command and turns every failure into one clear message. */

import type { Clock } from '../client/pacing.ts';
import type { RunEnd } from '../run/run-report/run-event.ts';
import { version } from '../util/version.ts';
import type { CommandLine } from './command-line.ts';
import { type Command, commands } from './command-table.ts';
import { readCommonLine } from './common-line.ts';
import { misspeltVariables } from './environment.ts';
import type { Flags } from './flags.ts';
import { Interrupt } from './interrupt.ts';
import type { Invocation } from './invocation.ts';
import { RunWatch } from './observe/run-watch.ts';
import { Output } from './output.ts';
import { UsageError } from './usage-error.ts';
import type { World } from './world.ts';

/** What a command line requests. */
type ParsedCommand =
  | { readonly type: 'help'; readonly text: string }
  | ({ readonly type: 'run' } & CommandLine);

/** Runs the command line and returns the exit code. Never throws. */
export async function main(args: readonly string[], world: World): Promise<number> {
  if (args[0] === '__complete') {
    const { answerShell } = await import('./completion/answer.ts');
    await answerShell(args.slice(1), world);
    return 0;
  }
  let parsed: ParsedCommand;
  try {
    parsed = await parse(args);
  } catch (error) {
    const output = outputFor(world, {});
    if (!(error instanceof UsageError)) return (await fail(output, error)).exitCode;
    output.error(`error[usage]: ${error.message}`);
    return 1;
  }
  if (parsed.type === 'help') {
    outputFor(world, {}).result(parsed.text);
    return 0;
  }
  const { command, flags, argument, words } = parsed;
  const { env, cwd } = world;
  const output = outputFor(world, flags);
  const runId = newRunId(world.clock);
  const watch = new RunWatch({ command, flags, runId, world, output });
  const interrupt = new Interrupt((line) => output.error(line), world.exit);
  interrupt.onExit(() => output.flush());
  interrupt.onExit(() => watch.cut({ exitCode: interrupt.exitCode, interrupted: true, errors: [] }));
  const { observe } = watch;
  const invocation: Invocation = {
    commandName: command.name,
    args,
    flags,
    argument,
    words,
    env,
    cwd,
    world,
    runId,
    output,
    interrupt,
    observe,
  };
  const stops = [
    interrupt.listen(world),
    world.onStrayError(
      (error) =>
        void fail(output, error, invocation)
          .then((failure) => watch.end(failure))
          .then((code) => interrupt.exit(code)),
    ),
  ];
  try {
    return await watch.end(await runCommand(invocation, { command, watch }));
  } finally {
    for (const stop of stops) stop();
  }
}

async function runCommand(
  invocation: Invocation,
  { command, watch }: { readonly command: Command; readonly watch: RunWatch },
): Promise<RunEnd> {
  const { env, output, interrupt } = invocation;
  try {
    for (const warning of await misspeltVariables(env)) output.note(warning);
    await watch.open();
    const { run } = await command.load();
    const exitCode = await run(invocation);
    return { exitCode, interrupted: interrupt.requested, errors: [] };
  } catch (error) {
    return fail(output, error, invocation);
  }
}

async function fail(output: Output, error: unknown, invocation?: Invocation): Promise<RunEnd> {
  const { explain, failuresOf } = await import('./failure.ts');
  const interrupted = invocation?.interrupt.requested === true;
  const exitCode = explain(output, error, invocation);
  return { exitCode, interrupted, errors: failuresOf(error, interrupted) };
}

function outputFor({ stdout, stderr, env, clock }: World, flags: Flags): Output {
  const { color, quiet = false, verbose = false } = flags;
  return new Output({ stdout, stderr }, { color, quiet, verbose, env, now: clock.now });
}

async function parse(args: readonly string[]): Promise<ParsedCommand> {
  const asked = await askedHelp(args);
  if (asked !== undefined) return { type: 'help', text: asked };
  const line = readCommonLine(args) ?? (await (await import('./any-line.ts')).readAnyLine(args));
  return { type: 'run', ...line };
}

/** The help or the version, where that is what is asked for. */
async function askedHelp(args: readonly string[]): Promise<string | undefined> {
  const own = args.includes('--') ? args.slice(0, args.indexOf('--')) : args;
  const [first, second] = own.filter((arg) => !arg.startsWith('-'));
  const isVersion = own.length === 1 && ['version', '--version', '-v', '-V'].includes(own[0] ?? '');
  if (isVersion) return `${version}\n`;
  const isHelp = first === 'help' || own.includes('--help') || own.includes('-h');
  if (!isHelp && args.length > 0) return undefined;
  const name = first === 'help' ? second : first;
  const command = commands.find((one) => one.name === name);
  if (command === undefined && name !== undefined) {
    const { explainUsage } = await import('./usage.ts');
    throw new UsageError(explainUsage(`Unknown command: ${name}`, [name]));
  }
  const { commandHelp, overallHelp } = await import('./help.ts');
  return command === undefined ? overallHelp() : commandHelp(command);
}

/** A name for a run that starts now, for example `r-mdlq2v9k-03fa`. Later runs have greater ones, up to the last part. */
function newRunId({ now, random }: Pick<Clock, 'now' | 'random'>): string {
  const suffix = Math.floor(random() * 0x10000)
    .toString(16)
    .padStart(4, '0');
  return `r-${now().toString(36)}-${suffix}`;
}
