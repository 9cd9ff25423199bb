/** `octavo schema`: prints the JSON Schema of manifests. */
import { kinds } from '../../kinds/index.ts';
import { manifestJsonSchema } from '../../manifest/json-schema.ts';
import type { Invocation } from '../invocation.ts';

/** Always exit code 0. */
export async function run({ output }: Invocation): Promise<number> {
  output.result(`${JSON.stringify(manifestJsonSchema(kinds), null, 2)}\n`);
  return 0;
}
