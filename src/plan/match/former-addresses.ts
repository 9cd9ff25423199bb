/** Addresses that an object had, by the manifests' own word. */
import type { DesiredNode } from '../../tree/desired.ts';

/** The addresses that `was` may mean: as written, or beside the object. */
export function formerAddresses(desired: DesiredNode): readonly string[] {
  const beside = desired.address.slice(0, desired.address.length - desired.key.length);
  return desired.was.flatMap((name) => [name, `${beside}${name}`]);
}
