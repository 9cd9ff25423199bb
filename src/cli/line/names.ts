/** Names of commands, with group and summary. Every command loads this module, so it contains only these. */

import commandGroups from './commands.json' with { type: 'json' };

export { commandGroups };

type Groups = typeof commandGroups;

export type CommandName = { [G in keyof Groups]: keyof Groups[G] }[keyof Groups];

export const summaries = Object.assign({}, ...Object.values(commandGroups)) as Readonly<
  Record<CommandName, string>
>;

export const commandNames = Object.keys(summaries) as readonly CommandName[];

export function isCommandName(word: string | undefined): word is CommandName {
  return word !== undefined && Object.hasOwn(summaries, word);
}
