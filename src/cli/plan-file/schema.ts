/** The form of a saved plan, as a schema: what is read is held against it, and `schemas/plan.schema.json` is made from it. */
import { z } from 'zod';

const text = z.string();
const texts = z.array(text);
const values = z.record(text, z.unknown());
const range = z.looseObject({
  file: text,
  line: z.number(),
  column: z.number(),
  endLine: z.number(),
  endColumn: z.number(),
});

const fieldChange = z
  .looseObject({
    field: text,
    before: z.unknown().optional(),
    after: z.unknown().optional(),
    cause: z.enum(['changed', 'drift', 'conflict']).optional(),
    base: z.unknown().optional(),
    risk: text.optional(),
  })
  .describe('One field. Ids of declared objects are { $id: address }, secrets { $secret: template }.');

const call = z
  .looseObject({
    operation: text.describe('Name of the operation, for example sites.update'),
    params: values.describe('Parameters of the path'),
    query: values.optional(),
    body: values.optional(),
    find: values.optional().describe('Only for reads: the item of the list that has these values is meant'),
  })
  .describe('One request, in full');

const step = z
  .looseObject({
    id: text.describe('Address and phase'),
    address: text,
    kind: text,
    noun: text,
    liveId: text.optional().describe('Id of the live object, where it exists already'),
    title: text.optional(),
    action: z.enum(['create', 'update', 'move', 'replace', 'delete', 'restore']),
    phase: z.enum(['delete', 'restore', 'create', 'vacate', 'detach', 'attach', 'update', 'move']),
    cause: z.enum(['changed', 'drift', 'conflict']).optional(),
    reason: text,
    fields: z.array(fieldChange),
    risks: texts,
    calls: z.array(call),
    cascade: z
      .array(z.looseObject({ kind: text, noun: text, id: text, title: text }))
      .optional()
      .describe('What goes down with a delete'),
    needs: texts.describe('Steps that must have succeeded'),
    after: texts.describe('Steps that must have ended'),
  })
  .describe('Requests for one object, one after the other');

const refusal = z
  .looseObject({
    guard: text,
    address: text,
    message: text,
    suggestion: text,
    steps: texts.describe('Steps that it forbids; all where it names none'),
    skipped: z.literal(true).optional().describe('Left out of the plan, so that the rest can go on'),
  })
  .describe('A change that a guard forbids');

const diagnostic = z.looseObject({
  severity: z.enum(['error', 'warning', 'hint']),
  code: text,
  message: text,
  address: text.optional(),
  at: range.optional(),
  suggestion: text.optional(),
});

const organization = z.looseObject({
  organizationId: text,
  label: text,
  seen: z
    .record(text, values)
    .describe('What the live objects that steps change were like, by address; without secrets'),
  withBase: z.boolean().describe('True when causes are known'),
  ids: z.record(text, text).describe('Ids of the live objects that the manifests declare, by address'),
  steps: z.array(step).describe('In an order in which they could run one by one'),
  unmanaged: z.array(z.looseObject({ address: text, kind: text, noun: text, id: text, title: text })),
  refusals: z.array(refusal),
  notes: z.array(diagnostic),
});

const prune = z.enum(['never', 'removed', 'unlisted']);

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
  lifecycle: z.looseObject({
    protect: z.boolean().optional(),
    release: z.boolean().optional(),
    ignore: texts,
  }),
  fields: values,
  declares: texts,
  at: range,
});

const tree = z.looseObject({
  label: text,
  id: text.optional(),
  match: z.looseObject({ hostname: text.optional(), title: text.optional() }).optional(),
  settings: z.looseObject({
    prune,
    pruneKinds: z.record(text, prune),
    limits: z.looseObject({
      deletes: z.number().optional(),
      deletePercent: z.number().optional(),
      changes: z.number().optional(),
    }),
    protect: texts,
    self: text.optional(),
  }),
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
  organizations: z.array(organization),
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
    ...z.toJSONSchema(planDocument, { io: 'output' }),
    title: 'Octavo plan',
  };
}
