/** Builds values on first use: a command uses few schemas of the contract, and building all of them is slow. */

/** Builds the value in the first call. */
export function once<T>(build: () => T): () => T {
  let built: { readonly value: T } | undefined;
  return () => {
    built ??= { value: build() };
    return built.value;
  };
}
