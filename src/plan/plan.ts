/**
 * A plan as data: the steps from the live state to the desired one, each with its requests, and all data that digests, approvals
 * and applies rely on. The review explains it to people. The schema is the only description: the types, the check of saved plans
 * and `schemas/plan.schema.json` derive from it.
 *
 * Invariants: steps are in an order in which they could run one by one; `needs` and `after` name earlier steps only;
 * the same trees give the same plan, byte for byte; a plan never contains a secret.
 */

import * as z from 'zod';
import { once } from '../contract/once.ts';
import { callSchema, type Payload } from '../kinds/parts/payload.ts';
import { byName, each, flag, list, object, typed } from '../util/data-schema.ts';
import type { GuardName } from '../util/diagnostic-codes.ts';
import { diagnosticSchema, sourceRangeSchema } from '../util/diagnostic-schema.ts';
import { pendingSchema } from './past.ts';

const text = z.string();
const texts = list(text);
const payload = typed<Payload>();

export const actionSchema = z.enum(['create', 'update', 'move', 'replace', 'delete', 'restore']);
// biome-ignore format: a list of words
export const phaseSchema = z.enum([
  'delete', 'restore', 'create', 'vacate', 'detach', 'attach', 'update', 'take', 'move',
]);
const cause = z.enum(['changed', 'input', 'drift', 'conflict']);

export const fieldChangeSchema = once(() =>
  object({
    field: text,
    before: payload.exactOptional(),
    after: payload.exactOptional(),
    cause: cause.exactOptional().describe('Absent without a base'),
    carried: flag('Not declared: the value of the replaced object, carried over'),
    additive: flag('The manifests only add to the list: elements that others added are kept'),
    undecided: z
      .enum(['variable', 'secret'])
      .exactOptional()
      .describe(
        'A variable or a secret fills it in, and it is not known whether that or the live value changed',
      ),
    base: payload.exactOptional().describe('The value in the base, if all three differ'),
    at: sourceRangeSchema
      .exactOptional()
      .describe(
        'Place in the manifests of the field, or of its first entry that differs; for a field of an object that is kept',
      ),
    forcesReplacement: flag('True if only a new object can have the new value'),
    reads: z
      .enum(['role', 'word', 'people', 'parts'])
      .exactOptional()
      .describe(
        'Form of the values: a role (null is a guest), a word without quotes, people by their roles, or a document by its parts, whose values are hashes',
      ),
    called: byName(text)
      .exactOptional()
      .describe(
        'Titles of the objects whose ids are values, the objects that undeclared names refer to, and certificates by subject, fingerprint and end',
      ),
    means: byName(text)
      .exactOptional()
      .describe('Ids of the live objects that names in the values refer to, by name; for the digest'),
    until: byName(text).exactOptional().describe('Last days (UTC) of entries of the new value, by name'),
  }).describe('One field. Ids of declared objects are { $id: address }, secrets { $secret: template }.'),
);

const cascadedDelete = once(() => object(each(text, 'kind', 'noun', 'id', 'title')));

const step = once(() =>
  object({
    id: text.describe('Unique in the plan: address and phase'),
    address: text,
    at: sourceRangeSchema
      .exactOptional()
      .describe('Place in the manifests that causes it; absent for a delete'),
    ...each(text, 'kind', 'noun'),
    liveId: text.exactOptional().describe('Id of the live object, if it already exists'),
    title: text.exactOptional().describe('Title of the live object, if no manifest declares it'),
    action: actionSchema,
    phase: phaseSchema,
    cause: cause
      .exactOptional()
      .describe('Cause of the whole step; the fields of an update have their own. Absent without a base'),
    reason: text.describe('Reason in a few words'),
    fields: list(fieldChangeSchema()),
    calls: list(callSchema()),
    until: text.exactOptional().describe('Last day (UTC) of the new object'),
    cascade: list(cascadedDelete())
      .exactOptional()
      .describe('Objects deleted along with it that have no step of their own; absent if there are none'),
    needs: texts.describe('Steps that must have succeeded'),
    after: texts.describe('Steps that must have ended, with any outcome'),
  }).describe('Requests for one object, one after the other'),
);

export const unmanagedSchema = once(() => object(each(text, 'address', 'kind', 'noun', 'id', 'title')));

