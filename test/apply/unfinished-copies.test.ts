/** A run that stops between creating a copy and naming it: the copy is recognized and finished, never created again. */

import { beforeEach, describe, expect, test } from 'vitest';
import { isComplete } from '../../src/apply/events.ts';
import { registry } from '../../src/kinds/index.ts';
import { ownWorkOf } from '../../src/plan/own/own-work-of.ts';
import { noOwnWork, type OwnWork } from '../../src/tree/own-work.ts';
import { lost, refusal } from '../support/apis.ts';
import { treeOf } from '../support/harness.ts';
import { sharedHarness } from '../support/shared-harness.ts';

const harness = await sharedHarness();

const copies = () => harness.sent.filter(({ operation }) => operation === 'spaces.duplicate').length;

/** Work of the last apply, as in its journal. */
let own: OwnWork = noOwnWork;

async function apply(document: object) {
  const tree = await treeOf(document);
  await harness.sleep(1000);
  const plan = await harness.plan(tree, { own });
  const result = await harness.apply(tree, plan);
  const [{ outcomes, made } = { outcomes: [], made: new Map() }] = result.organizations;
  const touched = outcomes.filter((one) => one.type === 'done' || one.type === 'unknown');
  const done = outcomes.filter(({ type }) => type === 'done');
  own = ownWorkOf(
    {
      ...{ run: 'r-1', since: '2026-01-01T00:00:00Z', isOver: true, ids: plan.ids, steps: plan.steps, made },
      touched: new Set(touched.map(({ step }) => step.id)),
      done: new Set(done.map(({ step }) => step.id)),
    },
    registry,
  );
  await harness.sleep(1000);
  return { tree, plan, result };
}

/** A run without an unfinished one before it. */
const begin = (document: object) => {
  own = noOwnWork;
  return apply(document);
};

const pinned = { id: 'sp_guide', title: 'API guide' };
const named = { title: 'API guide' };
const copy = { duplicateOf: 'h', title: 'The copy' };
const inCollection = (source: object, more: object = {}) => ({
  collections: { books: { title: 'Books', was: [], spaces: { h: source, ...more } } },
});
const atTop = (source: object, more: object = {}) => ({ spaces: { h: source, ...more } });

describe.each([
  ['same', 'pinned, at the top', pinned, atTop],
  ['suffix', 'pinned, at the top', pinned, atTop],
  ['same', 'found by its title, at the top', named, atTop],
  ['suffix', 'found by its title, at the top', named, atTop],
  ['same', 'pinned, in a collection', pinned, inCollection],
  ['suffix', 'pinned, in a collection', pinned, inCollection],
  ['same', 'found by its title, in a collection', named, inCollection],
  ['suffix', 'found by its title, in a collection', named, inCollection],
] as const)('a copy with the %s title; the source is %s', (title, _name, source, place) => {
  beforeEach(async () => {
    harness.reset({ 'duplicate-title': title });
    harness.refuse = undefined;
    harness.also = undefined;
    await begin(place(pinned));
    own = noOwnWork;
    harness.sent.length = 0;
  });

  test('is finished by the next run if its title could not be set', async () => {
    harness.refuse = ({ operation }) => (operation === 'spaces.update' ? refusal(operation, 403) : undefined);
    const broken = await apply(place(source, { n: copy }));
    expect(isComplete(broken.result)).toBe(false);
    expect([...(broken.result.organizations[0]?.made.keys() ?? [])].at(-1)).toMatch(/spaces\/n$/);
    harness.refuse = undefined;
    const { tree, plan, result } = await apply(place(source, { n: copy }));
    expect(plan.notes).toEqual([]);
    expect(isComplete(result)).toBe(true);
    expect(copies()).toBe(1);
    expect((await harness.plan(tree)).steps).toEqual([]);
  });

  test('is found if its response was lost', async () => {
    harness.also = async ({ operation }) => {
      if (operation === 'spaces.duplicate') throw lost(operation);
    };
    const { tree, result } = await apply(place(source, { n: copy }));
    expect(isComplete(result)).toBe(true);
    expect(copies()).toBe(1);
    expect((await harness.plan(tree)).steps).toEqual([]);
  });

  test('is not created again if only one of two was created', async () => {
    harness.refuse = ({ operation }) =>
      operation === 'spaces.update' || (operation === 'spaces.duplicate' && copies() === 1)
        ? refusal(operation, 403)
        : undefined;
    const two = { n: copy, m: { duplicateOf: 'h', title: 'Another one' } };
    await apply(place(source, two));
    harness.refuse = undefined;
    const { tree, result } = await apply(place(source, two));
    expect(isComplete(result)).toBe(true);
    expect(copies()).toBe(2);
    expect((await harness.plan(tree)).steps).toEqual([]);
  });
});

