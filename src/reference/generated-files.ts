/** All files that are made from the sources. The build tool writes them, and checks that they are up to date. */

import { kinds } from '../kinds/index.ts';
import { configJsonSchema, manifestJsonSchema } from '../manifest/json-schema.ts';
import { eventsJsonSchema } from '../plan/event-schema.ts';
import { planJsonSchema } from '../run/plan-file/schema.ts';
import { mergedReportJsonSchema, runReportJsonSchema } from '../run/run-report/schema.ts';
import { commandsReference } from './commands.ts';
import { diagnosticsReference } from './diagnostics.ts';
import { guardsReference } from './guards.ts';
import { kindsReference } from './kinds.ts';
import { operationsReference } from './operations.ts';
import { settingsReference } from './settings.ts';
import { variantsReference } from './variants.ts';

/** Texts by path in the repository. */
export function generatedFiles(): Readonly<Record<string, string>> {
  return {
    'docs/reference/commands.md': commandsReference(),
    'docs/reference/diagnostics.md': diagnosticsReference(),
    'docs/reference/guards.md': guardsReference(),
    'docs/reference/kinds.md': kindsReference(kinds),
    'docs/reference/operations.md': operationsReference(),
    'docs/reference/settings.md': settingsReference(),
    'docs/reference/variants.md': variantsReference(),
    'schemas/config.schema.json': `${JSON.stringify(configJsonSchema(), null, 2)}\n`,
    'schemas/apply-events.schema.json': `${JSON.stringify(eventsJsonSchema(), null, 2)}\n`,
    'schemas/plan.schema.json': `${JSON.stringify(planJsonSchema(), null, 2)}\n`,
    'schemas/merged-report.schema.json': `${JSON.stringify(mergedReportJsonSchema(), null, 2)}\n`,
    'schemas/run-report.schema.json': `${JSON.stringify(runReportJsonSchema(), null, 2)}\n`,
    'schemas/manifest.schema.json': `${JSON.stringify(manifestJsonSchema(kinds), null, 2)}\n`,
  };
}
