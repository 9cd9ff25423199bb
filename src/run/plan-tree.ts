/** Plans one organization from a fresh read of its live state: the only place where reading and planning meet. */

import { setTimeout as wait } from 'node:timers/promises';
import type { Api } from '../contract/api.ts';
import { type LiveOptions, type LiveReader, openLive } from '../live/live-reader.ts';
import { stillPending } from '../past/pending.ts';
import type { PlanContext } from '../plan/context.ts';
import { type PlanOptions, planOrganization } from '../plan/make-plan.ts';
import { listAround } from '../plan/match/look-up-creates.ts';
import { isInPlace } from '../plan/own/begun.ts';
import type { Leftover, OrganizationPlan } from '../plan/plan.ts';
import { reviewPlan } from '../review/review.ts';
import type { ReviewedOrganization } from '../review/reviewed-plan.ts';
import { parentOf } from '../tree/addressing.ts';
import { type DesiredTree, withKnownIds } from '../tree/desired-tree.ts';
import { sameField } from '../tree/difference.ts';
import { lackingIn } from '../tree/lacking.ts';
import type { OwnObject } from '../tree/own-work.ts';
import type { Read, Stage } from '../tree/reads.ts';
import { deletedBy, type ObjectRef, RefSet } from '../tree/refs.ts';
import { defined } from '../util/defined.ts';
import { AbsentParts, DeletedDuringRead } from './reads/absent-parts.ts';

export interface LiveSource extends Pick<LiveOptions, 'registry' | 'memory' | 'onRead'> {
  readonly api: Api;
  /** Set for plans that users see. */
  readonly withReview?: true | undefined;
  readonly sleep?: ((milliseconds: number) => Promise<void>) | undefined;
}

export interface PlanTreeOptions extends PlanOptions, Omit<LiveSource, 'api'>, Pick<LiveOptions, 'isStale'> {
  /** Ids when the plan was made: without them, swapped names would be swapped back. */
  readonly ids?: ReadonlyMap<string, string> | undefined;
  /** An id without a live object is an error, unless `forgotten`: then the object is created again. */
  readonly goneIds?: 'forgotten' | undefined;
}

export type PlannedTree = Awaited<ReturnType<typeof planOnce>>;

/** Lists may lag behind changes: then they are read again, at most so often, after growing delays in milliseconds. */
export const lag = { attempts: 5, delay: 150 } as const;

/** @throws DiagnosticError if the organization is not found or found twice; ApiError if a request fails. */
export async function planTree(api: Api, tree: DesiredTree, options: PlanTreeOptions): Promise<PlannedTree> {
  const { sleep = wait, isStale, ...fresh } = options;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await planOnce(api, tree, { ...fresh, sleep, isStale: attempt === 1 ? isStale : undefined });
    } catch (error) {
      if (!(error instanceof DeletedDuringRead)) throw error;
      if (attempt === lag.attempts) throw error.cause;
      await sleep(lag.delay * attempt);
    }
  }
}

/** `rounds`: of reads that the plan waited for. */
async function planOnce(api: Api, tree: DesiredTree, options: PlanTreeOptions) {
  const { onRead, ids, goneIds, memory, isStale, sleep, withReview, ...planning } = options;
  const desired = ids === undefined || goneIds === 'forgotten' ? tree : withKnownIds(tree, ids);
  const found = goneIds === 'forgotten' ? (ids ?? []) : [];
  const past = { ...options.past, ids: new Map([...(options.past?.ids ?? []), ...found]) };
  const absent = new AbsentParts(api, options.registry);
  const reader = await openLive(api, desired, {
    ...{ registry: options.registry, onRead, memory, isStale, ...defined({ sleep }) },
    isOptional: (read, error, live) => absent.isOptional(live, read, error),
  });
  const { registry, form } = reader;
  let rounds = 0;
  const run = async <T>(stage: Stage<T>): Promise<T> => {
    for (;;) {
      const step = stage.next();
      if (step.done === true) return step.value;
      await reader.read(step.value);
      rounds += 1;
    }
  };
  const planned = await run(
    planOrganization({ desired, live: reader.tree }, { ...planning, registry, past }),
  );
  const { plan, decided } = planned;
  const review = withReview === true ? await run(reviewPlan(plan, decided)) : undefined;
  const leftovers = options.undoes === undefined ? await leftoversIn(reader, plan, decided.context) : [];
  const pending = await stillPending(reader, { ...past, undoes: options.undoes, desired, plan });
  const problems = [...planned.problems, ...absent.problems(desired), ...lackingIn(desired, registry, form)];
  const reviewed: ReviewedOrganization = {
    ...plan,
    ...(form === 'document' ? {} : { profile: form }),
    ...(leftovers.length === 0 ? {} : { leftovers }),
    ...(pending.length === 0 ? {} : { pending }),
    ...defined({ review }),
  };
  return { ...planned, problems, plan: reviewed, live: reader.tree, reader, rounds };
}

