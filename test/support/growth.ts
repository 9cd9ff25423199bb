/** How the CPU time of some work grows with its size. */

/**
 * The exponent: 1 for twice the time at twice the size, 2 for four times. The least of a few measurements, because other processes and
 * garbage collection take time, too.
 */
export function growth(count: number, work: (count: number) => unknown): number {
  const seconds = (size: number) => {
    const before = process.cpuUsage();
    work(size);
    return Math.max(0.002, process.cpuUsage(before).user / 1e6);
  };
  seconds(count / 8);
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 4 && least > 1.5; round += 1)
    least = Math.min(least, Math.log2(seconds(count) / seconds(count / 8)) / 3);
  return least;
}
