/** What export wrote or would write, and what is live and not in it, as text and as JSON. Pure. */
import { countOf } from '../util/count.ts';
import { stableStringify } from '../util/json.ts';
import { type Acceptance, changeLines } from './acceptance.ts';
import type { TextOptions } from './plan-text.ts';
import { safeJson, safeText } from './safe-text.ts';
import { makeStyle } from './style.ts';

/** A manifest of an export. */
export interface ExportedFile {
  /** As people see it; absent for a manifest that goes to stdout. */
  readonly file?: string;
  /** What happened to the file, or would happen. */
  readonly action: 'created' | 'updated' | 'unchanged' | 'shown';
  /** Absent where it was written. */
  readonly text?: string;
}

/** What an export did, or would do. */
export interface ExportReport {
  readonly dryRun: boolean;
  readonly organization: { readonly id: string; readonly title: string };
  readonly files: readonly ExportedFile[];
  /** Objects that the manifests declare, beside the organization. */
  readonly objects: number;
  /** Addresses that have an id. */
  readonly pinned: readonly string[];
  /** What is or may be live and is not in the manifests, and why: a clause. */
  readonly leftOut: readonly { readonly what: string; readonly reason: string }[];
  /** What was changed in manifests that were there; absent where there were none. */
  readonly merge?: ExportMerge;
}

/** An export into manifests that were there. */
export interface ExportMerge extends Acceptance {
  /** True where a plan of the manifests, as they are now or would be, is empty. */
  readonly isEmptyPlan: boolean;
}

/** The manifest itself where it goes to no file; else the files and a sentence that sums up. Ends with a line break. */
export function exportText(report: ExportReport, { color }: Pick<TextOptions, 'color'>): string {
  const [first] = report.files;
  if (first?.file === undefined) return first?.text ?? '';
  const style = makeStyle({ color });
  const { merge } = report;
  if (merge !== undefined) {
    const changes = changeLines(merge, style, 'Not written');
    return `${[...changes, style.strong(mergeClosing(report, merge))].join('\n')}\n`;
  }
  const signs = { created: '+', updated: '~', unchanged: ' ', shown: ' ' } as const;
  const lines = report.files.map(
    ({ file = '', action }) =>
      `  ${signs[action]} ${safeText(file)}${action === 'unchanged' ? '  unchanged' : ''}`,
  );
  return `${[...lines, '', style.strong(closing(report))].join('\n')}\n`;
}

/** What is not in the manifests, one line each; empty where nothing is known of. */
export function leftOutText({ leftOut }: ExportReport): string {
  if (leftOut.length === 0) return '';
  const lines = leftOut.map(({ what, reason }) => `  ${safeText(what)}: ${safeText(reason)}`);
  return ['Not exported:', ...lines].join('\n');
}

/** The same as JSON, with keys in a fixed order; ends with a line break. */
export function exportJson({ merge, ...report }: ExportReport): string {
  const { accepted = [], refused = [], isEmptyPlan = true } = merge ?? {};
  const document = { format: 1, ...report, emptyPlan: isEmptyPlan, written: accepted, notWritten: refused };
  return safeJson(`${stableStringify(document, 2)}\n`);
}

function mergeClosing(report: ExportReport, { accepted, refused, files, isEmptyPlan }: ExportMerge): string {
  const { dryRun, objects, organization } = report;
  const what = `${countOf(objects, 'object')} of ${safeText(organization.title)}`;
  const empty = isEmptyPlan ? ' A plan of them is empty.' : '';
  if (accepted.length + refused.length === 0)
    return `${what} in ${countOf(report.files.length, 'file')}: nothing to write.${empty}`;
  const left = refused.length === 0 ? '' : `, ${countOf(refused.length, 'difference')} not written`;
  const done = `${countOf(accepted.length, 'difference')} written to ${countOf(files.length, 'file')}`;
  return `${dryRun ? 'Would export' : 'Exported'} ${what}: ${done}${left}.${empty}`;
}

function closing({ dryRun, files, objects, organization }: ExportReport): string {
  const changed = files.filter(({ action }) => action !== 'unchanged').length;
  const what = `${countOf(objects, 'object')} of ${safeText(organization.title)}`;
  if (changed === 0) return `${what} in ${countOf(files.length, 'file')}: nothing to write.`;
  return `${dryRun ? 'Would export' : 'Exported'} ${what} to ${countOf(changed, 'file')}. A plan of them is empty.`;
}
