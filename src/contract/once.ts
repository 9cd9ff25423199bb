/** Values that are built when they are first asked for: a command uses few schemas of the contract, and building all takes its time. */

/** A function that builds the value in its first call, and returns the same one ever after. */
export function once<T>(build: () => T): () => T {
  let built: { readonly value: T } | undefined;
  return () => {
    built ??= { value: build() };
    return built.value;
  };
}
