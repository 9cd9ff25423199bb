/** A copy accepts every response that a client accepts: null or missing fields, unknown values, differing lists. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import type { ServiceRead } from '../../src/contract/api.ts';
import { type OperationId, operationOf } from '../../src/contract/index.ts';
import { copyService, sampleSeed, startService } from '../../src/server/index.ts';
import { portion, tries } from '../support/runs.ts';

const sleep = () => Promise.resolve();

/** All reads of plans, from a service with objects of every kind. */
async function readEverything(): Promise<readonly ServiceRead[]> {
  const service = await startService({ data: ':memory:', seed: sampleSeed });
  const { url: baseUrl, token } = service;
  const clock = { now: Date.now, random: Math.random, sleep };
  const client = createClient({ baseUrl, token, userAgent: 'octavo-test', clock });
  const reads: ServiceRead[] = [];
  const all = async (operation: OperationId, params: Readonly<Record<string, string>> = {}) => {
    const response = (await client.all(operation, { params })) as readonly { readonly id: string }[];
    reads.push({ operation, params, response });
    return response.map(({ id }) => id);
  };
  for (const organizationId of await all('orgs.list')) {
    const params = { organizationId };
    await all('members.list', params);
    for (const teamId of await all('teams.list', params))
      await all('teams.listMembers', { ...params, teamId });
    for (const operation of ['customFields.list', 'saml.list', 'openapi.list', 'translations.list'] as const)
      await all(operation, params);
    for (const collectionId of await all('collections.list', params))
      for (const spaceId of await all('collections.listSpaces', { collectionId })) {
        await all('changeRequests.list', { spaceId });
        const response = await client.send('spaces.getCustomFields', { params: { spaceId } });
        reads.push({ operation: 'spaces.getCustomFields', params: { spaceId }, response });
      }
    for (const siteId of await all('sites.list', params))
      for (const operation of [
        'sections.list',
        'sectionGroups.list',
        'siteSpaces.list',
        'shareLinks.list',
      ] as const)
        await all(operation, { ...params, siteId });
  }
  await client.close();
  await service.close();
  return reads;
}

/** The value with one of its fields null, missing, or another text. */
function bentAt(value: object, name: string, how: number): object {
  const { [name]: field, ...rest } = value as Record<string, unknown>;
  if (how < 0.4) return rest;
  return { ...rest, [name]: how < 0.8 || typeof field !== 'string' ? null : 'another' };
}

/** True if the client would accept the response. */
function isValid(operation: OperationId, value: unknown): boolean {
  const { response, paged } = operationOf(operation);
  return response?.safeParse(paged ? { items: [value], count: 1 } : value).success === true;
}

function bend({ operation, params, response }: ServiceRead, next: () => number): ServiceRead {
  const pick = (value: object) => {
    let changed = value;
    for (const name of Object.keys(value)) {
      // Ids and hostnames of organizations are unique.
      if (name === 'id' || name === 'hostname' || next() > 0.3) continue;
      const candidate = bentAt(changed, name, next());
      if (isValid(operation, candidate)) changed = candidate;
    }
    return changed;
  };
  if (!Array.isArray(response)) return { operation, params, response };
  return { operation, params, response: response.map(pick) };
}

test('creates and reads a copy from odd responses', async () => {
  const reads = await readEverything();
  expect(reads.length).toBeGreaterThan(20);
  let changed = 0;
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1 }), async (seed) => {
      let state = seed;
      const next = () => {
        state = (state * 48_271) % 2_147_483_647;
        return state / 2_147_483_647;
      };
      const odd = reads.map((read) => bend(read, next));
      changed += odd.filter((read, at) => JSON.stringify(read) !== JSON.stringify(reads[at])).length;
      const copy = copyService({ reads: odd, calls: [], now: () => new Date(), random: Math.random });
      for (const { operation, params } of odd) {
        if (operation === 'orgs.list') continue;
        const path = operationOf(operation).path.replace(/\{(\w+)\}|:(\w+)/g, (_all, one, other) =>
          encodeURIComponent(params[one ?? other] ?? ''),
        );
        const { status, body } = await copy.respond({
          method: 'GET',
          target: path.startsWith('/v1') ? path : `/v1${path}`,
          authorization: `Bearer ${copy.token}`,
          contentType: undefined,
          body: new Uint8Array(),
        });
        expect([operation, status, status === 200 ? '' : body]).toEqual([operation, 200, '']);
      }
      copy.close();
    }),
    tries(15),
  );
  expect(changed).toBeGreaterThan(portion(200));
});
