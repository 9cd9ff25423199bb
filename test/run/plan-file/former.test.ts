/**
 * Plans that former versions saved can still be read, shown in every format and checked with today's schema. When the form of
 * plans changes, save one with the version before it and add it here; never edit one that is here.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { planViews } from '../../../src/cli/show/views.ts';
import { eventsJsonSchema } from '../../../src/plan/event-schema.ts';
import { countActions } from '../../../src/plan/plan.ts';
import { marksOf } from '../../../src/run/digest.ts';
import { readPlanFile } from '../../../src/run/plan-file/read-plan.ts';
import { planJsonSchema } from '../../../src/run/plan-file/schema.ts';

const folder = path.join(import.meta.dirname, 'former');
const files = readdirSync(folder);
const ajv = new Ajv2020({ strict: false });
const isPlan = ajv.compile(planJsonSchema());
const isEventLine = ajv.compile(eventsJsonSchema());

describe.each(files)('%s', (file) => {
  const saved = JSON.parse(readFileSync(path.join(folder, file), 'utf8'));

  test('is what the schema of today describes', () => {
    expect(isPlan(saved), JSON.stringify(isPlan.errors)).toBe(true);
  });

  test('is read, with the digest and the approval that it was reviewed with', () => {
    const { plan } = readPlanFile(folder, file);
    const { digest, approval } = marksOf(plan);
    expect({ digest, approval }).toEqual({ digest: saved.digest, approval: saved.approval });
    expect(countActions(plan)).toEqual(saved.counts);
  });

  test.each(Object.keys(planViews))('is shown as %s', async (format) => {
    const { plan } = readPlanFile(folder, file);
    const view = await planViews[format as keyof typeof planViews]();
    const text = [...view({ plan, marks: marksOf(plan) }, { color: false, width: 100 })].join('');
    expect(text).not.toMatch(/undefined|\[object/);
    if (format === 'ndjson')
      for (const line of text.trimEnd().split('\n')) expect(isEventLine(JSON.parse(line)), line).toBe(true);
    if (format === 'json') expect(isPlan(JSON.parse(text)), JSON.stringify(isPlan.errors)).toBe(true);
  });
});

test('there are some', () => {
  expect(files.length).toBeGreaterThan(2);
});
