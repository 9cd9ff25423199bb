/** Whether a natural identity tells for certain which object is meant, so that a base that names it may have it deleted. */
import type { Identity, Kind } from '../../kinds/kind.ts';
import { identityValue } from '../../tree/identity.ts';
import type { LiveNode } from '../../tree/live.ts';

/**
 * True when the object is where it is declared, and has the strongest of the declared names, or one that no other object can
 * have or get. An object with that name elsewhere, or with a weaker one, may be another one.
 */
export function isCertain({
  kind,
  live,
  container,
  read,
}: {
  readonly kind: Kind;
  readonly live: LiveNode;
  /** Where the object is declared. */
  readonly container: LiveNode | undefined;
  /** The declared value of an identity. */
  readonly read: (identity: Identity) => string | undefined;
}): boolean {
  if (container?.id !== live.container.id) return false;
  return kind.identities
    .filter((identity) => read(identity) !== undefined)
    .some(
      (identity, at) =>
        read(identity) === identityValue(live.fields, identity) && (at === 0 || isOwn(kind, identity)),
    );
}

function isOwn(kind: Kind, { field }: Identity): boolean {
  return kind.fields[field]?.change === 'replace' || kind.unique?.some((one) => one.field === field) === true;
}
