/** Natural identities: by which values a desired object and a live object can be told to be the same. */
import type { Identity, Kind } from '../kinds/kind.ts';
import type { Fields, Value } from '../kinds/payload.ts';
import { Secret } from '../util/secret.ts';
import type { DesiredNode } from './desired.ts';

/** The comparable value that a desired object has of an identity, or undefined where it has none. */
export function desiredIdentity(fields: Fields, identity: Identity): string | undefined {
  // Services may trim and normalise what they are sent.
  const plain = plainText(fields[identity.field])?.trim().normalize('NFC');
  if (plain === undefined || plain === '') return undefined;
  return identity.fold === undefined ? plain : identity.fold(plain);
}

/** The comparable value that a live object has of an identity, or undefined where it has none. */
export function identityValue(fields: Fields, identity: Identity): string | undefined {
  if (identity.foldsDesiredOnly !== true) return desiredIdentity(fields, identity);
  return desiredIdentity(fields, { field: identity.field });
}

function plainText(value: Value | undefined): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return String(value);
  return value instanceof Secret ? value.reveal() : undefined;
}

/** The id that the manifest gives an object, as a pin or as its key; undefined where it gives none. */
export function pinnedId(kind: Kind, desired: DesiredNode): string | undefined {
  return desired.id ?? (kind.key?.is === 'id' ? desired.key : undefined);
}

/** True when one of the former names (`was`) fits a live object: by key, title or path, also spelled as a key. */
export function hadName(kind: Kind, desired: DesiredNode, live: Fields): boolean {
  if (desired.was.length === 0) return false;
  const names = new Set(formerNames(desired.was));
  return namesOf(kind, live).some((name) => names.has(name));
}

/** Names as they are looked for: as written, and their last part as a key would spell it. */
export function formerNames(was: readonly string[]): readonly string[] {
  return was.flatMap((name) => [name, slug(lastSegment(name))]);
}

/** Names by which a live object can be found: the values of its identities, also as keys would spell them. */
export function namesOf(kind: Kind, live: Fields): readonly string[] {
  return kind.identities.flatMap((identity) => {
    const value = identityValue(live, { field: identity.field });
    return value === undefined ? [] : [value, slug(value)];
  });
}

function lastSegment(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1);
}

/** Text as a key would spell it: lower case, words joined by hyphens. */
function slug(value: string): string {
  return value
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-+|-+$/g, '');
}
