/**
 * A plan as data: the steps that lead from the live state to the desired one, each with the very requests that apply
 * sends. Reports, saved plans and apply read this and nothing else. The schema is its only description: the types, the
 * check of saved plans and `schemas/plan.schema.json` come from it.
 *
 * Invariants: steps are in an order in which they could run one by one; `needs` and `after` name earlier steps only;
 * the same trees give the same plan, byte for byte; no secret is in it.
 */
import * as z from 'zod';
import { once } from '../contract/once.ts';
import { callSchema, type Payload } from '../kinds/payload.ts';
import { byName, list, object, typed } from '../util/data-schema.ts';
import type { GuardName } from '../util/diagnostic-codes.ts';
import { diagnosticSchema, sourceRangeSchema } from '../util/diagnostic-schema.ts';
import { siteNavigationSchema } from './navigation-data.ts';

const text = z.string();
const texts = list(text);
const payload = typed<Payload>();

/** The actions, as a schema. */
export const actionSchema = z.enum(['create', 'update', 'move', 'replace', 'delete', 'restore']);
/** The phases, as a schema. */
export const phaseSchema = z.enum([
  'delete',
  'restore',
  'create',
  'vacate',
  'detach',
  'attach',
  'update',
  'move',
]);
const cause = z.enum(['changed', 'input', 'drift', 'conflict']);

/** One field of a change, as a schema. */
export const fieldChangeSchema = once(() =>
  object({
    field: text,
    before: payload.exactOptional(),
    after: payload.exactOptional(),
    cause: cause.exactOptional().describe('Absent without a base'),
    carried: z
      .literal(true)
      .exactOptional()
      .describe('Not declared: the value that the replaced object has, taken over'),
    base: payload.exactOptional().describe('What the base says, where all three differ'),
    risk: text
      .exactOptional()
      .describe('What a reviewer should weigh about this very field; among the risks of its step as well'),
    forcesReplacement: z
      .literal(true)
      .exactOptional()
      .describe('True where only a new object can have the new value'),
    reads: z
      .enum(['role', 'word', 'people'])
      .exactOptional()
      .describe(
        'How the values read: a role (null is a guest), a word without quotes, or people by their roles',
      ),
    called: byName(text)
      .exactOptional()
      .describe('What people call the objects whose ids are values, where no manifest declares them'),
  }).describe('One field. Ids of declared objects are { $id: address }, secrets { $secret: template }.'),
);

const cascadedDelete = once(() => object({ kind: text, noun: text, id: text, title: text }));

const step = once(() =>
  object({
    id: text.describe('Unique in the plan: address and phase'),
    address: text,
    at: sourceRangeSchema.exactOptional().describe('Where the manifests ask for it; absent for a delete'),
    kind: text,
    noun: text,
    liveId: text.exactOptional().describe('Id of the live object, where it exists already'),
    title: text.exactOptional().describe('What people call the live object, where no manifest declares it'),
    action: actionSchema,
    phase: phaseSchema,
    cause: cause
      .exactOptional()
      .describe(
        'Why the step is there as a whole; the fields of an update have their own. Absent without a base',
      ),
    reason: text.describe('Why, in a few words'),
    fields: list(fieldChangeSchema()),
    risks: texts.describe('What a reviewer should weigh, one sentence each'),
    calls: list(callSchema()),
    cascade: list(cascadedDelete())
      .exactOptional()
      .describe(
        'What is deleted along with the object and has no step of its own; absent where there is none',
      ),
    needs: texts.describe('Steps that must have succeeded'),
    after: texts.describe('Steps that must have ended, whatever came of them'),
  }).describe('Requests for one object, one after the other'),
);

/** A live object that no manifest lists, as a schema. */
export const unmanagedSchema = once(() =>
  object({
    address: text,
    kind: text,
    noun: text,
    id: text,
    title: text,
    risk: text.exactOptional().describe('To whom or what it gives access, where it does'),
  }),
);

/** An object that an unfinished run left behind, as a schema. */
export const leftoverSchema = once(() => object({ address: text, kind: text, id: text, run: text }));

const leftOut = once(() =>
  object({
    target: texts.exactOptional().describe('The targets, where there are some'),
    exclude: texts.exactOptional().describe('What was excluded, where anything was'),
    objects: z.number().describe('Declared objects that the targets leave out'),
    changes: z.number().describe('Objects whose changes are known and that targets or exclusions leave out'),
    drift: z.number().describe('Differences that are left alone since only the live state changed'),
    ignoredFields: z.number().describe('Fields that differ and that lifecycle.ignore leaves alone'),
    pending: z
      .number()
      .exactOptional()
      .describe('Of drift: objects that the manifests change and that nobody has applied yet'),
  }).describe('What differs, or may differ, and is not in the plan'),
);

const policyChange = once(() =>
  object({
    address: text.describe('`settings` for the settings'),
    change: z.enum(['released', 'managed', 'protected', 'unprotected', 'fields', 'ignored', 'setting']),
    name: text.exactOptional().describe('The setting, or the fields, where it is about some'),
    before: payload.exactOptional(),
    after: payload.exactOptional(),
  }).describe(
    'What the manifests say of how objects are treated, and did not in the base. Nothing is sent for it',
  ),
);

