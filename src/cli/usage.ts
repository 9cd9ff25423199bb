/** What is said of a command line that cannot be understood: what was probably meant, in place of the parser's words. */
import { nearest } from '../util/nearest.ts';
import type { CommandLine } from './command-line.ts';
import { type Command, commands, flagChoices } from './command-table.ts';
import { commonFlags } from './flag-groups.ts';
import { flagName, flagSpecs } from './flags.ts';
import { formatOf, formatsProblem } from './formats.ts';
import { UsageError } from './usage-error.ts';

/** Flags of other tools, and what does the same here. */
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

/** Commands of other tools, and what does the same here. */
const otherCommands: Readonly<Record<string, string | undefined>> = {
  diff: 'octavo plan shows the differences',
  preview: 'octavo plan shows what would change',
  destroy: 'to delete objects, remove them from the manifests and run octavo apply --base <ref>',
  delete: 'to delete objects, remove them from the manifests and run octavo apply --base <ref>',
  login: 'set OCTAVO_BASE_URL and OCTAVO_TOKEN',
  import:
    'octavo export writes the live workspace as manifests; octavo adopt writes ids into manifests that there are',
  pull: 'octavo export writes the live workspace as manifests',
  dump: 'octavo export writes the live workspace as manifests',
  'force-unlock': 'octavo unlock removes the lock of a run that is gone',
  check: 'octavo validate checks the manifests',
  lint: 'octavo validate checks the manifests, and runs the rules',
  new: 'octavo init sets a folder up; octavo scaffold writes an object',
  generate: 'octavo scaffold writes an object; octavo export the live workspace',
  up: 'octavo apply applies the manifests',
  server: 'octavo serve runs the embedded service',
};

/** The command that the words name, if any. */
function commandIn(args: readonly string[]): Command | undefined {
  return commands.find(({ name }) => args.find((arg) => !arg.startsWith('-')) === name);
}

/** The parser's message in our words, with what was probably meant. */
export function explainUsage(message: string, args: readonly string[]): string {
  const command = commandIn(args);
  const help = `see ${command === undefined ? 'octavo --help' : `octavo ${command.name} --help`}`;
  const unknown = /^Unknown (?:argument|command)s?: (.*)$/.exec(message)?.[1]?.split(', ')[0];
  if (unknown !== undefined) return explainUnknown(unknown, args, { command, help });
  const missing = /^Not enough arguments following: (\S+)/.exec(message)?.[1];
  if (missing !== undefined) return `${dashed(missing)} needs a value${valueHelp(missing, command, help)}`;
  const [, name = '', given = ''] = /Argument: (.+), Given: (.*), Choices:/.exec(message) ?? [];
  if (name !== '') return explainChoice(name, given, { command, help });
  return `${message.replace(/\n\s*/g, ' ').trim()}\n  help: ${help}`;
}

interface UsageContext {
  readonly command: Command | undefined;
  readonly help: string;
}

function explainUnknown(word: string, args: readonly string[], context: UsageContext): string {
  const { command, help } = context;
  // Where the command is not known, nor are its flags.
  const unknown = command === undefined && args[0]?.startsWith('-') === false ? args[0] : word;
  const written = args.find(
    (arg) => arg.startsWith('-') && arg.replace(/^--?(no-)?/, '').split('=')[0] === unknown,
  );
  if (written !== undefined) return explainFlag(unknown, written.split('=')[0] ?? written, context);
  if (command !== undefined) {
    return `unknown argument ${unknown}\n  help: ${argumentHelp(command, unknown) ?? help}`;
  }
  const pointer = otherCommands[unknown];
  const names = pointer === undefined ? commands.map(({ name }) => name) : [];
  const meant = nearest(unknown, names);
  return `unknown command ${unknown}${meant === undefined ? '' : `; did you mean ${meant}?`}\n  help: ${pointer ?? help}`;
}

/** `name`: as it was written, with its dashes. */
function explainFlag(flag: string, name: string, { command, help }: UsageContext): string {
  const flags = command === undefined ? [] : [...command.flags, ...commonFlags].map(flagName);
  const pointer = otherFlags[flag];
  const meant = pointer === undefined ? nearest(flag, [...flags, 'help', 'version']) : undefined;
  const no = name.startsWith('--no-') ? 'no-' : '';
  return `unknown flag ${name}${meant === undefined ? '' : `; did you mean --${no}${meant}?`}\n  help: ${pointer ?? help}`;
}

/** A path without its flag is the commonest argument that a command does not take. */
function argumentHelp({ name, flags }: Command, unknown: string): string | undefined {
  return flags.includes('file') ? `pass manifests with -f: octavo ${name} -f ${unknown}` : undefined;
}

function explainChoice(name: string, given: string, { command, help }: UsageContext): string {
  const flag = command && [...command.flags, ...commonFlags].find((one) => flagName(one) === name);
  const choices = (command && flag && flagChoices(command, flag)) ?? command?.argument?.choices ?? [];
  const value = given.replace(/^"|"$/g, '');
  const near = nearest(value, choices);
  const what = flag === undefined ? name : `--${name}`;
  const listed = choices.length === 0 ? help : `use one of ${choices.join(', ')}`;
  return `${what} cannot be ${given}${near === undefined ? '' : `; did you mean ${near}?`}\n  help: ${listed}`;
}

function dashed(name: string): string {
  return name.length === 1 ? `-${name}` : `--${name}`;
}

function valueHelp(name: string, command: Command | undefined, help: string): string {
  const flag = command?.flags.find((one) => flagName(one) === name || flagSpecs[one].alias === name);
  if (flag === undefined || command === undefined) return `\n  help: ${help}`;
  const { value = 'value' } = flagSpecs[flag];
  const choices = flagChoices(command, flag);
  return `\n  help: write --${flagName(flag)} <${choices?.join('|') ?? value}>`;
}

/** Switches take no value: `--color=always` would be taken for `--color`. */
export function refuseSwitchValues(command: Command, args: readonly string[]): void {
  for (const arg of args) {
    if (arg === '--') return;
    const [, name, value = ''] = /^--(?:no-)?([a-z-]+)=(.*)$/s.exec(arg) ?? [];
    const flag = [...command.flags, ...commonFlags].find((one) => flagName(one) === name);
    if (flag === undefined || flagSpecs[flag].type !== 'boolean' || /^(?:true|false)$/.test(value)) continue;
    throw new UsageError(`--${name} takes no value\n  help: pass --${name} or --no-${name}`);
  }
}

/** Formats that the result does not have, or that do not go together. */
export function refuseFormats({ command, flags }: CommandLine): void {
  const choices = flagChoices(command, 'format') ?? [];
  const wrong = flags.format?.map(formatOf).find((format) => !choices.includes(format));
  const problem = formatsProblem(flags);
  if (wrong === undefined && problem !== undefined) throw new UsageError(problem);
  if (wrong === undefined) return;
  const help = `see octavo ${command.name} --help`;
  throw new UsageError(explainChoice('format', JSON.stringify(wrong), { command, help }));
}
