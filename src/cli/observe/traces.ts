/**
 * OpenTelemetry traces of a run, sent to the collector that the environment names: a span for the run, for its parts, for each
 * step and for each attempt of a request. A collector that is down or hangs stops nothing and causes one warning.
 */
import {
  type Attributes,
  type Context,
  defaultTextMapGetter,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import type { Outcome } from '../../apply/events.ts';
import type { RequestEvent } from '../../client/client.ts';
import type { StepMark } from '../../contract/api.ts';
import { operationOf } from '../../contract/index.ts';
import type { Step } from '../../plan/plan.ts';
import type { RunEnd, RunEvent, RunPhase } from '../../run/run-report/run-event.ts';
import { defined } from '../../util/defined.ts';
import { hideKnownSecrets } from '../../util/hide-secrets.ts';
import { version } from '../../util/version.ts';
import type { World } from '../world/world.ts';
import type { Observer } from './observer.ts';
import { startExport } from './trace-export.ts';

export interface TracedRun {
  readonly run: string;
  readonly command: string;
  readonly env: World['env'];
  readonly now: () => number;
  /** Called once when spans are lost. */
  readonly warn: (text: string) => void;
}

/** Continues the trace of TRACEPARENT, if set. */
export function openTraces({ run, command, env, now, warn }: TracedRun): Observer {
  const { provider, finish } = startExport(env);
  const spans = new RunSpans(provider.getTracer('octavo', version), {
    name: `octavo ${command}`,
    parent: parentOf(env),
    attributes: { 'octavo.run.id': run, 'octavo.command': command },
    now,
  });
  return {
    observe: (event) => spans.observe(event),
    end: async (end) => {
      spans.end(end);
      const problem = await finish();
      if (problem !== undefined) warn(`warning[traces]: ${hideKnownSecrets(problem)}`);
    },
  };
}

function parentOf({ TRACEPARENT = '', TRACESTATE = '' }: World['env']): Context {
  const carrier = { traceparent: TRACEPARENT, ...(TRACESTATE === '' ? {} : { tracestate: TRACESTATE }) };
  return new W3CTraceContextPropagator().extract(ROOT_CONTEXT, carrier, defaultTextMapGetter);
}

interface RunSpanOptions {
  readonly name: string;
  readonly parent: Context;
  readonly attributes: Attributes;
  readonly now: () => number;
}

class RunSpans {
  readonly #tracer: Tracer;
  readonly #now: () => number;
  readonly #parent: Context;
  readonly #run: Span;
  readonly #phases = new Map<RunPhase, Span>();
  readonly #steps = new Map<StepMark, Span>();
  #server: Attributes = {};

  constructor(tracer: Tracer, { name, parent, attributes, now }: RunSpanOptions) {
    this.#tracer = tracer;
    this.#now = now;
    this.#parent = parent;
    this.#run = tracer.startSpan(name, { attributes, startTime: now() }, parent);
  }

  observe(event: RunEvent): void {
    switch (event.type) {
      case 'service':
        this.#server = serverOf(event.baseUrl);
        break;
      case 'phaseStarted':
        this.#phases.set(event.phase, this.#start(event.phase, this.#run));
        break;
      case 'phaseEnded':
        this.#phases.get(event.phase)?.end(this.#now());
        this.#phases.delete(event.phase);
        break;
      case 'planned':
        this.#run.setAttribute('octavo.plan.digest', event.digest());
        break;
      case 'request':
        this.#request(event.request);
        break;
      case 'apply':
        if (event.event.type === 'stepStarted') this.#startStep(event.event.organization, event.event.step);
        else if (event.event.type === 'stepEnded') this.#endStep(event.event.outcome);
        break;
      default:
    }
  }

  end({ exitCode, interrupted, errors }: RunEnd): void {
    for (const span of [...this.#steps.values(), ...this.#phases.values()]) span.end(this.#now());
    this.#run.setAttributes({ 'octavo.exit_code': exitCode, 'octavo.interrupted': interrupted });
    if (exitCode !== 0) {
      const [first] = errors;
      const message = first === undefined ? `exit code ${exitCode}` : `${first.code}: ${first.message}`;
      this.#run.setStatus({ code: SpanStatusCode.ERROR, message: hideKnownSecrets(message) });
    }
    this.#run.end(this.#now());
  }

  #start(name: string, parent: Span, attributes: Attributes = {}): Span {
    return this.#tracer.startSpan(name, { attributes, startTime: this.#now() }, this.#within(parent));
  }

  #within(span: Span): Context {
    return trace.setSpan(this.#parent, span);
  }

  #startStep(organization: string, step: Step): void {
    const { address, action, phase, kind } = step;
    const attributes = {
      'octavo.organization': organization,
      'octavo.step.address': address,
      'octavo.step.action': action,
      'octavo.step.phase': phase,
      'octavo.step.kind': kind,
    };
    this.#steps.set(
      step,
      this.#start(`${action} ${kind}`, this.#phases.get('apply') ?? this.#run, attributes),
    );
  }

  #endStep(outcome: Outcome): void {
    const span = this.#steps.get(outcome.step);
    if (span === undefined) return;
    this.#steps.delete(outcome.step);
    span.setAttribute('octavo.step.outcome', outcome.type);
    if (outcome.type === 'failed') {
      span.setStatus({ code: SpanStatusCode.ERROR, message: hideKnownSecrets(outcome.error.message) });
    }
    span.end(this.#now());
  }

  /** Follows the conventions for HTTP clients. */
  #request({
    operation,
    method,
    path,
    attempt,
    outcome,
    failed,
    milliseconds,
    bytes,
    step,
  }: RequestEvent): void {
    const phase = [...this.#phases.values()].at(-1);
    const parent = (step && this.#steps.get(step)) ?? phase ?? this.#run;
    const template = operationOf(operation).path;
    const end = this.#now();
    const span = this.#tracer.startSpan(
      `${method} ${template}`,
      {
        kind: SpanKind.CLIENT,
        startTime: end - Math.max(0, milliseconds),
        attributes: {
          ...this.#server,
          'http.request.method': method,
          'url.path': hideKnownSecrets(path),
          'url.template': template,
          'octavo.operation': operation,
          ...(attempt > 1 ? { 'http.request.resend_count': attempt - 1 } : {}),
          ...(typeof outcome === 'number' ? { 'http.response.status_code': outcome } : {}),
          ...defined({ 'http.response.body.size': bytes }),
          ...(failed ? { 'error.type': String(outcome) } : {}),
        },
      },
      this.#within(parent),
    );
    if (failed) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end(end);
  }
}

/** The address of the embedded service means nothing to others. */
function serverOf(baseUrl: string): Attributes {
  if (!URL.canParse(baseUrl) || !/^https?:/.test(baseUrl)) return {};
  const { protocol, hostname, port } = new URL(baseUrl);
  const known = protocol === 'https:' ? 443 : 80;
  return {
    'url.scheme': protocol.slice(0, -1),
    'server.address': hostname,
    'server.port': port === '' ? known : Number(port),
  };
}
