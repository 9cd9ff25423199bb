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

test('a failed step carries its request and whether that request may have taken effect', async () => {
  const { api, outcomes } = await run([step('a'), step('b')]);
  await api.fail('a');
  await api.fail('b', { mayHaveHappened: true });
  expect(await outcomes()).toMatchObject([
    { type: 'failed', error: { message: 'a failed' }, call: { params: { teamId: 'a' } } },
    { type: 'unknown', error: { message: 'b failed' }, call: { params: { teamId: 'b' } } },
  ]);
});

test('an edge to a step outside of the plan does not block', async () => {
  const { api, outcomes } = await run([step('a', { needs: ['earlier'], after: ['other'] })]);
  expect(api.inFlight).toEqual(['a']);
  await api.succeed('a');
  expect(fates(await outcomes())).toEqual({ a: 'done' });
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

test('a parallelism of 1 runs one step at a time, in plan order', async () => {
  const names = ['a', 'b', 'c', 'd'];
  const { api, outcomes } = await run(
    names.map((name) => step(name)),
    1,
  );
  for (const name of names) {
    expect(api.inFlight).toEqual([name]);
    await api.succeed(name);
  }
  await outcomes();
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
        const { api, outcomes, started, ended } = await run(steps, parallelism);
        /** The end of each step so far; a step that is skipped names the failure that it goes back to. */
        const fate = new Map<string, string>();
        const endOf = ({ id, needs }: Step): string => {
          const [blocker] = needs.filter((need) => fate.get(need) !== 'done');
          const reason = blocker === undefined ? undefined : fate.get(blocker);
          if (reason !== undefined) return reason === 'failed' ? `skipped because ${blocker}` : reason;
          return nodes[Number(id)]?.fails === true ? 'failed' : 'done';
        };
        const isReady = ({ id, needs, after }: Step) =>
          !fate.has(id) && [...needs, ...after].every((earlier) => fate.has(earlier));
        while (api.inFlight.length > 0) {
          const ready = steps.filter(isReady);
          expect(ready.map(({ id }) => id)).toEqual(expect.arrayContaining([...api.inFlight]));
          // As many as may start have started.
          expect(api.inFlight.length).toBe(Math.min(parallelism, ready.length));
          const name = api.inFlight[picks.next().value % api.inFlight.length] ?? '';
          await (nodes[Number(name)]?.fails === true ? api.fail(name) : api.succeed(name));
          fate.set(name, endOf(steps[Number(name)] ?? step(name)));
          for (const one of steps)
            if (isReady(one) && endOf(one).startsWith('skipped')) fate.set(one.id, endOf(one));
        }
        const ends = await outcomes();
        expect(fates(ends)).toEqual(Object.fromEntries(fate));
        expect(ends.map(({ step: { id } }) => id)).toEqual(ended);
        expect(started).toEqual(api.sent);
        expect([...started].sort()).toEqual(
          [...fate].flatMap(([id, end]) => (end.startsWith('skipped') ? [] : [id])).sort(),
        );
      },
    ),
    tries(200),
  );
});
