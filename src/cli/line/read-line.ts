/** Parses a command line with the parser of yargs, and checks it against the flags of its command. */
import { Parser } from 'yargs/helpers';
import { formatOf, formatsProblem } from '../show/formats.ts';
import { type Command, choicesOf, flagsOf, type Invocation, UsageError } from './command.ts';
import { type FlagSpec, type FlagTable, flagName } from './flags.ts';
import { loadCommand } from './list.ts';
import { type LineContext, mistake } from './mistakes.ts';
import { type CommandName, isCommandName } from './names.ts';

export interface CommandLine extends Pick<Invocation, 'args' | 'flags' | 'words'> {
  readonly name: CommandName;
  readonly command: Command;
}

export async function readLine(args: readonly string[]): Promise<CommandLine> {
  const [name, ...rest] = args;
  if (!isCommandName(name)) throw mistake.command(args);
  const command = await loadCommand(name);
  const context: LineContext = { name, command, flags: flagsOf(command), args: rest };
  const { argv, error } = parse(rest, context.flags);
  if (error) throw mistake.noValue(context, error.message);
  const { _: words, '--': after = [], ...values } = argv;
  const unknown = Object.keys(values).find(
    (given) => !Object.keys(context.flags).some((one) => flagName(one) === given),
  );
  if (unknown !== undefined) throw mistake.flag(context, unknown);
  refuseSwitchValues(context);
  const flags = Object.fromEntries(
    Object.entries(context.flags).flatMap(([one, spec]): [string, unknown][] => {
      const value = values[flagName(one)];
      return value === undefined ? [] : [[one, readValue(context, [one, spec], value)]];
    }),
  ) as CommandLine['flags'];
  const problem = formatsProblem(flags);
  if (problem !== undefined) throw new UsageError(problem);
  return { name, command, args, flags, words: wordsOf(context, [...words, ...after].map(String)) };
}

/** Replaces the English of the parser: its only error here is a flag without its value, and the message is that flag. */
const messages = { __: (_: string, flag: string) => flag };

/** Its only error is a last flag without its value. */
export function parse(args: readonly string[], flags: FlagTable) {
  const named = Object.entries(flags).map(([name, spec]) => ({ ...spec, name: flagName(name) }));
  const withValue = named.filter(({ type }) => type !== 'boolean').map(({ name }) => name);
  // Otherwise such a flag would take the next word as its value.
  const optional = named.filter((one) => one.optional === true).map(({ name }) => `--${name}`);
  const end = args.includes('--') ? args.indexOf('--') : args.length;
  const written = args.map((arg, at) => (at < end && optional.includes(arg) ? `${arg}=` : arg));
  return Parser.detailed(written, {
    boolean: named.filter(({ type }) => type === 'boolean').map(({ name }) => name),
    // Numbers are parsed below: the parser also accepts 1e3 and 0x10.
    string: withValue,
    narg: Object.fromEntries(withValue.map((name) => [name, 1])),
    alias: Object.fromEntries(
      named.flatMap(({ name, alias }) => (alias === undefined ? [] : [[name, alias]])),
    ),
    configuration: {
      'camel-case-expansion': false,
      'dot-notation': false,
      'greedy-arrays': false,
      'parse-numbers': false,
      'parse-positional-numbers': false,
      'populate--': true,
      'strip-aliased': true,
    },
    ...messages,
  });
}

/** The parser accepts `--color=always` as `--color`. */
function refuseSwitchValues({ flags, args }: LineContext): void {
  const end = args.indexOf('--');
  for (const arg of end < 0 ? args : args.slice(0, end)) {
    const [, name, value = ''] = /^--(?:no-)?([a-z-]+)=(.*)$/s.exec(arg) ?? [];
    const isSwitch = Object.entries(flags).some(
      ([one, { type }]) => type === 'boolean' && flagName(one) === name,
    );
    if (!isSwitch || /^(?:true|false)$/.test(value)) continue;
    throw new UsageError(`--${name} takes no value\n  help: pass --${name} or --no-${name}`);
  }
}

function readValue(context: LineContext, [name, spec]: readonly [string, FlagSpec], value: unknown): unknown {
  const { type, list } = spec;
  if (list !== true && Array.isArray(value))
    throw new UsageError(`--${flagName(name)} is set more than once`);
  if (type === 'boolean') return value;
  if ([value].flat().includes(false)) throw mistake.flag(context, flagName(name));
  const isWritten = spec.optional !== true || context.args.includes(`--${flagName(name)}=`);
  if (isWritten && [value].flat().includes('')) throw mistake.empty(`--${flagName(name)}`);
  if (type === 'number') {
    if (/^\d{1,9}$/.test(String(value))) return Number(value);
    throw mistake.number(context, flagName(name), value);
  }
  const choices = choicesOf(context.command, name, spec);
  const isSeveral = list === true && spec.choices !== undefined;
  const all = [value].flat().flatMap((one) => (isSeveral ? String(one).split(',') : [one]));
  const wrong = all.find((one) => {
    // A format may be followed by a file.
    const chosen = name === 'format' ? formatOf(String(one)) : String(one);
    return choices !== undefined && !choices.includes(chosen);
  });
  if (wrong !== undefined) {
    const shown = name === 'format' ? formatOf(String(wrong)) : String(wrong);
    throw mistake.choice(`--${flagName(name)}`, shown, choices);
  }
  return list === true ? all : value;
}

function wordsOf(context: LineContext, given: readonly string[]): readonly string[] {
  const { words } = context.command;
  if (given.includes('')) throw mistake.empty('an argument');
  const tooMany = words === undefined ? given[0] : words.many === true ? undefined : given[1];
  if (tooMany !== undefined) throw mistake.word(context, tooMany);
  const chosen = words?.completes === undefined ? given : given.slice(0, 1);
  const wrong = chosen.find((word) => words?.choices !== undefined && !words.choices.includes(word));
  if (wrong !== undefined) throw mistake.choice(words?.name ?? '', wrong, words?.choices);
  return given;
}
