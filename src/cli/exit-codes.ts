/** The exit codes of commands, as help, explanations and reference pages name them. */

/** A code with its meaning. */
export type ExitCode = readonly [code: string, meaning: string];

/** All codes, each with what it means in every command that has it. */
export const exitCodes: readonly ExitCode[] = [
  ['0', 'success, or nothing to do'],
  ['1', 'an error, or a rehearsal that failed'],
  ['2', 'plan --detailed-exitcode, drift: there are changes'],
  ['3', 'plan, rehearse: something is refused'],
  ['130', 'interrupted'],
  ['143', 'terminated'],
];

const changes = 'with --detailed-exitcode: there are changes, and none is refused';
const refused = 'a change is refused';
const failed = 'an error: a step failed, or a change is refused';

/** What differs from the codes that every command has. */
const own: Readonly<Record<string, readonly ExitCode[] | undefined>> = {
  plan: [
    ['1', 'an error, or a rehearsal that failed'],
    ['2', changes],
    ['3', refused],
  ],
  rehearse: [
    ['1', 'an error, or the rehearsal failed'],
    ['3', 'a change is refused, so nothing was rehearsed'],
  ],
  apply: [['1', failed]],
  undo: [
    ['1', failed],
    ['2', `--out ${changes}`],
    ['3', `--out: ${refused}`],
  ],
  show: [['3', refused]],
  drift: [['2', 'there is drift']],
  fmt: [['3', '--check: a file is not formatted']],
  report: [['1', 'an error, or a shard is missing or incomplete']],
  doctor: [['1', 'an error, or a check that failed']],
};

/** The codes of a command, by number. */
export function exitCodesOf(command: string): readonly ExitCode[] {
  const codes = new Map<string, string>([
    ['0', 'success, or nothing to do'],
    ['1', 'an error'],
    ['130', 'interrupted'],
    ['143', 'terminated'],
    ...(own[command] ?? []),
  ]);
  return [...codes].sort(([one], [other]) => Number(one) - Number(other));
}
