import { nearest } from '../../util/nearest.ts';
import { type Command, UsageError } from './command.ts';
import { type FlagTable, flagName } from './flags.ts';
import { type CommandName, commandNames, isCommandName } from './names.ts';

export interface LineContext {
  readonly name: CommandName;
  readonly command: Command;
  readonly flags: FlagTable;
  /** Without the command. */
  readonly args: readonly string[];
}

/** Flags of other tools, and their equivalents. */
const otherFlags: Readonly<Record<string, string | undefined>> = {
  yes: 'pass --auto-approve to apply without being asked',
  y: 'pass --auto-approve to apply without being asked',
  force:
    'pass --auto-approve to apply without being asked; each refused change says in the plan how to allow it',
  'dry-run': 'octavo plan shows what apply would do',
  n: 'octavo plan shows what apply would do',
  token: 'set OCTAVO_TOKEN, or pass --token-file: tokens in flags end up in logs',
  json: 'pass --format json',
  output: 'pass --format json, or --out FILE to save a plan',
  'var-file': 'set environment variables, and use ${env:NAME} in the manifests',
  refresh: 'the live state is read by every plan',
};

const undoFlags: typeof otherFlags = {
  'dry-run':
    'octavo undo --out undo.json shows the plan of the undo, and saves it; octavo apply undo.json applies it',
};

/** Commands of other tools, and their equivalents. */
const otherCommands: Readonly<Record<string, string | undefined>> = {
  diff: 'octavo plan shows the differences',
  preview: 'octavo plan shows what would change',
  destroy: 'to delete objects, remove them from the manifests and run octavo apply --base <ref>',
  delete: 'to delete objects, remove them from the manifests and run octavo apply --base <ref>',
  login: 'set OCTAVO_BASE_URL and OCTAVO_TOKEN',
  import:
    'octavo export writes the live workspace as manifests; octavo drift --pin writes ids into existing manifests',
  pull: 'octavo export writes the live workspace as manifests',
  dump: 'octavo export writes the live workspace as manifests',
  'force-unlock': 'octavo unlock removes the lock of a run that is gone',
  check: 'octavo validate checks the manifests',
  lint: 'octavo validate checks the manifests, and runs the rules',
  new: 'octavo init sets a folder up',
  generate: 'octavo export writes the live workspace as manifests',
  up: 'octavo apply applies the manifests',
  server: 'octavo serve runs the embedded service',
};

export const mistake = {
  /** The line does not begin with a command. */
  command: (args: readonly string[]): UsageError => {
    const [first = ''] = args;
    if (first.startsWith('-')) return beforeCommand(first.split('=')[0] ?? first, args);
    const pointer = otherCommands[first];
    const meant = pointer === undefined ? nearest(first, commandNames) : undefined;
    return usageError(`unknown command ${first}`, { meant, help: pointer ?? 'see octavo --help' });
  },
  /** `flag`: without dashes. */
  flag: ({ name, flags, args }: LineContext, given: string): UsageError => {
    // The parser reads the -target of other tools as -t -a -r -g -e -t.
    const single =
      given.length > 1
        ? undefined
        : args.find((arg) => /^-[a-z][\w-]/.test(arg) && bare(arg).includes(given));
    const flag = single === undefined ? given : bare(single);
    const written = args.find((arg) => arg.startsWith('-') && bare(arg) === flag)?.split('=')[0];
    const shown = written ?? (flag.length === 1 ? `-${flag}` : `--${flag}`);
    const pointer = name === 'undo' ? (undoFlags[flag] ?? otherFlags[flag]) : otherFlags[flag];
    const known = [...Object.keys(flags).map(flagName), 'help', 'version'];
    const near = pointer === undefined ? nearest(flag, known) : undefined;
    const meant = flag !== given && known.includes(flag) ? flag : near;
    const no = shown.startsWith('--no-') ? 'no-' : '';
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
      help: 'file' in flags ? `pass manifests with -f: octavo ${name} -f ${word}` : seeHelp(name),
    }),
};

function beforeCommand(flag: string, args: readonly string[]): UsageError {
  const name = args.find(isCommandName);
  const help =
    name === undefined ? 'see octavo --help' : `write flags after the command: octavo ${name} ${flag}`;
  return usageError(`unknown flag ${flag}`, {
    meant: name === undefined ? nearest(bare(flag), ['help', 'version'])?.replace(/^/, '--') : undefined,
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

/** Without dashes, `no-` and value. */
function bare(arg: string): string {
  return arg.replace(/^--?(no-)?/, '').split('=')[0] ?? '';
}
