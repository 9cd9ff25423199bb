import { afterAll, beforeEach } from 'vitest';
import { type MemoryHarness, startHarness } from './harness.ts';

/** A harness for all tests of a file, which is as new before each of them. */
export async function sharedHarness(...options: Parameters<typeof startHarness>): Promise<MemoryHarness> {
  const harness = await startHarness(...options);
  beforeEach(() => {
    harness.reset();
    harness.parallelism = 1;
    harness.refuse = undefined;
    harness.through = undefined;
    harness.also = undefined;
    harness.sent.length = 0;
    harness.reads.length = 0;
  });
  afterAll(() => harness.close());
  return harness;
}
