/**
 * Applies a plan: runs its steps, reads the state again where structure changed or an answer was lost, and applies what
 * still differs, a few times at most. A delete that the approved plan does not hold is never sent.
 */
import type { Api } from '../contract/api.ts';
import type { Registry } from '../kinds/registry.ts';
import { type OrganizationPlan, type Plan, type Step, standingRefusals } from '../plan/plan.ts';
import { defined } from '../util/defined.ts';
import { DiagnosticError } from '../util/diagnostic.ts';
import type { KnownObjects } from './create-watch.ts';
import type { ApplyEvent, ApplyResult, OrganizationResult } from './events.ts';
import type { ApplyJournal } from './journal.ts';
import { OrganizationApply } from './organization-apply.ts';
import { RunStop, type StopReason } from './stop.ts';
import type { Twin } from './twins.ts';

/** Everything that an apply needs from outside. */
export interface ApplyOptions {
  readonly api: Api;
  readonly registry: Registry;
  /** Steps that may run at the same time; 8 unless told. */
  readonly parallelism?: number;
  /** Reads the live state again and plans what still differs, with the same manifests and options. */
  readonly replan: (organization: OrganizationPlan, since: SinceThen) => Promise<OrganizationPlan>;
  /** True for steps that a later look may add; all others are reported. Unless told, every step is. */
  readonly isWithin?: (organization: OrganizationPlan, step: Step) => boolean;
  /** True as soon as nothing new may be started, since somebody interrupted the run. */
  readonly isInterrupted?: () => boolean;
  /** Why nothing new may be started, for other reasons. */
  readonly stopReason?: () => StopReason | undefined;
  /** Where requests are written down before they are sent; nowhere unless told. */
  readonly journal?: ApplyJournal;
  /** What is known of others who may change the same workspace; nobody is watched unless told. */
  readonly others?: OtherWriters;
  readonly onEvent?: (event: ApplyEvent) => void;
  readonly sleep: (milliseconds: number) => Promise<void>;
}

/** What a run did since its plan was made. */
export interface SinceThen {
  /** Ids, by address, of the objects that this run made or found. */
  readonly made: ReadonlyMap<string, string>;
  /** The steps that it has tried: what they touch has to be read again. */
  readonly steps: readonly Step[];
  /** True where everything has to be read again, since something seems to differ still. */
  readonly isDoubtful?: boolean;
}

/** Others who may change the same workspace at the same time, of another run or in the app. */
export interface OtherWriters {
  /** What was live at the last look. */
  readonly known: (organization: OrganizationPlan) => KnownObjects | undefined;
  /** What exists twice after the last look. */
  readonly twins: (organization: OrganizationPlan, made: ReadonlyMap<string, string>) => readonly Twin[];
}

/**
 * Applies the plan of each organization in turn.
 *
 * @throws DiagnosticError, before any call, when the plan holds refusals.
 */
export async function applyPlan(plan: Plan, options: ApplyOptions): Promise<ApplyResult> {
  const refused = standingRefusals(plan);
  if (refused.length > 0) {
    throw new DiagnosticError(
      refused.map(({ guard, address, message, suggestion }) => ({
        severity: 'error',
        code: `refused-${guard}`,
        message,
        address,
        suggestion,
      })),
    );
  }
  const isInterrupted = options.isInterrupted ?? (() => false);
  const stop = new RunStop(() =>
    isInterrupted() ? { type: 'interrupted', message: 'interrupted' } : options.stopReason?.(),
  );
  const organizations: OrganizationResult[] = [];
  for (const organization of plan.organizations) {
    organizations.push(await new OrganizationApply(organization, options, stop).run());
  }
  return { organizations, interrupted: isInterrupted(), ...defined({ stopped: stop.reason }) };
}
