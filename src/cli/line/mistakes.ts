import { nearest } from '../../util/nearest.ts';
import { type Command, UsageError } from './command.ts';
import { type FlagTable, flagName } from './flags.ts';
import words from './mistakes.json' with { type: 'json' };
import { type CommandName, commandNames, isCommandName } from './names.ts';

export interface LineContext {
  readonly name: CommandName;
  readonly command: Command;
  readonly flags: FlagTable;
  readonly args: readonly string[];
}

/** Shares one text between several words. */
function pointers(texts: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(texts).flatMap(([words, text]) => words.split(' ').map((word) => [word, text] as const)),
  );
}

const otherFlags = pointers(words.flags);
const undoFlags = pointers(words.undoFlags);
const otherCommands = pointers(words.commands);

export const mistake = {
  command: (args: readonly string[]): UsageError => {
    const [first = ''] = args;
    if (first.startsWith('-')) return beforeCommand(first.split('=')[0] ?? first, args);
    const pointer = otherCommands.get(first);
    const meant = pointer === undefined ? nearest(first, commandNames) : undefined;
    return usageError(`unknown command ${first}`, { meant, help: pointer ?? 'see octavo --help' });
  },
  /** `flag`: without dashes. */
  flag: ({ name, flags, args }: LineContext, given: string): UsageError => {
    // The parser reads the -target of other tools as -t -a -r -g -e -t.
    const single =
      given.length > 1 ? undefined : args.find((arg) => /^-[a-z][\w-]/.test(arg) && arg.includes(given));
    const flag = single === undefined ? given : nameOf(single);
    const written = args.find((arg) => arg.startsWith('-') && nameOf(arg) === flag)?.split('=')[0];
    const shown = written ?? (flag.length === 1 ? `-${flag}` : `--${flag}`);
    const known = [...Object.keys(flags).map(flagName), 'help', 'version'];
    const isKnown = flag !== given && known.includes(flag);
    const own = name === 'undo' ? undoFlags.get(flag) : undefined;
    const found = isKnown ? undefined : (own ?? otherFlags.get(flag));
    // Advice to pass a flag does not help with a command that lacks it.
    const passed = [...(found?.matchAll(/(?<=pass --)[\w-]+/g) ?? [])];
    const pointer = passed.every(([one]) => known.includes(one)) ? found : undefined;
    const meant = isKnown ? flag : pointer === undefined ? nearest(flag, known) : undefined;
    const no = /^--?no-/.test(shown) ? 'no-' : '';
    return usageError(`unknown flag ${shown}`, {
      ...(meant !== undefined && meant !== given ? { meant: `--${no}${meant}` } : {}),
      help: pointer ?? seeHelp(name),
    });
  },
  /** `flag`: its name or letter. */
  noValue: ({ name, flags, command }: LineContext, flag: string): UsageError => {
    const [key, spec] =
      Object.entries(flags).find(([one, { alias }]) => flagName(one) === flag || alias === flag) ?? [];
    const choices = key === 'format' ? Object.keys(command.views ?? {}) : spec?.choices;
    const shape = choices?.join('|') ?? spec?.value ?? 'value';
    return usageError(`${flag.length === 1 ? '-' : '--'}${flag} needs a value`, {
      help: key === undefined ? seeHelp(name) : `write --${flagName(key)} <${shape}>`,
    });
  },
  /** A script passes an empty value if its variable is not set. */
  empty: (what: string): UsageError =>
    usageError(`${what} is empty`, { help: 'set the variable that it comes from, or leave it out' }),
  number: ({ name }: LineContext, flag: string, value: unknown): UsageError =>
    usageError(`--${flag} must be a whole number, is ${JSON.stringify(value)}`, { help: seeHelp(name) }),
  choice: (what: string, given: string, choices: readonly string[] = []): UsageError =>
    usageError(`${what} cannot be ${JSON.stringify(given)}`, {
      meant: nearest(given, choices),
      help: `use one of ${choices.join(', ')}`,
    }),
  /** Most often a path without its flag. */
  word: ({ name, flags }: LineContext, word: string): UsageError =>
    usageError(`unknown argument ${word === '' ? '""' : word}`, {
      help:
        'file' in flags && word !== 'help'
          ? `pass manifests with -f: octavo ${name} -f ${word}`
          : seeHelp(name),
    }),
};

function beforeCommand(flag: string, args: readonly string[]): UsageError {
  const name = args.find(isCommandName);
  const help =
    name === undefined ? 'see octavo --help' : `write flags after the command: octavo ${name} ${flag}`;
  return usageError(`unknown flag ${flag}`, {
    meant: name === undefined ? nearest(nameOf(flag), ['help', 'version'])?.replace(/^/, '--') : undefined,
    help,
  });
}

function usageError(
  message: string,
  { meant, help }: { readonly meant?: string | undefined; readonly help: string },
): UsageError {
  return new UsageError(
    `${message}${meant === undefined ? '' : `; did you mean ${meant}?`}\n  help: ${help}`,
  );
}

function seeHelp(name: CommandName): string {
  return `see octavo ${name} --help`;
}

/** Removes dashes, `no-` and the value. */
function nameOf(arg: string): string {
  return arg.replace(/^--?(no-)?/, '').split('=')[0] ?? '';
}
