/** Makes the compiler require a case for each member of a union. */
export function unreachable(value: never): never {
  throw new Error(`unexpected ${JSON.stringify(value)}`);
}
