/**
 * Random programmes of throttling, failures, broken connections, cut bodies and lagging lists, over changes from one
 * random workspace to another. After at most two runs each object exists once and the plan is empty.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import type { Form } from '../../src/contract/form.ts';
import { registry } from '../../src/kinds/index.ts';
import { isEmptyPlan, type Step } from '../../src/plan/plan.ts';
import { planRun } from '../../src/run/plan-run.ts';
import type { PlanRun } from '../../src/run/planning.ts';
import { ServiceLink } from '../../src/run/reads/service-link.ts';
import type { Session } from '../../src/run/session.ts';
import { type FaultRule, startService } from '../../src/server/index.ts';
import type { DesiredTree } from '../../src/tree/desired-tree.ts';
import { sameJson } from '../../src/util/json.ts';
import { applied } from '../support/applied.ts';
import { workspacesUnder } from '../support/arbitrary.ts';
import { seed, treeOf } from '../support/harness.ts';
import { brokenInvariants } from '../support/invariants.ts';
import { patience, runs, tries } from '../support/runs.ts';

const only = fc.constantFrom<'reads' | 'writes' | undefined>('reads', 'writes', undefined);
const often = {
  probability: fc.double({ min: 0.02, max: 0.5, noNaN: true }),
  skip: fc.nat(120),
  times: fc.integer({ min: 1, max: 6 }),
};

const rule: fc.Arbitrary<FaultRule> = fc
  .oneof(
    fc.record({
      type: fc.constant('status' as const),
      status: fc.constantFrom(408, 425, 429, 500, 502, 503, 504),
      retryAfter: fc.option(
        fc.record({ form: fc.constantFrom('seconds' as const, 'date' as const), seconds: fc.nat(3) }),
        { nil: undefined },
      ),
      html: fc.boolean(),
      only,
      ...often,
    }),
    fc.record({
      type: fc.constant('status' as const),
      status: fc.constant(429),
      rateLimit: fc.record({ limit: fc.integer({ min: 1, max: 50 }), seconds: fc.nat(20) }),
      only,
      ...often,
    }),
    fc.record({ type: fc.constantFrom('reset' as const, 'truncate' as const), only, ...often }),
    fc.record({
      type: fc.constant('lost-response' as const),
      only: fc.constant('writes' as const),
      ...often,
    }),
    fc.record({
      type: fc.constant('stale-lists' as const),
      milliseconds: fc.integer({ min: 50, max: 600 }),
      ...often,
    }),
  )
  .map((one) => JSON.parse(JSON.stringify(one)) as FaultRule);

/** Inconclusive responses: a deletion is only accepted, or an object is reported as not found. */
const unclear: fc.Arbitrary<FaultRule> = fc
  .oneof(
    fc.record({
      type: fc.constant('status' as const),
      status: fc.constant(202),
      operations: fc.constant<string[]>(['*.delete']),
      ...often,
    }),
    fc.record({
      type: fc.constant('status' as const),
      status: fc.constant(404),
      only: fc.constant('writes' as const),
      ...often,
    }),
    rule,
  )
  .map((one) => ({ ...one, skip: (one.skip ?? 0) % 20 }));

const isDeep = runs(1) > 1;

interface Day {
  readonly form: Form;
  readonly faults: readonly FaultRule[];
  readonly luck: number;
}

/** A service that fails by the programme, in a virtual time that advances only with waits. */
async function badDay({ form, faults, luck }: Day) {
  let clock = Date.parse('2026-01-01');
  let state = luck + 1;
  let isCalm = true;
  // Faults only apply to numbers in the lower half.
  const random = () => {
    state = (state * 48271) % 2147483647;
    return isCalm ? 0.5 + state / 2147483647 / 2 : state / 2147483647;
  };
  const service = await startService({
    data: ':memory:',
    seed,
    form,
    faults,
    random,
    now: () => new Date(clock),
  });
  const sleep = async (milliseconds: number) => {
    clock += milliseconds;
  };
  const client = createClient({
    baseUrl: service.url,
    token: service.token,
    userAgent: 'octavo-test',
    clock: { now: () => clock, random, sleep },
    onRequest: () => {
      clock += 3;
    },
  });
  const sessionFor = (tree: DesiredTree): Session => ({
    source: { cwd: '/workspace', env: {}, files: [], overlays: [], registry },
    workspace: { trees: [tree], diagnostics: [], sources: new Map(), files: [] },
    pasts: new Map(),
    service: new ServiceLink(client),
    sleep,
  });
  const close = async () => {
    await client.close();
    await service.close();
  };
  const begin = () => {
    isCalm = false;
  };
  // The result is read without the faults that may remain.
  const end = () => {
    isCalm = true;
  };
  return { service, sleep, sessionFor, begin, end, close };
}

