/** Permissions in responses predict the result of requests; responses may lack fields that no plan needs. */
import { afterAll, beforeEach, expect, test } from 'vitest';
import { operations } from '../../src/contract/index.ts';
import { sampleSeed } from '../../src/server/index.ts';
import { startInMemory } from './call.ts';

const { service, call } = await startInMemory(sampleSeed, { form: '2026' });
beforeEach(() => service.reset(sampleSeed));
afterAll(() => service.close());

const org = '/v1/orgs/org_acme';

test('requires the role in the organization as well to create in a collection', async () => {
  const { id } = (await call('POST', `${org}/collections`, { title: 'C' })).body;
  await call('POST', `/v1/collections/${id}/permissions`, {
    role: 'create',
    users: ['user_rex', 'user_cleo'],
  });
  for (const name of ['rex', 'cleo']) {
    const shown = (await call('GET', `/v1/collections/${id}`, undefined, `token-${name}`)).body;
    const body = { title: 'Inner', parent: id };
    const { status } = await call('POST', `${org}/collections`, body, `token-${name}`);
    expect([name, shown.permissions.create, status]).toEqual([
      name,
      status === 201,
      name === 'cleo' ? 201 : 403,
    ]);
  }
});

test('gives no access to a deleted space', async () => {
  const id = 'sp_api_guide';
  expect((await call('GET', `/v1/spaces/${id}`)).body.permissions.access).toBe(true);
  await call('DELETE', `/v1/spaces/${id}`);
  expect((await call('GET', `/v1/spaces/${id}`)).body.permissions.access).toBe(false);
  expect((await call('GET', `/v1/spaces/${id}/content`)).status).toBe(404);
});

test('accepts responses without counts and dates that no plan needs', async () => {
  const { comments, ...space } = (await call('GET', '/v1/spaces/sp_api_guide')).body;
  const { createdAt, ...organization } = (await call('GET', org)).body;
  expect([comments, createdAt]).not.toContain(undefined);
  expect(operations['spaces.get'].response?.safeParse(space).success).toBe(true);
  expect(operations['orgs.get'].response?.safeParse(organization).success).toBe(true);
});
