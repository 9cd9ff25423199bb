/** `octavo schema`: prints the JSON Schema of manifests, or of plans. */
import { kinds } from '../../kinds/index.ts';
import { manifestJsonSchema } from '../../manifest/json-schema.ts';
import { planJsonSchema } from '../../run/plan-file/schema.ts';
import type { Invocation } from '../invocation.ts';

/** Always exit code 0. */
export async function run({ argument, output }: Invocation): Promise<number> {
  const schema = argument === 'plan' ? planJsonSchema() : manifestJsonSchema(kinds);
  output.result(`${JSON.stringify(schema, null, 2)}\n`);
  return 0;
}
