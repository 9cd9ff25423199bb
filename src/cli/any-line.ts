/** Reads any command line with yargs, and says what is wrong with it. Loaded only where `common-line.ts` gives up. */
import yargs, { type Argv, type Options } from 'yargs';
import { defined } from '../util/defined.ts';
import { type CommandLine, flagNamesOf, flagsOf } from './command-line.ts';
import { type Command, commands, flagChoices } from './command-table.ts';
import { flagName, flagSpecs } from './flags.ts';
import { usageOf } from './help.ts';
import { explainUsage, refuseFormats, refuseSwitchValues } from './usage.ts';
import { UsageError } from './usage-error.ts';

/** What the command line requests. Throws a UsageError where that cannot be understood. */
export async function readAnyLine(args: readonly string[]): Promise<CommandLine> {
  let chosen: CommandLine | undefined;
  const parser = makeParser((line) => {
    chosen = line;
  });
  let problem: Error | undefined;
  await parser.parseAsync(withDashesLast(args), {}, (error) => {
    problem = error as Error | undefined;
  });
  if (problem instanceof UsageError) throw problem;
  if (problem !== undefined && problem !== null) throw new UsageError(explainUsage(problem.message, args));
  if (chosen === undefined) throw new UsageError('no command\n  help: see octavo --help');
  refuseSwitchValues(chosen.command, args);
  refuseFormats(chosen);
  return chosen;
}

/** Yargs loses the word `-`, but for one behind `--`: those that are no value of a flag go there. */
function withDashesLast(args: readonly string[]): string[] {
  const end = args.includes('--') ? args.indexOf('--') : args.length;
  const isWord = (arg: string, at: number) => arg === '-' && at < end && !takesValue(args[at - 1] ?? '');
  const dashes = args.filter(isWord);
  const others = args.filter((arg, at) => !isWord(arg, at));
  if (dashes.length === 0) return [...args];
  return end < args.length ? [...others, ...dashes] : [...others, '--', ...dashes];
}

/** True for a flag that is followed by its value. */
function takesValue(arg: string): boolean {
  return Object.entries(flagSpecs).some(
    ([name, { type, alias }]) =>
      type !== 'boolean' &&
      (arg === `--${flagName(name as keyof typeof flagSpecs)}` ||
        (alias !== undefined && arg === `-${alias}`)),
  );
}

function makeParser(choose: (line: CommandLine) => void): Argv {
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
    flagNamesOf(command).map((name): [string, Options] => {
      const { type, list, alias, description } = flagSpecs[name];
      // A format may be followed by a file.
      const choices = name === 'format' ? undefined : flagChoices(command, name);
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
