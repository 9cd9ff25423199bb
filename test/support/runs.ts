/**
 * How much random tests try: OCTAVO_TEST_SCALE times the counts that find most for their time, which is a quarter of them in `npm test`.
 * OCTAVO_TEST_SEED takes the seed that each run prints, to run the same again; OCTAVO_TEST_PATH the path that a failure prints, to
 * run it alone. `npm test` has one seed, so that it fails for what a change broke and for nothing else.
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

/** What random tests must meet at least with so many in mind: less where they try less. */
export function portion(count: number): number {
  return Math.floor(count * Math.min(1, scale));
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
