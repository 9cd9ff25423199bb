/**
 * Lists that only add: `members: { add: { ada@acme.dev: owner } }`. What others added stays; what the base declared, and the manifests
 * no longer do, is removed.
 *
 *     base [a, b]   own [b, c]   live [a, b, x]      →   [b, x, c]
 */
import type { Fields, Value } from '../kinds/payload.ts';
import { isRecord, stableStringify } from '../util/json.ts';
import { revealSecrets } from '../util/secret.ts';
import type { DesiredNode } from './desired.ts';
import { tidied, withTexts } from './tidied.ts';

export function isAdditive(node: DesiredNode | undefined, name: string): boolean {
  return node?.additive?.includes(name) === true;
}

/** The value after the list was added to. `former`: what the base declared. */
export function withAdded(live: Value | undefined, own: Value, former?: Value): Value {
  if (!Array.isArray(own)) return withEntries(entriesOf(live), entriesOf(own), entriesOf(former));
  const [ours, gone] = [keysOf(own), keysOf(former)];
  const kept = itemsOf(live).filter((item) => ours.has(keyOf(item)) || !gone.has(keyOf(item)));
  const there = new Set(keysOf(kept));
  const missing = own.filter((item) => !there.has(keyOf(item)) && there.add(keyOf(item)));
  return [...kept, ...missing];
}

/** What is live of the own elements, in the live form. */
export function ownPart(live: Value | undefined, own: Value): Value {
  if (Array.isArray(own)) return itemsOf(live).filter((item) => keysOf(own).has(keyOf(item)));
  const declared = entriesOf(own);
  return Object.fromEntries(Object.entries(entriesOf(live)).filter(([key]) => Object.hasOwn(declared, key)));
}

function withEntries(live: Fields, own: Fields, former: Fields): Value {
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
  return new Set(itemsOf(value).map(keyOf));
}

function keyOf(item: Value): string {
  return stableStringify(withTexts(revealSecrets(item) as Value, tidied));
}

function entriesOf(value: Value | undefined): Fields {
  return isRecord(value) ? (value as Fields) : {};
}
