/** The reference page of all diagnostics, made from the table of their codes. Pure. */
import { diagnosticCodes } from '../util/diagnostic-codes.ts';

/** What holds for all codes of a part. */
const introductions: Readonly<Record<string, string | undefined>> = {
  Lint:
    'What `octavo validate` finds in manifests that are valid. A rule is turned off for a line with `# octavo-disable <rule>` at its end or\n' +
    '`# octavo-disable-next-line <rule>` above it, for an object with `# octavo-disable <rule>` above it, for a file with the same at its top, and\n' +
    'everywhere with `lint: { <rule>: off }` in `octavo.config.yaml`. What follows ` -- ` in a comment is the reason.',
};

/** The whole page. Same table, same text. */
export function diagnosticsReference(): string {
  const lines = [
    '# Diagnostics',
    '',
    'Every error, warning and hint has a code, shown in brackets: `error[unknown-key]`. Generated from the table of codes; do not edit.',
    '',
  ];
  for (const [part, codes] of Object.entries(diagnosticCodes)) {
    lines.push(
      `## ${part}`,
      '',
      ...(Object.hasOwn(introductions, part) ? [introductions[part] ?? '', ''] : []),
    );
    for (const [code, [meaning, example, wayOut]] of Object.entries(codes).sort(byCode)) {
      lines.push(`### ${code}`, '', `${meaning}.`, '', `- Example: ${example}`, `- Way out: ${wayOut}.`, '');
    }
  }
  return `${lines.join('\n').trimEnd()}\n`;
}

function byCode([left]: readonly [string, unknown], [right]: readonly [string, unknown]): number {
  return left < right ? -1 : 1;
}
