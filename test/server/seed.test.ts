/** Seeds are read from JSON, with errors that name the place, and stored as written. */
import { expect, test } from 'vitest';
import { readSeed, sampleInvite, sampleSeed } from '../../src/server/index.ts';
import { brokenInvariants } from '../support/invariants.ts';
import { startInMemory } from './call.ts';

test('accepts the sample as a seed in JSON with consistent state', async () => {
  const seed = readSeed(JSON.parse(JSON.stringify(sampleSeed)));
  const { service, call } = await startInMemory(seed);
  expect(brokenInvariants(service)).toEqual([]);
  expect((await call('GET', `/v1/orgs/org_acme/link-invites/${sampleInvite}`)).body.role).toBe('read');
  const roles = (await call('GET', '/v1/orgs/org_acme/members')).body.items.map(
    (one: { role: string }) => one.role,
  );
  expect(new Set(roles)).toEqual(new Set(['admin', 'create', 'review', 'edit', 'comment', 'read', null]));
  await service.close();
});

test('names the invalid part of a seed', () => {
  expect(() => readSeed({ organizations: [{ title: 'A', sites: [{ title: 'S', pages: [] }] }] })).toThrow(
    /organizations\.0\.sites\.0: .*pages/,
  );
  expect(() => readSeed([])).toThrow(/its root/);
});

test('rejects a seed with an unknown reference as a whole', async () => {
  const site = { title: 'Docs', spaces: [{ space: 'sp_none' }] };
  await expect(startInMemory({ organizations: [{ title: 'A', sites: [site] }] })).rejects.toThrow(
    /no space "sp_none"/,
  );
});
