/**
 * Lists that only add: `members: { add: { ada@acme.dev: owner } }`. Entries added by others are kept. Entries that the base declared, and
 * the manifests no longer do, are removed.
 *
 *     base [a, b]   own [b, c]   live [a, b, x]      →   [b, x, c]
 */
import { type Fields, mapOf, type Value } from '../kinds/parts/payload.ts';
import { stableStringify } from '../util/json.ts';
import { revealSecrets } from '../util/secret.ts';
import type { DesiredNode } from './desired.ts';
import { folded, tidied, withTexts } from './tidied.ts';

export function isAdditive(node: DesiredNode | undefined, name: string): boolean {
  return node?.additive?.includes(name) === true;
}

/** The list after adding own entries. `former`: entries that the base declared. */
export function withAdded(live: Value | undefined, own: Value, former?: Value): Value {
  if (!Array.isArray(own)) return withEntries(mapOf(live), mapOf(own), mapOf(former));
  const [ours, gone] = [keysOf(own), keysOf(former)];
  const kept = itemsOf(live).filter((item) => ours.has(keyOf(item)) || !gone.has(keyOf(item)));
  const there = new Set(keysOf(kept));
  const missing = own.filter((item) => !there.has(keyOf(item)) && there.add(keyOf(item)));
  // The service may have stored it so, if no record says otherwise.
  const others = kept.flatMap((item) => (ours.has(keyOf(item)) ? [] : keyOf(item, folded)));
  const added = missing.filter((item) => {
    const at = others.indexOf(keyOf(item, folded));
    return at < 0 || others.splice(at, 1).length === 0;
  });
  return [...kept, ...added];
}

/**
 * Reverts a run's changes in the live value, entry by entry; a value without entries becomes `before`.
 *
 *     before [a, b]   after [a, c]   live [a, c, x]   →   [a, b, x]
 */
export function reverted(
  live: Value | undefined,
  before: Value | undefined,
  after: Value | undefined,
): Value | undefined {
  const filled = [live, before, after].map((value) =>
    value === null ? (Array.isArray(live) ? [] : {}) : value,
  );
  const [is, was, made] = filled;
  if (Array.isArray(is) && Array.isArray(was) && Array.isArray(made)) {
    const items = itemsBack(is, was, made);
    return before === null && items.length === 0 ? null : items;
  }
  if (!filled.every(mapOf)) return before;
  const [now, then, run] = [mapOf(is) ?? {}, mapOf(was) ?? {}, mapOf(made) ?? {}];
  const entries = [...new Set([...Object.keys(now), ...Object.keys(then)])].flatMap((key) => {
    const isSame = keyOf(then[key] ?? null) === keyOf(run[key] ?? null);
    const value = isSame ? now[key] : reverted(now[key], then[key], run[key]);
    return value === undefined ? [] : [[key, value] as const];
  });
  return before === null && entries.length === 0 ? null : Object.fromEntries(entries.sort(byKey));
}

function itemsBack(
  live: readonly Value[],
  before: readonly Value[],
  after: readonly Value[],
): readonly Value[] {
  const [was, made] = [keysOf(before), keysOf(after)];
  const inBoth = (items: readonly Value[]) =>
    items.map((item) => keyOf(item)).filter((key) => was.has(key) && made.has(key));
  const kept = live.filter((item) => was.has(keyOf(item)) || !made.has(keyOf(item)));
  const isMoved = inBoth(before).join() !== inBoth(after).join();
  const order = before.filter((item) => keysOf(kept).has(keyOf(item)));
  const items = isMoved ? kept.map((item) => (was.has(keyOf(item)) ? (order.shift() ?? item) : item)) : kept;
  const placeOf = (item: Value | undefined) =>
    items.findIndex((one) => item !== undefined && keyOf(one) === keyOf(item));
  before.forEach((item, at) => {
    if (made.has(keyOf(item)) || placeOf(item) >= 0) return;
    const ahead = before.slice(0, at).findLast((one) => placeOf(one) >= 0);
    items.splice(placeOf(ahead) + 1, 0, item);
  });
  return items;
}

/** Own elements that are live, in their live form. */
export function ownPart(live: Value | undefined, own: Value): Value {
  if (Array.isArray(own)) return itemsOf(live).filter((item) => keysOf(own).has(keyOf(item)));
  const declared = mapOf(own) ?? {};
  return Object.fromEntries(
    Object.entries(mapOf(live) ?? {}).filter(([key]) => Object.hasOwn(declared, key)),
  );
}

function withEntries(live: Fields = {}, own: Fields = {}, former: Fields = {}): Value {
  const kept = Object.entries(live).filter(([key]) => !Object.hasOwn(former, key));
  return Object.fromEntries([...new Map([...kept, ...Object.entries(own)])].sort(byKey));
}

function byKey([left]: readonly [string, Value], [right]: readonly [string, Value]): number {
  return left < right ? -1 : 1;
}

function itemsOf(value: Value | undefined): readonly Value[] {
  return Array.isArray(value) ? value : [];
}

function keysOf(value: Value | undefined): ReadonlySet<string> {
  return new Set(itemsOf(value).map((item) => keyOf(item)));
}

function keyOf(item: Value, form: typeof tidied = tidied): string {
  return stableStringify(withTexts(revealSecrets(item) as Value, form));
}
