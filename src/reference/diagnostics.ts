/** The reference page of all diagnostics, made from the table of their codes. Pure. */
import { diagnosticCodes } from '../util/diagnostic-codes.ts';

/** The whole page. Same table, same text. */
export function diagnosticsReference(): string {
  const lines = [
    '# Diagnostics',
    '',
    'Every error, warning and hint has a code, shown in brackets: `error[unknown-key]`. Generated from the table of codes; do not edit.',
    '',
  ];
  for (const [part, codes] of Object.entries(diagnosticCodes)) {
    lines.push(`## ${part}`, '');
    for (const [code, [meaning, example, wayOut]] of Object.entries(codes).sort(byCode)) {
      lines.push(`### ${code}`, '', `${meaning}.`, '', `- Example: ${example}`, `- Way out: ${wayOut}.`, '');
    }
  }
  return `${lines.join('\n').trimEnd()}\n`;
}

function byCode([left]: readonly [string, unknown], [right]: readonly [string, unknown]): number {
  return left < right ? -1 : 1;
}
