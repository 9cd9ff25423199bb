/** Sends spans with the official SDK, which reads OTEL_* variables; within time limits of our own. */
import type { Agent } from 'node:http';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  type ReadableSpan,
  type SpanExporter,
} from '@opentelemetry/sdk-trace-base';
import { countOf } from '../../util/count.ts';
import { version } from '../../util/version.ts';
import type { World } from '../world/world.ts';

/** Milliseconds that a run waits for the collector at its end. */
const patience = 1500;
/** Milliseconds for one delivery, unless the environment sets less. */
const longestExport = 2000;
/** Spans that wait for delivery: enough for a large apply during which a collector does not answer for a while. */
const queueSize = 65_536;

export interface TraceExport {
  readonly provider: BasicTracerProvider;
  /** Delivers the rest, briefly; returns the reason if spans were lost. */
  readonly finish: () => Promise<string | undefined>;
}

/** Throws if the environment names no address. */
export function startExport(env: World['env']): TraceExport {
  requireAddress(env);
  const agents: Agent[] = [];
  const exporter = new WatchedExporter(
    new OTLPTraceExporter({
      timeoutMillis: timeoutFrom(env),
      httpAgentOptions: async (protocol) => {
        const { Agent: HttpAgent } = await (protocol === 'http:'
          ? import('node:http')
          : import('node:https'));
        const agent = new HttpAgent({ keepAlive: true });
        agents.push(agent);
        return agent;
      },
    }),
  );
  const processor = new BatchSpanProcessor(
    exporter,
    isSet(env.OTEL_BSP_MAX_QUEUE_SIZE) ? {} : { maxQueueSize: queueSize },
  );
  const provider = new BasicTracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': 'octavo', 'service.version': version }))
      .merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [processor],
  });
  return { provider, finish: () => finish(provider, { exporter, agents, where: collectorOf(env) }) };
}

interface Ending {
  readonly exporter: WatchedExporter;
  readonly agents: readonly Agent[];
  readonly where: string;
}

async function finish(
  provider: BasicTracerProvider,
  { exporter, agents, where }: Ending,
): Promise<string | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => resolve('late'), patience);
  });
  const delivered = provider.forceFlush().then(
    () => 'delivered' as const,
    () => 'failed' as const,
  );
  const outcome = await Promise.race([delivered, late]);
  clearTimeout(timer);
  // Neither hanging connections nor retries of the exporter may keep the process alive.
  for (const agent of agents) {
    agent.maxSockets = 0;
    agent.destroy();
  }
  if (outcome === 'late') return `traces are incomplete: ${where} did not answer within ${patience / 1000} s`;
  const { lost, reason } = exporter;
  if (lost === 0)
    return outcome === 'failed' ? `traces are incomplete: ${where} did not take them` : undefined;
  return `${countOf(lost, 'span')} could not be sent to ${where}${reason === '' ? '' : `: ${reason}`}`;
}

class WatchedExporter implements SpanExporter {
  readonly #inner: SpanExporter;
  lost = 0;
  reason = '';

  constructor(inner: SpanExporter) {
    this.#inner = inner;
  }

  export(spans: ReadableSpan[], done: Parameters<SpanExporter['export']>[1]): void {
    this.#inner.export(spans, (result) => {
      if (result.code !== 0) {
        this.lost += spans.length;
        if (this.reason === '') this.reason = result.error?.message ?? '';
      }
      done(result);
    });
  }

  async forceFlush(): Promise<void> {
    await this.#inner.forceFlush?.();
  }

  shutdown(): Promise<void> {
    return this.#inner.shutdown();
  }
}

function timeoutFrom(env: World['env']): number {
  const given = Number(env.OTEL_EXPORTER_OTLP_TRACES_TIMEOUT ?? env.OTEL_EXPORTER_OTLP_TIMEOUT);
  return given > 0 ? Math.min(given, longestExport) : longestExport;
}

/** Without an address, the SDK would send spans elsewhere. */
function requireAddress(env: World['env']): void {
  for (const name of ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT']) {
    const given = env[name] ?? '';
    if (given !== '' && !/^https?:\/\/./i.test(given)) throw new Error(`${name} is not an http(s) URL`);
  }
}

/** Without other parts that the address may have. */
function collectorOf(env: World['env']): string {
  const given = [env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT, env.OTEL_EXPORTER_OTLP_ENDPOINT].find(isSet) ?? '';
  return URL.canParse(given) ? new URL(given).origin : 'the collector';
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== '';
}
