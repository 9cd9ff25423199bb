/** The newer form over raw HTTP: what it has, what it no longer has, and what it refuses. */
import { afterAll, beforeEach, expect, test } from 'vitest';
import { lackedBy, presets } from '../../src/contract/abilities.ts';
import { operationIds, operationOf } from '../../src/contract/index.ts';
import { sampleSeed } from '../../src/server/index.ts';
import { brokenInvariants } from '../support/invariants.ts';
import { startInMemory } from './call.ts';

const { service, call, failures } = await startInMemory(sampleSeed, { abilities: presets['2026'] });
beforeEach(() => service.reset(sampleSeed));
afterAll(async () => {
  expect(failures).toEqual([]);
  await service.close();
});

const site = '/v1/orgs/org_acme/sites/site_hub';

/** Titles of the top level, with those of groups inside. */
async function structure(): Promise<unknown> {
  const sections = (await call('GET', `${site}/sections?limit=1000`)).body.items;
  const groups = (await call('GET', `${site}/section-groups?limit=1000`)).body.items;
  return sections.map(({ id, sectionGroup }: { id: string; sectionGroup?: string }) =>
    sectionGroup === undefined
      ? id
      : `${groups.find((one: { id: string }) => one.id === sectionGroup).id}/${id}`,
  );
}

test('what it no longer has is a path that is not found', async () => {
  const gone = operationIds.filter((id) => {
    const { needs } = operationOf(id);
    return lackedBy(presets['2026'], needs) !== undefined;
  });
  expect(gone.length).toBeGreaterThan(15);
  for (const id of gone) {
    const { method, path } = operationOf(id);
    const url = path.replace('{organizationId}', 'org_acme').replace(/\{\w+\}/g, 'x');
    expect((await call(method, url, method === 'GET' ? undefined : {})).status, id).toBe(404);
  }
});

test('the organization has merge rules, groups their children', async () => {
  expect((await call('GET', '/v1/orgs/org_acme')).body.mergeRules).toEqual({ type: 'none' });
  const [group] = (await call('GET', `${site}/section-groups`)).body.items;
  expect(group.children).toEqual(group.sections);
  expect(group.draft).toBe(false);
});

test('a section changes its group, and leaves it', async () => {
  const [grouped] = (await call('GET', `${site}/section-groups`)).body.items;
  const alone = (await structure()) as readonly string[];
  const outside = alone.find((one) => !one.includes('/')) ?? '';
  const entered = await call('PATCH', `${site}/sections/${outside}`, { siteSectionGroupId: grouped.id });
  expect(entered.body.sectionGroup).toBe(grouped.id);
  expect(await structure()).toContain(`${grouped.id}/${outside}`);
  const left = await call('PATCH', `${site}/sections/${outside}`, { siteSectionGroupId: null });
  expect(left.body.sectionGroup).toBeUndefined();
  const wrong = await call('PATCH', `${site}/sections/${outside}`, { siteSectionGroupId: 'nowhere' });
  expect(wrong.status).toBe(404);
  expect(brokenInvariants(service)).toEqual([]);
});

test('anything moves next to any sibling', async () => {
  const before = (await structure()) as readonly string[];
  const section = before.find((one) => !one.includes('/')) ?? '';
  const [group] = (await call('GET', `${site}/section-groups`)).body.items;
  const item = { type: 'site-section', id: section };
  const beside = { type: 'site-section-group', id: group.id };
  const sort = (position: object, what: object = item) =>
    call('PATCH', `${site}/structure/sort`, { item: what, position });
  expect((await sort({ after: beside })).status).toBe(200);
  const inside = before.filter((one) => one.startsWith(`${group.id}/`));
  const after = (await structure()) as readonly string[];
  expect(after.indexOf(section)).toBe(after.indexOf(inside.at(-1) ?? '') + 1);
  expect((await sort({ before: beside })).status).toBe(200);
  expect(((await structure()) as readonly string[]).indexOf(section)).toBeLessThan(after.indexOf(section));
  expect((await sort({}, beside)).status).toBe(200);
  const [child] = inside.map((one) => one.split('/')[1] ?? '');
  expect((await sort({ after: { type: 'site-section', id: child } })).status).toBe(409);
  expect((await sort({}, { type: 'site-section', id: 'nowhere' })).status).toBe(404);
  expect((await sort({}, { type: 'site-external-link', id: 'nowhere' })).status).toBe(404);
  expect((await sort({ beside: 1 })).status).toBe(400);
  const [first] = (await call('GET', `${site}/site-spaces`)).body.items;
  expect((await sort({}, { type: 'site-space', id: first.id })).status).toBe(200);
  expect(brokenInvariants(service)).toEqual([]);
});
