/** The requests of steps as a page lists them: addresses for unknown ids, no secrets. Pure. */
import { operations } from '../../contract/index.ts';
import type { OrganizationPlan, Step } from '../../plan/plan.ts';
import { push } from '../../util/group.ts';
import { isRecord, mapInside, stableStringify } from '../../util/json.ts';
import { Secret } from '../../util/secret.ts';
import { html, type Markup } from './html.ts';

type CallOfStep = Step['calls'][number];

/** Keyed by address and action. Numbers refer to the requests of the organization, in an order in which they could be sent. */
export function requestItems({ steps }: OrganizationPlan): ReadonlyMap<string, readonly Markup[]> {
  const items = new Map<string, Markup[]>();
  let number = 0;
  for (const { address, action, calls, fields } of steps)
    for (const call of calls) {
      number += 1;
      push(items, `${address} ${action}`, requestItem(call, number, fields));
    }
  return items;
}

function requestItem(call: CallOfStep, number: number, fields: Step['fields']): Markup {
  const { operation, params, query, body } = call;
  const { method, path } = operations[operation];
  const filled = path.replace(/\{(\w+)\}/g, (whole, name: string) =>
    params[name] === undefined ? whole : oneLine(params[name]),
  );
  const asked = query === undefined ? '' : `?${queryText(query)}`;
  const remark = remarkOf(call);
  const lines = body === undefined ? [] : stableStringify(readable(body, fields), 2).split('\n');
  return html`<li value="${number}"><code><strong>${method}</strong> ${filled}${asked}</code> <span class="faint">${operation}</span>${
    remark !== undefined && html`<p class="faint">${remark}</p>`
  }${lines.length > 0 && html`<pre>${lines.map((line) => html`${line}\n`)}</pre>`}</li>`;
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
  const sibling = before ?? after;
  const side = before === undefined ? 'after' : 'before';
  const place = sibling === undefined ? 'at the end' : `${side} ${oneLine(sibling.id)}`;
  return `not sent if the object is already ${place}`;
}

function oneLine(value: unknown): string {
  const shown = readable(value);
  return typeof shown === 'string' ? shown : stableStringify(shown);
}

/** Longer texts are not ids, but certificates, if they have a name. */
const longestId = 100;

/** Replaces references by addresses, and certificates by what can be checked; removes secrets. */
function readable(value: unknown, fields: Step['fields'] = []): unknown {
  if (typeof value === 'string' && value.length > longestId)
    return fields.flatMap(({ called = {} }) => called[value] ?? []).at(0) ?? value;
  if (value instanceof Secret) return '(secret)';
  if (isRecord(value) && typeof value.$secret === 'string') return '(secret)';
  if (isRecord(value) && Object.keys(value).length === 1 && typeof value.$id === 'string')
    return `{${value.$id}}`;
  return mapInside(value, (inner) => readable(inner, fields));
}
