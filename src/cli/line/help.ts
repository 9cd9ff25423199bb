import { wrap } from '../../report/text/safe-text.ts';
import { greatest } from '../../util/lists.ts';
import { version } from '../../util/version.ts';
import { type Command, choicesOf, flagsOf } from './command.ts';
import { type FlagSpec, flagGroups, flagName } from './flags.ts';
import texts from './help.json' with { type: 'json' };
import { type CommandName, commandGroups, commandNames, summaries } from './names.ts';

interface HelpText {
  /** A page in docs/. */
  readonly guide: string;
  /** Meaning of the words after the command; empty if it takes none. */
  readonly words: string;
  readonly examples: readonly string[];
  /** Meanings of exit codes that are its own, or differ. */
  readonly exitCodes: Readonly<Record<string, string>>;
}

export const helpTexts: Readonly<Record<CommandName, HelpText>> = texts;

const commonExitCodes = {
  0: 'success, or nothing to do',
  1: 'an error',
  130: 'interrupted',
  143: 'terminated',
};

/** Sorted by code, since integers are. */
export function exitCodesOf(name: CommandName): readonly (readonly [code: string, meaning: string])[] {
  return Object.entries({ ...commonExitCodes, ...helpTexts[name].exitCodes });
}

/** Fits a screen of 40 lines. Ends with a line break. */
export function overallHelp(): string {
  const width = greatest(commandNames.map((name) => name.length));
  return text([
    `octavo ${version}: documentation workspaces as code. Usage: octavo <command> [flags]`,
    '',
    ...Object.entries(commandGroups).flatMap(([title, commands]) => [
      `${title}:`,
      ...Object.entries(commands).map(([name, summary]) => `  ${name.padEnd(width)}  ${summary}`),
    ]),
    '',
    'Exit codes: 0 success, 1 error, 2 changes, 3 refused, 130 interrupted, 143 terminated',
    'Settings: octavo.config.yaml, OCTAVO_BASE_URL, OCTAVO_TOKEN, OCTAVO_TOKEN_FILE',
    'More: octavo <command> --help, octavo explain, docs/README.md',
  ]);
}

export function commandHelp(name: CommandName, command: Command): string {
  const { words } = command;
  const { guide, examples, words: meaning } = helpTexts[name];
  const all = Object.entries(flagsOf(command));
  const choices = words?.choices === undefined ? '' : `: ${words.choices.join(', ')}`;
  return text([
    `octavo ${usageOf(name, command)} [flags]`,
    '',
    summaries[name],
    '',
    ...(words === undefined ? [] : [`  ${words.name}  ${meaning}${choices}`, '']),
    ...flagGroups.flatMap((group) => {
      const rows = all.filter(([, spec]) => spec.group === group);
      return rows.length === 0 ? [] : [`${group}:`, ...columns(rows.map((row) => flagRow(command, row))), ''];
    }),
    'Examples:',
    ...examples.map((line) => `  ${line}`),
    '',
    'Exit codes:',
    ...columns(exitCodesOf(name)),
    '',
    `Documentation: docs/${guide}.md, docs/reference/commands.md#octavo-${name}`,
  ]);
}

export function usageOf(name: CommandName, { words }: Pick<Command, 'words'>): string {
  return words === undefined ? name : `${name} [${words.name}${words.many === true ? '..' : ''}]`;
}

/** Example: `--base <ref>`. */
export function flagUsage(command: Pick<Command, 'views'>, name: string, spec: FlagSpec): string {
  const { type, optional, value = type } = spec;
  const takes = `<${choicesOf(command, name, spec)?.join('|') ?? value}>`;
  const written = optional === true ? `[=${takes}]` : ` ${takes}`;
  return `--${flagName(name)}${type === 'boolean' ? '' : written}`;
}

function flagRow(command: Command, [name, spec]: readonly [string, FlagSpec]): readonly [string, string] {
  const { alias, description } = spec;
  return [`${alias === undefined ? '    ' : `-${alias}, `}${flagUsage(command, name, spec)}`, description];
}

/** Moves a right cell to the next line if its left cell is too long. */
function columns(rows: readonly (readonly string[])[]): readonly string[] {
  const width = Math.min(32, greatest(rows.map(([left = '']) => left.length)));
  return rows.flatMap(([left = '', right = '']) => {
    const lines = wrap(right, 96 - width);
    const indent = ' '.repeat(width + 4);
    const rest = lines.slice(1).map((line) => `${indent}${line}`);
    if (left.length > width) return [`  ${left}`, `${indent}${lines[0] ?? ''}`, ...rest];
    return [`  ${left.padEnd(width)}  ${lines[0] ?? ''}`, ...rest];
  });
}

function text(lines: readonly string[]): string {
  return `${lines.join('\n')}\n`;
}
