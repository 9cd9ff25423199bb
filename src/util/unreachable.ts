/** The end of an exhaustive switch. */

/** Makes the compiler demand a case for each member of a union; throws for what can only be a defect. */
export function unreachable(value: never): never {
  throw new Error(`unexpected ${JSON.stringify(value)}`);
}
