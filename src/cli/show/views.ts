/** The views of each result by format, the default first. A format is loaded on first use. */

import type { History, RunDetails } from '../../past/history/history.ts';
import type { ValueHistory } from '../../past/history/value-history.ts';
import type { ApplyView } from '../../report/apply/text.ts';
import type { Report } from '../../report/blocks.ts';
import type { ValidationView } from '../../report/diagnostics/validation.ts';
import type { DigestedPlan } from '../../report/plan/json.ts';
import type { Checkup } from '../../report/results/checkup.ts';
import type { Explanation } from '../../report/results/explanation.ts';
import type { LongView, View } from '../../report/view.ts';
import type { ExportReport } from '../../run/export/export-into.ts';
import type { AccessReview } from '../../run/facts/access-review.ts';
import type { ObjectList } from '../../run/facts/list-objects.ts';
import type { TestResults } from '../../run/testing/run-test.ts';
import type { Acceptance } from '../../run/write-back/acceptance.ts';

export type Views<V> = Readonly<Record<string, () => Promise<V>>>;

export const planViews = {
  text: async () => (await import('../../report/plan/text.ts')).planText,
  json: async () => (await import('../../report/plan/json.ts')).planJson,
  markdown: async () => (await import('../../report/plan/markdown.ts')).planMarkdown,
  html: async () => (await import('../../report/page/plan-page.ts')).planHtml,
  github: async () => (await import('../../report/plan/text.ts')).planGithub,
} satisfies Views<LongView<DigestedPlan>>;

/** Views of a run, whose JSON is written when it ends, with its outcome. */
export const runViews = { ...planViews, json: async () => undefined } satisfies Views<
  LongView<DigestedPlan> | undefined
>;

export const applyViews = {
  text: async () => (await import('../../report/apply/text.ts')).applyAsText,
  json: async () => undefined,
  ndjson: async () => ({ line: (await import('../../report/text/safe-text.ts')).safeJson }),
  markdown: async () => (await import('../../report/apply/markdown.ts')).applyAsMarkdown,
  github: async () => (await import('../../report/apply/text.ts')).applyAsGithub,
} satisfies Views<ApplyView | undefined>;

function documentViews<T>(load: () => Promise<Report<T>>) {
  const blocks = () => import('../../report/blocks.ts');
  return {
    text: async () => (await blocks()).asText(await load()),
    json: async () => (await blocks()).asJson(await load()),
    markdown: async () => (await import('../../report/text/markdown-blocks.ts')).asMarkdown(await load()),
  };
}

export const rehearsalViews = documentViews<DigestedPlan>(
  async () => (await import('../../report/results/rehearsal.ts')).rehearsalReport,
);

export const acceptanceViews = documentViews<Acceptance>(
  async () => (await import('../../report/results/acceptance.ts')).acceptanceReport,
);

export const exportViews = {
  ...documentViews(async () => (await import('../../report/results/export.ts')).exportReport),
  text: async () => (await import('../../report/results/export.ts')).exportText,
} satisfies Views<View<ExportReport>>;

export const historyViews = {
  ...documentViews(async () => (await import('../../report/results/history.ts')).historyReport),
  csv: async () => (await import('../../report/results/history.ts')).historyCsv,
} satisfies Views<View<History | RunDetails | ValueHistory>>;

export const validationViews = {
  text: async () => (await import('../../report/diagnostics/validation.ts')).validationAsText,
  json: async () => (await import('../../report/diagnostics/validation.ts')).validationAsJson,
  markdown: async () => (await import('../../report/diagnostics/validation.ts')).validationAsMarkdown,
  github: async () => (await import('../../report/diagnostics/validation.ts')).validationAsGithub,
} satisfies Views<ValidationView>;

export const testViews = {
  text: async () => (await import('../../report/results/tests.ts')).testsAsText,
  json: async () => (await import('../../report/results/tests.ts')).testsAsJson,
  github: async () => (await import('../../report/results/tests.ts')).testsAsGithub,
} satisfies Views<View<TestResults>>;

export const explainViews = documentViews<Explanation>(
  async () => (await import('../../report/results/explanation.ts')).explanationReport,
);

export const listViews = {
  ...documentViews(async () => (await import('../../report/results/object-list.ts')).objectListReport),
  names: async () => (await import('../../report/results/object-list.ts')).objectNames,
} satisfies Views<View<ObjectList>>;

export const accessViews = {
  ...documentViews(async () => (await import('../../report/results/access-review.ts')).accessReport),
  csv: async () => (await import('../../report/results/access-review.ts')).accessCsv,
  html: async () =>
    (await import('../../report/page/document-page.ts')).asPage(
      (await import('../../report/results/access-review.ts')).accessReport,
      'Access',
    ),
} satisfies Views<View<AccessReview>>;

export const doctorViews = documentViews<Checkup>(
  async () => (await import('../../report/results/checkup.ts')).checkupReport,
);
