import { defineCommand, type Invocation } from '../line/command.ts';

const schemas = {
  manifest: async () => (await manifests()).manifestJsonSchema((await import('../../kinds/index.ts')).kinds),
  config: async () => (await manifests()).configJsonSchema(),
  rules: async () => (await manifests()).rulesJsonSchema(),
  plan: async () => (await import('../../run/plan-file/schema.ts')).planJsonSchema(),
  events: async () => (await import('../../past/journal/entry.ts')).journalJsonSchema(),
  test: async () => (await import('../../run/testing/test-schema.ts')).testJsonSchema(),
} satisfies Record<string, () => Promise<object>>;

function manifests() {
  return import('../../manifest/schema/json-schema.ts');
}

export const command = defineCommand({
  words: { name: 'of', choices: Object.keys(schemas) },
  flags: {},
  run,
});

async function run({ words: [of = 'manifest'], output }: Invocation): Promise<number> {
  const schema = schemas[of as keyof typeof schemas];
  // The schema of manifests is long and not meant for reading.
  output.result(`${JSON.stringify(await schema(), null, of === 'manifest' ? 0 : 2)}\n`);
  return 0;
}
