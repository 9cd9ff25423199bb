/** Values that a service stores in place of those sent: whole ones, and their parts. */
import { mapOf, type Payload } from '../kinds/parts/payload.ts';
import { sameJson, stableStringify } from '../util/json.ts';
import { lettersOf } from './difference.ts';

/** A sent value, and what the service stores; undefined if it does not show the value. */
export type StoredForm = readonly [sent: Payload, stored: Payload | undefined];

/** The elements of a list, or the entries of a mapping as mappings of one key. */
export function partsOf(value: Payload | undefined): readonly Payload[] {
  if (Array.isArray(value)) return value;
  return Object.entries(mapOf(value) ?? {}).map(([key, one]) => ({ [key]: one }));
}

/**
 * The value, and each part that the service altered. Parts are forgotten if it is not clear which became which.
 *
 *     sent ["a  b", "c"]   stored ["c", "a b"]   →   the lists, and "a  b" → "a b"
 */
export function formsOf(sent: Payload, stored: Payload | undefined): readonly StoredForm[] {
  const [own, there] = [partsOf(sent), partsOf(stored)];
  const [ours, theirs] = [own, there].map((parts) => new Set(parts.map((one) => stableStringify(one))));
  const isLost = (one: Payload) => theirs?.has(stableStringify(one)) !== true;
  const found = there.filter((one) => ours?.has(stableStringify(one)) !== true);
  const isInPlace =
    own.length === there.length &&
    own.every((one, at) => isLost(one) || stableStringify(one) === stableStringify(there[at]));
  const lost = own.filter(isLost);
  const formOf = (part: Payload): Payload | undefined => {
    const [key] = Array.isArray(sent) ? [] : Object.keys(mapOf(part) ?? {});
    if (key !== undefined) return there.find((one) => Object.hasOwn(mapOf(one) ?? {}, key));
    if (lost.length !== found.length) return undefined;
    const alike = found.find((one) => lettersOf(one) === lettersOf(part));
    return alike ?? (isInPlace ? there[own.indexOf(part)] : lost.length === 1 ? found[0] : undefined);
  };
  const parts = lost.flatMap((part): readonly StoredForm[] => {
    const form = formOf(part);
    // Only an entry of a mapping is known not to be shown.
    return form === undefined && Array.isArray(sent) ? [] : [[part, form]];
  });
  return [[sent, stored], ...parts];
}

/** The live value, with the parts that were sent in place of their stored forms. */
export function asSent(live: Payload, sent: Payload, stored: Payload): Payload {
  const own = partsOf(sent);
  if (own.length === 0) return live;
  if (Array.isArray(live)) {
    const bySpelling = new Map(partsOf(stored).map((one, at) => [stableStringify(one), own[at]]));
    return partsOf(live).map((one) => bySpelling.get(stableStringify(one)) ?? one);
  }
  const [form, is] = [mapOf(stored), mapOf(live)];
  const isKept = (part: Payload) => Object.keys(part ?? {}).every((key) => sameJson(form?.[key], is?.[key]));
  return Object.assign({}, is, ...own.filter(isKept));
}
