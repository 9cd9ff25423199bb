import { countOf } from '../../util/count.ts';
import { asText, heading, type Report } from '../blocks.ts';
import { safeText } from '../text/safe-text.ts';
import type { View } from '../view.ts';
import { type Acceptance, changeSections } from './acceptance.ts';

export interface ExportedFile {
  /** As shown to people; absent for a manifest on stdout. */
  readonly file?: string;
  /** For a dry run, the action that would be taken. */
  readonly action: 'created' | 'updated' | 'unchanged' | 'shown';
  /** Absent if it was written. */
  readonly text?: string;
}

export interface ExportReport {
  readonly dryRun: boolean;
  readonly organization: { readonly id: string; readonly title: string };
  readonly files: readonly ExportedFile[];
  readonly objects: number;
  readonly pinned: readonly string[];
  /** Live parts that are not in the manifests, each with the reason as a clause. */
  readonly leftOut: readonly { readonly what: string; readonly reason: string }[];
  /** Changes of existing manifests; absent if there were none. */
  readonly merge?: ExportMerge;
}

/** An export into existing manifests. */
export interface ExportMerge extends Acceptance {
  /** A plan of the resulting manifests is empty. */
  readonly isEmptyPlan: boolean;
}

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
    const { accepted = [], refused = [], isEmptyPlan = true } = merge ?? {};
    return { format: 1, ...report, emptyPlan: isEmptyPlan, written: accepted, notWritten: refused };
  },
};

/** The manifest itself if it is not written to a file. */
export const exportText: View<ExportReport> = (report, options) => {
  const [first] = report.files;
  return first?.file === undefined ? (first?.text ?? '') : asText(exportReport)(report, options);
};

export function leftOutText({ leftOut }: ExportReport): string {
  if (leftOut.length === 0) return '';
  const lines = leftOut.map(({ what, reason }) => `  ${safeText(what)}: ${safeText(reason)}`);
  return ['Not exported:', ...lines].join('\n');
}

function mergeClosing(report: ExportReport, { accepted, refused, files, isEmptyPlan }: ExportMerge): string {
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