describe('a copy whose response is lost while its original is renamed', () => {
  const renamed = { id: 'sp_guide', title: 'API guide 2' };
  /** Hides the copy from lists and searches until the run has ended. */
  async function loseCopy(document: object) {
    const known = ['sp_guide', 'sp_reference', 'sp_blog', 'sp_faq', 'sp_notes', 'sp_start'];
    const without = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(without).filter((one) => one !== undefined);
      if (typeof value !== 'object' || value === null) return value;
      const { object, id } = value as { object?: unknown; id?: unknown };
      if (object === 'space' && !known.includes(String(id))) return undefined;
      return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, without(inner)]));
    };
    harness.through = (api) => ({
      send: async (...request) => without(await api.send(...request)),
      all: async (...request) => without(await api.all(...request)) as readonly unknown[],
    });
    harness.also = async ({ operation }) => {
      if (operation === 'spaces.duplicate') throw lost(operation);
    };
    const { result } = await apply(document);
    expect(isComplete(result)).toBe(false);
    expect(copies()).toBe(1);
    harness.through = undefined;
    harness.also = undefined;
  }

  beforeEach(async () => {
    harness.reset({ 'duplicate-title': 'suffix' });
    harness.refuse = undefined;
    harness.also = undefined;
    await begin(atTop(pinned));
    own = noOwnWork;
    harness.sent.length = 0;
  });

  test('is found if the same run renames the original first', async () => {
    const document = atTop(renamed, { n: copy });
    const plan = await harness.plan(await treeOf(document));
    expect(plan.steps.find(({ id }) => id.startsWith('spaces/n'))?.after).toEqual([
      plan.steps.find(({ address }) => address === 'spaces/h')?.id,
    ]);
    await loseCopy(document);
    const { tree, result } = await apply(document);
    expect(isComplete(result)).toBe(true);
    expect(copies()).toBe(1);
    expect((await harness.plan(tree)).steps).toEqual([]);
  });

  test.each([
    ['by the next commit', renamed, 'API guide'],
    ['by someone else', pinned, 'Renamed in the app'],
  ])('is found if the original is renamed %s', async (_name, source, title) => {
    await loseCopy(atTop(pinned, { n: copy }));
    await harness.api.send('spaces.update', { params: { spaceId: 'sp_guide' }, body: { title } });
    const { tree, result } = await apply(atTop(source, { n: copy }));
    expect(isComplete(result)).toBe(true);
    expect(copies()).toBe(1);
    expect((await harness.plan(tree)).steps).toEqual([]);
  });
});

test('is never taken for the copy of another entry', async () => {
  harness.reset({ 'duplicate-title': 'same' });
  harness.refuse = undefined;
  harness.also = undefined;
  await begin({ spaces: { h: pinned } });
  own = noOwnWork;
  // Someone copied the space by hand: no journal knows it.
  await harness.api.send('spaces.duplicate', { params: { spaceId: 'sp_guide' } });
  harness.sent.length = 0;
  const { tree, result } = await apply({
    spaces: { h: pinned, n: copy, m: { ...copy, title: 'Another one' } },
  });
  expect(isComplete(result)).toBe(true);
  expect(copies()).toBe(2);
  expect((await harness.plan(tree)).steps).toEqual([]);
});
