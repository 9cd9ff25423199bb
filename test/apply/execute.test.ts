/** The executor over a fake service with scripted responses: order of steps, and steps stopped by a failure. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Outcome } from '../../src/apply/events.ts';
import { executeSteps } from '../../src/apply/execute.ts';
import { RunIds } from '../../src/apply/run-ids.ts';
import { type Api, ApiError, type ApiInput } from '../../src/contract/api.ts';
import { registry } from '../../src/kinds/index.ts';
import type { Step } from '../../src/plan/plan.ts';
import { step as stepWith } from '../report/plan-samples.ts';
import { tries } from '../support/runs.ts';

interface Edges {
  readonly needs?: readonly string[];
  readonly after?: readonly string[];
}

/** A step of one request; `name` is the id of the step and of the team in the request. */
function step(name: string, { needs = [], after = [] }: Edges = {}): Step {
  return stepWith({
    id: name,
    address: `teams/${name}`,
    kind: 'team',
    noun: 'team',
    action: 'delete',
    phase: 'delete',
    liveId: name,
    calls: [{ operation: 'teams.delete', params: { organizationId: 'org_1', teamId: name } }],
    needs: [...needs],
    after: [...after],
  });
}

function statusError(name: string, mayHaveHappened: boolean): ApiError {
  return new ApiError(`${name} failed`, {
    type: 'status',
    operation: 'teams.delete',
    method: 'DELETE',
    path: `/v1/orgs/org_1/teams/${name}`,
    status: 500,
    attempt: 1,
    mayHaveHappened,
  });
}

/** A service that holds each request until the test responds. */
class FakeApi implements Api {
  readonly #held = new Map<
    string,
    { readonly resolve: () => void; readonly reject: (error: Error) => void }
  >();
  /** Every request, in the order of arrival. */
  readonly sent: string[] = [];
  mostInFlight = 0;

