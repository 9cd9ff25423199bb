/** What help says of commands beside their flags: the group that each is in, and the page that teaches it. */

/** Groups of commands, in the order in which help shows them. */
export const commandGroups: readonly (readonly [title: string, names: readonly string[]])[] = [
  ['Start', ['init', 'export', 'adopt', 'demo', 'doctor']],
  ['Plan and apply', ['plan', 'rehearse', 'apply', 'drift', 'show', 'graph']],
  ['Write manifests', ['validate', 'fmt', 'explain', 'scaffold', 'list', 'schema', 'completion']],
  ['Recover', ['history', 'undo', 'unlock']],
  ['Pipelines', ['matrix', 'report', 'comment', 'issue', 'approval']],
  ['Service', ['serve', 'api']],
];

const guides: Readonly<Record<string, string | undefined>> = {
  init: 'first-workspace',
  export: 'adopting',
  adopt: 'identity',
  demo: 'first-workspace',
  doctor: 'troubleshooting',
  plan: 'base',
  rehearse: 'rehearsal',
  apply: 'base',
  drift: 'drift',
  show: 'formats',
  graph: 'graph',
  validate: 'adopting',
  fmt: 'editors',
  explain: 'editors',
  scaffold: 'editors',
  list: 'identity',
  schema: 'editors',
  completion: 'configuration',
  history: 'recovery',
  undo: 'recovery',
  unlock: 'locks',
  matrix: 'fleets',
  report: 'fleets',
  comment: 'ci',
  issue: 'ci',
  approval: 'ci',
  serve: 'embedded-service',
  api: 'embedded-service',
};

/** The pages of a command: the one that teaches it, and its reference. */
export function pagesOf(command: string): readonly string[] {
  const guide = guides[command];
  return [
    ...(guide === undefined ? [] : [`docs/${guide}.md`]),
    `docs/reference/commands.md#octavo-${command}`,
  ];
}
