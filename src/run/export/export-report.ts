import type { Acceptance } from '../write-back/acceptance.ts';
import type { Exported } from './export.ts';

export interface ExportedFile {
  /** Path for display; absent for a manifest on stdout. */
  readonly file?: string;
  /** Past or, in a dry run, planned action. */
  readonly action: 'created' | 'updated' | 'unchanged' | 'shown';
  /** Absent if the file was written. */
  readonly text?: string;
}

export interface ExportReport extends Omit<Exported, 'files'> {
  readonly dryRun: boolean;
  readonly files: readonly ExportedFile[];
  /** Changes to existing manifests; absent without existing manifests. */
  /** `isEmptyPlan`: a plan of the resulting manifests is empty. */
  readonly merge?: Acceptance & { readonly isEmptyPlan: boolean };
}
