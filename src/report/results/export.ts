import type { ExportMerge, ExportReport } from '../../run/export/export-report.ts';
import { countOf } from '../../util/count.ts';
import { asText, heading, type Report } from '../blocks.ts';
import { safeText } from '../text/safe-text.ts';
import type { View } from '../view.ts';
import { changeSections, reported } from './acceptance.ts';

export const exportReport: Report<ExportReport> = {
  document: (report) => {
    const { merge, files } = report;
    if (merge !== undefined)
      return [...changeSections(merge, 'Not written'), [heading(mergeClosing(report, merge))]];
    const signs = { created: '+', updated: '~', unchanged: ' ', shown: ' ' } as const;
    const items = files.map(({ file = '', action }) => ({
      line: `${signs[action]} ${file}${action === 'unchanged' ? '  unchanged' : ''}`,
    }));
    return [[{ type: 'list', items }], [heading(closing(report))]];
  },
  data: ({ merge, ...report }) => {
    const { accepted = [], refused = [] } = merge === undefined ? {} : reported(merge);
    const { isEmptyPlan = true } = merge ?? {};
    return { format: 1, ...report, emptyPlan: isEmptyPlan, written: accepted, notWritten: refused };
  },
};

/** Prints the manifest itself unless it is written to a file. */
export const exportText: View<ExportReport> = (report, options) => {
  const [first] = report.files;
  return first?.file === undefined ? (first?.text ?? '') : asText(exportReport)(report, options);
};

export function leftOutText({ leftOut }: ExportReport): string {
  if (leftOut.length === 0) return '';
  const lines = leftOut.map(({ what, reason }) => `  ${safeText(what)}: ${safeText(reason)}`);
  return ['Not exported:', ...lines].join('\n');
}

function mergeClosing(report: ExportReport, merge: ExportMerge): string {
  const { files, isEmptyPlan } = merge;
  const { accepted, refused } = reported(merge);
  const { dryRun, objects, organization } = report;
  const what = `${countOf(objects, 'object')} of ${organization.title}`;
  const empty = isEmptyPlan ? ' A plan of them is empty.' : '';
  if (accepted.length + refused.length === 0)
    return `${what} in ${countOf(report.files.length, 'file')}: nothing to write.${empty}`;
  const left = refused.length === 0 ? '' : `, ${countOf(refused.length, 'difference')} not written`;
  const done = `${countOf(accepted.length, 'difference')} written to ${countOf(files.length, 'file')}`;
  return `${dryRun ? 'Would export' : 'Exported'} ${what}: ${done}${left}.${empty}`;
}

function closing({ dryRun, files, objects, organization }: ExportReport): string {
  const changed = files.filter(({ action }) => action !== 'unchanged').length;
  const what = `${countOf(objects, 'object')} of ${organization.title}`;
  if (changed === 0) return `${what} in ${countOf(files.length, 'file')}: nothing to write.`;
  return `${dryRun ? 'Would export' : 'Exported'} ${what} to ${countOf(changed, 'file')}. A plan of them is empty.`;
}
