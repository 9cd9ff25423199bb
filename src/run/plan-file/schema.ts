/** The form of a saved plan: files are checked against it, and `schemas/plan.schema.json` is made from it. */
import * as z from 'zod';
import { once } from '../../contract/once.ts';
import { planShardSchema } from '../../plan/plan.ts';
import { rehearsalSchema } from '../../plan/rehearsal.ts';
import { planChoicesSchema } from '../../plan/scope/choices.ts';
import { reviewedOrganizationSchema } from '../../review/reviewed-plan.ts';
import { desiredNodeSchema, savedTreeSchema, savedTreeShape } from '../../tree/desired-schema.ts';
import { ownWorkSchema } from '../../tree/own-work.ts';
import { dataJsonSchema, list, object } from '../../util/data-schema.ts';

const text = z.string();

/** Stores nodes that are the same in both trees once. */
const savedBaseSchema = once(() => {
  const same = object({
    same: text.describe('Address of a node that is as declared'),
    id: text.exactOptional(),
    knownId: text.exactOptional(),
  });
  return object({ ...savedTreeShape(), nodes: list(z.union([same, desiredNodeSchema()])) });
});

const inputs = once(() =>
  object({
    trees: list(
      object({
        desired: savedTreeSchema(),
        base: savedBaseSchema().exactOptional(),
        own: ownWorkSchema().exactOptional().describe('Work of unfinished runs, if there are any'),
      }),
    ),
    options: planChoicesSchema(),
    manifests: object({
      files: list(text),
      overlays: list(text),
      digest: text.describe('SHA-256 of the manifests and of the files that they include'),
    })
      .exactOptional()
      .describe('Folder of the manifests: the plan is not applied if others are checked out there'),
    commit: text.exactOptional().describe('Commit of the manifests, where they were all committed'),
  }).describe('Inputs of the plan: the live state is read again with them before the first request'),
);

/** The same plan produces the same text. */
export const planDocument = once(() =>
  z.looseObject({
    format: z.literal(1).describe('Version of this form'),
    version: text.describe('Version of Octavo that made the plan'),
    service: text
      .exactOptional()
      .describe('The service that was planned for: the plan is applied to no other'),
    embedded: text.exactOptional().describe('The service on this machine that the configuration names'),
    overlays: list(text).exactOptional().describe('Names of the overlays, in order, if there are any'),
    binding: list(text)
      .exactOptional()
      .describe(
        'Changes since the base in the settings and rules that bind an apply, which the next request is held to; absent if there are none',
      ),
    organizations: list(reviewedOrganizationSchema()),
    shard: planShardSchema()
      .optional()
      .describe('If the organizations of a run are split: the part of this plan'),
    counts: z.record(text, z.number()).describe('Objects by action'),
    countsByCause: z
      .looseObject({})
      .optional()
      .describe('The same for what the manifests changed and for what drifted, and the number of conflicts'),
    empty: z.boolean().describe('True when there is nothing to do'),
    partial: z.boolean().optional().describe('True when targets, exclusions or a shard leave out a part'),
    digest: text.describe('SHA-256 of what the plan does; equal for equal meaning'),
    approval: text.describe('For apply --approved: covers this plan, and what is left of it later'),
    rehearsal: rehearsalSchema().optional().describe('Only if requested (plan --rehearse)'),
    inputs: inputs().optional().describe('Only in saved plans (plan --out)'),
    checksum: text.optional().describe('SHA-256 of the rest of the document, in saved plans'),
  }),
);

export type SavedBase = z.infer<ReturnType<typeof savedBaseSchema>>;

/** Secrets are kept as templates. */
export type PlanDocument = z.infer<ReturnType<typeof planDocument>>;

export function planJsonSchema(): object {
  return { ...dataJsonSchema(planDocument()), title: 'Octavo plan' };
}
