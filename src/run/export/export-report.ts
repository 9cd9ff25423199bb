import type { Acceptance } from '../write-back/acceptance.ts';

export interface ExportedFile {
  /** Path for display; absent for a manifest on stdout. */
  readonly file?: string;
  /** Past or, in a dry run, planned action. */
  readonly action: 'created' | 'updated' | 'unchanged' | 'shown';
  /** Absent if the file was written. */
  readonly text?: string;
}

export interface ExportReport {
  readonly dryRun: boolean;
  readonly organization: { readonly id: string; readonly title: string };
  readonly files: readonly ExportedFile[];
  readonly objects: number;
  readonly pinned: readonly string[];
  /** Live parts that are not in the manifests, with the reason as a clause. */
  readonly leftOut: readonly { readonly what: string; readonly reason: string }[];
  /** Changes to existing manifests; absent without existing manifests. */
  readonly merge?: ExportMerge;
}

export interface ExportMerge extends Acceptance {
  /** A plan of the resulting manifests is empty. */
  readonly isEmptyPlan: boolean;
}
