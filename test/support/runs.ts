/**
 * Number of tries of random tests: OCTAVO_TEST_SCALE times the most efficient counts; `npm test` runs a twentieth of them.
 * OCTAVO_TEST_SEED repeats the run that printed this seed; OCTAVO_TEST_PATH repeats only the failure that printed this path.
 * `npm test` has a fixed seed, so that it fails only because of a change.
 */

const scale = Number(process.env.OCTAVO_TEST_SCALE ?? 1);
const seed = process.env.OCTAVO_TEST_SEED;
const path = process.env.OCTAVO_TEST_PATH;

/** True for `npm run test:deep`: tests that install packages run only there. */
export const isDeep = scale > 1;

/** True for `npm test`, which runs a part of the tests that take long. */
export const isPart = scale < 1;

/** Variables that npm needs to reach its registry: certificates and proxies. */
export const networkEnv = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => /^(?:NODE_EXTRA_CA_CERTS|(?:https?|no)_proxy)$/i.test(name)),
) as Readonly<Record<string, string>>;

/** Number of runs times the scale. */
export function runs(count: number): number {
  return Math.ceil(count * scale);
}

/** Minimum count that random tests must reach: lower if they run fewer tries. */
export function portion(count: number): number {
  return Math.floor(count * Math.min(1, scale));
}

/** Rows of a long table that tests one rule: all of them, but every fifth in `npm test`. */
export function some<T>(rows: readonly T[]): readonly T[] {
  return isPart ? rows.filter((_, at) => at % 5 === 0) : rows;
}

/** Milliseconds times the scale. */
export function patience(milliseconds: number): number {
  return milliseconds * Math.max(1, scale);
}

/** Options for fast-check: number of runs times the scale, from the seed of this run if there is one. */
export function tries(count: number): { numRuns: number; seed?: number; path?: string } {
  return {
    numRuns: runs(count),
    ...(seed === undefined ? {} : { seed: Number(seed) }),
    ...(path === undefined ? {} : { path }),
  };
}
