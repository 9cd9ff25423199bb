/** Responses may be compressed; a body that contradicts its header fails like any broken body. */
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { connect, failure, json, serve, team } from './service.ts';

const params = { organizationId: 'org_1' };
const list = { items: Array.from({ length: 200 }, (_, at) => team(`team_${at}`, `Team ${at}`)) };
const compressed = gzipSync(JSON.stringify(list));

/** A service that answers with these bytes under this header. */
function answering(body: Uint8Array, encoding: string, status = 200) {
  return serve((_, response) => {
    response.writeHead(status, { 'content-type': 'application/json', 'content-encoding': encoding });
    response.end(body);
  });
}

test.each(['gzip', 'GZIP', 'x-gzip'])('decompresses a response marked as %s', async (encoding) => {
  const { url, arrived } = await answering(compressed, encoding);
  const { client, events } = connect(url);
  expect(await client.all('teams.list', { params })).toHaveLength(200);
  expect(arrived[0]?.headers['accept-encoding']).toBe('gzip');
  // Size on the network.
  expect(events[0]?.bytes).toBe(compressed.byteLength);
});

test('accepts an uncompressed response with or without a header', async () => {
  for (const url of [
    (await serve((_, response) => json(response, list))).url,
    (await answering(Buffer.from(JSON.stringify(list)), 'identity')).url,
  ])
    expect(await connect(url).client.all('teams.list', { params })).toHaveLength(200);
});

test('accepts an empty response marked as compressed', async () => {
  const { url } = await answering(Buffer.alloc(0), 'gzip', 204);
  expect(
    await connect(url).client.send('teams.delete', { params: { ...params, teamId: 't' } }),
  ).toBeUndefined();
});

test('decompresses the message of a failure', async () => {
  const { url } = await answering(gzipSync('{"message":"not today"}'), 'gzip', 403);
  const error = await failure(connect(url).client.send('teams.list', { params }));
  expect(error).toMatchObject({ status: 403, serviceMessage: 'not today' });
});

test.each([
  ['cut short', compressed.subarray(0, -20), 'gzip', /marked as gzip and cannot be decompressed$/],
  ['damaged', Buffer.from(compressed).fill(7, 40, 80), 'gzip', /marked as gzip and cannot be decompressed$/],
  ['not gzip', Buffer.from(JSON.stringify(list)), 'gzip', /marked as gzip and cannot be decompressed$/],
  ['another encoding', compressed, 'br', /has the content encoding "br", which was not requested$/],
  ['two encodings', gzipSync(compressed), 'gzip, gzip', /has the content encoding "gzip, gzip"/],
  [
    'an odd header',
    compressed,
    'x'.repeat(3000),
    /has the content encoding "x{40}", which was not requested$/,
  ],
])('rejects a response: %s', async (_name, body, encoding, message) => {
  const { url, arrived } = await answering(body, encoding);
  const error = await failure(connect(url).client.send('teams.list', { params }));
  expect(error).toMatchObject({ type: 'response', mayHaveHappened: false });
  expect(error.message).toMatch(message);
  expect(arrived).toHaveLength(1);
});

test('stops reading a small response that expands beyond the limit', async () => {
  const { url } = await answering(gzipSync(Buffer.alloc(32 * 2 ** 20)), 'gzip');
  const error = await failure(connect(url, { maxBodyBytes: 2 ** 20 }).client.send('teams.list', { params }));
  expect(error).toMatchObject({ type: 'response' });
  expect(error.message).toMatch(/the response is larger than 1 MiB$/);
});

test('does not repeat a write whose response cannot be decompressed, since it may have taken effect', async () => {
  const { url, arrived } = await answering(compressed.subarray(0, 50), 'gzip', 201);
  const error = await failure(connect(url).client.send('teams.create', { params, body: { title: 'A' } }));
  expect(error).toMatchObject({ type: 'response', mayHaveHappened: true });
  expect(arrived).toHaveLength(1);
});
