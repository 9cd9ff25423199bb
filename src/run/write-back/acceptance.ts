/** Result of a write-back into the manifests: written and refused changes. */
import type { ReviewedPlan } from '../../review/reviewed-plan.ts';
import type { SourceRange } from '../../util/diagnostic.ts';

export interface WrittenChange {
  readonly label: string;
  readonly address: string;
  /** Examples: `title`, `order of sections`, `removed`, `added`. */
  readonly what: string;
  /** Id of a pinned object. */
  readonly id?: string;
  readonly at?: SourceRange | undefined;
  /** Risks of a change that was made outside git and is now declared. */
  readonly risks?: readonly string[];
}

export interface AcceptedChange extends WrittenChange {
  /** New address of an object that moves. */
  readonly now?: string;
  readonly at: SourceRange;
}

export interface RefusedChange extends WrittenChange {
  /** A clause without a final period. */
  readonly reason: string;
  /** A single imperative sentence. */
  readonly help?: string | undefined;
}

export interface Acceptance {
  readonly dryRun: boolean;
  /** Addresses begin with their organization. */
  readonly several: boolean;
  /** Also or only writes ids. */
  readonly pins?: 'also' | 'only' | undefined;
  /** The plan that would revert the written changes; it contains their values. */
  readonly reverting: ReviewedPlan;
  readonly files: readonly { readonly name: string; readonly before: string; readonly after: string }[];
  readonly accepted: readonly WrittenChange[];
  readonly refused: readonly RefusedChange[];
}
