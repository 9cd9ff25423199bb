/** Addresses with their live objects, while they are found: each has one of the other at most. */
import type { LiveNode } from '../../tree/live.ts';
import { type ObjectRef, RefMap } from '../../tree/refs.ts';

/** The pairs of one tree. */
export class Pairs {
  readonly #liveOf = new Map<string, LiveNode>();
  readonly #addressOf = new RefMap<string>();
  readonly #uncertain = new Set<string>();

  get size(): number {
    return this.#liveOf.size;
  }

  liveOf(address: string): LiveNode | undefined {
    return this.#liveOf.get(address);
  }

  addressOf(ref: ObjectRef): string | undefined {
    return this.#addressOf.get(ref);
  }

  isCertain(address: string): boolean {
    return !this.#uncertain.has(address);
  }

  all(): ReadonlyMap<string, LiveNode> {
    return this.#liveOf;
  }

  add(address: string, live: LiveNode): void {
    this.#liveOf.set(address, live);
    this.#addressOf.set(live, address);
  }

  addUncertain(address: string, live: LiveNode): void {
    this.add(address, live);
    this.#uncertain.add(address);
  }

  remove(address: string): void {
    const live = this.liveOf(address);
    if (live !== undefined) this.#addressOf.delete(live);
    this.#liveOf.delete(address);
    this.#uncertain.delete(address);
  }
}
