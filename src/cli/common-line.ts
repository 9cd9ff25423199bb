/**
 * Reads the command lines that people write: a command, then its flags and words, each in its plain form. Loading yargs
 * takes longer than most commands, so it reads only what this file leaves to it: every mistake, and every rarer form.
 */

import { type CommandLine, flagNamesOf, flagsOf } from './command-line.ts';
import { type Command, commands, flagChoices } from './command-table.ts';
import { type Flags, flagName, flagSpecs } from './flags.ts';
import { formatOf, formatsProblem } from './formats.ts';

/** Values so far. */
interface LineSoFar {
  readonly values: Record<string, unknown>;
  readonly words: string[];
}

/** What the command line requests; undefined where it must be read by yargs, which would read this the same way. */
export function readCommonLine(args: readonly string[]): CommandLine | undefined {
  const command = commands.find(({ name }) => name === args[0]);
  if (command === undefined) return undefined;
  const reading: LineSoFar = { values: Object.create(null), words: [] };
  for (let at = 1; at < args.length; ) {
    const taken = take(command, { args, at }, reading);
    if (taken === 0) return undefined;
    at += taken;
  }
  return lineOf(command, reading);
}

/** Where the reader stands. */
interface ArgPlace {
  readonly args: readonly string[];
  readonly at: number;
}

/** A flag as it is written. */
interface Written {
  readonly name: keyof Flags;
  readonly negated: boolean;
  /** What follows the `=`. */
  readonly inline: string | undefined;
}

/** Reads a flag or a word. Returns how many arguments it took, 0 where it is not in its plain form. */
function take(command: Command, place: ArgPlace, reading: LineSoFar): number {
  const arg = place.args[place.at] ?? '';
  if (isPlainWord(arg) || (arg === '-' && command.words !== undefined)) {
    reading.words.push(arg);
    return 1;
  }
  const written = flagIn(command, arg);
  if (written === undefined) return 0;
  const isSwitch = flagSpecs[written.name].type === 'boolean';
  return isSwitch
    ? takeSwitch(written, place, reading)
    : takeValue(command, written, { ...place, ...reading });
}

function flagIn(command: Command, arg: string): Written | undefined {
  const [, no, long, inline] = /^--(no-)?([a-z][a-z-]*)(?:=(.*))?$/s.exec(arg) ?? [];
  const short = /^-([a-zA-Z])$/.exec(arg)?.[1];
  const name = flagNamesOf(command).find((one) =>
    long === undefined ? short !== undefined && flagSpecs[one].alias === short : flagName(one) === long,
  );
  return name && { name, negated: no !== undefined, inline };
}

function takeSwitch(
  { name, negated, inline }: Written,
  { args, at }: ArgPlace,
  { values }: LineSoFar,
): number {
  const key = flagName(name);
  // Yargs takes these words for the value of the switch.
  if (inline !== undefined || key in values || /^(?:true|false)$/.test(args[at + 1] ?? '')) return 0;
  values[key] = !negated;
  return 1;
}

function takeValue(
  command: Command,
  { name, negated, inline }: Written,
  { args, at, values }: ArgPlace & LineSoFar,
): number {
  const value = inline ?? args[at + 1] ?? '';
  const chosen = name === 'format' ? formatOf(value) : value;
  if (negated || !isPlainWord(value) || !isChoice(flagChoices(command, name), chosen)) return 0;
  if (!isKept(values, flagName(name), { value, list: flagSpecs[name].list })) return 0;
  return inline === undefined ? 2 : 1;
}

/** Keeps a value; false where the flag has one already and takes no more. */
function isKept(
  values: LineSoFar['values'],
  name: string,
  { value, list = false }: { readonly value: string; readonly list: boolean | undefined },
): boolean {
  if (!list && name in values) return false;
  values[name] = list ? [...((values[name] as readonly string[] | undefined) ?? []), value] : value;
  return true;
}

function lineOf(command: Command, { values, words }: LineSoFar): CommandLine | undefined {
  const flags = numbersFit(command, values) ? flagsOf(command, values) : undefined;
  if (flags === undefined || formatsProblem(flags) !== undefined) return undefined;
  // Yargs moves a dash behind the words that follow it.
  if (words.length > 1 && words.includes('-')) return undefined;
  if (command.words !== undefined) return { command, flags, argument: undefined, words };
  const [argument, ...more] = words;
  if (more.length > 0 || (argument !== undefined && command.argument === undefined)) return undefined;
  if (argument !== undefined && !isChoice(command.argument?.choices, argument)) return undefined;
  return { command, flags, argument, words: [] };
}

/** False where a number is none: yargs' way says so. */
function numbersFit(command: Command, values: LineSoFar['values']): boolean {
  return flagNamesOf(command).every((name: keyof Flags) => {
    const value = values[flagName(name)];
    return flagSpecs[name].type !== 'number' || value === undefined || /^\d{1,9}$/.test(String(value));
  });
}

/** Yargs takes quotes around a value for those of a shell. */
function isPlainWord(text: string): boolean {
  return /^[^-'"]/.test(text);
}

function isChoice(choices: readonly string[] | undefined, value: string): boolean {
  return choices === undefined || choices.includes(value);
}
