/**
 * How results are shown, by format: one table for each result. A further format is a file in `report/` that renders it,
 * its name in `report/formats.ts`, and a line here, which the compiler then demands. A format is loaded when it is asked for.
 */
import type { Acceptance } from '../report/acceptance.ts';
import type { Adoption } from '../report/adopt-text.ts';
import type { ApplyView } from '../report/apply-view.ts';
import type { Checkup } from '../report/doctor.ts';
import type { Explanation } from '../report/explanation.ts';
import type { ExportReport } from '../report/export-text.ts';
import type { FormatOf, FormattedResult } from '../report/formats.ts';
import type { Graph } from '../report/graph/graph.ts';
import type { History, RunDetails } from '../report/history.ts';
import type { JoinedReport } from '../report/joined-report.ts';
import type { MatrixShard } from '../report/matrix.ts';
import type { ObjectList } from '../report/object-list.ts';
import type { MarkedPlan } from '../report/plan-view.ts';
import type { ValidationView } from '../report/validation.ts';
import type { LongView, View } from '../report/view.ts';

/** The formats of a result, each loaded when it is asked for. */
export type Views<V> = Readonly<Record<string, () => Promise<V>>>;

type ViewsOf<R extends FormattedResult, V> = Readonly<Record<FormatOf<R>, () => Promise<V>>>;

/** `plan` and `show`. */
export const planViews: ViewsOf<'plan', LongView<MarkedPlan>> = {
  text: async () => (await import('../report/plan-text.ts')).planText,
  compact: async () => (await import('../report/plan-compact.ts')).compactPieces,
  json: async () => (await import('../report/plan-json.ts')).planJson,
  ndjson: async () => (await import('../report/plan-ndjson.ts')).planNdjson,
  markdown: async () => (await import('../report/plan-markdown.ts')).planMarkdown,
  html: async () => (await import('../report/html/plan-html.ts')).planHtml,
  github: async () => (await import('../report/plan-github.ts')).planGithub,
  junit: async () => (await import('../report/junit.ts')).planJunit,
};

/** `apply`. */
export const applyViews: ViewsOf<'apply', ApplyView> = {
  text: async () => (await import('../report/apply-view.ts')).applyAsText,
  compact: async () => (await import('../report/apply-compact.ts')).applyAsCompact,
  json: async () => (await import('../report/apply-json.ts')).applyAsJson,
  ndjson: async () => (await import('../report/apply-ndjson.ts')).applyAsNdjson,
  markdown: async () => (await import('../report/apply-markdown.ts')).applyAsMarkdown,
  github: async () => (await import('../report/apply-github.ts')).applyAsGithub,
};

/** `rehearse`, and the rehearsal after the text of a plan. */
export const rehearsalViews: ViewsOf<'rehearsal', View<MarkedPlan>> = {
  text: async () => (await import('../report/rehearsal.ts')).rehearsalText,
  json: async () => (await import('../report/rehearsal.ts')).rehearsalJson,
};

/** `adopt`. */
export const adoptViews: ViewsOf<'adoption', View<Adoption>> = {
  text: async () => (await import('../report/adopt-text.ts')).renderAdoption,
  json: async () => (await import('../report/adopt-text.ts')).renderAdoptionJson,
};

/** `drift --accept`. */
export const acceptanceViews: ViewsOf<'acceptance', View<Acceptance>> = {
  text: async () => (await import('../report/acceptance.ts')).acceptanceText,
  json: async () => (await import('../report/acceptance.ts')).acceptanceJson,
};

/** `export`. */
export const exportViews: ViewsOf<'export', View<ExportReport>> = {
  text: async () => (await import('../report/export-text.ts')).exportText,
  json: async () => (await import('../report/export-text.ts')).exportJson,
};

/** `history`: all runs, or one. */
export const historyViews: ViewsOf<'history', View<History | RunDetails>> = {
  text: async () => (await import('../report/history.ts')).historyText,
  json: async () => (await import('../report/history.ts')).renderHistoryJson,
};

/** `validate`. */
export const validationViews: ViewsOf<'validation', ValidationView> = {
  text: async () => (await import('../report/validation.ts')).validationAsText,
  json: async () => (await import('../report/validation.ts')).validationAsJson,
  github: async () => (await import('../report/validation-github.ts')).validationAsGithub,
  sarif: async () => (await import('../report/sarif.ts')).validationAsSarif,
  junit: async () => (await import('../report/validation-junit.ts')).validationAsJunit,
};

/** `report merge`. */
export const reportViews: ViewsOf<'report', View<JoinedReport>> = {
  text: async () => (await import('../report/joined-report.ts')).joinedReportText,
  json: async () => (await import('../report/joined-report.ts')).joinedReportJson,
};

/** `matrix`. */
export const matrixViews: ViewsOf<'matrix', View<readonly MatrixShard[]>> = {
  text: async () => (await import('../report/matrix.ts')).matrixText,
  json: async () => (await import('../report/matrix.ts')).matrixJson,
  github: async () => (await import('../report/matrix.ts')).matrixGithub,
  gitlab: async () => (await import('../report/matrix.ts')).matrixGitlab,
};

/** `explain`. */
export const explainViews: ViewsOf<'explanation', View<Explanation>> = {
  text: async () => (await import('../report/explanation.ts')).explanationText,
  json: async () => (await import('../report/explanation.ts')).explanationJson,
};

/** `list`. */
export const listViews: ViewsOf<'list', View<ObjectList>> = {
  text: async () => (await import('../report/object-list.ts')).objectListText,
  json: async () => (await import('../report/object-list.ts')).objectListJson,
  names: async () => (await import('../report/object-list.ts')).objectNames,
};

/** `doctor`. */
export const doctorViews: ViewsOf<'checkup', View<Checkup>> = {
  text: async () => (await import('../report/doctor.ts')).checkupText,
  json: async () => (await import('../report/doctor.ts')).checkupJson,
};

/** `graph`. */
export const graphViews: ViewsOf<'graph', View<Graph>> = {
  mermaid: async () => (await import('../report/graph/mermaid.ts')).mermaidGraph,
  dot: async () => (await import('../report/graph/dot.ts')).dotGraph,
  svg: async () => (await import('../report/graph/svg.ts')).svgGraph,
  html: async () => (await import('../report/graph/html.ts')).htmlGraph,
  json: async () => (await import('../report/graph/graph-json.ts')).graphJson,
};
