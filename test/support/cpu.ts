/** CPU time of this process: other ones do not count, however busy the machine is. */

/** In seconds, without that of the system. */
export async function cpuOf(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  return process.cpuUsage(before).user / 1e6;
}
