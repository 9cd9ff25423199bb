import type { ExportReport } from '../../run/export/export-into.ts';
import { countOf } from '../../util/count.ts';
import { asText, heading, type Report } from '../blocks.ts';
import { safeText } from '../text/safe-text.ts';
import type { View } from '../view.ts';
import { changeSections, reported } from './acceptance.ts';

export const exportReport: Report<ExportReport> = {
  document: (report) => {
    const { merge, files } = report;
    const end = [heading(closing(report))];
    if (merge !== undefined) return [...changeSections(merge, 'Not written'), end];
    const signs = { created: '+', updated: '~', unchanged: ' ', shown: ' ' } as const;
    const items = files.map(({ file = '', action }) => ({
      line: `${signs[action]} ${file}${action === 'unchanged' ? '  unchanged' : ''}`,
    }));
    return [[{ type: 'list', items }], end];
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

export function leftOutText({ leftOut }: Pick<ExportReport, 'leftOut'>): string {
  if (leftOut.length === 0) return '';
  const lines = leftOut.map(({ what, reason }) => `  ${safeText(what)}: ${safeText(reason)}`);
  return ['Not exported:', ...lines].join('\n');
}

function closing({ merge, dryRun, files, objects, organization }: ExportReport): string {
  const what = `${countOf(objects, 'object')} of ${organization.title}`;
  const empty = merge?.isEmptyPlan === false ? '' : ' A plan of them is empty.';
  const done = `${dryRun ? 'Would export' : 'Exported'} ${what}`;
  const { accepted = [], refused = [] } = merge === undefined ? {} : reported(merge);
  const changed = files.filter(({ action }) => action !== 'unchanged').length;
  if ((merge === undefined ? changed : accepted.length + refused.length) === 0) {
    const nothing = `${what} in ${countOf(files.length, 'file')}: nothing to write.`;
    return merge === undefined ? nothing : nothing + empty;
  }
  if (merge === undefined) return `${done} to ${countOf(changed, 'file')}.${empty}`;
  const left = refused.length === 0 ? '' : `, ${countOf(refused.length, 'difference')} not written`;
  const written = `${countOf(accepted.length, 'difference')} written to ${countOf(merge.files.length, 'file')}`;
  return `${done}: ${written}${left}.${empty}`;
}
