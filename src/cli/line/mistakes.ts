import { nearest } from '../../util/nearest.ts';
import { type Command, UsageError } from './command.ts';
import { type FlagTable, flagName } from './flags.ts';
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

const otherFlags = pointers({
  'yes y': 'pass --auto-approve to apply without being asked',
  force: 'pass --auto-approve to apply without being asked; the plan shows how to allow each refused change',
  'auto-approve': 'octavo apply --auto-approve applies without being asked',
  'dry-run n': 'octavo plan shows what apply would do',
  token: 'set OCTAVO_TOKEN, or pass --token-file: tokens in flags end up in logs',
  json: 'pass --format json',
  'output o': 'pass --format json, or --out FILE to save a plan',
  'var var-file': 'set environment variables, and use ${env:NAME} in the manifests',
  refresh: 'the live state is read by every plan',
  'refresh-only': 'octavo drift shows what was changed outside the manifests',
  destroy: 'to delete objects, remove them from the manifests and run octavo apply',
  recursive: 'octavo fmt formats the manifests of a folder and of the folders in it',
  lock: 'plans take no lock; octavo apply --lock none applies without one',
  last: 'octavo undo without a run reverts the last one',
  env: 'an overlay has what differs in one environment: octavo plan --overlay <file>',
  write: 'octavo fmt writes the files; octavo fmt --check only compares them',
  fix: 'octavo fmt formats the manifests; each other problem names its own remedy',
  input: 'without a terminal nothing is asked; octavo apply --auto-approve applies without being asked',
});

const undoFlags = pointers({
  'dry-run n':
    'octavo undo --out undo.json shows the plan of the undo, and saves it; octavo apply undo.json applies it',
});

const otherCommands = pointers({
  diff: 'octavo plan shows the differences',
  preview: 'octavo plan shows what would change',
  status: 'octavo drift shows what was changed outside the manifests, octavo plan what would change',
  refresh:
    'octavo plan reads the live state each time; octavo drift shows what was changed outside the manifests',
  state:
    'there is no state file: octavo list lists the declared objects, octavo mv OLD NEW changes a key or a place',
  'get ls describe output': 'octavo list lists the declared objects, with their ids and states',
  'rename move moved': 'octavo mv OLD NEW changes a key or a place; to change a title, edit the manifests',
  'destroy delete remove rm':
    'to delete objects, remove them from the manifests and run octavo apply; without a record, with --base <ref>',
  'create add edit':
    'declare it in the manifests and run octavo plan; octavo explain lists what can be declared',
  'login auth whoami': 'set OCTAVO_BASE_URL and OCTAVO_TOKEN; octavo doctor checks them',
  'import adopt':
    'octavo export writes the live workspace as manifests; octavo drift --pin writes ids into existing manifests',
  'pull dump generate': 'octavo export writes the live workspace as manifests',
  'rollback revert restore': 'octavo undo reverts the changes of a run',
  'log logs runs': 'octavo history lists the runs',
  'taint untaint': 'to recreate an object, remove it from the manifests, apply, and add it again',
  workspace: 'an overlay has what differs in one environment: octavo plan --overlay <name>',
  'force-unlock': 'octavo unlock removes the lock of a run that has ended',
  'check lint': 'octavo validate checks the manifests',
  new: 'octavo init sets a folder up',
  'up sync deploy push': 'octavo apply applies the manifests',
  'resume continue retry': 'run octavo apply again: finished steps are not repeated',
  config: 'octavo explain config lists the settings of octavo.config.yaml',
  server: 'octavo serve runs the embedded service',
});

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
