/** Sends the remaining requests of an approved plan, and none for objects that it does not touch. */
import { setTimeout as wait } from 'node:timers/promises';
import { applyPlan } from '../apply/apply-plan.ts';
import type { ApplyEvent, ApplyResult, StopReason } from '../apply/events.ts';
import { pendingAfter } from '../past/pending.ts';
import type { OrganizationPlan, Plan, Step } from '../plan/plan.ts';
import { covers } from '../tree/addressing.ts';
import { defined } from '../util/defined.ts';
import type { ApprovedPlan } from './approval/approval.ts';
import type { LiveSource } from './plan-tree.ts';
import { SeenState } from './reads/seen-state.ts';
import { beginJournal, endingOf, type JournalSettings } from './run-journal.ts';
import { journaledUndo } from './undo/journaled-trees.ts';

export interface SendOptions {
  readonly parallelism?: number | undefined;
  readonly isInterrupted?: (() => boolean) | undefined;
  readonly stopReason?: (() => StopReason | undefined) | undefined;
  readonly onEvent?: ((event: ApplyEvent) => void) | undefined;
  readonly journal?: JournalSettings | undefined;
  /** The time in milliseconds, for a run that holds a lock: no other run can be active, and lists remain valid for some creates. */
  readonly locked?: { readonly now: () => number } | undefined;
}

/**
 * Maximum of creates into a list between two reads, while only people in the app can be active. Not a time limit, because a slow
 * machine should not read more often.
 */
const createsPerReading = 100;

/** The result includes steps that needed no request. `commitOf`: called only with a journal. */
export async function sendPlan(
  source: LiveSource,
  approved: ApprovedPlan,
  options: SendOptions,
  commitOf: () => Promise<string | undefined>,
): Promise<ApplyResult> {
  const { parallelism, isInterrupted, stopReason, onEvent, locked, journal: settings } = options;
  const { plan, today } = approved;
  const { api, registry, sleep = (milliseconds: number) => wait(milliseconds) } = source;
  const isNothing = today.organizations.every(({ steps }) => steps.length === 0);
  // A run that changes nothing may be printed, but is not kept.
  const kept = settings && (isNothing ? { ...settings, store: undefined } : settings);
  const journal =
    kept?.store === undefined && kept?.print === undefined
      ? undefined
      : await beginJournal(kept, approved, {
          commit: await commitOf(),
          undo: await journaledUndo(source, approved),
        });
  const now = locked?.now ?? (settings?.store && (() => settings.now().getTime()));
  const clock = now && { now, sleep };
  const trustFor = locked === undefined ? 0 : createsPerReading;
  const seen = new SeenState({ api, registry, sleep, memory: approved.memory }, approved, {
    trustFor,
    clock,
  });
  let result: ApplyResult | undefined;
  let unjournaled: string | undefined;
  try {
    result = await applyPlan(today, {
      api,
      registry,
      sleep,
      replan: async (organization, since) => {
        const rest = await seen.replan(organization, since);
        // Steps that differed before anything was sent and that no one requested are removed.
        const known = approved.elsewhere.get(rest.label);
        return known === undefined ? rest : { ...rest, steps: rest.steps.filter(({ id }) => !known.has(id)) };
      },
      isWithin: touchedBy(plan),
      others: seen,
      onEvent: (event) => {
        const written = journal?.add(event);
        onEvent?.(event);
        return written;
      },
      ...defined({ parallelism, isInterrupted, stopReason }),
    });
  } finally {
    if (settings !== undefined && journal !== undefined) {
      const run = { run: settings.run, time: settings.now().toISOString() };
      const pending = pendingAfter(today.organizations, result, run);
      const all = pending.size === 0 ? {} : { pending: Object.fromEntries(pending) };
      unjournaled = await journal.end({ ...endingOf(result), ...all });
    }
  }
  return { ...withSatisfied(result, approved), ...defined({ unjournaled }) };
}

/** Includes steps on objects inside of touched ones. */
function touchedBy({ organizations }: Plan): (organization: OrganizationPlan, step: Step) => boolean {
  const touched = new Map(
    organizations.map(({ label, steps }) => [label, covers(steps.map(({ address }) => address))]),
  );
  return ({ label }, { address }) => touched.get(label)?.(address) === true;
}

/** Puts steps that were already done first. */
function withSatisfied(result: ApplyResult, { satisfied }: ApprovedPlan): ApplyResult {
  return {
    ...result,
    organizations: result.organizations.map((organization) => ({
      ...organization,
      outcomes: [
        ...(satisfied.get(organization.label) ?? []).map((step) => ({ type: 'satisfied' as const, step })),
        ...organization.outcomes,
      ],
    })),
  };
}
