/** Finds objects that this run created, also through other calls. A service may not show them for a moment. */

import { type Api, hasStatus } from '../contract/api.ts';
import { type OperationId, operations } from '../contract/index.ts';
import type { Call, Value } from '../kinds/parts/payload.ts';
import type { Step } from '../plan/plan.ts';
import { desiredIdentity, identityValue } from '../tree/identity.ts';
import { grouped } from '../util/group.ts';
import { isRecord } from '../util/json.ts';
import { valueAt } from '../util/nested.ts';
import { rememberedIn } from '../util/remembered.ts';
import { type ListParams, paramsOf } from './fresh-lists.ts';
import type { RunIds } from './run-ids.ts';
import { fillId, fillParams, type Sending } from './send-call.ts';

/** Finds the items that have these values at these dotted paths. */
interface LookUp {
  readonly operation: OperationId;
  readonly params: ListParams;
  readonly conditions: Readonly<Record<string, string>>;
  /** Counts from 1. Each attempt reads the list again. */
  readonly attempt: number;
}

export class LookUpList {
  readonly #readings = new Map<number, Promise<ReadonlyMap<string, readonly unknown[]>>>();

  async find(api: Api, { operation, params, conditions, attempt }: LookUp): Promise<readonly unknown[]> {
    const paths = Object.keys(conditions);
    const read = async () => {
      const items = await api.all(operation, { params });
      return grouped(items, (item) => JSON.stringify(paths.map((path) => valueAt(item, path) ?? null)));
    };
    const reading = rememberedIn(this.#readings, attempt, read);
    return (await reading).get(JSON.stringify(paths.map((path) => conditions[path]))) ?? [];
  }
}

/** How often a list is read for an object that must be in it; lists may lag behind a write. */
const findAttempts = 5;
const findDelay = 200;

type Creating = Sending & { readonly ids: RunIds };

/** A service may not find for a moment an object that this run just created: calls of it are repeated for some seconds. */
export function patient(
  { ids, sleep, isInterrupted }: Creating & { readonly isInterrupted: () => boolean },
  api: Api,
): Api {
  const again = async <T>(params: ListParams = {}, call: () => Promise<T>): Promise<T> => {
    const isNew = Object.values(params).some((id) => ids.addressOf(id) !== undefined);
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await call();
      } catch (error) {
        const isLast = !isNew || attempt >= findAttempts || !hasStatus(error, 404);
        if (!isLast) await sleep(findDelay * attempt);
        if (isLast || isInterrupted()) throw error;
      }
    }
  };
  return {
    all: (operation, input) => again(input.params, () => api.all(operation, input)),
    send: (operation, input) =>
      operations[operation].method === 'DELETE'
        ? api.send(operation, input)
        : again(input.params, () => api.send(operation, input)),
  };
}

/** @throws Error if the list does not show the object, or several may be it. */
export async function findCreated(
  context: Sending & { readonly lookUps?: LookUpList },
  call: Call,
): Promise<unknown> {
  const wanted = Object.entries(call.find ?? {}).map(([path, id]) => [path, fillId(context, id)]);
  const { operation } = call;
  const params = fillParams(context, call.params);
  const conditions = Object.fromEntries(wanted);
  const list = context.lookUps ?? new LookUpList();
  for (let attempt = 1; ; attempt += 1) {
    const items = await list.find(context.api, { operation, params, conditions, attempt });
    const { part } = call;
    const found = part === undefined ? items : items.map((item) => (isRecord(item) ? item[part] : item));
    const made = found.filter((item) => !(isRecord(item) && call.except?.includes(String(item.id)) === true));
    if (made.length === 1) return made[0];
    if (found.length === 1 && (call.except === undefined || attempt === findAttempts)) return found[0];
    if (made.length > 1)
      throw new Error('the created object cannot be distinguished from others; plan again');
    if (attempt === findAttempts) throw new Error('the created object is not listed; plan again');
    await context.sleep(findDelay * attempt);
  }
}

/** Returns whether the object appeared, for kinds whose create is asynchronous. */
export async function isVisible(context: Creating, step: Step): Promise<boolean> {
  const kind = context.registry.byName(step.kind);
  const { createIsAsync } = kind.calls;
  const { search } = kind.reads;
  if (createIsAsync !== true || search === undefined) return true;
  const identity = kind.identity.by.find(({ field }) => field === search.field) ?? { field: search.field };
  const name = step.fields.find(({ field }) => field === search.field)?.after as Value;
  const wanted = desiredIdentity({ [search.field]: name }, identity);
  const params = paramsOf(fillParams(context, step.calls[0]?.params ?? {}), search.operation);
  for (let attempt = 1; attempt <= findAttempts; attempt += 1) {
    const items = await context.api.all(search.operation, { params, query: { [search.parameter]: name } });
    const remotes = items.map((item) => kind.fromRemote(item));
    const own = remotes.find(({ fields }) => identityValue(fields, identity) === wanted);
    if (own !== undefined) {
      context.ids.set(step.address, own.id);
      return true;
    }
    if (attempt < findAttempts) await context.sleep(findDelay * attempt);
  }
  return false;
}
