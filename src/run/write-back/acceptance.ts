/** What a write-back wrote into the manifests, and what it could not write. */
import type { ReviewedPlan } from '../../review/reviewed-plan.ts';
import type { SourceRange } from '../../util/diagnostic.ts';

export interface WrittenChange {
  readonly label: string;
  readonly address: string;
  readonly what: string;
  /** Of an object that is pinned. */
  readonly id?: string;
  readonly at?: SourceRange | undefined;
  /** Of what was done outside git, and is now declared. */
  readonly risks?: readonly string[];
}

export interface Acceptance {
  readonly dryRun: boolean;
  /** Addresses begin with their organization. */
  readonly several: boolean;
  /** Ids are written as well, or alone. */
  readonly pins?: 'also' | 'only' | undefined;
  /** The plan that would revert what is written: it has the values. */
  readonly reverting: ReviewedPlan;
  readonly files: readonly { readonly name: string; readonly before: string; readonly after: string }[];
  readonly accepted: readonly WrittenChange[];
  readonly refused: readonly (WrittenChange & {
    /** A clause without a final period. */
    readonly reason: string;
    readonly help?: string | undefined;
  })[];
}
