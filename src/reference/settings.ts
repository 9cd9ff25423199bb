import * as z from 'zod';
import { ruleText } from '../cli/explain/other-topics.ts';
import { describeProperties } from '../contract/describe-schema.ts';
import { kinds } from '../kinds/index.ts';
import { shippedRules } from '../kinds/rules.ts';
import { configSchema } from '../manifest/schema/config.ts';
import { ruleSchema } from '../manifest/schema/rules.ts';
import { testSchema } from '../run/testing/test-schema.ts';
import { formerNamesSchema, lifecycleSchema } from '../tree/lifecycle.ts';
import { settingsSchema } from '../tree/settings.ts';
import { unwrapped } from '../util/data-schema.ts';
import { markdownTable } from './markdown.ts';

export function settingsReference(): string {
  const settings = settingsSchema(kinds.map(({ name }) => name));
  const lines = [
    '# Settings',
    '',
    '<!-- Generated from the schemas; do not edit. -->',
    '',
    '## settings',
    '',
    'Once per organization, in a manifest.',
    '',
    ...table(settings),
    '',
    '### settings.limits',
    '',
    ...table(partOf(settings, 'limits')),
    '',
    '## lifecycle',
    '',
    'On any object. `ignore` takes names of its fields.',
    '',
    ...table(lifecycleSchema(z.string())),
    '',
    '## was',
    '',
    `On any object: a string, or a list of them. ${formerNamesSchema.description ?? ''}`,
    '',
    '## octavo.config.yaml',
    '',
    'In the folder where octavo runs, or in the nearest one above it in its repository; paths are relative to the file. Flags and environment variables come first.',
    '',
    ...table(configSchema),
  ];
  return `${lines.join('\n')}\n`;
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
    ...table(partOf(ruleSchema(), 'when')),
    '',
    '## exempt',
    '',
    ...table(partOf(ruleSchema(), 'exempt')),
    '',
    '## Rules that ship',
    '',
    'Off until the file has their name; `octavo explain NAME` shows one.',
    '',
    ...Object.entries(shippedRules).flatMap(([name, { why, ...rule }]) => [
      `### ${name}`,
      '',
      why,
      '',
      '```yaml',
      ruleText(name, rule),
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
    ...table(partOf(testSchema, 'given')),
    '',
    '## expect',
    '',
    ...table(partOf(testSchema, 'expect')),
  ];
  return `${lines.join('\n')}\n`;
}

function partOf(schema: z.ZodType, name: string): z.ZodType {
  const part = objectOf(schema).shape[name];
  return part instanceof z.ZodType ? part : z.strictObject({});
}

function objectOf(schema: z.ZodType): z.ZodObject {
  const inner = unwrapped(schema);
  return inner instanceof z.ZodObject ? inner : z.strictObject({});
}

function table(schema: z.ZodType): readonly string[] {
  const rows = describeProperties(objectOf(schema)).map(({ name, value, meaning }) => [
    `\`${name}\``,
    value.length > 120 ? 'mapping' : value,
    meaning,
  ]);
  return markdownTable(['Key', 'Value', 'Meaning'], rows);
}
