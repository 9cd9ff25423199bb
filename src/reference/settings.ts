import type { z } from 'zod';
import { shippedRules } from '../kinds/rules/rules.ts';
import { ruleSchema } from '../manifest/schema/rules.ts';
import { schemaAt } from '../manifest/schema/schema-part.ts';
import { settingTexts, settingTopics } from '../manifest/schema/setting-topics.ts';
import { testSchema } from '../run/testing/test-schema.ts';
import { formerNamesSchema } from '../tree/lifecycle.ts';
import { dataOf } from '../yaml/data.ts';
import { entriesText } from '../yaml/print.ts';
import { markdownTable } from './markdown.ts';

export function settingsReference(): string {
  const lines = [
    '# Settings',
    '',
    '<!-- Generated from the schemas; do not edit. -->',
    '',
    ...settingTopics.flatMap(({ name, heading, where, schema }) => [
      `## ${heading}`,
      '',
      where,
      '',
      ...(schema === formerNamesSchema ? [] : [...table(schema), '']),
      ...(name === 'settings' ? ['### settings.limits', '', ...table(schemaAt(schema, ['limits'])), ''] : []),
    ]),
  ];
  return `${lines.join('\n').trimEnd()}\n`;
}

export function rulesReference(): string {
  const lines = [
    '# Rules',
    '',
    '<!-- Generated from the schemas and the rules that ship; do not edit. -->',
    '',
    'In `octavo.rules.yaml`, at the root of the repository; [rules](../rules.md) says how they judge. Each is a key of `rules:`.',
    '',
    ...table(ruleSchema()),
    '',
    '## when',
    '',
    ...table(schemaAt(ruleSchema(), ['when'])),
    '',
    '## exempt',
    '',
    ...table(schemaAt(ruleSchema(), ['exempt'])),
    '',
    '## Rules that ship',
    '',
    'Off until the file has their name.',
    '',
    ...Object.entries(shippedRules).flatMap(([name, { why, ...rule }]) => [
      `### ${name}`,
      '',
      why,
      '',
      '```yaml',
      entriesText(new Map([['rules', dataOf({ [name]: rule })]]), 0).trimEnd(),
      '```',
      '',
    ]),
  ];
  return `${lines.join('\n').trimEnd()}\n`;
}

export function testsReference(): string {
  const lines = [
    '# Tests of configuration',
    '',
    '<!-- Generated from the schema; do not edit. -->',
    '',
    'A file `*.test.yaml` has one mapping, `tests`, with tests by name ([how they work](../testing.md)). Each has',
    '',
    ...table(testSchema),
    '',
    '## given',
    '',
    ...table(schemaAt(testSchema, ['given'])),
    '',
    '## expect',
    '',
    ...table(schemaAt(testSchema, ['expect'])),
  ];
  return `${lines.join('\n')}\n`;
}

function table(schema: z.ZodType | undefined): readonly string[] {
  const rows = settingTexts(schema).map(({ name, value, meaning }) => [`\`${name}\``, value, meaning]);
  return markdownTable(['Key', 'Value', 'Meaning'], rows);
}
