import { type Command, flagsOf } from '../line/command.ts';
import { flagName } from '../line/flags.ts';
import { loadCommand } from '../line/list.ts';
import { isCommandName } from '../line/names.ts';

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
  const reading: WordsRead = { arguments: [], values: new Map(), open: undefined };
  for (const one of rest) readWord(command, one, reading);
  const { open } = reading;
  const place = { command, word: last, arguments: reading.arguments, values: reading.values };
  if (open !== undefined) return { ...place, flagValue: { flag: open, lead: '' } };
  const [, name = '', equals = ''] = /^(--[^=]+)(=)/.exec(last) ?? [];
  const flag = equals === '' ? undefined : flagNamed(command, name);
  return { ...place, flagValue: flag === undefined ? undefined : { flag, lead: `${name}=` } };
}

interface WordsRead {
  readonly arguments: string[];
  readonly values: Map<string, string[]>;
  open: string | undefined;
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
  const { type, optional } = (command && flagsOf(command)[flag]) ?? {};
  if (inline !== undefined || type === 'boolean' || optional === true)
    addValue(reading.values, flag, inline ?? '');
  else reading.open = flag;
}

function addValue(values: Map<string, string[]>, flag: string, value: string): void {
  values.set(flag, [...(values.get(flag) ?? []), value]);
}

/** Accepts `-f` and `--no-color`, too. */
function flagNamed(command: Command | undefined, written: string): string | undefined {
  const name = written.replace(/^--?(?:no-)?/, '');
  const flags = command === undefined ? [] : Object.entries(flagsOf(command));
  return flags.find(([flag, { alias }]) => flagName(flag) === name || alias === name)?.[0];
}
