/** Ids that a run learns, indexed in both directions: a look-up takes the same time for any number of ids. */

export class RunIds extends Map<string, string> {
  readonly #addresses = new Map<string, string>();

  override set(address: string, id: string): this {
    const former = this.get(address);
    if (former !== undefined && this.#addresses.get(former) === address) this.#addresses.delete(former);
    this.#addresses.set(id, address);
    return super.set(address, id);
  }

  addressOf(id: string): string | undefined {
    return this.#addresses.get(id);
  }
}
