/** Names of commands, with group and summary. Every command loads this module, so it contains only these. */

export const commandGroups = {
  Start: {
    init: 'Write the settings and the first manifests of a workspace',
    export: 'Write the live workspace as manifests whose plan is empty',
    doctor: 'Check the settings, the manifests, git, the service and the token',
  },
  'Every day': {
    plan: 'Show what would change, and why',
    apply: 'Apply the manifests to the live workspace',
    drift: 'Show what was changed outside the manifests, or write it into them',
    show: 'Show a saved plan',
    access: 'List who can do what, and why',
  },
  Manifests: {
    validate: 'Check the manifests without calling the service',
    test: 'Test what plans of the manifests show, in memory',
    fmt: 'Format manifests: indentation, order of keys, blank lines, quotes',
    render: 'Print the manifests after overlays, templates and variables',
    explain: 'Explain a kind of objects, a field, a setting or a word of a plan',
    list: 'List the declared objects, with their ids and states',
    mv: 'Change the key or the place of an object, and all that refers to it',
    schema: 'Print a JSON Schema for editors',
    completion: 'Print a shell completion script',
  },
  Recovery: {
    history: 'List the runs that changed the workspace, or the steps of one',
    undo: 'Revert the changes of a run',
    unlock: 'Remove the lock of a run that has ended, or list the locks',
  },
  Pipelines: {
    ci: 'Plan a pull request, apply its merge, report drift: one command for each event',
  },
  Service: {
    serve: 'Run the embedded service on this machine',
    api: 'Call an API operation by its name, or send any request by method and path',
  },
} as const;

type Groups = typeof commandGroups;

export type CommandName = { [G in keyof Groups]: keyof Groups[G] }[keyof Groups];

export const summaries = Object.assign({}, ...Object.values(commandGroups)) as Readonly<
  Record<CommandName, string>
>;

export const commandNames = Object.keys(summaries) as readonly CommandName[];

export function isCommandName(word: string | undefined): word is CommandName {
  return word !== undefined && Object.hasOwn(summaries, word);
}
