import type { Acceptance } from '../write-back/acceptance.ts';

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
