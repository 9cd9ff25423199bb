/** Measures and prints: medians, ninetieth percentiles, and ratios that hold on any machine. */

/** Times of one deed, in milliseconds. */
export interface Times {
  readonly median: number;
  readonly p90: number;
}

/** One line of a table. */
export interface Row extends Times {
  readonly name: string;
  /** How many times the median of what it is compared with. */
  readonly ratio: number;
}

/** Does it once to warm up, then `runs` times. */
export async function measure(runs: number, deed: () => Promise<unknown>): Promise<Times> {
  await deed();
  const times: number[] = [];
  for (let run = 0; run < runs; run += 1) times.push(await timed(deed));
  times.sort((a, b) => a - b);
  const at = (part: number) => times[Math.min(times.length - 1, Math.floor(times.length * part))] ?? 0;
  return { median: at(0.5), p90: at(0.9) };
}

/** Milliseconds that it takes. */
export async function timed(deed: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await deed();
  return performance.now() - started;
}

/** The rows as a table. */
export function tableText(rows: readonly Row[]): string {
  const cells = [
    ['', 'median ms', 'p90 ms', 'ratio'],
    ...rows.map(({ name, median, p90, ratio }) => [
      name,
      median.toFixed(2),
      p90.toFixed(2),
      ratio.toFixed(1),
    ]),
  ];
  const widths = [0, 1, 2, 3].map((at) => Math.max(...cells.map((row) => row[at]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    row
      .map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
      .join('  ');
  return `${cells.map((row) => line(row).trimEnd()).join('\n')}\n`;
}