const leftoverSchema = once(() =>
  object({
    ...each(text, 'address', 'kind', 'id', 'run'),
    fields: texts.exactOptional().describe('Fields that the run set; absent for an object that it created'),
  }),
);

const leftOut = once(() =>
  object({
    target: texts.exactOptional().describe('The targets, if there are any'),
    exclude: texts.exactOptional().describe('The exclusions, if there are any'),
    changed: flag('Only what the manifests changed since the base was read: drift elsewhere is not known'),
    objects: z.number().describe('Declared objects that the targets leave out'),
    changes: z.number().describe('Objects whose changes are known and that targets or exclusions leave out'),
    drift: z.number().describe('Differences that are ignored because only the live state changed'),
    left: texts
      .exactOptional()
      .describe('Addresses that drifted since the approved plan; absent if there are none'),
    ignoredFields: z.number().describe('Fields that differ and are ignored by lifecycle.ignore'),
    unseen: list(object({ address: text, noun: text, id: text.exactOptional() }))
      .exactOptional()
      .describe(
        'Objects that were declared or recorded before and that the token does not see: nothing is known about them or their dependents. Absent if there are none',
      ),
    pending: z
      .number()
      .exactOptional()
      .describe('In reports of drift: objects with changes in the manifests that are not applied yet'),
  }).describe('Differences, known or possible, that are not in the plan'),
);

const refusal = once(() =>
  object({
    guard: z.custom<GuardName>((name) => typeof name === 'string').meta({ type: 'string' }),
    rule: text.exactOptional().describe('Name of the rule of the repository, if the guard is rules'),
    ...each(text, 'address', 'message', 'suggestion'),
    steps: texts.describe('Steps that it forbids; all if it names none'),
    skipped: flag(
      'These steps and their dependents were left out of the plan, so that the rest can be applied',
    ),
  }).describe('A change that a guard forbids'),
);

const finding = once(() =>
  object({
    ...each(text, 'rule', 'address', 'message'),
    lifted: object({
      by: text.describe('The person who did it'),
      why: text.describe('For example `label allow-site-deletes on pull request 12`'),
    })
      .exactOptional()
      .describe('What lifts the rule here; absent for one that only warns'),
  }).describe('A violation of a rule that refuses nothing'),
);

export const organizationPlanSchema = once(() =>
  object({
    ...each(text, 'organizationId', 'label'),
    title: text.exactOptional().describe('Live title of the organization'),
    ids: byName(text).describe(
      'Ids of the live objects that the manifests declare and that are kept, by address',
    ),
    made: byName(text)
      .exactOptional()
      .describe(
        'Objects that an unfinished run created: an approval of their creation covers their remaining changes',
      ),
    adopted: byName(text)
      .exactOptional()
      .describe(
        'Changed objects that neither the base nor the record has: an approval of their creation covers the rest, if they are as it makes them',
      ),
    seen: byName(byName(payload)).describe(
      'State of the live objects that steps change, as they were read, by address; without secrets',
    ),
    base: object({
      name: text,
      commit: text.exactOptional(),
      behind: z.enum(['merge', 'own', 'back']).exactOptional(),
    })
      .exactOptional()
      .describe('Base that the manifests were compared with'),
    undoes: text.exactOptional().describe('The run that the plan undoes, if it undoes one'),
    shows: z
      .literal('drift')
      .exactOptional()
      .describe('Part of the plan, if it is not the whole: it cannot be applied'),
    profile: text
      .exactOptional()
      .describe('Form of the service that the plan was made for; absent for that of the API document'),
    withBase: z.boolean().describe('True if there is a base, so that causes are known'),
    steps: list(step()).describe('In an order in which they can run one by one'),
    unmanaged: list(unmanagedSchema()).describe(
      'Live objects in declared collections that no manifest lists',
    ),
    countsUnmanaged: flag('Unmanaged objects count as drift (drift --unmanaged)'),
    leftovers: list(leftoverSchema())
      .exactOptional()
      .describe(
        'Live objects that a run created, and fields that it set, before it failed or was interrupted, and that no manifest declares; absent if there are none',
      ),
    pending: list(pendingSchema())
      .exactOptional()
      .describe('Deletions and invitations that are not sent again; absent if there are none'),
    leftOut: leftOut(),
    refusals: list(refusal()),
    findings: list(finding())
      .exactOptional()
      .describe('Violations of rules that only warn, or that are lifted; absent if there are none'),
    notes: list(diagnosticSchema).describe('Warnings and hints'),
  }),
);

