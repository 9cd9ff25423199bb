/**
 * How results are shown, by format: one table for each result. A further format is a file that renders it, its name in
 * `formats.ts`, and a line here, which the compiler then demands. Pure.
 */
import type { ApplyResult } from '../apply/events.ts';
import { isEmptyPlan, type Plan } from '../plan/plan.ts';
import type { Rehearsal } from '../plan/rehearsal.ts';
import { countOf } from '../util/count.ts';
import { type Diagnostic, hasErrors } from '../util/diagnostic.ts';
import { stableStringify } from '../util/json.ts';
import { type Adoption, renderAdoption, renderAdoptionJson } from './adopt-text.ts';
import type { RunNotes } from './apply-closing.ts';
import { renderApplyJson } from './apply-json.ts';
import { renderApplyResult } from './apply-text.ts';
import { renderDiagnostics, type Sources } from './diagnostics.ts';
import type { FormatOf, FormattedResult } from './formats.ts';
import { type History, type RunDetails, renderHistory, renderHistoryJson, renderRun } from './history.ts';
import { type JoinedReport, joinedReportJson, joinedReportText } from './joined-report.ts';
import { partialText } from './left-out.ts';
import { type MatrixShard, matrixGithub, matrixGitlab, matrixJson, matrixText } from './matrix.ts';
import { type PlanMarks, planJsonPieces } from './plan-json.ts';
import { planPieces, type TextOptions } from './plan-text.ts';
import { notRehearsed, renderRehearsal, renderRehearsalJson } from './rehearsal.ts';

/** Renders a result; ends with a line break where it is not empty. Options are for terminals; files ignore them. */
export type View<T> = (result: T, options: TextOptions) => string;

/** Renders a result that may be very long, piece by piece. */
export type LongView<T> = (result: T, options: TextOptions) => Generator<string>;

/** A plan and what it is recognised by. */
export interface MarkedPlan {
  readonly plan: Plan;
  readonly marks: PlanMarks;
  /** Absent where there was none. Only formats that are one document show it with the plan. */
  readonly rehearsal?: Rehearsal;
}

/** An approved plan and its result. */
export interface AppliedPlan {
  readonly plan: Plan;
  readonly digest: string;
  readonly result: ApplyResult;
  readonly notes?: RunNotes;
}

/** What checking manifests found. */
export interface Validation {
  readonly diagnostics: readonly Diagnostic[];
  /** The texts of the files, by the names that diagnostics use. */
  readonly sources: Sources;
  readonly organizations: number;
  readonly objects: number;
  /** Overlays that were checked, whether or not they are merged over the manifests. */
  readonly overlays: number;
}

/** `apply`: the plan before approval, absent where the format shows none, and the result. */
export interface ApplyView {
  readonly plan?: LongView<MarkedPlan>;
  readonly result: View<AppliedPlan>;
}

/** `validate`: the problems beside the result, absent where the result holds them, and the result. */
export interface ValidationView {
  readonly problems?: View<Validation>;
  readonly result: View<Validation>;
}

type Views<R extends FormattedResult, V> = Readonly<Record<FormatOf<R>, V>>;

const planJson: LongView<MarkedPlan> = ({ plan, marks, rehearsal }) => planJsonPieces(plan, marks, rehearsal);

const planCompact: LongView<MarkedPlan> = (marked, options) => planText(marked, { ...options, brief: true });

const applyAsText: ApplyView = { plan: planText, result: applyText };
const applyAsCompact: ApplyView = { plan: planCompact, result: applyText };
const applyAsJson: ApplyView = {
  result: ({ plan, digest, result }) => renderApplyJson(plan, digest, result),
};

const validationAsText: ValidationView = {
  problems: ({ diagnostics, sources }, options) => renderDiagnostics(diagnostics, sources, options),
  result: validationText,
};
const validationAsJson: ValidationView = { result: validationJson };

const adoptionJson: View<Adoption> = (adoption) => renderAdoptionJson(adoption);

/** `plan` and `show`. */
export const planViews: Views<'plan', LongView<MarkedPlan>> = {
  text: planText,
  json: planJson,
  compact: planCompact,
};

/** `apply`. */
export const applyViews: Views<'apply', ApplyView> = {
  text: applyAsText,
  json: applyAsJson,
  compact: applyAsCompact,
};

/** `rehearse`, and the rehearsal after the text of a plan. */
export const rehearsalViews: Views<'rehearsal', View<MarkedPlan>> = {
  text: ({ plan, rehearsal }, options) =>
    rehearsal === undefined ? notRehearsed.text(plan) : renderRehearsal(plan, rehearsal, options),
  json: ({ plan, marks, rehearsal }) =>
    rehearsal === undefined
      ? notRehearsed.json(plan, marks.digest)
      : renderRehearsalJson(marks.digest, rehearsal),
};

/** `adopt`. */
export const adoptViews: Views<'adoption', View<Adoption>> = { text: renderAdoption, json: adoptionJson };

/** `history`: all runs, or one. */
export const historyViews: Views<'history', View<History | RunDetails>> = {
  text: (history, options) =>
    'about' in history ? renderRun(history, options) : renderHistory(history, options),
  json: renderHistoryJson,
};

/** `validate`. */
export const validationViews: Views<'validation', ValidationView> = {
  text: validationAsText,
  json: validationAsJson,
};

/** `report merge`. */
export const reportViews: Views<'report', View<JoinedReport>> = {
  text: joinedReportText,
  json: joinedReportJson,
};

/** `matrix`. */
export const matrixViews: Views<'matrix', View<readonly MatrixShard[]>> = {
  text: matrixText,
  json: matrixJson,
  github: matrixGithub,
  gitlab: matrixGitlab,
};

/** The digest as people copy it. */
export function shortDigest(digest: string): string {
  return digest.slice(0, 16);
}

/** The plan, and its digest where there is something to apply. */
function* planText({ plan, marks }: MarkedPlan, options: TextOptions): Generator<string> {
  const partial = partialText(plan);
  // Whoever reads only the first line, or only the last one, is told.
  if (partial !== undefined) yield `${partial}\n\n`;
  yield* planPieces(plan, options);
  if (!isEmptyPlan(plan)) yield `Digest: ${shortDigest(marks.digest)}\n`;
  if (partial !== undefined) yield `${partial}\n`;
}

/** Nothing where there was nothing to apply; the plan says so already. */
function applyText({ result, notes = {} }: AppliedPlan, options: TextOptions): string {
  const isNothing = result.organizations.every(
    ({ outcomes, leftover }) => outcomes.length + leftover.length === 0,
  );
  return isNothing ? '' : `\n${renderApplyResult(result, { ...options, notes })}`;
}

function validationText({ diagnostics, sources, organizations, objects, overlays }: Validation): string {
  if (hasErrors(diagnostics)) return '';
  const parts = [
    countOf(organizations, 'organization'),
    countOf(objects, 'object'),
    countOf(sources.size, 'file'),
    ...(overlays === 0 ? [] : [countOf(overlays, 'overlay')]),
  ];
  return `Valid: ${parts.join(', ')}.\n`;
}

function validationJson({ diagnostics }: Validation): string {
  return `${stableStringify({ format: 1, valid: !hasErrors(diagnostics), diagnostics }, 2)}\n`;
}
