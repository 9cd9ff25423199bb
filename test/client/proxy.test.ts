/** Requests through an HTTP proxy, and the choice of the proxy. */
import { createServer } from 'node:http';
import { type AddressInfo, connect as connectSocket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { proxyFor } from '../../src/cli/service/connection.ts';
import { connect, failure, json, serve } from './service.ts';

const once = { retries: { attempts: 1 }, allowHttp: true };

/** A proxy that connects every tunnel to one local port, or refuses with a status. */
async function startProxy(port: number, status = 200) {
  const requested: { url: string; authorization: string | undefined }[] = [];
  const server = createServer().on('connect', (request, client) => {
    requested.push({ url: request.url ?? '', authorization: request.headers['proxy-authorization'] });
    client.on('error', () => undefined);
    if (status !== 200) {
      client.end(`HTTP/1.1 ${status} No\r\n\r\n`);
      return;
    }
    const target = connectSocket(port, '127.0.0.1', () => client.write('HTTP/1.1 200 OK\r\n\r\n'));
    target.on('error', () => client.destroy());
    target.pipe(client).pipe(target);
    onTestFinished(() => void target.destroy());
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => void server.close());
  return { requested, host: `127.0.0.1:${(server.address() as AddressInfo).port}` };
}

test('sends requests through the tunnel', async () => {
  const service = await serve((_, response) => json(response, { items: [] }));
  const proxy = await startProxy(Number(new URL(service.url).port));
  const { client } = connect('http://docs.internal:8080', {
    ...once,
    proxy: `http://user:pa%20ss@${proxy.host}`,
  });
  await client.send('orgs.list', { params: {} });
  expect(service.arrived).toHaveLength(1);
  expect(proxy.requested).toEqual([
    { url: 'docs.internal:8080', authorization: `Basic ${Buffer.from('user:pa ss').toString('base64')}` },
  ]);
});

test('names a proxy that refuses or cannot be reached, without its password', async () => {
  const { host } = await startProxy(1, 407);
  const refused = connect('http://docs.internal', { ...once, proxy: `http://user:secret@${host}` });
  const error = await failure(refused.client.send('orgs.list', { params: {} }));
  expect(error.message).toBe(
    `orgs.list failed: cannot connect to http://docs.internal through the proxy ${host}: the proxy returned 407`,
  );
  const missing = connect('http://docs.internal', { ...once, proxy: 'http://user:secret@127.0.0.1:9' });
  expect((await failure(missing.client.send('orgs.list', { params: {} }))).message).toBe(
    'orgs.list failed: cannot connect to http://docs.internal through the proxy 127.0.0.1:9: connection refused',
  );
});

type Row = readonly [baseUrl: string, env: Readonly<Record<string, string>>, proxy: string | undefined];

const proxies: readonly Row[] = [
  ['https://api.acme.dev', { HTTPS_PROXY: 'http://p:3128' }, 'http://p:3128'],
  ['https://api.acme.dev', { https_proxy: 'p:3128' }, 'http://p:3128'],
  ['https://api.acme.dev', { HTTP_PROXY: 'http://p:3128' }, undefined],
  ['http://docs.internal', { HTTP_PROXY: 'http://p:3128' }, 'http://p:3128'],
  ['http://127.0.0.1:4000', { HTTP_PROXY: 'http://p:3128' }, undefined],
  ['https://api.acme.dev', { HTTPS_PROXY: 'http://p', NO_PROXY: 'acme.dev' }, undefined],
  ['https://api.acme.dev', { HTTPS_PROXY: 'http://p', NO_PROXY: 'x, .acme.dev' }, undefined],
  ['https://api.acme.dev', { HTTPS_PROXY: 'http://p', NO_PROXY: '*' }, undefined],
  ['https://api.acme.dev', { HTTPS_PROXY: 'http://p', NO_PROXY: 'cme.dev' }, 'http://p'],
  ['https://api.acme.dev:8443', { HTTPS_PROXY: 'http://p', NO_PROXY: 'acme.dev:9443' }, 'http://p'],
  ['https://api.acme.dev', { HTTPS_PROXY: 'http://p', NO_PROXY: 'acme.dev:443' }, undefined],
  ['https://api.acme.dev', { HTTPS_PROXY: 'http://p', NO_PROXY: 'acme.dev:80' }, 'http://p'],
  // Names with the dot of the root, addresses and networks.
  ...(
    [
      ['api.acme.dev', 'acme.dev.', true],
      ['api.acme.dev.', 'acme.dev', true],
      ['api.acme.dev.', '.acme.dev.', true],
      ['[2001:db8::1]', '2001:db8::1', true],
      ['[2001:db8::1]', '2001:DB8:0::1', true],
      ['[2001:db8::1]', '[2001:db8::1]', true],
      ['[2001:db8::1]', '2001:db8::2', false],
      ['[2001:db8::1]', '2001:db8::/32', true],
      ['[2001:db9::1]', '2001:db8::/32', false],
      ['[2001:db8::1]', '2001', false],
      ['10.1.2.3', '10.0.0.0/8', true],
      ['10.1.2.3', '10.1.2.3', true],
      ['10.1.2.3', '11.0.0.0/8', false],
      ['10.1.2.3', '10.1.2.0/24, x', true],
      ['10.1.3.3', '10.1.2.0/24', false],
      ['10.1.2.3', '10.1.2.3/32', true],
      ['10.1.2.3', '10.0.0.0/33', false],
      ['10.1.2.3', '10.0.0.0/0', false],
      ['10.1.2.3', '2.3', false],
      ['10.1.2.3', '2001:db8::/32', false],
    ] as const
  ).map(
    ([host, list, isDirect]): Row => [
      `https://${host}`,
      { HTTPS_PROXY: 'http://p', NO_PROXY: list },
      isDirect ? undefined : 'http://p',
    ],
  ),
  ['https://[2001:db8::1]', { HTTPS_PROXY: 'http://p', NO_PROXY: '[2001:db8::1]:443' }, undefined],
  ['https://[2001:db8::1]:8443', { HTTPS_PROXY: 'http://p', NO_PROXY: '[2001:db8::1]:443' }, 'http://p'],
  ['https://10.1.2.3', { HTTPS_PROXY: 'http://p', NO_PROXY: '10.1.2.3:443' }, undefined],
  ['https://api.acme.dev', { HTTPS_PROXY: '' }, undefined],
];

test.each(proxies)('chooses the proxy for %s by %j', (baseUrl, env, proxy) => {
  expect(proxyFor(baseUrl, env)).toBe(proxy);
});

test('rejects an invalid proxy address', () => {
  expect(() => proxyFor('https://a.dev', { HTTPS_PROXY: 'socks5://p' })).toThrow(
    /HTTPS_PROXY is not the address/,
  );
});
