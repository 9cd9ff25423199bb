/** Closes exhaustive switches: the compiler refuses a call that could be reached. */

/** Fails loudly when a value that the types exclude turns up all the same. */
export function unreachable(value: never): never {
  throw new Error(`Unexpected value: ${JSON.stringify(value)}`);
}
