/** All generated files. The build tool writes them, and checks that they are up to date. */

import { kinds } from '../kinds/index.ts';
import { configJsonSchema, manifestJsonSchema, rulesJsonSchema } from '../manifest/schema/json-schema.ts';
import { eventsJsonSchema } from '../plan/event-schema.ts';
import { planJsonSchema } from '../run/plan-file/schema.ts';
import { mergedReportJsonSchema, runReportJsonSchema } from '../run/run-report/schema.ts';
import { testJsonSchema } from '../run/testing/test-schema.ts';
import { variantNames, variantSwitch } from '../server/variants.ts';
import { diagnosticCodes } from '../util/diagnostic-codes.ts';
import { commandsReference } from './commands.ts';
import { kindsReference } from './kinds.ts';
import { markdownTable } from './markdown.ts';
import { operationsReference } from './operations.ts';
import { rulesReference, settingsReference, testsReference } from './settings.ts';

export async function generatedFiles(): Promise<Readonly<Record<string, string>>> {
  return {
    'docs/reference/commands.md': await commandsReference(),
    'docs/reference/diagnostics.md': diagnosticsReference(),
    'docs/reference/guards.md': guardsReference(),
    'docs/reference/kinds.md': kindsReference(kinds),
    'docs/reference/operations.md': operationsReference(),
    'docs/reference/rules.md': rulesReference(),
    'docs/reference/settings.md': settingsReference(),
    'docs/reference/tests.md': testsReference(),
    'docs/reference/variants.md': variantsReference(),
    'schemas/config.schema.json': `${JSON.stringify(configJsonSchema(), null, 2)}\n`,
    'schemas/rules.schema.json': `${JSON.stringify(rulesJsonSchema(), null, 2)}\n`,
    'schemas/apply-events.schema.json': `${JSON.stringify(eventsJsonSchema(), null, 2)}\n`,
    'schemas/plan.schema.json': `${JSON.stringify(planJsonSchema(), null, 2)}\n`,
    'schemas/merged-report.schema.json': `${JSON.stringify(mergedReportJsonSchema(), null, 2)}\n`,
    'schemas/run-report.schema.json': `${JSON.stringify(runReportJsonSchema(), null, 2)}\n`,
    'schemas/test.schema.json': `${JSON.stringify(testJsonSchema(), null, 2)}\n`,
    'schemas/manifest.schema.json': `${JSON.stringify(manifestJsonSchema(kinds), null, 2)}\n`,
  };
}

const introductions: Readonly<Record<string, string | undefined>> = {
  Lint:
    'What `octavo validate` finds in manifests that are valid. A rule is turned off for a line with `# octavo-disable <rule>` at its end or\n' +
    '`# octavo-disable-next-line <rule>` above it, for an object with `# octavo-disable <rule>` above it, for a file with the same at its top, and\n' +
    'everywhere with `lint: { <rule>: off }` in `octavo.config.yaml`. What follows ` -- ` in a comment is the reason.',
};

function diagnosticsReference(): string {
  const lines = [
    '# Diagnostics',
    '',
    '<!-- Generated from the table of codes; do not edit. -->',
    '',
    'Every error, warning and hint has a code, shown in brackets: `error[unknown-key]`.',
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

const prefix = 'refused-';

function guardsReference(): string {
  const guards = Object.values(diagnosticCodes)
    .flatMap((codes) => Object.entries(codes))
    .filter(([code]) => code.startsWith(prefix))
    .map(([code, texts]) => [code.slice(prefix.length), texts] as const)
    .sort(([one], [other]) => (one < other ? -1 : 1));
  const lines = [
    '# Guards',
    '',
    '<!-- Generated from the table of codes; do not edit. -->',
    '',
    'A guard refuses a change that would lose something, or that nobody can have meant.',
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

function variantsReference(): string {
  const lines = [
    '# Variants of the embedded service',
    '',
    '<!-- Generated from the table of variants; do not edit. -->',
    '',
    'Where the API document is silent, services differ. `octavo serve --variant name=value` makes the embedded service behave like one of',
    'them; the flag is repeatable, and `--variant random` (or `random:42`, for the same mix each time) chooses a value for each. The first value',
    'is the default.',
    '',
    ...markdownTable(
      ['Variant', 'What it decides', 'Values'],
      variantNames.map((name) => {
        const { description, values, meanings = {} } = variantSwitch(name);
        const texts = values.map((value) => {
          const meaning = meanings[value];
          return meaning === undefined ? `\`${value}\`` : `\`${value}\` (${meaning})`;
        });
        return [`\`${name}\``, description, texts.join(', ')];
      }),
    ),
  ];
  return `${lines.join('\n')}\n`;
}
