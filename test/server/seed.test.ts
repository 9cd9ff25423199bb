/** Seeds: read from JSON with errors that name the place, and put in as written. */
import { expect, test } from 'vitest';
import { readSeed, sampleInvite, sampleSeed } from '../../src/server/index.ts';
import { brokenInvariants } from '../support/invariants.ts';
import { startInMemory } from './call.ts';

test('the sample is a seed that a file may hold, and is consistent', async () => {
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

test('what does not fit is named', () => {
  expect(() => readSeed({ organizations: [{ title: 'A', sites: [{ title: 'S', pages: [] }] }] })).toThrow(
    /organizations\.0\.sites\.0: .*pages/,
  );
  expect(() => readSeed([])).toThrow(/its root/);
});

test('a seed that names what is not there is refused as a whole', async () => {
  const site = { title: 'Docs', spaces: [{ space: 'sp_none' }] };
  await expect(startInMemory({ organizations: [{ title: 'A', sites: [site] }] })).rejects.toThrow(
    /no space "sp_none"/,
  );
});
