/** How a manifest names one object from another: by its key where that means this object alone, else by its address. */
import type { Reference } from '../../kinds/field.ts';
import { push } from '../../util/group.ts';

/** An object that manifests declare. */
interface Declared {
  readonly kind: string;
  readonly address: string;
}

/** The declared objects by kind and key. */
export class ReferenceKeys {
  readonly #byKey = new Map<string, string[]>();

  constructor(declared: Iterable<Declared>) {
    for (const { kind, address } of declared) push(this.#byKey, slotOf(kind, keyOf(address)), address);
  }

  /**
   * The text by which the object at `from` names the one at `to`. As references are resolved: among several objects of one
   * key, those directly inside the naming object are meant.
   */
  nameOf(to: string, { from, reference }: { readonly from: string; readonly reference: Reference }): string {
    const key = keyOf(to);
    const prefix = `${from}/`;
    const candidates = reference.kinds
      .flatMap((kind) => this.#byKey.get(slotOf(kind, key)) ?? [])
      .filter((address) => reference.within === 'organization' || address.startsWith(prefix));
    const children = candidates.filter((address) => isChild(address, prefix));
    const [only, other] = children.length > 0 ? children : candidates;
    return only === to && other === undefined ? key : to;
  }
}

/** The last part of an address. */
export function keyOf(address: string): string {
  return address.slice(address.lastIndexOf('/') + 1);
}

/** True for an address of a collection and a key below the prefix. */
function isChild(address: string, prefix: string): boolean {
  return address.startsWith(prefix) && address.slice(prefix.length).split('/').length <= 2;
}

function slotOf(kind: string, key: string): string {
  return `${kind} ${key}`;
}
