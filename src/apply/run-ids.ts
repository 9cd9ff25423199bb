/** The ids that a run comes to know, both ways: no look-up costs more when there are many. */

/** Ids of the objects that a run made or found, by address. */
export class RunIds extends Map<string, string> {
  readonly #addresses = new Map<string, string>();

  override set(address: string, id: string): this {
    const former = this.get(address);
    if (former !== undefined && this.#addresses.get(former) === address) this.#addresses.delete(former);
    this.#addresses.set(id, address);
    return super.set(address, id);
  }

  /** The address of an object of this run; undefined for all others. */
  addressOf(id: string): string | undefined {
    return this.#addresses.get(id);
  }
}