  send(_: unknown, { params }: ApiInput): Promise<undefined> {
    const name = params?.teamId ?? '';
    this.sent.push(name);
    return new Promise((resolve, reject) => {
      this.#held.set(name, { resolve: () => resolve(undefined), reject });
      this.mostInFlight = Math.max(this.mostInFlight, this.#held.size);
    });
  }

  all(): Promise<readonly unknown[]> {
    return Promise.reject(new Error('no step reads a list'));
  }

  /** Names of the requests that wait for a response. */
  get inFlight(): readonly string[] {
    return [...this.#held.keys()];
  }

  succeed(name: string): Promise<void> {
    this.#take(name).resolve();
    return settled();
  }

  fail(name: string, { mayHaveHappened = false } = {}): Promise<void> {
    this.#take(name).reject(statusError(name, mayHaveHappened));
    return settled();
  }

  #take(name: string) {
    const held = this.#held.get(name);
    if (held === undefined) throw new Error(`${name} is not in flight: ${this.inFlight.join(', ')} are`);
    this.#held.delete(name);
    return held;
  }
}

/** Runs everything that does not wait for a response. */
function settled(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

interface Run {
  readonly api: FakeApi;
  readonly started: readonly string[];
  readonly ended: readonly string[];
  /** Outcomes of all steps. Throws while a request still waits for a response. */
  outcomes(): Promise<readonly Outcome[]>;
  interrupt(): void;
}

/** Starts the steps; the first requests are in flight when this returns. */
async function run(steps: readonly Step[], parallelism = 8): Promise<Run> {
  const api = new FakeApi();
  const started: string[] = [];
  const ended: string[] = [];
  let interrupted = false;
  let result: readonly Outcome[] | undefined;
  const running = executeSteps(steps, {
    api,
    registry,
    organization: 'acme',
    ids: new RunIds(),
    sleep: () => Promise.resolve(),
    parallelism,
    isInterrupted: () => interrupted,
    onStart: ({ id }) => started.push(id),
    onEnd: (outcome) => ended.push(outcome.step.id),
  }).then((outcomes) => {
    result = outcomes;
  });
  await settled();
  return {
    api,
    started,
    ended,
    outcomes: async () => {
      await settled();
      if (result === undefined) throw new Error(`still in flight: ${api.inFlight.join(', ')}`);
      await running;
      return result;
    },
    interrupt: () => {
      interrupted = true;
    },
  };
}

/** Outcome of each step. Example: `{ a: 'failed', b: 'skipped because a' }`. */
function fates(outcomes: readonly Outcome[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    outcomes.map((outcome) => [
      outcome.step.id,
      outcome.type === 'skipped' ? `skipped because ${outcome.because}` : outcome.type,
    ]),
  );
}

test.each([1, 3])(
  'does not repeat a call of a new object after a signal, at its attempt %i',
  async (stopAt) => {
    const ids = new RunIds();
    ids.set('teams/a', 'a');
    let [sent, slept, interrupted] = [0, 0, false];
    const send = () => {
      sent += 1;
      return Promise.reject(
        new ApiError('not found', {
          ...{ type: 'status', operation: 'teams.update', method: 'PATCH', path: '/', status: 404 },
          ...{ attempt: 1, mayHaveHappened: false },
        }),
      );
    };
    const rename = {
      ...step('a'),
      ...{ action: 'update', phase: 'update' },
      calls: [
        { operation: 'teams.update', params: { organizationId: 'org_1', teamId: 'a' }, body: { title: 'A' } },
      ],
    } as Step;
    const outcomes = await executeSteps([rename], {
      ...{ api: { send, all: send }, registry, organization: 'acme', ids, parallelism: 1 },
      // The signal ends the wait.
      sleep: async () => {
        slept += 1;
        interrupted = slept === stopAt;
      },
      isInterrupted: () => interrupted,
      onStart: () => undefined,
      onEnd: () => undefined,
    });
    expect([sent, slept]).toEqual([stopAt, stopAt]);
    expect(fates(outcomes)).toEqual({ a: 'failed' });
  },
);

describe('a failed step', () => {
  test('stops only the steps that need it', async () => {
    const { api, outcomes } = await run([
      step('a'),
      step('b', { needs: ['a'] }),
      step('c', { needs: ['a', 'd'] }),
      step('d'),
      step('e', { needs: ['d'] }),
    ]);
    expect(api.inFlight).toEqual(['a', 'd']);
    await api.fail('a');
    await api.succeed('d');
    await api.succeed('e');
    expect(fates(await outcomes())).toEqual({
      a: 'failed',
      b: 'skipped because a',
      c: 'skipped because a',
      d: 'done',
      e: 'done',
    });
    expect(api.sent).toEqual(['a', 'd', 'e']);
  });

  test('is the stated reason for every step skipped because of it, at any distance', async () => {
    const { api, outcomes } = await run([
      step('a'),
      step('b', { needs: ['a'] }),
      step('c', { needs: ['b'] }),
      step('d', { needs: ['c'] }),
      step('x'),
      step('y', { needs: ['x'] }),
      step('z', { needs: ['y'] }),
    ]);
    await api.fail('x');
    await api.fail('a');
    expect(fates(await outcomes())).toEqual({
      a: 'failed',
      b: 'skipped because a',
      c: 'skipped because a',
      d: 'skipped because a',
      x: 'failed',
      y: 'skipped because x',
      z: 'skipped because x',
    });
    expect(api.sent).toEqual(['a', 'x']);
  });

  test('carries its request and whether that request may have taken effect', async () => {
    const { api, outcomes } = await run([step('a'), step('b')]);
    await api.fail('a');
    await api.fail('b', { mayHaveHappened: true });
    expect(await outcomes()).toMatchObject([
      { type: 'failed', uncertain: false, error: { message: 'a failed' }, call: { params: { teamId: 'a' } } },
      { type: 'failed', uncertain: true, error: { message: 'b failed' }, call: { params: { teamId: 'b' } } },
    ]);
  });
});

describe('a skipped step', () => {
  test('does not count as done for a step that needs it', async () => {
    const { api, outcomes } = await run([
      step('a'),
      step('b', { needs: ['a'] }),
      step('c', { needs: ['b'] }),
    ]);
    await api.fail('a');
    expect(fates(await outcomes())).toMatchObject({ c: 'skipped because a' });
    expect(api.sent).toEqual(['a']);
  });

  test('is reported as ended but never as started', async () => {
    const { api, outcomes, started, ended } = await run([step('a'), step('b', { needs: ['a'] })]);
    await api.fail('a');
    await outcomes();
    expect(started).toEqual(['a']);
    expect(ended).toEqual(['a', 'b']);
  });
});

describe('an edge', () => {
  test('`needs` starts a step only when all required steps are done', async () => {
    const { api, outcomes } = await run([step('a'), step('b'), step('c', { needs: ['a', 'b'] })]);
    await api.succeed('a');
    expect(api.inFlight).toEqual(['b']);
    await api.succeed('b');
    expect(api.inFlight).toEqual(['c']);
    await api.succeed('c');
    expect(fates(await outcomes())).toEqual({ a: 'done', b: 'done', c: 'done' });
  });

  test.each(['succeed', 'fail'] as const)(
    '`after` waits for the step, regardless of its outcome (%s)',
    async (how) => {
      const { api, outcomes } = await run([step('a'), step('b', { after: ['a'] })]);
      expect(api.inFlight).toEqual(['a']);
      await api[how]('a');
      expect(api.inFlight).toEqual(['b']);
      await api.succeed('b');
      expect(fates(await outcomes())).toMatchObject({ b: 'done' });
    },
  );

  test('`after` continues past a skipped step once that step is skipped', async () => {
    const { api, outcomes } = await run([
      step('a'),
      step('b', { needs: ['a'] }),
      step('c', { after: ['b'] }),
    ]);
    expect(api.inFlight).toEqual(['a']);
    await api.fail('a');
    expect(api.inFlight).toEqual(['c']);
    await api.succeed('c');
    expect(fates(await outcomes())).toEqual({ a: 'failed', b: 'skipped because a', c: 'done' });
  });

  test('of both types: waits for both steps but requires success of `needs` only', async () => {
    const { api, outcomes } = await run([step('a'), step('b'), step('c', { needs: ['a'], after: ['b'] })]);
    await api.succeed('a');
    expect(api.inFlight).toEqual(['b']);
    await api.fail('b');
    expect(api.inFlight).toEqual(['c']);
    await api.succeed('c');
    expect(fates(await outcomes())).toMatchObject({ b: 'failed', c: 'done' });
  });

  test('to a step outside of the plan does not block', async () => {
    const { api, outcomes } = await run([step('a', { needs: ['earlier'], after: ['other'] })]);
    expect(api.inFlight).toEqual(['a']);
    await api.succeed('a');
    expect(fates(await outcomes())).toEqual({ a: 'done' });
  });
});

describe('an interruption', () => {
  test('starts no further step, finishes steps in flight and reports the rest as not started', async () => {
    const { api, outcomes, interrupt, started, ended } = await run(
      [step('a'), step('b'), step('c'), step('d', { needs: ['a'] })],
      2,
    );
    expect(api.inFlight).toEqual(['a', 'b']);
    interrupt();
    await api.succeed('a');
    expect(api.inFlight).toEqual(['b']);
    await api.succeed('b');
    expect(fates(await outcomes())).toEqual({ a: 'done', b: 'done', c: 'notStarted', d: 'notStarted' });
    expect(started).toEqual(['a', 'b']);
    expect(ended).toEqual(['a', 'b']);
    expect(api.sent).toEqual(['a', 'b']);
  });

  test('does not wait for steps that have not started', async () => {
    const { api, outcomes, interrupt } = await run([step('a'), step('b', { needs: ['a'] })]);
    interrupt();
    await api.fail('a');
    expect(fates(await outcomes())).toEqual({ a: 'failed', b: 'notStarted' });
  });
});

describe('parallelism', () => {
  const four = [step('a'), step('b'), step('c'), step('d')];

  test('of 1 runs one step at a time, in plan order', async () => {
    const { api, outcomes } = await run(four, 1);
    for (const name of ['a', 'b', 'c', 'd']) {
      expect(api.inFlight).toEqual([name]);
      await api.succeed(name);
    }
    await outcomes();
    expect(api.mostInFlight).toBe(1);
  });

  test('of 2 runs two steps and starts the next as soon as one ends', async () => {
    const { api, outcomes } = await run(four, 2);
    expect(api.inFlight).toEqual(['a', 'b']);
    await api.succeed('b');
    expect(api.inFlight).toEqual(['a', 'c']);
    await api.fail('a');
    expect(api.inFlight).toEqual(['c', 'd']);
    await api.succeed('c');
    await api.succeed('d');
    expect(Object.keys(fates(await outcomes()))).toEqual(['b', 'a', 'c', 'd']);
    expect(api.mostInFlight).toBe(2);
  });
});

test('runs, skips and orders the steps of any graph by its edges alone', async () => {
  const graph = fc.array(
    fc.record({
      needs: fc.array(fc.boolean(), { maxLength: 10 }),
      after: fc.array(fc.boolean(), { maxLength: 10 }),
      fails: fc.boolean(),
    }),
    { minLength: 1, maxLength: 10 },
  );
  await fc.assert(
    fc.asyncProperty(
      graph,
      fc.integer({ min: 1, max: 3 }),
      fc.infiniteStream(fc.nat()),
      async (nodes, parallelism, picks) => {
        const earlier = (bits: readonly boolean[], at: number) =>
          nodes.flatMap((_, other) => (other < at && bits[other] === true ? [String(other)] : []));
        const steps = nodes.map(({ needs, after }, at) =>
          step(String(at), { needs: earlier(needs, at), after: earlier(after, at) }),
        );
        const { api, outcomes, ended } = await run(steps, parallelism);
        const over = new Set<string>();
        while (api.inFlight.length > 0) {
          expect(api.inFlight.length).toBeLessThanOrEqual(parallelism);
          const name = api.inFlight[picks.next().value % api.inFlight.length] ?? '';
          for (const one of steps.filter(({ id }) => api.inFlight.includes(id)))
            for (const id of [...one.needs, ...one.after]) expect(over).toContain(id);
          await (nodes[Number(name)]?.fails === true ? api.fail(name) : api.succeed(name));
          for (const id of ended) over.add(id);
        }
        const types = new Map((await outcomes()).map(({ step: { id }, type }) => [id, type]));
        for (const [at, { id, needs }] of steps.entries()) {
          const runs = needs.every((need) => types.get(need) === 'done');
          expect(types.get(id)).toBe(runs ? (nodes[at]?.fails === true ? 'failed' : 'done') : 'skipped');
        }
      },
    ),
    tries(200),
  );
});
