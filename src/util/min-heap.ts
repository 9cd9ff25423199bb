/** Removing the minimum takes logarithmic time. */
export class MinHeap {
  readonly #items: number[] = [];

  push(value: number): void {
    const items = this.#items;
    let index = items.push(value) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (this.#at(parent) <= value) break;
      items[index] = this.#at(parent);
      index = parent;
    }
    items[index] = value;
  }

  pop(): number | undefined {
    const items = this.#items;
    const least = items[0];
    const value = items.pop();
    if (value === undefined || items.length === 0) return least;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= items.length) break;
      if (child + 1 < items.length && this.#at(child + 1) < this.#at(child)) child += 1;
      if (this.#at(child) >= value) break;
      items[index] = this.#at(child);
      index = child;
    }
    items[index] = value;
    return least;
  }

  #at(index: number): number {
    return this.#items[index] ?? Number.POSITIVE_INFINITY;
  }
}
