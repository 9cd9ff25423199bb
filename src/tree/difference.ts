/** Differences between two trees, or an object and its live counterpart, by the rules of their fields. */
import type { Kind } from '../kinds/kind.ts';
import { type Field, isUrl } from '../kinds/parts/field.ts';
import type { Payload, Value } from '../kinds/parts/payload.ts';
import { withHrefs } from '../util/href.ts';
import { isRecord, sameJson, stableStringify } from '../util/json.ts';
import { revealSecrets } from '../util/secret.ts';
import { isAdditive, withAdded } from './additive.ts';
import type { DesiredNode } from './desired.ts';
import type { DesiredTree } from './desired-tree.ts';
import type { LiveNode } from './live.ts';
import { folded, normalized, tidied, trimmed, withTexts } from './tidied.ts';

/** A side without the object or value is undefined; without `field`, the objects themselves differ. */
export interface Difference {
  readonly address: string;
  readonly field?: string;
  readonly left: unknown;
  readonly right: unknown;
}

/** Ignores places in files and among siblings. */
export function differencesBetween(left: DesiredTree, right: DesiredTree | undefined): readonly Difference[] {
  const addresses = new Set([...left.nodes.keys(), ...(right?.nodes.keys() ?? [])]);
  return [...addresses].flatMap((address) =>
    nodeDifferences(address, left.get(address), right?.get(address)),
  );
}

function nodeDifferences(
  address: string,
  left: DesiredNode | undefined,
  right: DesiredNode | undefined,
): readonly Difference[] {
  const [one, other] = [left, right].map(declaredBy);
  if (one === undefined || other === undefined || canonical(one) !== canonical(other))
    return [{ address, left, right }];
  const names = new Set([...Object.keys(left?.fields ?? {}), ...Object.keys(right?.fields ?? {})]);
  return [...names]
    .map((field) => ({ address, field, left: left?.fields[field], right: right?.fields[field] }))
    .filter((field) => canonical(field.left) !== canonical(field.right));
}

function declaredBy(node: DesiredNode | undefined): object | undefined {
  if (node === undefined) return undefined;
  const { at: _at, fieldAt: _fieldAt, knownId: _known, ...declared } = node;
  const { index: _index, declares: _declares, fields: _fields, ...rest } = declared;
  return rest;
}

/** Does not compare references. */
export function differingFields(
  kind: Kind,
  node: DesiredNode,
  live: LiveNode | undefined,
): readonly Difference[] {
  return Object.entries(node.fields).flatMap(([name, value]) => {
    const field = kind.fields[name];
    if (field === undefined || field.type === 'reference' || field.change === 'create') return [];
    const right = live?.fields[name] ?? field.absent;
    const wanted = isAdditive(node, name) ? withAdded(right, value) : value;
    return sameField(field, wanted, right)
      ? []
      : [{ address: node.address, field: name, left: value, right }];
  });
}

/** An object that is not created yet equals only itself. */
export function sameField(field: Field, desired: Payload, live: Payload | undefined): boolean {
  if (desired === null) return live === null || live === undefined || live === '';
  if (live === undefined || live === null) return desired === '';
  if (isToMake(desired) || isToMake(live))
    return isToMake(desired) && isToMake(live) && desired.$id === live.$id;
  const [wanted, is] = [revealSecrets(desired) as Value, revealSecrets(live) as Value];
  if (field.type === 'value' && field.same !== undefined) return field.same(wanted, is);
  if (wanted === is || sameValue(field.type, wanted, is)) return true;
  if ([trimmed, normalized, tidied].some((tidy) => sameValue(field.type, withTexts(wanted, tidy), is)))
    return true;
  const [href, other] = [wanted, is].map((value) => withHrefs(value, isUrl(field, wanted)));
  return field.type !== 'map' && stableStringify(href) === stableStringify(other);
}

/**
 * True if a service accepted a text and stores a form of its own: with the same letters, or with letters that differ from the former
 * text. Always false for words, roles, grants and references.
 */
export function isOtherForm(
  field: Field,
  { sent, stored, before }: { readonly sent: unknown; readonly stored: unknown; readonly before: unknown },
): boolean {
  if (field.reads !== undefined || field.type === 'members' || field.type === 'reference') return false;
  if (!isText(sent, stored, field.type !== 'map')) return false;
  if (lettersOf(sent) === lettersOf(stored)) return true;
  return !sameField(field, stored as Payload, before as Payload | undefined);
}

function isToMake(value: Payload): value is { readonly $id: string } {
  return isRecord(value) && '$id' in value;
}

export function lettersOf(value: unknown): string {
  return folded(canonical(value)).replace(/\p{P}+/gu, '');
}

function isText(sent: unknown, stored: unknown, isFree: boolean): boolean {
  if (typeof sent === 'string') return typeof stored === 'string' && stored.trim() !== '';
  if (Array.isArray(sent)) return Array.isArray(stored) && stored.length === sent.length;
  if (!isRecord(sent) || !isRecord(stored)) return false;
  if (isFree) return true;
  return Object.entries(sent).every(
    ([key, value]) => canonical(value) === canonical(stored[key]) || isText(value, stored[key], isFree),
  );
}

function sameValue(type: Field['type'], desired: Value, live: Value): boolean {
  if (type === 'set' && Array.isArray(desired) && Array.isArray(live)) {
    const [wanted, is] = [desired, live].map((items) => items.map((item) => stableStringify(item)).sort());
    return sameJson(wanted, is);
  }
  if (type === 'map' && isRecord(desired) && isRecord(live))
    return Object.entries(desired).every(([key, value]) => sameJson(value, live[key]));
  return sameJson(desired, live);
}

/** Compares values of manifests. */
export function isEqual(left: unknown, right: unknown): boolean {
  return canonical(left) === canonical(right);
}

/** Independent of key order; a secret counts as its text. */
function canonical(value: unknown): string {
  return stableStringify(revealSecrets(value));
}
