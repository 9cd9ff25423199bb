/** Requests and rows distinguish absent from undefined. */

/** Keys that may hold undefined become optional. */
export type Defined<T extends object> = {
  [K in keyof T as undefined extends T[K] ? never : K]: T[K];
} & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/**
 * Drops the keys whose value is undefined; keeps null, false, 0 and ''.
 *
 * `{ id, ...defined({ title, icon }) }` with a title and no icon gives `{ id, title }`.
 */
export function defined<T extends object>(fields: T): Defined<T> {
  const kept: Record<string, unknown> = {};
  for (const key in fields) {
    const value = fields[key];
    if (value === undefined) continue;
    // An assignment would set the prototype.
    if (key === '__proto__') Object.defineProperty(kept, key, { value, enumerable: true });
    else kept[key] = value;
  }
  return kept as Defined<T>;
}
