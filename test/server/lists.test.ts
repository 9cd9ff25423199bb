/** Lists: pages, tokens, filters, orders. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Service } from '../../src/server/index.ts';
import { type Call, startInMemory } from './call.ts';

const org = '/v1/orgs/org_a';
let service: Service;
let call: Call;

beforeAll(async () => {
  const members = Array.from({ length: 130 }, (_, at) => ({
    email: `m${at}@acme.dev`,
    role: 'read' as const,
    joinedAt: new Date(Date.UTC(2024, 0, 1) + (at % 13) * 1000).toISOString(),
    ...(at % 3 === 0 ? { lastSeenAt: new Date(Date.UTC(2025, 0, 1 + (at % 5))).toISOString() } : {}),
  }));
  ({ service, call } = await startInMemory({
    organizations: [
      {
        id: 'org_a',
        title: 'Acme',
        members,
        spaces: [{ id: 'sp_1', title: 'One' }],
        sites: Array.from({ length: 120 }, (_, at) => ({
          title: `Site ${at}`,
          published: at % 2 === 0,
          ...(at % 10 === 0 ? { spaces: [{ space: 'sp_1' }] } : {}),
        })),
      },
    ],
  }));
});
afterAll(() => service.close());

interface Item {
  readonly id: string;
  readonly [field: string]: unknown;
}

/** All items of a list, page by page. */
async function all(path: string, limit: number): Promise<Item[]> {
  const items: Item[] = [];
  const joint = path.includes('?') ? '&' : '?';
  for (let page = ''; ; ) {
    const { body } = await call('GET', `${path}${joint}limit=${limit}${page}`);
    expect(body.items.length).toBeLessThanOrEqual(limit);
    expect(body.count).toBe(body.items.length);
    items.push(...body.items);
    if (body.next === undefined) return items;
    page = `&page=${encodeURIComponent(body.next.page)}`;
  }
}

test('returns each item once in pages of any size', async () => {
  for (const path of [
    `${org}/sites`,
    `${org}/members`,
    `${org}/members?sort=lastSeenAt`,
    `${org}/members?order=asc`,
  ]) {
    const whole = await all(path, 1000);
    for (const limit of [1, 7, 50])
      expect((await all(path, limit)).map(({ id }) => id)).toEqual(whole.map(({ id }) => id));
  }
  expect(await all(`${org}/members?sort=lastSeenAt`, 20)).toHaveLength(44);
  expect((await call('GET', `${org}/sites`)).body.items).toHaveLength(50);
  expect((await call('GET', `${org}/sites?limit=0`)).body.items).toHaveLength(0);
});

test('sorts and filters', async () => {
  const joined = (await all(`${org}/members`, 30)).map((one) => String(one.joinedAt));
  expect(joined).toEqual([...joined].sort().reverse());
  expect(await all(`${org}/sites?published=true`, 9)).toHaveLength(60);
  expect(await all(`${org}/sites?space=sp_1`, 5)).toHaveLength(12);
  expect(await all(`${org}/sites?title=SITE%2011`, 50)).toHaveLength(11);
  expect(await all(`${org}/members?role=admin`, 50)).toHaveLength(1);
  expect(await all(`${org}/members?role=guest`, 50)).toHaveLength(0);
  expect(await all(`${org}/members?search=M12@`, 50)).toHaveLength(1);
});

test('accepts a page token only for its list and unmodified', async () => {
  const { body } = await call('GET', `${org}/sites?limit=2`);
  const { page } = body.next;
  const status = async (path: string) => (await call('GET', path)).status;
  expect(await status(`${org}/sites?limit=9&page=${page}`)).toBe(200);
  expect(await status(`${org}/sites?limit=2&published=true&page=${page}`)).toBe(400);
  expect(await status(`${org}/members?page=${page}`)).toBe(400);
  const [data, mark] = page.split('.');
  const other = Buffer.from('[99,"x"]').toString('base64url');
  for (const forged of [
    `${other}.${mark}`,
    `${data}.`,
    data,
    `${page}x`,
    `x${page}`,
    '',
    'null',
    `${data}.${mark}.`,
  ]) {
    expect(await status(`${org}/sites?limit=2&page=${forged}`), forged).toBe(400);
  }
});

test('neither repeats nor hides items if others are inserted between pages', async () => {
  const first = await call('GET', `${org}/teams?limit=1`);
  expect(first.body.next).toBeUndefined();
  for (const title of ['A', 'B', 'C', 'D']) await call('PUT', `${org}/teams`, { title });
  const start = await call('GET', `${org}/teams?limit=2`);
  await call('PUT', `${org}/teams`, { title: 'E' });
  await call('DELETE', `${org}/teams/${start.body.items[1].id}`);
  const rest = await call('GET', `${org}/teams?limit=10&page=${start.body.next.page}`);
  expect(rest.body.items.map((one: { title: string }) => one.title)).toEqual(['C', 'D', 'E']);
});
