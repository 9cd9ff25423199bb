/** How much of a rate limit a client uses. */
import { describe, expect, test } from 'vitest';
import { type Allowance, sendMany } from './paced.ts';

describe('a service that allows 20 requests a second', () => {
  const allowances = [1, 5, 20, 100].flatMap((burst) =>
    (['none', 'whole seconds', 'exact'] as const).flatMap((retryAfter) =>
      [4, 80].map((latency): Allowance => ({ perSecond: 20, burst, retryAfter, latency })),
    ),
  );

  test.each([
    ...allowances,
    { perSecond: 20, burst: 20, retryAfter: 'whole seconds' as const, latency: 300 },
  ])(
    'is used to 85% without failures: bursts of $burst, Retry-After: $retryAfter, $latency ms each',
    async (allowance) => {
      const { perSecond, burst } = allowance;
      const { seconds, failures, sentAt } = await sendMany(2000, { allowance, limits: { concurrency: 8 } });
      expect(failures).toEqual([]);
      expect((2000 - burst) / perSecond / seconds).toBeGreaterThanOrEqual(0.85);
      // Rejected requests are wasted.
      expect(sentAt.length).toBeLessThan(2000 * 1.25);
    },
  );

  test('receives more requests after it raises the limit', async () => {
    const allowance = { perSecond: 20, burst: 20, retryAfter: 'none', latency: 20 } as const;
    const raised = { after: 600, perSecond: 200 };
    const { seconds } = await sendMany(6000, {
      allowance: { ...allowance, raised },
      limits: { concurrency: 8 },
    });
    expect(seconds).toBeLessThan(120);
  });
});

test('keeps its speed after a single 429 from a service without a limit', async () => {
  const allowance = { perSecond: 1e6, burst: 1e6, retryAfter: 'none', latency: 20 } as const;
  const limits = { concurrency: 8 };
  const undisturbed = await sendMany(4000, { allowance, limits });
  const disturbed = await sendMany(4000, {
    allowance: { ...allowance, stray: (number) => number === 1000 },
    limits,
  });
  expect(disturbed.failures).toEqual([]);
  expect(disturbed.seconds).toBeLessThan(undisturbed.seconds * 1.5);
});
