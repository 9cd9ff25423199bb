/**
 * Patterns over values of fields: a value, a text with `*` and `?`, a list (one of them), `null` (absent or cleared), or
 * `{ not }`, `{ any }` and `{ all }` over the entries of a list or mapping; an object with fields of its own is matched key by key.
 *
 *     visibility: [unlisted, share-link]     title: "Acme *"     members: { any: owner }     adaptiveContent: { enabled: true }
 */
import { fitsText } from '../util/glob.ts';
import { isRecord, sameJson } from '../util/json.ts';
import { Secret } from '../util/secret.ts';
import { mapOf, type Payload, referredAddress } from './payload.ts';

/** As a file has it. */
export type Pattern =
  | null
  | boolean
  | number
  | string
  | readonly Pattern[]
  | { readonly [key: string]: Pattern };

/** Keys of a pattern that are no field of an object. */
export const patternOperators = ['not', 'any', 'all'] as const;

/** Absent: the service decides, or the value was not seen. Only `null` fits it, so that a rule cannot pass by what is not known. */
export type JudgedValue = Payload | undefined;

/** Linear in the lengths of both; see the head of this file. */
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

/** A secret fits nothing, not even what it is not: a rule must not show what is in it. */
function isShown(value: JudgedValue): boolean {
  return !(value instanceof Secret) && !(isRecord(value) && '$secret' in value);
}

/** A declared object may be named by its address or its key. */
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
