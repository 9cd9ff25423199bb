/** Runs that end: whatever every request answers, a run sends few more, and its last lines are true. */
import { expect, test } from 'vitest';
import { ApiError } from '../../src/contract/api.ts';
import type { OperationId } from '../../src/contract/index.ts';
import { renderApplyResult } from '../../src/report/apply/text.ts';
import { lost, refusal } from '../support/apis.ts';
import { treeOf } from '../support/harness.ts';
import { sharedHarness } from '../support/shared-harness.ts';

const harness = await sharedHarness();

const count = 40;
const teams = Object.fromEntries(
  Array.from({ length: count }, (_, at) => [`t${at}`, { title: `Team ${at}` }]),
);

type End = number | 'connection';

const answerOf = (end: End, operation: OperationId) =>
  end === 'connection' ? lost(operation) : refusal(operation, end);

/** Answers all writes from number `from` on with the status, or breaks their connection. */
async function applied(end: End, from: number) {
  const tree = await treeOf({ teams });
  const plan = await harness.plan(tree);
  let asked = 0;
  harness.refuse = ({ operation }) => {
    asked += 1;
    if (asked < from) return undefined;
    return answerOf(end, operation);
  };
  const result = await harness.apply(tree, plan);
  const text = renderApplyResult(result, { color: false, width: 200 });
  return { refused: asked - from + 1, result, text };
}

const always: readonly (readonly [end: End, from: number, mostMore: number, says: RegExp])[] = [
  [401, 1, 1, /the service does not accept the token[\s\S]*help: check OCTAVO_TOKEN/],
  [401, 20, 1, /the service does not accept the token[\s\S]*help: check OCTAVO_TOKEN/],
  [403, 1, 3, /the service forbids the changes[\s\S]*help: use a token that may change/],
  [500, 1, 6, /the service is not available/],
  [502, 20, 6, /the service is not available/],
  [503, 1, 6, /the service is not available/],
  [503, 20, 6, /the service is not available/],
  [504, 1, 6, /the service is not available/],
  ['connection', 1, 6, /the service is not available: the connection broke/],
  ['connection', 20, 6, /the service is not available: the connection broke/],
];

test.each(always)(
  'a run whose writes all get %s from number %d on ends after at most %d more',
  async (...row) => {
    const [end, from, most, says] = row;
    const { refused, result, text } = await applied(end, from);
    expect(refused).toBeLessThanOrEqual(most);
    const outcomes = result.organizations.flatMap((one) => one.outcomes);
    const left = count - (from - 1) - refused;
    expect(outcomes.filter(({ type }) => type === 'notStarted')).toHaveLength(left);
    expect(text).toContain(`${left} steps not tried`);
    expect(text).toMatch(says);
  },
);

test.each<End>([503, 'connection'])(
  'a run whose service answers nothing but %s ends after three failed steps',
  async (end) => {
    let isDown = false;
    harness.through = (api) => ({
      all: api.all,
      send: async (operation, input) => {
        if (isDown && operation === 'orgs.get') throw answerOf(end, operation);
        return api.send(operation, input).catch((error: unknown) => {
          isDown = true;
          throw error;
        });
      },
    });
    const { refused, text } = await applied(end, 1);
    expect(refused).toBe(3);
    expect(text).toMatch(/the service is not available/);
  },
);

test.each([
  [401, 1],
  [403, 1],
  [500, 20],
  [503, 1],
])('after the requests in flight, three more at most get %d from number %d on', async (status, from) => {
  harness.parallelism = 8;
  const { refused, result } = await applied(status, from);
  expect(refused).toBeLessThanOrEqual(harness.parallelism + 3);
  const outcomes = result.organizations.flatMap((one) => one.outcomes);
  expect(outcomes.filter(({ type }) => type === 'notStarted')).toHaveLength(count - (from - 1) - refused);
});

test('a service that answers again gets as many requests at the same time as before', async () => {
  harness.parallelism = 8;
  const tree = await treeOf({ teams });
  const plan = await harness.plan(tree);
  let [asked, running, most] = [0, 0, 0];
  harness.refuse = ({ operation }) => {
    asked += 1;
    return asked > 10 && asked <= 16 ? refusal(operation, 503) : undefined;
  };
  const { organizations } = await harness.apply(tree, plan, (event) => {
    if (event.type === 'start') running += 1;
    else if (event.type === 'step') running -= 1;
    if (asked > 16) most = Math.max(most, running);
  });
  expect(most).toBe(8);
  const types = organizations.flatMap(({ outcomes }) => outcomes.map(({ type }) => type));
  expect(types.filter((type) => type === 'done')).toHaveLength(count - 6);
});

test('a run goes on where only one kind is forbidden', async () => {
  const collections = Object.fromEntries(['a', 'b', 'c', 'd'].map((key) => [key, { title: `The ${key}` }]));
  const tree = await treeOf({ teams, collections });
  const plan = await harness.plan(tree);
  harness.refuse = ({ operation }) =>
    operation.startsWith('collections.') ? refusal(operation, 403) : undefined;
  const { organizations } = await harness.apply(tree, {
    ...plan,
    steps: [...plan.steps].sort((left, right) => right.kind.localeCompare(left.kind)),
  });
  const ended = organizations.flatMap(({ outcomes }) =>
    outcomes.map(({ type, step }) => `${step.kind} ${type}`),
  );
  expect(ended.filter((one) => one === 'team done')).toHaveLength(count);
  expect(ended.filter((one) => one === 'collection failed')).toHaveLength(4);
});

test('a request that was not sent, since the run was interrupted, did not fail', async () => {
  const tree = await treeOf({ teams });
  const plan = await harness.plan(tree);
  harness.refuse = ({ operation }) =>
    harness.sent.length < 3
      ? undefined
      : new ApiError(`${operation} was interrupted before it was sent`, {
          ...{ type: 'cancelled', operation, method: 'POST', path: '/', attempt: 1 },
          mayHaveHappened: false,
        });
  const { organizations } = await harness.apply(tree, plan);
  const types = new Set(organizations.flatMap(({ outcomes }) => outcomes.map(({ type }) => type)));
  expect(types).toEqual(new Set(['done', 'notStarted']));
});
