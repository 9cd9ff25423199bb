/** A signal ends the waits for a forge: a request in flight is finished, and none is retried. */
import { expect, test } from 'vitest';
import { parseBaseUrl } from '../../src/client/base-url.ts';
import { ForgeHttp } from '../../src/forge/forge-http.ts';

test.each([503, 429])('a forge that answers %d gets no further request after a signal', async (status) => {
  const [aborting, stopping] = [new AbortController(), new AbortController()];
  let requests = 0;
  const http = new ForgeHttp({
    forge: 'GitHub',
    address: parseBaseUrl('https://api.forge.example'),
    headers: {},
    token: 'token',
    tokenName: 'GITHUB_TOKEN',
    clock: {
      now: () => 0,
      random: () => 0,
      sleep: async (_milliseconds, signal) => {
        stopping.abort();
        expect(signal?.aborted).toBe(true);
      },
    },
    signal: aborting.signal,
    stopping: stopping.signal,
    transport: () => ({
      exchange: async () => {
        requests += 1;
        return { status, header: () => undefined, body: '', bytes: 0 };
      },
      close: async () => undefined,
    }),
  });
  const request = { method: 'GET', path: '/user', needs: 'metadata: read' } as const;
  await expect(http.send(request)).rejects.toThrow('GitHub');
  await expect(http.send(request)).rejects.toThrow('GitHub');
  expect(requests).toBe(2);
});
