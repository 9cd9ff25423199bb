/** Traces, delivered to a real collector over HTTP; and collectors that are gone, hang or refuse. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { startService } from '../../src/server/index.ts';
import { folder, manifest, octavo } from './octavo.ts';

afterEach(() => void vi.unstubAllEnvs());

interface Attribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

interface SentSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly Attribute[];
  readonly status: { readonly code?: number; readonly message?: string };
}

interface Delivery {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly SentSpan[] }[];
  }[];
}

/** A collector that answers as it is told. */
async function collect(answer: (response: ServerResponse) => void = (response) => void response.end('{}')) {
  const deliveries: Delivery[] = [];
  const headers: IncomingHttpHeaders[] = [];
  const paths: string[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    deliveries.push(JSON.parse(body) as Delivery);
    headers.push(request.headers);
    paths.push(request.url ?? '');
    answer(response);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    headers,
    paths,
    spans: () =>
      deliveries.flatMap(({ resourceSpans }) =>
        resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
      ),
    resource: () => valuesOf(deliveries[0]?.resourceSpans[0]?.resource.attributes ?? []),
  };
}

function valuesOf(attributes: readonly Attribute[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}

/** The SDK reads the environment of the process, the command line its own. */
async function run(
  args: readonly string[],
  otel: Readonly<Record<string, string>>,
  faults: NonNullable<Parameters<typeof startService>[0]>['faults'] = [],
) {
  for (const [name, value] of Object.entries(otel)) vi.stubEnv(name, value);
  const service = await startService({
    data: ':memory:',
    seed: { organizations: [{ id: 'org_acme', title: 'Acme' }] },
    faults,
  });
  onTestFinished(() => service.close());
  const cwd = folder({ 'acme.yaml': manifest });
  const env = { OCTAVO_BASE_URL: service.url, OCTAVO_TOKEN: service.token, ...otel };
  return { service, ran: await octavo(args, { cwd, env }) };
}

const apply = ['apply', '--auto-approve'];

test('run, parts, steps and requests, below the trace that is handed in', async () => {
  const collector = await collect();
  const { service, ran } = await run(
    apply,
    {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-team=docs',
      OTEL_SERVICE_NAME: 'docs-pipeline',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment=test',
      TRACEPARENT: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    },
    [{ type: 'status', operations: ['teams.create'], status: 429, times: 1 }],
  );
  expect(ran).toMatchObject({ code: 0 });
  expect(ran.stderr).not.toContain('traces');
  expect(collector.paths.every((path) => path === '/v1/traces')).toBe(true);
  expect(collector.headers[0]).toMatchObject({ 'x-team': 'docs' });
  expect(collector.resource()).toMatchObject({
    'service.name': 'docs-pipeline',
    'deployment.environment': 'test',
  });
  const spans = collector.spans();
  expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set(['0af7651916cd43dd8448eb211c80319c']));
  const named = (name: string) => spans.filter((span) => span.name === name);
  const [root] = named('octavo apply');
  expect(root?.parentSpanId).toBe('b7ad6b7169203331');
  expect(valuesOf(root?.attributes ?? [])).toMatchObject({
    'octavo.command': 'apply',
    'octavo.exit_code': 0,
  });
  const [plan, applied] = [named('plan')[0], named('apply')[0]];
  expect([plan?.parentSpanId, applied?.parentSpanId]).toEqual([root?.spanId, root?.spanId]);
  const steps = named('create team');
  expect(steps.map(({ parentSpanId }) => parentSpanId)).toEqual([applied?.spanId, applied?.spanId]);
  expect(steps.map(({ attributes }) => valuesOf(attributes)['octavo.step.address']).sort()).toEqual([
    'teams/platform',
    'teams/writers',
  ]);
  const creations = named('PUT /v1/orgs/{organizationId}/teams');
  expect(creations).toHaveLength(3);
  const stepIds = steps.map(({ spanId }) => spanId);
  expect(creations.every(({ parentSpanId = '' }) => stepIds.includes(parentSpanId))).toBe(true);
  const turnedAway = creations.find(({ status }) => status.code === 2);
  expect(valuesOf(turnedAway?.attributes ?? [])).toMatchObject({
    'http.request.method': 'PUT',
    'http.response.status_code': 429,
    'error.type': '429',
    'server.address': '127.0.0.1',
    'server.port': Number(new URL(service.url).port),
    'url.path': '/v1/orgs/org_acme/teams',
  });
  expect(spans.some(({ parentSpanId }) => parentSpanId === plan?.spanId)).toBe(true);
  for (const { startTimeUnixNano, endTimeUnixNano } of spans) {
    expect(BigInt(endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(startTimeUnixNano));
  }
  expect(JSON.stringify(spans)).not.toContain(service.token);
});

test('a run that fails says why, and is its own root without a parent', async () => {
  const collector = await collect();
  const { ran } = await run(apply, { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/custom` }, [
    { type: 'status', operations: ['teams.create'], status: 403 },
  ]);
  expect(ran).toMatchObject({ code: 1 });
  expect(collector.paths[0]).toBe('/custom');
  const spans = collector.spans();
  const root = spans.find(({ name }) => name === 'octavo apply');
  expect(root?.parentSpanId ?? '').toBe('');
  expect(root?.status).toMatchObject({ code: 2 });
  const failed = spans.find(({ name }) => name === 'create team');
  expect(failed?.status).toMatchObject({ code: 2, message: expect.stringContaining('403') });
  expect(collector.resource()).toMatchObject({ 'service.name': 'octavo' });
});

test.each<[string, (response: ServerResponse) => void, RegExp]>([
  [
    'hangs',
    () => undefined,
    /warning\[traces\]: traces are incomplete: http:\S+ did not answer within 1\.5 s/,
  ],
  [
    'refuses',
    (response) => void response.writeHead(401).end('no'),
    /warning\[traces\]: \d+ spans could not be sent to http:/,
  ],
  ['breaks', (response) => void response.destroy(), /warning\[traces\]/],
])('a collector that %s fails nothing and is told once', async (_, answer, message) => {
  const collector = await collect(answer);
  const { ran, service } = await run(apply, { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
  expect(ran.code).toBe(0);
  expect(service.store.every('team')).toHaveLength(2);
  expect(ran.stderr).toMatch(message);
  expect(ran.stderr.match(/warning\[traces\]/g)).toHaveLength(1);
});

test.each([
  ['http://127.0.0.1:9', 'http://127.0.0.1:9: connect ECONNREFUSED'],
  ['http://user:hush@127.0.0.1:9', 'http://127.0.0.1:9'],
  ['nonsense', 'no traces are sent: OTEL_EXPORTER_OTLP_ENDPOINT is not an http(s) URL'],
])('nobody listens at %s', async (address, message) => {
  const { ran } = await run(['plan'], { OTEL_EXPORTER_OTLP_ENDPOINT: address });
  expect(ran.code).toBe(0);
  expect(ran.stderr).toContain(message);
  expect(ran.stderr).not.toContain('hush');
});

test.each([
  { OTEL_SDK_DISABLED: 'true' },
  { OTEL_TRACES_EXPORTER: 'none' },
  { OTEL_TRACES_SAMPLER: 'always_off' },
  { TRACEPARENT: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00' },
])('nothing is sent with %j', async (more) => {
  const collector = await collect();
  const { ran } = await run(['plan'], { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, ...more });
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  expect(collector.spans()).toEqual([]);
});