const refusal = once(() =>
  object({
    guard: z.custom<GuardName>((name) => typeof name === 'string').meta({ type: 'string' }),
    address: text,
    message: text,
    suggestion: text,
    steps: texts.describe('Steps that it forbids; all where it names none'),
    skipped: z
      .literal(true)
      .exactOptional()
      .describe(
        'These steps, and those that need them, were left out of the plan so that the rest can go on',
      ),
  }).describe('A change that a guard forbids'),
);

/** The plan of one organization, as a schema. */
export const organizationPlanSchema = once(() =>
  object({
    organizationId: text,
    label: text,
    ids: byName(text).describe(
      'Ids of the live objects that the manifests declare and that stay, by address',
    ),
    seen: byName(byName(payload)).describe(
      'What the live objects that steps change were like when they were read, by address; without secrets',
    ),
    base: object({
      name: text,
      commit: text.exactOptional(),
      behind: z.enum(['merge', 'merge-base', 'allow']).exactOptional(),
    })
      .exactOptional()
      .describe('What the manifests were compared with'),
    undoes: text.exactOptional().describe('The run whose changes the plan undoes, where it undoes one'),
    shows: z
      .literal('drift')
      .exactOptional()
      .describe('What of a plan this is, where it is not all of it: it cannot be applied'),
    withBase: z.boolean().describe('True when it is known what was applied before, so that causes are known'),
    steps: list(step()).describe('In an order in which they could run one by one'),
    navigation: list(siteNavigationSchema())
      .exactOptional()
      .describe('The sites that steps change, as they were; absent where there are none'),
    unmanaged: list(unmanagedSchema()).describe(
      'Live objects in declared collections that no manifest lists; those that give access first',
    ),
    leftovers: list(leftoverSchema())
      .exactOptional()
      .describe(
        'Live objects that a run created before it failed or was interrupted, and that neither the manifests nor the base declare; absent where there are none',
      ),
    policy: list(policyChange())
      .exactOptional()
      .describe('How the treatment of objects changed since the base; absent where it did not'),
    leftOut: leftOut().exactOptional().describe('Absent in plans of former versions'),
    refusals: list(refusal()),
    notes: list(diagnosticSchema).describe('Warnings and hints'),
  }),
);

/** What happens to an object, as people read it. */
export type Action = z.infer<typeof actionSchema>;

/** What one step does for its object; an object may need several steps. */
export type Phase = z.infer<typeof phaseSchema>;

/**
 * Why something differs: `changed` the manifests asked for it since the base; `input` a value from the environment is another
 * one, such as a rotated secret; `drift` the live state went another way
 * while the manifests stayed; `conflict` both did.
 */
export type Cause = z.infer<typeof cause>;

/** One field before and after. Ids of objects are `{ $id: address }`, secrets `{ $secret: template }`. */
export type FieldChange = z.infer<ReturnType<typeof fieldChangeSchema>>;

/** An object that an unfinished run left behind. */
export type Leftover = z.infer<ReturnType<typeof leftoverSchema>>;

/** A live object that is deleted along with another one. */
export type CascadedDelete = z.infer<ReturnType<typeof cascadedDelete>>;

/** One step: some requests, one after the other, for one object. */
export type Step = z.infer<ReturnType<typeof step>>;

/** A live object in a declared collection that the manifests do not list; left alone. */
export type Unmanaged = z.infer<ReturnType<typeof unmanagedSchema>>;

/** A change of how an object is treated: whether it is managed, protected, and by which settings. */
export type PolicyChange = z.infer<ReturnType<typeof policyChange>>;

/** A change that the manifests ask for and a guard forbids. Apply does nothing while there is one that is not skipped. */
export type Refusal = z.infer<ReturnType<typeof refusal>>;

/** The plan of one organization. */
export type OrganizationPlan = z.infer<ReturnType<typeof organizationPlanSchema>>;

/** The schema of what a plan is a part of, where the organizations of a run are split. */
export const planShardSchema = once(() =>
  object({
    index: z.int().min(1).describe('Which one, from 1'),
    of: z.int().min(1).describe('Of how many'),
    organizations: z.number().describe('Organizations of all shards together'),
    split: z
      .string()
      .describe('Hash of which organization is in which shard; equal for shards that belong together'),
  }),
);

/** Which part of the organizations of a run a plan is about. */
export type PlanShard = z.infer<ReturnType<typeof planShardSchema>>;

/** The plan of a run. */
export interface Plan {
  readonly format: 1;
  /** Absent where the plan is about all organizations. */
  readonly shard?: PlanShard;
  readonly organizations: readonly OrganizationPlan[];
}

/** How many objects are created, updated, and so on; each object counts once, by its action. */
export type Counts = Readonly<Record<Action, number>>;

/** Counts the objects of a plan by action. */
export function countActions(plan: Plan): Counts {
  const counts: Record<Action, number> = { create: 0, update: 0, move: 0, replace: 0, delete: 0, restore: 0 };
  for (const organization of plan.organizations) {
    const seen = new Map<string, Action>();
    for (const step of organization.steps) seen.set(`${step.address} ${step.action}`, step.action);
    for (const action of seen.values()) counts[action] += 1;
  }
  return counts;
}

/** The refusals for which nothing of the plan may be applied. */
export function standingRefusals(plan: Plan): readonly Refusal[] {
  return plan.organizations.flatMap(({ refusals }) => refusals.filter(({ skipped }) => skipped !== true));
}

/** True when the plan holds nothing to do. */
export function isEmptyPlan(plan: Plan): boolean {
  return plan.organizations.every(({ steps, refusals }) => steps.length === 0 && refusals.length === 0);
}
