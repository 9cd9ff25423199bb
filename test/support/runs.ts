/**
 * How much random tests try. `npm test` takes the counts that find most for their time and one seed, so that
 * it fails for what a change broke and for nothing else; `npm run test:deep` multiplies the counts by OCTAVO_TEST_SCALE and takes a random seed. Both print the seed,
 * which OCTAVO_TEST_SEED takes to run the same again; OCTAVO_TEST_PATH takes the path that a failure prints, to run it alone.
 */

const scale = Number(process.env.OCTAVO_TEST_SCALE ?? 1);
const seed = process.env.OCTAVO_TEST_SEED;
const path = process.env.OCTAVO_TEST_PATH;

/** True for `npm run test:deep`: tests that install packages run there alone. */
export const isDeep = scale > 1;

/** What npm needs of the environment to reach its registry: certificates and proxies. */
export const networkEnv = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => /^(?:NODE_EXTRA_CA_CERTS|(?:https?|no)_proxy)$/i.test(name)),
) as Readonly<Record<string, string>>;

/** So many runs, times the scale. */
export function runs(count: number): number {
  return Math.ceil(count * scale);
}

/** So many milliseconds, times the scale. */
export function patience(milliseconds: number): number {
  return milliseconds * Math.max(1, scale);
}

/** What fast-check is to do: so many runs, times the scale, from the seed of this run where there is one. */
export function tries(count: number): { numRuns: number; seed?: number; path?: string } {
  return {
    numRuns: runs(count),
    ...(seed === undefined ? {} : { seed: Number(seed) }),
    ...(path === undefined ? {} : { path }),
  };
}
