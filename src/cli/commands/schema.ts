import { kinds } from '../../kinds/index.ts';
import { configJsonSchema, manifestJsonSchema, rulesJsonSchema } from '../../manifest/schema/json-schema.ts';
import { journalJsonSchema } from '../../past/journal/entry.ts';
import { planJsonSchema } from '../../run/plan-file/schema.ts';
import { testJsonSchema } from '../../run/testing/test-schema.ts';
import { defineCommand, type Invocation } from '../line/command.ts';

const schemas = {
  manifest: () => manifestJsonSchema(kinds),
  config: configJsonSchema,
  rules: rulesJsonSchema,
  plan: planJsonSchema,
  events: journalJsonSchema,
  test: testJsonSchema,
} satisfies Record<string, () => object>;

export const command = defineCommand({
  words: { name: 'of', choices: Object.keys(schemas) },
  flags: {},
  run,
});

async function run({ words: [of = 'manifest'], output }: Invocation): Promise<number> {
  const schema = schemas[of as keyof typeof schemas];
  // The schema of manifests is long and not meant for reading.
  output.result(`${JSON.stringify(schema(), null, of === 'manifest' ? 0 : 2)}\n`);
  return 0;
}
