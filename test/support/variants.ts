/**
 * Combinations of the service's variants for properties: often the default one, otherwise any other. OCTAVO_TEST_VARIANTS runs properties with one combination
 * only, as printed by a failure: `OCTAVO_TEST_VARIANTS='proxy=whole text=nfc'`.
 */
import fc from 'fast-check';
import { readVariants } from '../../src/cli/commands/serve.ts';
import { type Variants, valuesOf, variantNames, variantsText } from '../../src/server/variants.ts';

/** Variants of a property. A counterexample prints the relevant ones, as `octavo serve --variant` accepts them. */
interface Combination {
  readonly variants: Partial<Variants>;
  toString(): string;
}

const only = process.env.OCTAVO_TEST_VARIANTS;

/** A service that changes stored values cannot converge. */
const altering = new Set(['text=collapsed', 'paths=lower']);

const pools = variantNames.map((name) => {
  const values = valuesOf(name).filter((value) => !altering.has(`${name}=${value}`));
  return [name, fc.constantFrom(...values)] as const;
});

const chosen: fc.Arbitrary<Partial<Variants>> =
  only === undefined
    ? fc.option(fc.record(Object.fromEntries(pools)) as fc.Arbitrary<Partial<Variants>>, { nil: {}, freq: 2 })
    : fc.constant(readVariants(only.split(' '), 0));

/** A random combination, the default one in about a third of the runs. Failures shrink towards the default. */
export const combinations: fc.Arbitrary<Combination> = chosen.map((variants) => {
  const text = `variants: ${variantsText(variants) || 'default'}`;
  return { variants, toString: () => text, [fc.toStringMethod]: () => text };
});
