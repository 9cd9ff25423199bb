import { type Command, flagsOf } from '../line/command.ts';
import { type FlagTable, flagName } from '../line/flags.ts';
import { loadCommand } from '../line/list.ts';
import { isCommandName } from '../line/names.ts';
import { parse } from '../line/read-line.ts';

export interface CursorPlace {
  readonly command: Command | undefined;
  readonly word: string;
  /** The flag whose value is completed; `lead` is the part of the word before that value. */
  readonly flagValue: { readonly flag: string; readonly lead: string } | undefined;
  /** Earlier words that are neither flags nor their values, without the command. */
  readonly arguments: readonly string[];
  readonly values: ReadonlyMap<string, readonly string[]>;
}

const word = /(?:[^\s"'\\]|\\.?|"(?:[^"\\]|\\.)*"?|'[^']*'?)+/gs;
const quoted = /\\(.?)|"((?:[^"\\]|\\.)*)"?|'([^']*)'?/gs;

/** Splits like a shell, for plain lines: spaces, quotes and backslashes. The last word is unfinished. */
export function splitLine(line: string): readonly string[] {
  const words = (line.match(word) ?? []).map((written) =>
    written.replace(quoted, (_, escaped = '', double = '', single = '') => `${escaped}${double}${single}`),
  );
  return /^$|\s$/.test(line) ? [...words, ''] : words;
}

/** The last word is unfinished; the name of the program is not included. */
export async function cursorPlace(words: readonly string[]): Promise<CursorPlace> {
  const last = words.at(-1) ?? '';
  const [first, ...rest] = words.slice(0, -1);
  const command = isCommandName(first) ? await loadCommand(first) : undefined;
  const flags = command === undefined ? {} : flagsOf(command);
  // The only error of the parser is a last flag without its value.
  const isOpen = parse(rest, flags).error !== null;
  const { _: others, '--': after = [], ...given } = parse(isOpen ? rest.slice(0, -1) : rest, flags).argv;
  const values = Object.keys(flags).flatMap((flag) => {
    const value: unknown = given[flagName(flag)];
    return value === undefined ? [] : [[flag, [value].flat().map(String)] as const];
  });
  const place = {
    command,
    word: last,
    arguments: [...others, ...after].map(String),
    values: new Map(values),
  };
  const [, name = '', equals = ''] = /^(--[^=]+)(=)/.exec(last) ?? [];
  const flag = flagNamed(flags, isOpen ? (rest.at(-1) ?? '') : equals === '' ? '' : name);
  const lead = isOpen ? '' : `${name}=`;
  return { ...place, flagValue: flag === undefined ? undefined : { flag, lead } };
}

/** Accepts `-f` and `--no-color`, too. */
function flagNamed(flags: FlagTable, written: string): string | undefined {
  const name = written.replace(/^--?(?:no-)?/, '');
  return Object.entries(flags).find(([flag, { alias }]) => flagName(flag) === name || alias === name)?.[0];
}
