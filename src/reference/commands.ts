/** The reference page of all commands, made from their table. Pure. */
import { type Command, commands, flagChoices } from '../cli/command-table.ts';
import { exitCodes, exitCodesOf } from '../cli/exit-codes.ts';
import { commonFlags } from '../cli/flag-groups.ts';
import { type Flags, flagName, flagSpecs } from '../cli/flags.ts';
import { markdownTable } from './markdown.ts';

/** The whole page. Same commands, same text. */
export function commandsReference(): string {
  const lines = [
    '# Commands',
    '',
    'Generated from the command table; do not edit.',
    '',
    ...markdownTable(
      ['Command', 'What it does'],
      commands.map(({ name, summary }) => [`[octavo ${name}](#octavo-${name})`, summary]),
    ),
    '',
    ...commands.flatMap(commandText),
    '## Flags of all commands',
    '',
    ...flagTable(commonFlags),
    '',
    'And `--help`, `--version`.',
    '',
    '## Exit codes',
    '',
    ...markdownTable(
      ['Code', 'Meaning'],
      exitCodes.map(([code, meaning]) => [code, meaning]),
    ),
  ];
  return `${lines.join('\n')}\n`;
}

function commandText(command: Command): readonly string[] {
  const { name, summary, argument, words, flags, examples = [] } = command;
  const follows = argument === undefined ? [] : [`[${argument.name}]`];
  const usage = ['octavo', name, ...follows, ...(words === undefined ? [] : [`[${words.name}..]`])].join(' ');
  const about =
    argument === undefined
      ? words === undefined
        ? []
        : [`\`${words.name}\`: ${words.description}.`, '']
      : [`\`${argument.name}\`: ${argument.description}.${choicesText(argument.choices)}`, ''];
  return [
    `## octavo ${name}`,
    '',
    `${summary}: \`${usage}\``,
    '',
    ...about,
    ...(flags.length === 0 ? [] : [...flagTable(flags, command), '']),
    ...(examples.length === 0 ? [] : ['Examples:', '', ...examples.map((line) => `- \`${line}\``), '']),
    `Exit codes: ${exitCodesOf(name)
      .map(([code, meaning]) => `${code} ${meaning}`)
      .join('; ')}.`,
    '',
  ];
}

function choicesText(choices: readonly string[] | undefined): string {
  return choices === undefined ? '' : ` One of: ${choices.join(', ')}.`;
}

function flagTable(names: readonly (keyof Flags)[], command?: Command): readonly string[] {
  return markdownTable(
    ['Flag', 'Meaning'],
    names.map((name) => flagRow(name, command)),
  );
}

function flagRow(name: keyof Flags, command: Command | undefined): readonly string[] {
  const { type, alias, value } = flagSpecs[name];
  const description = command?.flagTexts?.[name] ?? flagSpecs[name].description;
  const choices = command && flagChoices(command, name);
  const takes = type === 'boolean' ? '' : ` <${choices?.join('|') ?? value ?? type}>`;
  const short = alias === undefined ? '' : `\`-${alias}\`, `;
  return [`${short}\`--${flagName(name)}${takes}\``, description];
}
