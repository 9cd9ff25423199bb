/** The reference page of guards, made from the codes of what they refuse. Pure. */
import { diagnosticCodes } from '../util/diagnostic-codes.ts';

const prefix = 'refused-';

/** The whole page. Same table, same text. */
export function guardsReference(): string {
  const guards = Object.values(diagnosticCodes)
    .flatMap((codes) => Object.entries(codes))
    .filter(([code]) => code.startsWith(prefix))
    .map(([code, texts]) => [code.slice(prefix.length), texts] as const)
    .sort(([one], [other]) => (one < other ? -1 : 1));
  const lines = [
    '# Guards',
    '',
    'A guard refuses a change that would lose something, or that nobody can have meant. Generated from the table of codes; do not edit.',
    '',
    'The plan shows a refused change with the name of its guard, why, and the line or flag that allows it. `apply` refuses the whole plan while it',
    'holds such a change; `--skip-refused` leaves it and its dependents out, and applies the rest. `plan` ends with exit code 3.',
    '',
    ...guards.flatMap(([name, [meaning, example, wayOut]]) => [
      `## ${name}`,
      '',
      `${meaning}.`,
      '',
      `- Example: ${example}`,
      `- Way out: ${wayOut}.`,
      '',
    ]),
  ];
  return `${lines.join('\n').trimEnd()}\n`;
}
