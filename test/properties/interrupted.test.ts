/** A run that breaks off anywhere, before or after a call took effect, can simply be run again: nothing is lost or doubled. */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { applyPlan } from '../../src/apply/apply-plan.ts';
import { type Api, ApiError } from '../../src/contract/api.ts';
import { operations } from '../../src/contract/index.ts';
import { registry } from '../../src/kinds/index.ts';
import { workspaces } from '../support/arbitrary.ts';
import { asPlan, type Harness, seed, startHarness, treeOf } from '../support/harness.ts';

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness();
});
afterAll(() => harness.close());

test('a broken-off apply can be run again', { timeout: 300_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(workspaces('org_acme'), fc.nat(60), fc.boolean(), async (document, last, took) => {
      harness.service.reset(seed);
      const tree = await treeOf(document);
      const planned = await harness.plan(tree);
      await applyPlan(asPlan(planned), {
        api: breakingOff(last, took),
        registry,
        parallelism: 2,
        replan: () => Promise.reject(new Error('the connection is gone')),
        sleep: async () => {},
      });
      const rest = await harness.plan(tree);
      const { organizations } = await harness.apply(tree, rest);
      expect(organizations.flatMap(({ outcomes }) => outcomes.filter(({ type }) => type !== 'done'))).toEqual(
        [],
      );
      const after = await harness.plan(tree);
      expect([after.steps, after.unmanaged]).toEqual([[], []]);
      expect(harness.service.problems()).toEqual([]);
    }),
    { numRuns: 80, endOnFailure: true },
  );
});

/** Lets some writes through, then breaks each: before it is sent, or after it took effect and the answer is lost. */
function breakingOff(last: number, took: boolean): Api {
  let writes = 0;
  const broken = (operation: Parameters<Api['send']>[0]) =>
    new ApiError('the connection broke', {
      type: 'connection',
      operation,
      method: operations[operation].method,
      path: operations[operation].path,
      attempt: 1,
      mayHaveHappened: took,
    });
  return {
    all: (operation, input) =>
      writes > last ? Promise.reject(broken(operation)) : harness.api.all(operation, input),
    send: async (operation, input) => {
      writes += 1;
      if (writes <= last) return harness.api.send(operation, input);
      if (writes === last + 1 && took) await harness.api.send(operation, input);
      throw broken(operation);
    },
  };
}
