/** A request is sent only once the journal has it: a run that dies later knows what it may have done. */
import { setImmediate as turn } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import type { Api } from '../../../src/contract/api.ts';
import { operations } from '../../../src/contract/index.ts';
import { registry } from '../../../src/kinds/index.ts';
import { asApproved } from '../../../src/run/approval/approval.ts';
import { planAll } from '../../../src/run/planning.ts';
import { journalInMemory } from '../../../src/run/rehearse/cuts.ts';
import { sendPlan } from '../../../src/run/send-plan.ts';
import { startHarness, treeOf } from '../../support/harness.ts';

test.each([1, 4])('each request is on the disk before it is sent (parallelism %i)', async (parallelism) => {
  const harness = await startHarness();
  onTestFinished(() => harness.close());
  const { api, sleep } = harness;
  const teams = Object.fromEntries(['a', 'b', 'c', 'd'].map((key) => [key, { title: `Team ${key}` }]));
  const tree = await treeOf({ octavo: 1, organization: { id: 'org_acme' }, teams });
  const planned = await planAll({ api, registry, sleep }, { trees: [tree], pasts: new Map(), choices: {} });
  let onDisk = '';
  const memory = journalInMemory();
  const store = {
    ...memory,
    flush: async (run: string) => {
      const text = memory.text(run);
      for (let count = 0; count < 5; count += 1) await turn();
      onDisk = text;
    },
  };
  const [sent, early]: [string[], string[]] = [[], []];
  const watched: Api = {
    all: (operation, input) => api.all(operation, input),
    send: async (operation, input) => {
      if (operations[operation].method !== 'GET') {
        sent.push(operation);
        if (onDisk.split('"type":"request"').length <= sent.length) early.push(operation);
      }
      return api.send(operation, input);
    },
  };
  const about = {
    run: 'r-0-00000000',
    command: 'apply',
    version: '0',
    host: '',
    process: { pid: 1 },
    service: '',
  };
  const journal = { ...about, store, now: () => new Date() };
  await sendPlan({ api: watched, registry, sleep }, asApproved(planned), { parallelism, journal }, () =>
    Promise.resolve(undefined),
  );
  expect(sent.length).toBeGreaterThanOrEqual(4);
  expect(early).toEqual([]);
});
