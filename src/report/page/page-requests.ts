/** The steps of a plan with their requests, as the page shows them: addresses for unknown ids, no secrets. Pure. */
import { operations } from '../../contract/index.ts';
import type { OrganizationPlan, Step } from '../../plan/plan.ts';
import { defined } from '../../util/defined.ts';
import { isRecord, stableStringify } from '../../util/json.ts';
import { greatest } from '../../util/lists.ts';
import { Secret } from '../../util/secret.ts';

export interface PageStep extends Pick<Step, 'address' | 'action' | 'phase'> {
  /** Steps that it waits for, by their index in the list; `needs` must have succeeded. */
  readonly needs: readonly number[];
  readonly after: readonly number[];
  /** Length of the longest chain of steps before it. */
  readonly wave: number;
  readonly calls: readonly PageCall[];
}

interface PageCall {
  /** Its number among the requests of the organization, in an order in which they could be sent. */
  readonly number: number;
  readonly operation: string;
  readonly method: string;
  readonly path: string;
  /** Lines of JSON. */
  readonly body: readonly string[];
  /** When it is not sent, or what a read searches for. */
  readonly remark?: string;
}

type CallOfStep = Step['calls'][number];

export function* pageSteps({ steps }: OrganizationPlan): Generator<PageStep> {
  const places = new Map(steps.map(({ id }, at) => [id, at]));
  const waves: number[] = [];
  let number = 0;
  for (const [at, { address, action, phase, calls, ...step }] of steps.entries()) {
    const placesOf = (ids: readonly string[]) => ids.flatMap((id) => places.get(id) ?? []);
    const [needs, after] = [placesOf(step.needs), placesOf(step.after)];
    const wave = greatest([...needs, ...after].map((before) => (waves[before] ?? -1) + 1));
    waves[at] = wave;
    const first = number + 1;
    number += calls.length;
    yield {
      address,
      action,
      phase,
      needs,
      after,
      wave,
      calls: calls.map((call, index) => pageCall(call, first + index)),
    };
  }
}

function pageCall(call: CallOfStep, number: number): PageCall {
  const { operation, params, query, body } = call;
  const { method, path } = operations[operation];
  const filled = path.replace(/\{(\w+)\}/g, (whole, name: string) => idText(params[name]) ?? whole);
  const asked = query === undefined ? '' : `?${queryText(query)}`;
  return {
    number,
    operation,
    method,
    path: `${filled}${asked}`,
    body: body === undefined ? [] : jsonLines(body),
    ...defined({ remark: remarkOf(call) }),
  };
}

/** The id, or the address of the object if its id is not known yet. */
function idText(id: unknown): string | undefined {
  if (typeof id === 'string') return id;
  return isRecord(id) && typeof id.$id === 'string' ? `{${id.$id}}` : undefined;
}

function queryText(query: Readonly<Record<string, unknown>>): string {
  return Object.entries(query)
    .map(([name, value]) => `${name}=${oneLine(value)}`)
    .join('&');
}

function remarkOf({ find, unlessPlaced, mergedInto }: CallOfStep): string | undefined {
  if (mergedInto !== undefined)
    return `sent with everything else that ${mergedInto} shows right before; null removes a key`;
  if (find !== undefined) {
    const wanted = Object.entries(find).map(([name, value]) => `${name} ${oneLine(value)}`);
    return wanted.length === 0 ? 'finds the object' : `finds the object with ${wanted.join(', ')}`;
  }
  if (unlessPlaced === undefined) return undefined;
  const { before, after } = unlessPlaced;
  const place =
    before !== undefined
      ? `before ${oneLine(before.id)}`
      : after !== undefined
        ? `after ${oneLine(after.id)}`
        : 'at the end';
  return `not sent where the object is ${place} already`;
}

function oneLine(value: unknown): string {
  const shown = readable(value);
  return typeof shown === 'string' ? shown : stableStringify(shown);
}

function jsonLines(value: unknown): readonly string[] {
  return stableStringify(readable(value), 2).split('\n');
}

/** Replaces references by addresses and removes secrets. */
function readable(value: unknown): unknown {
  if (value instanceof Secret) return '(secret)';
  if (Array.isArray(value)) return value.map(readable);
  if (!isRecord(value)) return value;
  if (typeof value.$secret === 'string') return '(secret)';
  if (Object.keys(value).length === 1 && typeof value.$id === 'string') return `{${value.$id}}`;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, readable(inner)]));
}
