import type { Command } from '../cli/line/command.ts';
import { commonFlags, type FlagTable, formatFlag } from '../cli/line/flags.ts';
import { exitCodesOf, flagUsage, helpTexts, usageOf } from '../cli/line/help.ts';
import { loadCommand } from '../cli/line/list.ts';
import { type CommandName, commandNames, summaries } from '../cli/line/names.ts';
import { markdownTable } from './markdown.ts';

export async function commandsReference(): Promise<string> {
  const texts = await Promise.all(
    commandNames.map(async (name) => commandText(name, await loadCommand(name))),
  );
  const lines = [
    '# Commands',
    '',
    '<!-- Generated from the commands; do not edit. -->',
    '',
    ...markdownTable(
      ['Command', 'What it does'],
      commandNames.map((name) => [`[octavo ${name}](#octavo-${name})`, summaries[name]]),
    ),
    '',
    ...texts.flat(),
    '## Flags of all commands',
    '',
    ...flagRows({}, commonFlags),
    '',
    'And `--help`, `--version`.',
    '',
    '## Exit codes',
    '',
    ...markdownTable(
      ['Code', 'Meaning'],
      [
        ['0', 'success, or nothing to do'],
        ['1', 'an error, or a rehearsal that failed'],
        ['2', 'plan --detailed-exitcode, drift: there are changes'],
        ['3', 'plan, show: a change is refused'],
        ['130', 'interrupted'],
        ['143', 'terminated'],
      ],
    ),
  ];
  return `${lines.join('\n')}\n`;
}

function commandText(name: CommandName, command: Command): readonly string[] {
  const { words } = command;
  const choices = words?.choices === undefined ? '' : ` One of: ${words.choices.join(', ')}.`;
  const flags = { ...command.flags, ...(command.views && formatFlag) };
  return [
    `## octavo ${name}`,
    '',
    `${summaries[name]}: \`octavo ${usageOf(name, command)}\``,
    '',
    ...(words === undefined ? [] : [`\`${words.name}\`: ${helpTexts[name].words}.${choices}`, '']),
    ...(Object.keys(flags).length === 0 ? [] : [...flagRows(command, flags), '']),
    'Examples:',
    '',
    ...helpTexts[name].examples.map((line) => `- \`${line}\``),
    '',
    `Exit codes: ${exitCodesOf(name)
      .map(([code, meaning]) => `${code} ${meaning}`)
      .join('; ')}.`,
    '',
  ];
}

function flagRows(command: Pick<Command, 'views'>, flags: FlagTable): readonly string[] {
  return markdownTable(
    ['Flag', 'Meaning'],
    Object.entries(flags).map(([name, spec]) => {
      const short = spec.alias === undefined ? '' : `\`-${spec.alias}\`, `;
      return [`${short}\`${flagUsage(command, name, spec)}\``, spec.description];
    }),
  );
}
