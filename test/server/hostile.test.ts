/** Random requests cause no 5xx, crash or hang, and the store remains consistent. */
import { Agent, request } from 'node:http';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { operationOf } from '../../src/contract/index.ts';
import { type Service, sampleSeed } from '../../src/server/index.ts';
import { brokenInvariants } from '../support/invariants.ts';
import { patience, tries } from '../support/runs.ts';
import { startInMemory } from './call.ts';
import { hostileRequests, type WireRequest } from './hostile-requests.ts';
import { undocumented } from './undocumented.ts';

const tokens = [
  'octavo-local-token',
  'token-ada',
  'token-cleo',
  'token-rex',
  'token-gus',
  'token-hank',
  'wrong',
];

test('answers hostile requests without status 5xx or inconsistent state', {
  timeout: patience(400_000),
}, async () => {
  const { service, failures } = await startInMemory(sampleSeed, { fetchTimeoutMs: 200 });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  let ids = idsIn(service.store);
  const statuses = new Map<number, number>();
  let sent = 0;
  let changed = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.constant(null).chain(() => hostileRequests(() => ids, tokens)),
      async (asked) => {
        const got = await send(agent, service.url, asked);
        statuses.set(got.status, (statuses.get(got.status) ?? 0) + 1);
        expect(got.status, `${asked.method} ${asked.target} ${got.text}`).toBeLessThan(500);
        if (got.status < 300) checkAnswer(asked, got.text);
        if (got.status < 300 && asked.method !== 'GET') {
          changed += 1;
          if (changed % 5 === 0)
            expect(brokenInvariants(service), `after ${asked.method} ${asked.target}`).toEqual([]);
        }
        sent += 1;
        if (sent % 700 === 0) service.reset(sampleSeed);
        if (sent % 20 === 0) ids = idsIn(service.store);
      },
    ),
    { ...tries(800), endOnFailure: true },
  );
  expect(brokenInvariants(service)).toEqual([]);
  expect(failures).toEqual([]);
  process.stdout.write(`${sent} requests, ${changed} changes, ${JSON.stringify([...statuses].sort())}\n`);
  agent.destroy();
  await service.close();
});

/** Ids of all objects. */
function idsIn(store: Service['store']): string[] {
  const kinds = [
    'org',
    'collection',
    'space',
    'site',
    'section',
    'group',
    'siteSpace',
    'shareLink',
    'user',
    'team',
  ] as const;
  const more = ['saml', 'translation', 'changeRequest', 'comment', 'reply', 'specVersion', 'invite'] as const;
  const rows = [...kinds, ...more].flatMap((kind) => store.every(kind).map((row) => row.id));
  return [...rows, 'page_welcome', 'page_call', 'file_map'];
}

function checkAnswer(asked: WireRequest, text: string): void {
  const { response } = operationOf(asked.id);
  if (response === null) return;
  const body: unknown = JSON.parse(text);
  expect(response.safeParse(body).error?.issues ?? [], asked.id).toEqual([]);
  expect(undocumented(response, body), asked.id).toEqual([]);
}

/** Sends a request without normalizing its path. */
function send(agent: Agent, url: string, asked: WireRequest): Promise<{ status: number; text: string }> {
  return new Promise((done, fail) => {
    const { port, hostname } = new URL(url);
    const { method, headers } = asked;
    const sending = request({
      agent,
      host: hostname,
      port,
      method,
      path: asked.target,
      headers,
      timeout: 10_000,
    });
    sending.on('timeout', () => sending.destroy(new Error(`no answer to ${method} ${asked.target}`)));
    sending.on('error', fail);
    sending.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        done({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }),
      );
      response.on('error', fail);
    });
    sending.end(asked.body);
  });
}
