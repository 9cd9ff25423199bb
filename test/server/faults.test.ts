/** Faults follow their rules exactly. */
import { afterEach, expect, test } from 'vitest';
import type { FaultRule, Service } from '../../src/server/index.ts';
import { type Call, startInMemory } from './call.ts';

const org = '/v1/orgs/org_a';
let service: Service;

async function startWith(...faults: FaultRule[]): Promise<Call> {
  const started = await startInMemory({ organizations: [{ id: 'org_a', title: 'Acme' }] }, { faults });
  service = started.service;
  return started.call;
}

afterEach(() => service.close());

async function teams(call: Call): Promise<number> {
  return (await call('GET', `${org}/teams`)).body.items.length;
}

test('loses a response after the write', async () => {
  const call = await startWith({ type: 'lost-response', operations: ['teams.create'], times: 1 });
  await expect(call('PUT', `${org}/teams`, { title: 'A' })).rejects.toThrow();
  expect(await teams(call)).toBe(1);
  expect((await call('PUT', `${org}/teams`, { title: 'B' })).status).toBe(201);
});

test('resets a connection before the write', async () => {
  const call = await startWith({ type: 'reset', only: 'writes', times: 1 });
  await expect(call('PUT', `${org}/teams`, { title: 'A' })).rejects.toThrow();
  expect(await teams(call)).toBe(0);
});

test('returns a status with both forms of Retry-After, and HTML', async () => {
  const call = await startWith(
    { type: 'status', status: 429, retryAfter: { form: 'seconds', seconds: 3 }, times: 1 },
    { type: 'status', status: 503, retryAfter: { form: 'date', seconds: 60 }, times: 1 },
    { type: 'status', status: 502, html: true, times: 1 },
  );
  const first = await call('GET', org);
  expect([first.status, first.headers.get('retry-after')]).toEqual([429, '3']);
  expect(first.body.error.code).toBe(429);
  const second = await call('GET', org);
  expect(second.status).toBe(503);
  expect(Date.parse(second.headers.get('retry-after') ?? '')).toBeGreaterThan(Date.now() + 50_000);
  const third = await call('GET', org);
  expect([third.status, third.headers.get('content-type')]).toEqual([502, 'text/html']);
  expect((await call('GET', org)).status).toBe(200);
});

test('cuts a body short', async () => {
  const call = await startWith({ type: 'truncate', operations: ['orgs.*'] });
  await expect(call('GET', org)).rejects.toThrow();
});

test('adds latency after a number of requests', async () => {
  const call = await startWith({ type: 'latency', milliseconds: 120, skip: 1 });
  await call('GET', org);
  const started = performance.now();
  await call('GET', org);
  expect(performance.now() - started).toBeGreaterThan(110);
});

test('makes lists lag behind a write', async () => {
  const call = await startWith({ type: 'stale-lists', milliseconds: 150 });
  expect(await teams(call)).toBe(0);
  await call('PUT', `${org}/teams`, { title: 'A' });
  expect(await teams(call)).toBe(0);
  await new Promise((done) => setTimeout(done, 200));
  expect(await teams(call)).toBe(1);
});

test('applies a fault with a chance between none and all', async () => {
  const call = await startWith({ type: 'status', status: 500, probability: 0.5 });
  const statuses = new Set<number>();
  for (let at = 0; at < 60; at += 1) statuses.add((await call('GET', org)).status);
  expect(statuses).toEqual(new Set([200, 500]));
});
