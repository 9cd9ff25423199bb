/** The review of a plan is for people: digests, approvals and rounds of an apply do not depend on it. */
import { afterAll, beforeEach, expect, test } from 'vitest';
import { digestsOf } from '../../src/run/approval/digest.ts';
import { lost } from '../support/apis.ts';
import { asPlan, type Harness, startHarness, treeOf } from '../support/harness.ts';

const harness: Harness = await startHarness(undefined, undefined, '2026');
afterAll(() => harness.close());
beforeEach(() => {
  harness.reset();
  harness.refuse = undefined;
});

const section = (path: string) => ({
  title: 'Guides',
  path,
  spaces: { main: { space: { id: 'sp_guide' }, path: 'main' } },
});

/** Changes access, addresses, redirects, risks and policy, none of which is in the requests. */
const workspace = (path: string, role: string, lifecycle: object) =>
  treeOf({
    members: { 'ada@acme.dev': { role: 'admin' }, 'bob@acme.dev': { role } },
    sites: {
      hub: {
        title: 'Hub',
        basename: 'docs',
        published: true,
        sections: { guides: section(path) },
        ...lifecycle,
      },
    },
  });

async function changed() {
  const base = await workspace('guides', 'read', {});
  await harness.apply(base, await harness.plan(base));
  const tree = await workspace('docs', 'edit', { lifecycle: { ignore: ['title'] } });
  harness.reads.length = 0;
  const plan = await harness.plan(tree, { base });
  return { tree, plan, reads: [...harness.reads] };
}

test('does not affect digests and approvals', async () => {
  const { plan } = await changed();
  const { review, ...rest } = plan;
  expect(Object.keys(review ?? {}).sort()).toEqual(
    ['access', 'addresses', 'navigation', 'policy', 'redirects', 'risks'].sort(),
  );
  const [whole, bare] = [plan, rest].map((one) => digestsOf(asPlan(one)));
  expect([whole?.digest, whole?.approval]).toEqual([bare?.digest, bare?.approval]);
});

test('needs extra reads only for the plan that is shown', async () => {
  const { tree, plan, reads } = await changed();
  expect(reads).toContain('redirects.list');
  harness.reads.length = 0;
  await harness.recheck(plan, 'saved');
  // The response to the first request is lost, so that a second round reads and plans again.
  const errors = [lost('sections.update')];
  harness.refuse = ({ operation }) => (operation === 'sections.update' ? errors.pop() : undefined);
  await harness.apply(tree, plan);
  expect(errors).toEqual([]);
  expect(harness.reads.length).toBeGreaterThan(0);
  expect(harness.reads).not.toContain('redirects.list');
});
