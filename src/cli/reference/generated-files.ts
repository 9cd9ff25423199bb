/** All files that are made from the sources. The build tool writes them, and checks that they are up to date. */
import { operationsReference } from '../../contract/reference.ts';
import { kinds } from '../../kinds/index.ts';
import { manifestJsonSchema } from '../../manifest/json-schema.ts';
import { planJsonSchema } from '../plan-file/schema.ts';
import { commandsReference } from './commands.ts';
import { kindsReference } from './kinds.ts';

/** Texts by path in the repository. */
export function generatedFiles(): Readonly<Record<string, string>> {
  return {
    'docs/reference/commands.md': commandsReference(),
    'docs/reference/kinds.md': kindsReference(kinds),
    'docs/reference/operations.md': operationsReference(),
    'schemas/plan.schema.json': `${JSON.stringify(planJsonSchema(), null, 2)}\n`,
    'schemas/manifest.schema.json': `${JSON.stringify(manifestJsonSchema(kinds), null, 2)}\n`,
  };
}
