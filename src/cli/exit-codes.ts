/** The exit codes of all commands, as help and explanations name them. */

/** Each with its meaning. */
export const exitCodes: readonly (readonly [string, string])[] = [
  ['0', 'success, or nothing to do'],
  ['1', 'an error, or a rehearsal that failed'],
  ['2', 'plan --detailed-exitcode: there are changes'],
  ['3', 'plan, rehearse: something is refused'],
  ['130', 'interrupted'],
  ['143', 'terminated'],
];