type BadDay = Awaited<ReturnType<typeof badDay>>;

/** Requests are tried five times, and a programme has thirty faults at most. */
const mostUnread = 6;

interface Ran {
  readonly done: readonly Step[];
  /** False if the run reports that a step failed or was not tried. */
  readonly isComplete: boolean;
}

/** Runs apply and returns what it reports. A plan that fails is repeated. */
async function run({ sessionFor, sleep }: BadDay, tree: DesiredTree): Promise<Ran> {
  const session = sessionFor(tree);
  let planned: PlanRun | undefined;
  for (let unread = 0; planned === undefined && unread <= mostUnread; unread += 1)
    planned = await planRun(session).catch(() => undefined);
  const result = planned && (await applied(session, planned, { parallelism: 4 }).catch(() => undefined));
  // A user reads the output before starting again.
  await sleep(2000);
  const outcomes = (result?.organizations ?? []).flatMap((one) => one.outcomes);
  return {
    done: outcomes.flatMap(({ type, step }) => (type === 'done' ? [step] : [])),
    isComplete: result !== undefined && outcomes.every(({ type }) => type === 'done' || type === 'satisfied'),
  };
}

test.each([
  ['document', isDeep ? 200 : 5],
  ['2026', isDeep ? 200 : 4],
] as const)(
  'converges once a run reports no failure, without duplicates, at a service of the form %s',
  {
    timeout: patience(900_000),
  },
  async (form, count) => {
    const wanted = workspacesUnder('org_acme', form);
    const counts = { programmes: 0, doubled: 0, converged: 0 };
    await fc.assert(
      fc.asyncProperty(
        wanted,
        wanted,
        fc.array(rule, { minLength: 1, maxLength: 5 }),
        fc.nat(1_000_000),
        async (former, document, faults, luck) => {
          const day = await badDay({ form, faults, luck });
          try {
            await run(day, await treeOf(former));
            day.begin();
            const tree = await treeOf(document);
            await run(day, tree);
            let last = await run(day, tree);
            // A run that reports a failure asks for another one: an invitation is not repeated without a response.
            for (let more = 1; !last.isComplete && more <= 3; more += 1) last = await run(day, tree);
            counts.programmes += 1;
            day.end();
            const { plan } = await planRun(day.sessionFor(tree));
            const unmanaged = plan.organizations
              .flatMap((one) => one.unmanaged)
              .filter(({ kind }) => kind !== 'member');
            counts.doubled += unmanaged.length;
            expect(unmanaged).toEqual([]);
            expect(plan.organizations.flatMap(({ steps }) => steps.map(({ id }) => id))).toEqual([]);
            expect(isEmptyPlan(plan)).toBe(true);
            expect(brokenInvariants(day.service)).toEqual([]);
            counts.converged += 1;
          } finally {
            await day.close();
          }
        },
      ),
      { ...tries(count), endOnFailure: true },
    );
    process.stdout.write(
      `fault programmes under ${form}: ${counts.programmes}   doubled ${counts.doubled}   converged ${counts.converged}\n`,
    );
  },
);

test('reports a step as done only if it is done', { timeout: patience(900_000) }, async () => {
  const form = '2026';
  const counts = { done: 0, left: 0 };
  await fc.assert(
    fc.asyncProperty(
      workspacesUnder('org_acme', form),
      workspacesUnder('org_acme', form),
      fc.array(unclear, { minLength: 1, maxLength: 4 }),
      fc.nat(1_000_000),
      async (former, document, faults, luck) => {
        const day = await badDay({ form, faults, luck });
        try {
          await run(day, await treeOf(former));
          day.begin();
          const tree = await treeOf(document);
          const { done } = await run(day, tree);
          day.end();
          const left = (await planRun(day.sessionFor(tree))).plan.organizations.flatMap(({ steps }) => steps);
          const reported = new Map(done.map((step) => [step.id, step]));
          expect(left.filter(({ id, fields }) => sameJson(fields, reported.get(id)?.fields))).toEqual([]);
          counts.done += done.length;
          counts.left += left.length;
          await run(day, tree);
          const { plan } = await planRun(day.sessionFor(tree));
          expect(plan.organizations.flatMap(({ steps }) => steps.map(({ id }) => id))).toEqual([]);
          expect(brokenInvariants(day.service)).toEqual([]);
        } finally {
          await day.close();
        }
      },
    ),
    { ...tries(isDeep ? 200 : 4), endOnFailure: true },
  );
  // A few programmes may not hit a request.
  if (isDeep) expect(Math.min(counts.done, counts.left)).toBeGreaterThan(0);
});
