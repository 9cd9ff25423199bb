/** Reads the command line, runs the command and turns every failure into one clear message. */
import yargs, { type Argv, type Options } from 'yargs';
import type { RunEnd } from '../run/run-report/run-event.ts';
import { defined } from '../util/defined.ts';
import { version } from '../util/version.ts';
import { type Command, commands, commonFlags, flagChoices } from './command-table.ts';
import { type Flags, flagName, flagSpecs } from './flags.ts';
import { commandHelp, overallHelp, usageOf } from './help.ts';
import { Interrupt } from './interrupt.ts';
import type { Invocation } from './invocation.ts';
import { RunWatch } from './observe/run-watch.ts';
import { Output } from './output.ts';
import { newRunId } from './run-id.ts';
import { explainUsage, misspeltVariables, refuseSwitchValues, UsageError } from './usage.ts';
import type { World } from './world.ts';

/** What a command line requests. */
type ParsedCommand =
  | { readonly type: 'help'; readonly text: string }
  | {
      readonly type: 'run';
      readonly command: Command;
      readonly flags: Flags;
      readonly argument: string | undefined;
      readonly words: readonly string[];
    };

/** Runs the command line and returns the exit code. Never throws. */
export async function main(args: readonly string[], world: World): Promise<number> {
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
    for (const warning of misspeltVariables(env)) output.note(warning);
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

function outputFor({ stdout, stderr, env }: World, flags: Flags): Output {
  const { color, quiet = false, verbose = false } = flags;
  return new Output({ stdout, stderr }, { color, quiet, verbose, env });
}

async function parse(args: readonly string[]): Promise<ParsedCommand> {
  const asked = askedHelp(args);
  if (asked !== undefined) return { type: 'help', text: asked };
  let chosen: ParsedCommand | undefined;
  const parser = makeParser((parsed) => {
    chosen = parsed;
  });
  let problem: Error | undefined;
  await parser.parseAsync([...args], {}, (error) => {
    problem = error as Error | undefined;
  });
  if (problem instanceof UsageError) throw problem;
  if (problem !== undefined && problem !== null) throw new UsageError(explainUsage(problem.message, args));
  if (chosen === undefined) throw new UsageError('no command\n  help: see octavo --help');
  if (chosen.type === 'run') refuseSwitchValues(chosen.command, args);
  return chosen;
}

/** The help or the version, where that is what is asked for. */
function askedHelp(args: readonly string[]): string | undefined {
  const own = args.includes('--') ? args.slice(0, args.indexOf('--')) : args;
  const [first, second] = own.filter((arg) => !arg.startsWith('-'));
  const isVersion = own.length === 1 && ['version', '--version', '-v', '-V'].includes(own[0] ?? '');
  if (isVersion) return `${version}\n`;
  const isHelp = first === 'help' || own.includes('--help') || own.includes('-h');
  if (!isHelp && args.length > 0) return undefined;
  const name = first === 'help' ? second : first;
  const command = commands.find((one) => one.name === name);
  if (command !== undefined) return commandHelp(command);
  if (name !== undefined) throw new UsageError(explainUsage(`Unknown command: ${name}`, [name]));
  return overallHelp();
}

function makeParser(choose: (parsed: ParsedCommand) => void): Argv {
  const parser = yargs()
    .scriptName('octavo')
    .detectLocale(false)
    .parserConfiguration({
      'greedy-arrays': false,
      'parse-positional-numbers': false,
      'parse-numbers': false,
    })
    .strict()
    .exitProcess(false)
    .version(false)
    .help(false);
  for (const command of commands) {
    const { argument, words } = command;
    parser.command(
      usageOf(command),
      command.summary,
      (builder) => {
        if (argument !== undefined) {
          const { choices, description } = argument;
          builder.positional(argument.name, {
            type: 'string',
            describe: description,
            ...defined({ choices }),
          });
        }
        if (words !== undefined) {
          builder.positional(words.name, { type: 'string', array: true, describe: words.description });
        }
        return builder.options(optionsOf(command));
      },
      (argv) =>
        choose({
          type: 'run',
          command,
          flags: flagsOf(command, argv),
          argument: argumentOf(command, argv),
          words: wordsOf(command, argv),
        }),
    );
  }
  return parser;
}

function optionsOf(command: Command): Record<string, Options> {
  return Object.fromEntries(
    [...command.flags, ...commonFlags].map((name): [string, Options] => {
      const { type, list, alias, description } = flagSpecs[name];
      const choices = flagChoices(command, name);
      return [
        flagName(name),
        {
          // Numbers are read below, so that a wrong one is an error and not NaN.
          type: type === 'boolean' ? 'boolean' : 'string',
          describe: description,
          ...(type === 'boolean' ? {} : { requiresArg: true }),
          ...(list === true ? { array: true } : {}),
          ...defined({ alias, choices }),
        },
      ];
    }),
  );
}

function flagsOf(command: Command, argv: Readonly<Record<string, unknown>>): Flags {
  const entries = [...command.flags, ...commonFlags].flatMap((name): [string, unknown][] => {
    const { type, list } = flagSpecs[name];
    const value = argv[flagName(name)];
    if (value === undefined) return [];
    if (list !== true && Array.isArray(value))
      throw new UsageError(`--${flagName(name)} is set more than once`);
    if (type !== 'boolean' && [value].flat().includes(false)) return [[name, negated(command, name)]];
    if (type !== 'number') return [[name, value]];
    if (!/^\d{1,9}$/.test(String(value)))
      throw new UsageError(
        `--${flagName(name)} must be a whole number, is ${JSON.stringify(value)}\n  help: see octavo ${command.name} --help`,
      );
    return [[name, Number(value)]];
  });
  return Object.fromEntries(entries);
}

/** What `--no-<flag>` stands for. */
function negated(command: Command, name: keyof Flags): string {
  const { no } = flagSpecs[name];
  if (no !== undefined) return no;
  throw new UsageError(`unknown flag --no-${flagName(name)}\n  help: see octavo ${command.name} --help`);
}

function argumentOf({ argument }: Command, argv: Readonly<Record<string, unknown>>): string | undefined {
  const value = argument === undefined ? undefined : argv[argument.name];
  return value === undefined ? undefined : String(value);
}

/** The words after the command's name; those after `--` are words too. */
function wordsOf({ words }: Command, argv: Readonly<Record<string, unknown>>): readonly string[] {
  if (words === undefined) return [];
  const [given, rest] = [argv[words.name], argv._];
  return [given, Array.isArray(rest) ? rest.slice(1) : []]
    .flat()
    .filter((word) => word !== undefined)
    .map(String);
}
