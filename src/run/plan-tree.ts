/** Plans one organization from a fresh read of its live state: the only place where reading and planning meet. */

import { setTimeout as wait } from 'node:timers/promises';
import type { Api } from '../contract/api.ts';
import { type LiveOptions, type LiveReader, openLive } from '../live/live-reader.ts';
import { type Planned, type PlanOptions, planOrganization } from '../plan/make-plan.ts';
import type { Leftover, OrganizationPlan } from '../plan/plan.ts';
import { reviewPlan } from '../review/review.ts';
import type { ReviewedOrganization } from '../review/reviewed-plan.ts';
import { parentOf } from '../tree/addressing.ts';
import { rootAddress } from '../tree/desired.ts';
import type { DesiredTree } from '../tree/desired-tree.ts';
import { pinTree } from '../tree/desired-tree.ts';
import { lackingIn } from '../tree/lacking.ts';
import type { LiveTree } from '../tree/live.ts';
import type { Read, Stage } from '../tree/reads.ts';
import { defined } from '../util/defined.ts';
import { AbsentParts, DeletedDuringRead } from './absent-parts.ts';
import { stillPending } from './still-pending.ts';

/** Dependencies for reading and planning. */
export interface LiveSource extends Pick<LiveOptions, 'registry' | 'memory' | 'onRead'> {
  readonly api: Api;
  /** Set for plans that users see. */
  readonly withReview?: true | undefined;
  /** Defaults to real time. */
  readonly sleep?: ((milliseconds: number) => Promise<void>) | undefined;
}

export interface PlanTreeOptions extends PlanOptions, Omit<LiveSource, 'api'>, Pick<LiveOptions, 'isStale'> {
  /** Ids when the plan was made: without them, swapped names would be swapped back. */
  readonly ids?: ReadonlyMap<string, string> | undefined;
  /** An id without a live object is an error, unless `forgotten`: then the object is created again. */
  readonly goneIds?: 'forgotten' | undefined;
  readonly created?: readonly Leftover[] | undefined;
}

export interface PlannedTree extends Planned {
  readonly plan: ReviewedOrganization;
  readonly live: LiveTree;
  readonly reader: LiveReader;
  /** Rounds of reads that the plan waited for. */
  readonly rounds: number;
}

/** Maximum of complete re-reads after an object was deleted during a read; lists may lag behind a delete. */
const attempts = 5;
const delay = 150;

/** @throws DiagnosticError if the organization is not found or found twice; ApiError if a request fails. */
export async function planTree(api: Api, tree: DesiredTree, options: PlanTreeOptions): Promise<PlannedTree> {
  const { sleep = wait, isStale, ...fresh } = options;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await planOnce(api, tree, { ...fresh, sleep, isStale: attempt === 1 ? isStale : undefined });
    } catch (error) {
      if (!(error instanceof DeletedDuringRead)) throw error;
      if (attempt === attempts) throw error.cause;
      await sleep(delay * attempt);
    }
  }
}

async function planOnce(api: Api, tree: DesiredTree, options: PlanTreeOptions): Promise<PlannedTree> {
  const { onRead, ids, goneIds, memory, isStale, sleep, created = [], withReview, ...planning } = options;
  const desired = ids === undefined || goneIds === 'forgotten' ? tree : pinTree(tree, ids);
  const knownIds = new Map([
    ...(options.knownIds ?? []),
    ...(goneIds === 'forgotten' && ids !== undefined ? ids : []),
  ]);
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
    planOrganization({ desired, live: reader.tree }, { ...planning, registry, knownIds }),
  );
  const { plan, decided } = planned;
  const review = withReview === true ? await run(reviewPlan(plan, decided)) : undefined;
  const leftovers = await leftoversIn(reader, plan, tree, options);
  const made = created.flatMap(({ address, id }) => (plan.ids[address] === id ? [[address, id]] : []));
  const pending = await stillPending(reader, { ...options, desired, plan });
  return {
    ...planned,
    problems: [...planned.problems, ...absent.problems(desired), ...lackingIn(desired, registry, form)],
    plan: {
      ...plan,
      ...(form === 'document' ? {} : { profile: form }),
      ...(made.length === 0 ? {} : { made: Object.fromEntries(made) }),
      ...(leftovers.length === 0 ? {} : { leftovers }),
      ...(pending.length === 0 ? {} : { pending }),
      ...defined({ review }),
    },
    live: reader.tree,
    reader,
    rounds,
  };
}

/** Live but undeclared objects, without objects inside another one, which are deleted with it. */
async function leftoversIn(
  reader: LiveReader,
  plan: OrganizationPlan,
  tree: DesiredTree,
  { created = [], base }: PlanTreeOptions,
): Promise<readonly Leftover[]> {
  const declared = new Set(Object.values(plan.ids));
  const open = created.filter(
    ({ address, id }) => !declared.has(id) && !tree.nodes.has(address) && base?.nodes.has(address) !== true,
  );
  const isInside = ({ address }: Leftover) => open.some((other) => other.address === parentOf(address));
  const outer = open.filter((one) => !isInside(one));
  const reads = outer.flatMap((one): Read[] => {
    const { kind, id, address } = one;
    const parent = tree.nodes.get(parentOf(address));
    const parentId = parentOf(address) === rootAddress ? plan.organizationId : plan.ids[parentOf(address)];
    if (reader.tree.has(one) || parent === undefined || parentId === undefined) return [];
    if (reader.registry.byName(kind).reads.list === undefined) return [{ type: 'object', kind, id }];
    return [{ type: 'list', kind, of: { kind: parent.kind, id: parentId } }];
  });
  const requested = new Map(reads.map((read) => [JSON.stringify(read), read]));
  if (requested.size > 0) await reader.read([...requested.values()]);
  return outer.filter((one) => reader.tree.has(one) && reader.tree.get(one)?.deleted !== true);
}
