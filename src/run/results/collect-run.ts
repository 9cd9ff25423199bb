/** Builds the document of a run from its events. Pure: the time is passed in. */
import { type ApplyEvent, endOf, isComplete } from '../../apply/events.ts';
import type { RequestEvent } from '../../client/client.ts';
import { type Plan, type Step, standingRefusals } from '../../plan/plan.ts';
import { defined } from '../../util/defined.ts';
import { hideKnownSecrets } from '../../util/hide-secrets.ts';
import { rememberedIn } from '../../util/remembered.ts';
import type { LastEvents, RunEnd, RunEvent } from './run-event.ts';
import {
  noSteps,
  type OutcomeCounts,
  type RunStatement,
  type StatedCall,
  type StatedStep,
} from './run-schema.ts';

export interface RunHead {
  readonly id: string;
  readonly command: string;
  readonly version: string;
  readonly applies: boolean;
  readonly shard?: RunStatement['shard'];
  /** Time in milliseconds since 1970. */
  readonly now: () => number;
}

interface StepRecord {
  readonly step: Step;
  end?: Pick<StatedStep, 'outcome' | 'because' | 'id' | 'error'>;
  startedAt?: number;
  endedAt?: number;
  readonly calls: StatedCall[];
}

export class RunCollector {
  readonly #head: RunHead;
  readonly #startedAt: number;
  readonly #organizations = new Map<string, Map<string, StepRecord>>();
  readonly #requests = { sent: 0, retried: 0, failed: 0 };

  constructor(head: RunHead) {
    this.#head = head;
    this.#startedAt = head.now();
  }

  observe(event: RunEvent): void {
    if (event.type === 'planned') this.#plan(event.plan);
    else if (event.type === 'request') this.#request(event.request);
    else if (event.type === 'apply') this.#apply(event.event);
  }

  statement(end: RunEnd, last: LastEvents): RunStatement {
    const { id, command, version, now } = this.#head;
    const shard = last.planned?.plan.shard ?? this.#head.shard;
    const endedAt = Math.max(this.#startedAt, now());
    const organizations = [...this.#organizations].map(([label, steps]) =>
      this.#organization(label, steps, last),
    );
    return {
      id,
      command,
      version,
      startedAt: timeText(this.#startedAt),
      endedAt: timeText(endedAt),
      milliseconds: Math.round(endedAt - this.#startedAt),
      ...defined({ baseUrl: last.service?.baseUrl, shard }),
      outcome: outcomeOf(end, last),
      ...defined({ stopped: last.applied?.result.stopped }),
      exitCode: end.exitCode,
      requests: { ...this.#requests },
      counts: sumOf(organizations.map(({ counts }) => counts)),
      organizations,
    };
  }

  #plan({ organizations }: Plan): void {
    for (const { label, steps } of organizations) {
      this.#organizations.set(label, new Map());
      for (const step of steps) this.#record(label, step);
    }
  }

  #record(label: string, step: Step): StepRecord {
    const steps = rememberedIn(this.#organizations, label, () => new Map<string, StepRecord>());
    return rememberedIn(steps, step.id, () => ({ step, calls: [] }));
  }

  #known(label: string, step: string): StepRecord | undefined {
    return this.#organizations.get(label)?.get(step);
  }

  #apply(event: ApplyEvent): void {
    if (event.type === 'round') for (const step of event.steps) this.#record(event.organization, step);
    if (event.type !== 'start' && event.type !== 'step') return;
    const record = this.#known(event.organization, event.step);
    if (record === undefined) return;
    if (event.type === 'start') record.startedAt ??= this.#head.now();
    else Object.assign(record, { end: event, endedAt: this.#head.now() });
  }

  #request(event: RequestEvent): void {
    this.#requests.sent += 1;
    if (event.retryInMs !== undefined) this.#requests.retried += 1;
    else if (event.failed) this.#requests.failed += 1;
    const record = event.step && this.#known(event.step.organization, event.step.step);
    if (record === undefined) return;
    const { operation, method, path, attempt, outcome } = event;
    const before = attempt > 1 ? record.calls.pop() : undefined;
    record.calls.push({
      operation,
      method,
      path: hideKnownSecrets(path),
      attempts: attempt,
      milliseconds: Math.round((before?.milliseconds ?? 0) + Math.max(0, event.milliseconds)),
      ...(typeof outcome === 'number' ? { status: outcome } : { reason: outcome }),
    });
  }

  #organization(
    label: string,
    steps: ReadonlyMap<string, StepRecord>,
    { planned, applied }: LastEvents,
  ): RunStatement['organizations'][number] {
    const result = applied?.result.organizations.find((one) => one.label === label);
    const plan = planned?.plan.organizations.find((one) => one.label === label);
    for (const outcome of result?.outcomes ?? []) {
      const record = this.#record(label, outcome.step);
      record.end = { ...endOf(outcome), ...defined({ id: record.end?.id }) };
    }
    const reported = [...steps.values()].map((record) => this.#step(record));
    const counts = { ...noSteps };
    for (const { outcome } of reported) counts[outcome] += 1;
    const stored = (result?.stored ?? []).map(({ step: { address }, ...value }) => ({ address, ...value }));
    return {
      label,
      id: plan?.organizationId ?? '',
      counts,
      steps: reported,
      pending: (result?.leftover ?? []).map(({ address, action, phase }) => ({ address, action, phase })),
      duplicates: (result?.duplicates ?? []).map(({ address, own, other }) => ({ address, own, other })),
      ...(stored.length > 0 && { stored }),
      ...defined({ unread: result?.unread && hideKnownSecrets(result.unread.message) }),
    };
  }

  #step({ step, end, startedAt, endedAt, calls }: StepRecord): StatedStep {
    const { address, kind, action, phase } = step;
    const { outcome = this.#head.applies ? 'notStarted' : 'planned', because, id, error } = end ?? {};
    const milliseconds =
      startedAt === undefined || endedAt === undefined
        ? undefined
        : Math.max(0, Math.round(endedAt - startedAt));
    return {
      ...{ address, kind, action, phase, outcome },
      ...defined({
        because,
        id,
        startedAt: startedAt === undefined ? undefined : timeText(startedAt),
        milliseconds,
        error,
      }),
      calls,
    };
  }
}

function outcomeOf(
  { exitCode, interrupted, diagnostics }: RunEnd,
  { planned, rehearsed, declined, applied }: LastEvents,
): RunStatement['outcome'] {
  if (interrupted && exitCode !== 0) return 'interrupted';
  const codes = diagnostics.map(({ code }) => code);
  const isRefused = planned !== undefined && standingRefusals(planned.plan).length > 0;
  if (codes.includes('locked')) return 'locked';
  if (declined !== undefined) return 'declined';
  if (rehearsed?.rehearsal.converges === false) return 'refused';
  const isRefusal = (code: string) =>
    /^refused\b/.test(code) || ['not-approved', 'unexpected-plan', 'plan-stale'].includes(code);
  if (codes.some(isRefusal) || (isRefused && exitCode !== 0 && diagnostics.length === 0)) return 'refused';
  if (applied !== undefined && !isComplete(applied.result)) return 'incomplete';
  return diagnostics.length > 0 ? 'failed' : 'complete';
}

export function sumOf(all: readonly OutcomeCounts[]): OutcomeCounts {
  const sum = { ...noSteps };
  for (const [outcome, count] of all.flatMap(Object.entries<number>))
    sum[outcome as keyof OutcomeCounts] += count;
  return sum;
}

function timeText(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
