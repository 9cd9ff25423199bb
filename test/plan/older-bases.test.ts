/** A name in an older base may belong to another object now: no object is deleted because of its name alone. */
import { expect, test } from 'vitest';
import type { OrganizationPlan } from '../../src/plan/plan.ts';
import { treeOf } from '../support/harness.ts';
import { sharedHarness } from '../support/shared-harness.ts';

const harness = await sharedHarness();

const document = (manifest: object) => treeOf({ settings: { protect: ['!**'] }, ...manifest });

async function apply(manifest: object, older?: object): Promise<OrganizationPlan> {
  const [tree, base] = [await document(manifest), older && (await document(older))];
  const options = base === undefined ? {} : { base };
  const plan = await harness.plan(tree, options);
  expect(plan.refusals).toEqual([]);
  await harness.apply(tree, plan, undefined, options);
  return plan;
}

const stepsOf = ({ steps }: OrganizationPlan) => steps.map(({ id, liveId }) => `${id} ${liveId}`);

test('does not look for a deleted space in another collection', async () => {
  const intro = (id: string) => ({ intro: { id, title: 'Intro' } });
  await apply({
    collections: { a: { title: 'A', spaces: intro('sp_faq') }, b: { title: 'B', spaces: intro('sp_blog') } },
  });
  const older = {
    collections: { a: { title: 'A', spaces: { intro: { title: 'Intro' } } }, b: { title: 'B' } },
  };
  const newer = { collections: { a: { title: 'A', spaces: {} }, b: { title: 'B' } } };
  expect(stepsOf(await apply(newer, older))).toEqual(['collections/a/spaces/intro#delete sp_faq']);
  expect(stepsOf(await apply(newer, older))).toEqual([]);
});

test('does not look for a deleted section by its title', async () => {
  const section = (path: string) => ({ title: 'Guide', path, spaces: { main: { space: 'guide' } } });
  const other = { title: 'Other', path: 'o', spaces: { main: { space: 'guide' } } };
  const site = (sections: object) => ({
    spaces: { guide: { id: 'sp_guide' } },
    sites: { hub: { title: 'Hub', sections } },
  });
  await apply(site({ other, a: section('p'), nobodys: section('q') }));
  const [older, newer] = [site({ other, a: section('p') }), site({ other })];
  expect(stepsOf(await apply(newer, older))).toEqual([
    expect.stringMatching(/^sites\/hub\/sections\/a#delete /),
  ]);
  expect(stepsOf(await apply(newer, older))).toEqual([]);
});

test('looks for an inner collection in the current parent', async () => {
  const inner = { inner: { title: 'Inner', spaces: {} } };
  const nest = (title: string, description: string, more: object = {}) => ({ title, description, ...more });
  await apply({
    collections: {
      a: nest('Red', 'One', { collections: inner }),
      b: nest('Blue', 'Two', { collections: inner }),
    },
  });
  const older = { collections: { a: nest('Red', 'One', { collections: inner }), b: nest('Blue', 'Two') } };
  const newer = { collections: { a: nest('Blue', 'One', { collections: {} }), b: nest('Red', 'Two') } };
  expect(stepsOf(await apply(newer, older))).toHaveLength(3);
  expect(stepsOf(await apply(newer, older))).toEqual([]);
});

test('does not delete unmanaged children of an object that another name of the base matches', async () => {
  const site = (title: string, shareLinks?: object) => ({ title, ...(shareLinks && { shareLinks }) });
  const links = { partners: { name: 'Partners' } };
  await apply({ sites: { a: site('Red', links), nobodys: site('Blue', links) } });
  const older = { sites: { a: site('Red', links) } };
  // By the names, the former unmanaged site is a now, and the former a is b.
  const newer = { sites: { a: site('Blue', {}), b: { ...site('Red'), was: [] } } };
  expect(stepsOf(await apply(newer, older))).toEqual([]);
});
