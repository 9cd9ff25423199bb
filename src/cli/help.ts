/** The help of the command line, made from the table of commands. Pure. */
import { wrap } from '../report/safe-text.ts';
import { greatest } from '../util/lists.ts';
import { version } from '../util/version.ts';
import { type Command, commands, flagChoices } from './command-table.ts';
import { type ExitCode, exitCodes, exitCodesOf } from './exit-codes.ts';
import { commonFlags } from './flag-groups.ts';
import { type Flags, flagName, flagSpecs } from './flags.ts';
import { commandGroups, pagesOf } from './help-topics.ts';

/** Groups of flags; all others of a command come last. */
const flagGroups: readonly (readonly [string, readonly (keyof Flags)[]])[] = [
  ['Manifests', ['file', 'overlay', 'shard', 'of']],
  ['Workspace', ['organization', 'only', 'pin', 'split', 'dir', 'fromLive', 'ci']],
  [
    'What the plan holds',
    [
      'base',
      'merge',
      'mergeBase',
      'allowBehind',
      'offline',
      'ignoreDrift',
      'target',
      'exclude',
      'prune',
      'plan',
      'allowDeletes',
      'skipRefused',
    ],
  ],
  ['Approval and record', ['rehearse', 'autoApprove', 'expect', 'approved', 'record', 'pushRecord']],
  ['Lock', ['lock', 'lockTimeout']],
  [
    'Output',
    [
      'format',
      'full',
      'showUnmanaged',
      'showUnchanged',
      'out',
      'detailedExitcode',
      'reportFile',
      'logFile',
      'color',
      'quiet',
      'verbose',
    ],
  ],
  ['Service', ['baseUrl', 'tokenFile', 'seed', 'parallelism', 'maxRps']],
];

/** The help of the command line as a whole; ends with a line break. */
export function overallHelp(): string {
  const groups = commandGroups.map(([title, names]): readonly [string, readonly Command[]] => [
    title,
    names.flatMap((name) => commands.filter((command) => command.name === name)),
  ]);
  return text([
    `octavo ${version}: documentation workspaces as code`,
    '',
    'Usage: octavo <command> [flags]',
    '',
    ...groups.flatMap(([title, list]) => [
      `${title}:`,
      ...columns(list.map((command) => [`octavo ${usageOf(command)}`, command.summary])),
      '',
    ]),
    'Examples:',
    '  octavo validate -f docs',
    '  octavo plan -f docs --base origin/main',
    '  octavo apply -f docs',
    '  octavo demo',
    '',
    ...exitText(exitCodes),
    'Configuration: octavo.config.yaml, OCTAVO_BASE_URL, OCTAVO_TOKEN, OCTAVO_TOKEN_FILE',
    '',
    'octavo <command> --help shows the flags of a command; octavo --version the version.',
    'Documentation: docs/README.md, in the package and in the repository',
  ]);
}

/** The help of one command; ends with a line break. */
export function commandHelp(command: Command): string {
  const { argument, words, summary, examples = [] } = command;
  const all = [...command.flags, ...commonFlags];
  const grouped = new Set(flagGroups.flatMap(([, names]) => names));
  const groups: readonly (readonly [string, readonly (keyof Flags)[]])[] = [
    ...flagGroups.map(([title, names]) => [title, names.filter((name) => all.includes(name))] as const),
    ['Other flags', all.filter((name) => !grouped.has(name))],
  ];
  const follows = argument ?? words;
  const choices = argument?.choices === undefined ? '' : `: ${argument.choices.join(', ')}`;
  return text([
    `octavo ${usageOf(command)}${all.length === 0 ? '' : ' [flags]'}`,
    '',
    summary,
    '',
    ...(follows === undefined ? [] : [`  ${follows.name}  ${follows.description}${choices}`, '']),
    ...groups.flatMap(([title, names]) =>
      names.length === 0 ? [] : [`${title}:`, ...columns(names.map((name) => flagRow(command, name))), ''],
    ),
    ...(examples.length === 0 ? [] : ['Examples:', ...examples.map((line) => `  ${line}`), '']),
    ...exitText(exitCodesOf(command.name)),
    `Documentation: ${pagesOf(command.name).join(', ')}`,
  ]);
}

/** The name with what may follow it. */
export function usageOf({ name, argument, words }: Command): string {
  if (argument !== undefined) return `${name} [${argument.name}]`;
  return words === undefined ? name : `${name} [${words.name}..]`;
}

function flagRow(command: Command, name: keyof Flags): readonly [string, string] {
  const { type, alias, value } = flagSpecs[name];
  const description = command.flagTexts?.[name] ?? flagSpecs[name].description;
  const takes = type === 'boolean' ? '' : ` <${flagChoices(command, name)?.join('|') ?? value ?? type}>`;
  return [`${alias === undefined ? '    ' : `-${alias}, `}--${flagName(name)}${takes}`, description];
}

function exitText(codes: readonly ExitCode[]): readonly string[] {
  return ['Exit codes:', ...columns(codes), ''];
}

/** Two columns; a long left one has its right one on the next line. */
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
