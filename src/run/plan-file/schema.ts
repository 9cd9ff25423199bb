/** The form of a saved plan, as a schema: what is read is held against it, and `schemas/plan.schema.json` is made from it. */
import { z } from 'zod';
import { kinds } from '../../kinds/index.ts';
import { organizationPlanSchema } from '../../plan/plan.ts';
import { lifecycleSchema } from '../../tree/lifecycle.ts';
import { settingsSchema } from '../../tree/settings.ts';
import { dataJsonSchema, list } from '../../util/data-schema.ts';
import { sourceRangeSchema } from '../../util/diagnostic-schema.ts';

const text = z.string();
const texts = z.array(text);
const values = z.record(text, z.unknown());
const node = z.looseObject({
  kind: text,
  address: text,
  key: text,
  parent: text.optional(),
  collection: text,
  index: z.number(),
  id: text.optional(),
  was: texts,
  isNew: z.literal(true).optional(),
  lifecycle: lifecycleSchema(text),
  fields: values,
  declares: texts,
  at: sourceRangeSchema,
});

const tree = z.looseObject({
  label: text,
  id: text.optional(),
  match: z.looseObject({ hostname: text.optional(), title: text.optional() }).optional(),
  settings: settingsSchema(kinds.map(({ name }) => name)),
  nodes: z.array(node),
});

const inputs = z
  .looseObject({
    trees: z.array(z.looseObject({ desired: tree, base: tree.optional() })),
    options: z.looseObject({
      target: texts.optional(),
      exclude: texts.optional(),
      ignoreDrift: z.boolean().optional(),
      allowDeletes: z.number().optional(),
      skipRefused: z.boolean().optional(),
    }),
    commit: text.optional().describe('Commit of the manifests, where they were all committed'),
  })
  .describe(
    'What the plan was made from: with it the live state is looked at again before the first request',
  );

/** A plan as JSON. The same plan gives the same text. */
export const planDocument = z.looseObject({
  format: z.literal(1).describe('Version of this form'),
  version: text.describe('Version of Octavo that made the plan'),
  organizations: list(organizationPlanSchema),
  counts: z.record(text, z.number()).describe('Objects by action'),
  countsByCause: z
    .looseObject({})
    .optional()
    .describe('The same for what the manifests changed and for what drifted, and the number of conflicts'),
  empty: z.boolean().describe('True when there is nothing to do'),
  digest: text.describe('SHA-256 of what the plan does; equal for equal meaning'),
  approval: text.describe('For apply --expect: covers this plan, and what is left of it later'),
  inputs: inputs.optional().describe('Only in saved plans (plan --out)'),
  checksum: text.optional().describe('SHA-256 of all the rest, in saved plans'),
});

/** The checked text of a saved plan, with secrets still as templates. */
export type PlanDocument = z.infer<typeof planDocument>;

/** The JSON Schema of plans, for other tools. */
export function planJsonSchema(): object {
  return {
    ...dataJsonSchema(planDocument),
    title: 'Octavo plan',
  };
}
