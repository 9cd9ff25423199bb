/**
 * Patterns over values of fields: a value, a text with `*` and `?`, a list (one of them), `null` (absent or cleared), or
 * `{ not }`, `{ any }` and `{ all }` over the entries of a list or mapping; an object with fields of its own is matched key by key.
 *
 *     visibility: [unlisted, share-link]     title: "Acme *"     members: { any: owner }     adaptiveContent: { enabled: true }
 */
import { fitsText } from '../../util/glob.ts';
import { isRecord, sameJson } from '../../util/json.ts';
import { Secret } from '../../util/secret.ts';
import { mapOf, type Payload, referredAddress } from '../parts/payload.ts';

/** A pattern as parsed from a file. */
export type Pattern =
  | null
  | boolean
  | number
  | string
  | readonly Pattern[]
  | { readonly [key: string]: Pattern };

/** Reserved keys of a pattern, which are not field names. */
export const patternOperators = ['not', 'any', 'all'] as const;

/** Undefined if the service decides or the value was not seen. Only `null` matches it, so that a rule cannot pass on an unknown value. */
export type JudgedValue = Payload | undefined;

/** Time is linear in the lengths of both; see the head of this file. */
export function fitsPattern(pattern: Pattern, value: JudgedValue): boolean {
  if (pattern === null) return value === undefined || value === null;
  if (isList(pattern)) return pattern.some((one) => fitsPattern(one, value));
  if (typeof pattern !== 'object') return spellingsOf(value).some((one) => fitsScalar(pattern, one));
  const { not, any, all }: Readonly<Record<string, Pattern>> = pattern;
  if (not !== undefined) return value !== undefined && isShown(value) && !fitsPattern(not, value);
  if (any !== undefined) return entriesOf(value)?.some((one) => fitsPattern(any, one)) === true;
  if (all !== undefined) return entriesOf(value)?.every((one) => fitsPattern(all, one)) === true;
  const fields = isShown(value) ? mapOf(value) : undefined;
  return fields !== undefined && Object.entries(pattern).every(([key, one]) => fitsPattern(one, fields[key]));
}

function isList<T>(value: T): value is Extract<T, readonly unknown[]> {
  return Array.isArray(value);
}

/** A secret matches no pattern, not even a `not`: a rule must not reveal its content. */
function isShown(value: JudgedValue): boolean {
  return !(value instanceof Secret) && !(isRecord(value) && '$secret' in value);
}

/** A pattern may name a declared object by its address or its key. */
function spellingsOf(value: JudgedValue): readonly (Payload | undefined)[] {
  const address = referredAddress(value);
  return address === undefined ? [value] : [address, address.slice(address.lastIndexOf('/') + 1)];
}

function fitsScalar(pattern: boolean | number | string, value: JudgedValue): boolean {
  if (typeof value !== 'string' || typeof pattern !== 'string') return sameJson(pattern, value);
  return pattern === value || fitsText(pattern, value);
}

function entriesOf(value: JudgedValue): readonly Payload[] | undefined {
  if (isList(value)) return value;
  const fields = isShown(value) ? mapOf(value) : undefined;
  return fields && Object.values(fields);
}