export type Action = z.infer<typeof actionSchema>;

export type Phase = z.infer<typeof phaseSchema>;

/**
 * `changed`: the manifests changed since the base; `input`: a value from the environment changed, such as a rotated
 * secret; `drift`: the live state changed and the manifests did not; `conflict`: both changed.
 */
export type Cause = z.infer<typeof cause>;

export function isDrift(cause: Cause | undefined): boolean {
  return cause === 'drift' || cause === 'conflict';
}

/** True also if the plan cannot decide whether the live value or the input changed. */
export function mayHaveDrifted(
  { cause, undecided }: Pick<FieldChange, 'cause' | 'undecided'>,
  ofStep?: Cause,
): boolean {
  return isDrift(cause ?? ofStep) || undecided !== undefined;
}

/** True if all fields are shown, because the object is new, replaced or deleted. */
export function isWhole(action: Action): boolean {
  return action === 'create' || action === 'replace' || action === 'delete';
}

/** A new object has the cause of its creation, not of steps that vacate its place. */
export function causeOfWhole(steps: readonly Step[]): Cause | undefined {
  const creation = steps.find(({ phase }) => phase === 'create');
  return creation?.cause ?? steps.find(({ cause }) => cause !== undefined)?.cause;
}

/** True for steps that change fields. `take`: to values that the replaced object has until it is deleted. */
export function isUpdate({ phase }: { readonly phase: Phase }): boolean {
  return phase === 'update' || phase === 'take';
}

/** A field before and after. Ids of objects are `{ $id: address }`, secrets `{ $secret: template }`. */
export type FieldChange = z.infer<ReturnType<typeof fieldChangeSchema>>;

export type Leftover = z.infer<ReturnType<typeof leftoverSchema>>;

export type CascadedDelete = z.infer<ReturnType<typeof cascadedDelete>>;

export type Step = z.infer<ReturnType<typeof step>>;

/** An unlisted live object in a declared collection. Octavo does not change it. */
export type Unmanaged = z.infer<ReturnType<typeof unmanagedSchema>>;

/** A change that a guard forbids. Apply sends no request while a refusal is not skipped. */
export type Refusal = z.infer<ReturnType<typeof refusal>>;

/** A finding of a rule that does not refuse the plan. */
export type RuleFinding = z.infer<ReturnType<typeof finding>>;

export type OrganizationPlan = z.infer<ReturnType<typeof organizationPlanSchema>>;

export const planShardSchema = once(() =>
  object({
    index: z.int().min(1).describe('Number of this one, from 1'),
    of: z.int().min(1).describe('Of how many'),
    organizations: z.number().describe('Organizations of all shards together'),
    split: z
      .string()
      .describe('Hash of the assignment of organizations to shards; equal for shards that belong together'),
  }),
);

export type PlanShard = z.infer<ReturnType<typeof planShardSchema>>;

export interface Plan {
  readonly format: 1;
  readonly service?: string;
  readonly embedded?: string;
  readonly overlays?: readonly string[];
  /** Only for explaining. */
  readonly binding?: readonly string[];
  readonly shard?: PlanShard;
  readonly organizations: readonly OrganizationPlan[];
}

/** Number of objects, keyed by action. Each object counts once. */
export type Counts = Readonly<Record<Action, number>>;

export function countActions(plan: Plan): Counts {
  const counts: Record<Action, number> = { create: 0, update: 0, move: 0, replace: 0, delete: 0, restore: 0 };
  for (const organization of plan.organizations) {
    const seen = new Map<string, Action>();
    for (const step of organization.steps) seen.set(`${step.address} ${step.action}`, step.action);
    for (const action of seen.values()) counts[action] += 1;
  }
  return counts;
}

export function standingRefusals({ organizations }: Pick<Plan, 'organizations'>): readonly Refusal[] {
  return organizations.flatMap(({ refusals }) => refusals.filter(({ skipped }) => skipped !== true));
}

export function isEmptyPlan(plan: Plan): boolean {
  return plan.organizations.every(
    ({ steps, refusals, unmanaged, countsUnmanaged }) =>
      steps.length === 0 && refusals.length === 0 && (countsUnmanaged !== true || unmanaged.length === 0),
  );
}