/** Live objects that unfinished runs created, without contents of others, and fields that they set, that no manifest declares. */
async function leftoversIn(
  reader: LiveReader,
  plan: OrganizationPlan,
  context: PlanContext,
): Promise<readonly Leftover[]> {
  const { own, matching, recordedIds } = context;
  const over = own.work.objects.filter(({ isOver }) => isOver);
  if (over.length === 0) return [];
  const recorded = new Set(recordedIds.values());
  const deleted = new RefSet(plan.steps.filter(({ phase }) => phase === 'delete').flatMap(deletedBy));
  const unique = new RefSet();
  const open = over.filter(
    (one) =>
      one.made === true &&
      unique.add(one) &&
      !recorded.has(one.id) &&
      !deleted.has(one) &&
      matching.addressOf(one) === undefined &&
      !Object.values(plan.ids).includes(one.id),
  );
  await readUnseen(reader, [...open, ...over.filter(({ before }) => before !== undefined)]);
  const isThere = (one: ObjectRef) => reader.tree.has(one) && reader.tree.get(one)?.deleted !== true;
  const isInside = ({ address }: OwnObject) => open.some((other) => other.address === parentOf(address));
  const objects = open.filter((one) => !isInside(one) && isThere(one));
  return [
    ...objects.map(({ address, kind, id, run }) => ({ address, kind, id, run })),
    ...leftFields(context, over),
  ];
}

/** Fields that the base does not know either: nothing else would ever tell of them. */
function leftFields(context: PlanContext, over: readonly OwnObject[]): readonly Leftover[] {
  const found = new Map<string, Leftover>();
  const isKept = (ref: ObjectRef) => {
    const live = context.live.get(ref);
    return live !== undefined && context.successorOf(live) === undefined;
  };
  // The oldest run has the values before all of them.
  for (const one of [...over].reverse()) {
    const live = context.live.get(one);
    const address = live && context.matching.addressOf(live);
    if (live === undefined || live.deleted === true || context.own.made(live)) continue;
    const wanted = address === undefined ? undefined : context.desired.get(address);
    const known = [wanted?.fields ?? {}, context.baseNodeOf(live)?.fields ?? {}];
    const carried = isInPlace(context, live) ? one.carried : undefined;
    const fields = Object.entries(one.before ?? {}).flatMap(([name, before]) => {
      const field = context.kindOf(live).fields[name];
      if (
        field === undefined ||
        carried?.includes(name) === true ||
        known.some((fields) => fields[name] !== undefined)
      )
        return [];
      // A reference to a replaced object, such as a former default, cannot be put back.
      const isGone =
        field.type === 'reference' && !field.kinds.some((kind) => isKept({ kind, id: String(before) }));
      const present = context.storedField(live, name) ?? null;
      const isBefore = isGone || sameField(field, before ?? field.absent ?? null, present);
      return isBefore ? [] : [name];
    });
    const key = `${one.kind} ${one.id}`;
    const { kind, id, run } = one;
    if (fields.length > 0 && !found.has(key))
      found.set(key, { address: address ?? one.address, kind, id, run, fields });
  }
  return [...found.values()];
}

async function readUnseen(reader: LiveReader, objects: readonly OwnObject[]): Promise<void> {
  const { tree, registry } = reader;
  const reads = objects.flatMap((one): readonly Read[] => {
    if (tree.has(one)) return [];
    const isReadById = registry.byName(one.kind).reads.get !== undefined;
    return isReadById ? [{ type: 'object', kind: one.kind, id: one.id }] : listAround(one, tree, registry);
  });
  const unique = new Map(reads.map((read) => [JSON.stringify(read), read]));
  if (unique.size > 0) await reader.read([...unique.values()]);
}
