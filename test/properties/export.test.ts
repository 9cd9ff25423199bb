/**
 * For any live state, its export is valid, the plan of the export is empty, also on the copy of a rehearsal, and another
 * export has the same bytes.
 */
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import type { Api } from '../../src/contract/api.ts';
import { registry } from '../../src/kinds/index.ts';
import { ReadMemory } from '../../src/live/read-memory.ts';
import { formatText } from '../../src/manifest/format/format-text.ts';
import type { OrganizationPlan } from '../../src/plan/plan.ts';
import { type Exported, exportOrganization } from '../../src/run/export/export.ts';
import { planTree } from '../../src/run/plan-tree.ts';
import { stageMaker } from '../../src/run/rehearse/stage.ts';
import { copyService } from '../../src/server/reads/copy.ts';
import { answeringInAnyOrder } from '../support/apis.ts';
import { loadTexts, onlyTree } from '../support/harness.ts';
import { liveStates, newerStates } from '../support/live-states.ts';
import { memoryService } from '../support/memory-service.ts';
import { patience, tries } from '../support/runs.ts';
import { combinations } from '../support/variants.ts';

const service = memoryService();
const makeStage = stageMaker({
  copy: copyService,
  clock: { now: () => Date.parse('2026-01-01'), random: Math.random },
});
afterAll(() => service.close());

/** Steps and refusals of a plan, none if it is empty. */
function stepsOf({ steps, refusals }: OrganizationPlan) {
  return [...steps.map(({ address, reason, fields }) => ({ address, reason, fields })), ...refusals];
}

async function expectEmptyPlan(api: Api, { files }: Exported): Promise<void> {
  const texts = Object.fromEntries(files.map(({ name, text }) => [name, text]));
  const tree = onlyTree(await loadTexts(texts));
  const log = new ReadMemory();
  const { plan, problems } = await planTree(log.begin(api), tree, { registry });
  expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
  expect(stepsOf(plan)).toEqual([]);
  const stage = await makeStage({ reads: log.reads, calls: [] });
  const rehearsed = await planTree(stage.api, tree, { registry });
  expect(stepsOf(rehearsed.plan), 'on the copy of the service').toEqual([]);
  await stage.close();
}

describe.each([
  ['document', liveStates, 300],
  ['2026', newerStates, 100],
] as const)('a service of the form %s', (preset, states, runs) => {
  test('plans no change for its own export', { timeout: patience(120_000) }, async () => {
    await fc.assert(
      fc.asyncProperty(
        combinations,
        states,
        fc.constantFrom('one' as const, 'split' as const),
        fc.constantFrom('ambiguous' as const, 'ambiguous' as const, 'all' as const),
        fc.infiniteStream(fc.nat(1_000_000)),
        async ({ variants }, seed, layout, pin, numbers) => {
          service.reset(seed, variants, preset);
          const { api } = service;
          const options = { registry, layout, pin };
          const memory = new ReadMemory();
          const exported = await exportOrganization(memory.fresh(api), options);
          // Each export was planned before it was returned; a few plans with separate reads are enough.
          if ((numbers.next().value ?? 0) % 3 === 0) await expectEmptyPlan(api, exported);
          // Formatting does not change an export.
          if ((numbers.next().value ?? 0) % 40 === 0)
            for (const { text } of exported.files) expect(formatText(text, { registry })).toEqual({ text });
          const choose = (count: number) => (numbers.next().value ?? 0) % Math.max(1, count);
          const again = await exportOrganization(answeringInAnyOrder(memory.recalled(api), choose), options);
          expect(again.files).toEqual(exported.files);
        },
      ),
      { ...tries(runs), endOnFailure: true },
    );
  });
});
