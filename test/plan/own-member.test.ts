/** The manifests or the service declare the owner of the token; a plan that locks this person out is refused. */
import { expect, onTestFinished, test } from 'vitest';
import type { Api } from '../../src/contract/api.ts';
import type { Form } from '../../src/contract/form.ts';
import type { OperationId } from '../../src/contract/index.ts';
import { registry } from '../../src/kinds/index.ts';
import { planTree } from '../../src/run/plan-tree.ts';
import { refusal } from '../support/apis.ts';
import { startHarness, treeOf } from '../support/harness.ts';

const members = (ada: string, more: object = {}) => ({
  members: { 'ada@acme.dev': { role: ada }, 'cyd@acme.dev': { role: 'admin' } },
  ...more,
});

/** `owner`: the status returned for the owner of the token. */
async function harnessWith(form: Form, owner = 200) {
  const harness = await startHarness(undefined, undefined, form);
  onTestFinished(() => harness.close());
  const { api } = harness;
  const requested: OperationId[] = [];
  const own: Api = {
    send: (operation, input) => {
      if (operation === 'user.get') requested.push(operation);
      return operation === 'user.get' && owner !== 200
        ? Promise.reject(refusal(operation, owner))
        : api.send(operation, input);
    },
    all: (operation, input) => api.all(operation, input),
  };
  const wanted = (document: object) => treeOf(document);
  const plan = async (document: object) => {
    requested.length = 0;
    const tree = await wanted(document);
    const { plan } = await planTree(own, tree, { registry });
    return {
      refusals: plan.refusals.map(({ guard, address, message }) => `${guard} ${address}: ${message}`),
      requested: requested.length,
    };
  };
  const apply = async (document: object) => {
    const tree = await wanted(document);
    await harness.apply(tree, await harness.plan(tree));
  };
  return Object.assign(plan, { apply });
}

const demoted =
  'own-member members/ada@acme.dev: member ada@acme.dev, whose token this is, would be given another role';

test('asks a newer service for the owner of the token only if a person may lose access', async () => {
  const plan = await harnessWith('2026');
  expect(await plan(members('edit'))).toEqual({ refusals: [demoted], requested: 1 });
  expect(await plan(members('admin'))).toEqual({ refusals: [], requested: 1 });
  const same = { members: { 'ada@acme.dev': { role: 'admin' } }, teams: { a: { title: 'A' } } };
  expect(await plan(same)).toEqual({ refusals: [], requested: 0 });
});

test('uses the declared owner of the token without a request', async () => {
  const plan = await harnessWith('2026');
  const self = { settings: { self: 'bob@acme.dev' } };
  expect(await plan(members('edit', self))).toEqual({ refusals: [], requested: 0 });
});

test.each([401, 403, 404])('plans without the guard if the request returns %i', async (status) => {
  const plan = await harnessWith('2026', status);
  expect(await plan(members('edit'))).toEqual({ refusals: [], requested: 1 });
});

test('does not ask a service of the document form', async () => {
  const plan = await harnessWith('document');
  expect(await plan(members('edit'))).toEqual({ refusals: [], requested: 0 });
});

test('does not refuse to remove a level from an administrator', async () => {
  const plan = await harnessWith('2026');
  const guide = (level: string) => ({
    spaces: { guide: { id: 'sp_guide', access: { members: { 'ada@acme.dev': level } } } },
  });
  await plan.apply(guide('edit'));
  expect(await plan(guide('read'))).toEqual({ refusals: [], requested: 1 });
});
