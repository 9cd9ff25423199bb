/**
 * Interprets a 404 for a deletion: either the object is already deleted, or the service lacks the operation. The status is
 * the same; reading the object shows which.
 */
import { type Api, ApiError, hasStatus } from '../contract/api.ts';
import { type Operation, type OperationId, operationIds, operationOf } from '../contract/index.ts';
import { isRecord } from '../util/json.ts';

/** Returned instead of a response if someone else has already deleted the object. */
export const gone = Symbol('gone');

/** How often a list is read that still contains the object; lists may lag behind a write. */
const attempts = 4;
const delay = 200;

/**
 * Returns `gone`, or undefined if this call deleted the object before its response was lost.
 * @throws the error of other failures; an ApiError if the object still exists, or if its existence cannot be determined.
 */
export async function deletedAnswer(
  { api, sleep }: { readonly api: Api; readonly sleep: (milliseconds: number) => Promise<void> },
  id: OperationId,
  { params, error }: { readonly params: Readonly<Record<string, string>>; readonly error: unknown },
): Promise<typeof gone | undefined> {
  const operation = operationOf(id);
  if (operation.method !== 'DELETE' || !hasStatus(error, 404)) throw error;
  for (let attempt = 1; ; attempt += 1) {
    const state = await stateOf(api, operation, params);
    if (state === 'gone') return error.mayHaveHappened ? undefined : gone;
    if (state === 'unknown') throw new ApiError(error.message, { ...error, mayHaveHappened: true });
    if (state === 'there' || attempt === attempts) {
      const message = `${id} returned 404, but the object is still there: this service cannot do that`;
      throw new ApiError(message, { ...error, mayHaveHappened: false });
    }
    await sleep(delay * attempt);
  }
}

async function stateOf(
  api: Api,
  { path, params: names }: Operation,
  params: Readonly<Record<string, string>>,
): Promise<'gone' | 'there' | 'listed' | 'unknown'> {
  const single = readAt(path);
  if (single !== undefined) {
    try {
      await api.send(single, { params });
      return 'there';
    } catch (error) {
      if (hasStatus(error, 404) || hasStatus(error, 410)) return 'gone';
      throw error;
    }
  }
  const list = readAt(path.slice(0, path.lastIndexOf('/')));
  const [last = ''] = names.slice(-1);
  if (list === undefined) return 'unknown';
  const above = Object.fromEntries(Object.entries(params).filter(([name]) => name !== last));
  try {
    const items = await api.all(list, { params: above });
    // The object, or an entry that has the object as a part.
    const parts = items.flatMap((item) => (isRecord(item) ? [item, ...Object.values(item)] : []));
    return parts.some((part) => isRecord(part) && part.id === params[last]) ? 'listed' : 'gone';
  } catch (error) {
    if (hasStatus(error, 404)) return 'unknown';
    throw error;
  }
}

function readAt(path: string): OperationId | undefined {
  return operationIds.find((id) => operationOf(id).method === 'GET' && operationOf(id).path === path);
}
