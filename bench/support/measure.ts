/** Measures the duration of functions in this process. */

/** Durations of a function, in milliseconds. */
export interface Times {
  readonly median: number;
  readonly p90: number;
  readonly p99: number;
}

/** Calls the function once to warm up, then `runs` times. */
export async function measure(runs: number, deed: () => Promise<unknown>): Promise<Times> {
  await deed();
  const times: number[] = [];
  for (let run = 0; run < runs; run += 1) times.push(await timed(deed));
  return timesOf(times);
}

/** Duration in milliseconds. */
export async function timed(deed: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await deed();
  return performance.now() - started;
}

/** The median and the upper end of durations. */
export function timesOf(times: readonly number[]): Times {
  const sorted = times.toSorted((left, right) => left - right);
  const at = (part: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
  return { median: at(0.5), p90: at(0.9), p99: at(0.99) };
}
