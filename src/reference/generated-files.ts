/** All generated files, or the last section of a page. The build tool writes them, and checks that they are up to date. */

import { kinds } from '../kinds/index.ts';
import { configJsonSchema, manifestJsonSchema, rulesJsonSchema } from '../manifest/schema/json-schema.ts';
import { journalJsonSchema } from '../past/journal/entry.ts';
import { planJsonSchema } from '../run/plan-file/schema.ts';
import { runJsonSchema } from '../run/results/run-schema.ts';
import { testJsonSchema } from '../run/testing/test-schema.ts';
import { type VariantName, valuesOf, variantNames } from '../server/variants.ts';
import { commandsReference } from './commands.ts';
import { kindsReference } from './kinds.ts';
import { markdownTable } from './markdown.ts';
import { rulesReference, settingsReference, testsReference } from './settings.ts';
import variants from './variants.json' with { type: 'json' };

interface VariantText {
  readonly description: string;
  readonly meanings: Readonly<Record<string, string>>;
}

const variantTexts: Readonly<Record<VariantName, VariantText>> = variants;

export async function generatedFiles(): Promise<Readonly<Record<string, string>>> {
  return {
    // A text that begins with a heading of the second level replaces that section, and what follows it.
    'docs/reference/embedded-service.md': variantsReference(),
    'docs/reference/commands.md': await commandsReference(),
    'docs/reference/kinds.md': kindsReference(),
    'docs/reference/rules.md': rulesReference(),
    'docs/reference/settings.md': settingsReference(),
    'docs/reference/tests.md': testsReference(),
    'schemas/config.schema.json': `${JSON.stringify(configJsonSchema(), null, 2)}\n`,
    'schemas/rules.schema.json': `${JSON.stringify(rulesJsonSchema(), null, 2)}\n`,
    'schemas/apply-events.schema.json': `${JSON.stringify(journalJsonSchema(), null, 2)}\n`,
    'schemas/plan.schema.json': `${JSON.stringify(planJsonSchema(), null, 2)}\n`,
    'schemas/run.schema.json': `${JSON.stringify(runJsonSchema(), null, 2)}\n`,
    'schemas/test.schema.json': `${JSON.stringify(testJsonSchema(), null, 2)}\n`,
    'schemas/manifest.schema.json': `${JSON.stringify(manifestJsonSchema(kinds))}\n`,
  };
}

function variantsReference(): string {
  const lines = [
    '## Variants of the embedded service',
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
        const { description, meanings } = variantTexts[name];
        const texts = valuesOf(name).map((value) => {
          const meaning = meanings[value];
          return meaning === undefined ? `\`${value}\`` : `\`${value}\` (${meaning})`;
        });
        return [`\`${name}\``, description, texts.join(', ')];
      }),
    ),
  ];
  return `${lines.join('\n')}\n`;
}
