/** Natural identities: values that identify a desired and a live object as the same. */
import type { Identity, Kind } from '../kinds/kind.ts';
import { type Fields, mapOf, type Value } from '../kinds/parts/payload.ts';
import { Secret } from '../util/secret.ts';
import { keyOf } from './addressing.ts';
import { type DesiredNode, idIn } from './desired.ts';

export function desiredIdentity(fields: Fields, identity: Identity): string | undefined {
  // Services may trim and normalize text.
  const plain = plainText(fields[identity.field])?.trim().normalize('NFC');
  if (plain === undefined || plain === '') return undefined;
  return identity.fold === undefined ? plain : identity.fold(plain);
}

export function identityValue(fields: Fields, identity: Identity): string | undefined {
  if (identity.foldsDesiredOnly !== true) return desiredIdentity(fields, identity);
  return desiredIdentity(fields, { field: identity.field });
}

function plainText(value: Value | undefined): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return String(value);
  return value instanceof Secret ? value.reveal() : undefined;
}

/** True if objects of the kind may have an `id` in manifests, and their key is not one already. */
export function canBePinned({ identity: { idParam }, manifest: { key } }: Kind): boolean {
  return idParam !== undefined && key === undefined;
}

/** True if a value identifies both as the same object; a desired reference may be an id. */
export function isLike(kind: Kind, desired: Fields, live: Fields): boolean {
  return kind.identity.by.some((identity) => {
    const id = mapOf(desired[identity.field])?.id;
    const value = typeof id === 'string' ? id : desiredIdentity(desired, identity);
    return value !== undefined && value === identityValue(live, identity);
  });
}

export function pinnedId(kind: Kind, desired: DesiredNode): string | undefined {
  return idIn(desired) ?? (kind.manifest.key?.is === 'id' ? desired.key : undefined);
}

export function hadName(kind: Kind, desired: DesiredNode, live: Fields): boolean {
  if (desired.was.length === 0) return false;
  const names = new Set(formerNames(desired.was));
  return namesOf(kind, live).some((name) => names.has(name));
}

/** Former names as written, and their last segments as keys. */
export function formerNames(was: readonly string[]): readonly string[] {
  return was.flatMap((name) => [name, slug(keyOf(name))]);
}

export function namesOf(kind: Kind, live: Fields): readonly string[] {
  return kind.identity.by.flatMap((identity) => {
    const value = identityValue(live, { field: identity.field });
    return value === undefined ? [] : [value, slug(value)];
  });
}

function slug(value: string): string {
  return value
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-+|-+$/g, '');
}
