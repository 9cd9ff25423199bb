/** `octavo schema`: prints the JSON Schema of manifests, of octavo.config.yaml, of plans, or of the lines of --format ndjson. */

import { kinds } from '../../kinds/index.ts';
import { configJsonSchema, manifestJsonSchema } from '../../manifest/json-schema.ts';
import { eventsJsonSchema } from '../../plan/event-schema.ts';
import { planJsonSchema } from '../../run/plan-file/schema.ts';
import type { Invocation } from '../invocation.ts';

/** By what they describe. */
const schemas = {
  manifest: () => manifestJsonSchema(kinds),
  config: configJsonSchema,
  plan: planJsonSchema,
  events: eventsJsonSchema,
} satisfies Record<string, () => object>;

/** Always exit code 0. */
export async function run({ argument, output }: Invocation): Promise<number> {
  const schema = schemas[(argument ?? 'manifest') as keyof typeof schemas];
  output.result(`${JSON.stringify(schema(), null, 2)}\n`);
  return 0;
}
