/** Reads an unfinished command line: what was typed before the cursor, and which command and flag the cursor is at. Pure. */
import { type Command, commands } from '../command-table.ts';
import { commonFlags } from '../flag-groups.ts';
import { type Flags, flagName, flagSpecs } from '../flags.ts';

/** Where the cursor is. */
export interface CursorPlace {
  /** Undefined before there is one. */
  readonly command: Command | undefined;
  /** The word at the cursor so far. */
  readonly word: string;
  /** The flag whose value the word is, and what of the word comes before that value. */
  readonly flagValue: { readonly flag: keyof Flags; readonly lead: string } | undefined;
  /** Words before it that are neither flags nor their values, without the command. */
  readonly arguments: readonly string[];
  /** Values of flags before it, by flag. */
  readonly values: ReadonlyMap<keyof Flags, readonly string[]>;
}

const word = /(?:[^\s"'\\]|\\.?|"(?:[^"\\]|\\.)*"?|'[^']*'?)+/gs;
const quoted = /\\(.?)|"((?:[^"\\]|\\.)*)"?|'([^']*)'?/gs;

/** The words of a line as a shell splits it, as far as that is plain: spaces, quotes and backslashes. The last one is unfinished. */
export function splitLine(line: string): readonly string[] {
  const words = (line.match(word) ?? []).map((written) =>
    written.replace(quoted, (_, escaped = '', double = '', single = '') => `${escaped}${double}${single}`),
  );
  return /^$|\s$/.test(line) ? [...words, ''] : words;
}

/** Where the cursor is after these words, the last of which is unfinished; without the name of the program. */
export function cursorPlace(words: readonly string[]): CursorPlace {
  const last = words.at(-1) ?? '';
  const [first, ...rest] = words.slice(0, -1);
  const command = commands.find(({ name }) => name === first);
  const reading: WordsRead = { arguments: [], values: new Map(), open: undefined };
  for (const one of rest) readWord(command, one, reading);
  const { open } = reading;
  const place = { command, word: last, arguments: reading.arguments, values: reading.values };
  if (open !== undefined) return { ...place, flagValue: { flag: open, lead: '' } };
  const [, name = '', equals = ''] = /^(--[^=]+)(=)/.exec(last) ?? [];
  const flag = equals === '' ? undefined : flagNamed(command, name);
  return { ...place, flagValue: flag && { flag, lead: `${name}=` } };
}

interface WordsRead {
  readonly arguments: string[];
  readonly values: Map<keyof Flags, string[]>;
  /** A flag whose value comes next. */
  open: keyof Flags | undefined;
}

function readWord(command: Command | undefined, written: string, reading: WordsRead): void {
  const { open } = reading;
  if (open !== undefined) {
    addValue(reading.values, open, written);
    reading.open = undefined;
    return;
  }
  if (!written.startsWith('-')) {
    reading.arguments.push(written);
    return;
  }
  const [name = '', inline] = written.split(/=(.*)/s);
  const flag = flagNamed(command, name);
  if (flag === undefined) return;
  if (inline !== undefined || flagSpecs[flag].type === 'boolean')
    addValue(reading.values, flag, inline ?? '');
  else reading.open = flag;
}

function addValue(values: Map<keyof Flags, string[]>, flag: keyof Flags, value: string): void {
  values.set(flag, [...(values.get(flag) ?? []), value]);
}

/** The flag that is written so, `-f` and `--no-color` included. */
function flagNamed(command: Command | undefined, written: string): keyof Flags | undefined {
  const name = written.replace(/^--?(?:no-)?/, '');
  const flags = command === undefined ? [] : [...command.flags, ...commonFlags];
  return flags.find((flag) => flagName(flag) === name || flagSpecs[flag].alias === name);
}
