/** Public API of the library. Everything else may change without notice. */
export {
  type ApplyEvent,
  type ApplyResult,
  isComplete,
  type OrganizationResult,
  type Outcome,
} from './apply/events.ts';
export { type Client, type ClientOptions, createClient, type RequestEvent } from './client/client.ts';
export type { Clock } from './client/pacing.ts';
export { type Api, ApiError, type ApiErrorType, type ApiInput } from './contract/api.ts';
export {
  isOperationId,
  type OperationId,
  type OperationInput,
  type OperationOutput,
  operationIds,
} from './contract/index.ts';
export { kinds, registry } from './kinds/index.ts';
export type { Kind } from './kinds/kind.ts';
export { createRegistry, type Registry } from './kinds/registry.ts';
export { ReadMemory } from './live/read-memory.ts';
export { loadWorkspace, type Workspace, type WorkspaceOptions } from './manifest/load-workspace.ts';
export { findRun } from './past/journal/find-run.ts';
export { JournalFolder } from './past/journal/journal-folder.ts';
export type { Recording } from './past/record/record.ts';
export { type Comparison, comparePlans, type PlanDifference } from './plan/compare/compare-plans.ts';
export {
  type Counts,
  countActions,
  isEmptyPlan,
  type OrganizationPlan,
  type Plan,
  type Step,
  standingRefusals,
} from './plan/plan.ts';
export type { Rehearsal } from './plan/rehearsal.ts';
export type { PlanChoices } from './plan/scope/choices.ts';
export { renderApplyResult } from './report/apply/text.ts';
export { renderPlan } from './report/plan/text.ts';
export type { TextOptions } from './report/view.ts';
export { type CauseCounts, countByCause } from './review/plan-document.ts';
export {
  type AppliedRun,
  type ApplyRequest,
  applyRun,
  type RecordRequest,
  type RunLock,
} from './run/apply-run.ts';
export {
  type ApprovedPlan,
  asApproved,
  recheckApproval,
  requireApproved,
} from './run/approval/approval.ts';
export { planDigest } from './run/approval/digest.ts';
export {
  type AcceptDriftOptions,
  acceptDrift,
  type DriftChoices,
  driftRun,
  planDrift,
} from './run/drift-run.ts';
export { type ExportRun, type ExportToOptions, exportRun } from './run/export/export-to.ts';
export { openSavedPlan, openSession, type SessionOptions } from './run/open-session.ts';
export { type PlanFile, readPlanFile } from './run/plan-file/read-plan.ts';
export { savePlan } from './run/plan-file/save-plan.ts';
export { planRun } from './run/plan-run.ts';
export type { PlanInputs, PlanRun } from './run/planning.ts';
export type { Connection, IdentifiedOrganization } from './run/reads/service-link.ts';
export { rehearseRun } from './run/rehearse/cuts.ts';
export { type StageOptions, stageMaker } from './run/rehearse/stage.ts';
export type { Session, SessionListeners, SessionProgress } from './run/session.ts';
export { openUndo, undoRun } from './run/undo/open-undo.ts';
export type { AcceptRun } from './run/write-back/accept.ts';
export { copyService, type Seed, type Service, type ServiceOptions, startService } from './server/index.ts';
export type { DesiredNode } from './tree/desired.ts';
export type { DesiredTree } from './tree/desired-tree.ts';
export type { LiveTree } from './tree/live.ts';
export { type Diagnostic, DiagnosticError, hasErrors } from './util/diagnostic.ts';
