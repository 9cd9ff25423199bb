/** What is accepted: which live values go into which manifests, and what became of each. Types alone. */
import type { Workspace } from '../../manifest/load-workspace.ts';
import type { OrganizationPlan } from '../../plan/plan.ts';
import type { DesiredTree } from '../../tree/desired-tree.ts';
import type { LiveNode, LiveTree } from '../../tree/live.ts';
import type { SourceRange } from '../../util/diagnostic.ts';
import type { ManifestSource } from '../workspace.ts';

/** One organization: what its manifests declare, how the live state differs, and the live state itself. */
export interface AcceptedOrganization {
  readonly tree: DesiredTree;
  /** Made from the tree and the live state; differences with another cause than drift are not accepted. */
  readonly plan: OrganizationPlan;
  readonly live: LiveTree;
  /** Addresses of declared objects that are known to be gone, beside those that the plan would create; none by default. */
  readonly gone?: ReadonlySet<string>;
  /** True for live objects that are added with their id; none by default. */
  readonly isPinned?: (node: LiveNode) => boolean;
}

/** What is accepted, of all that differs. */
export interface AcceptScope {
  /** True for addresses whose live values are written. */
  readonly isChosen: (tree: DesiredTree, address: string) => boolean;
  /** True for live objects in no manifest, by their addresses in the plan, that are added. */
  readonly isAdded: (tree: DesiredTree, address: string) => boolean;
  /**
   * What becomes of declared objects that are not live. `told`: they leave the manifests where the plan knows that they were
   * live before, and are refused where it does not. `removed`: they leave the manifests in any case.
   */
  readonly missing: 'told' | 'removed';
  /** `known`: objects are added where their collection is declared. `all`: also to collections that no manifest declares. */
  readonly collections: 'known' | 'all';
}

/** From what the manifests are changed. */
export interface AcceptRequest {
  readonly organizations: readonly AcceptedOrganization[];
  readonly workspace: Workspace;
  readonly source: ManifestSource;
  readonly scope: AcceptScope;
}

/** One difference that manifests get. */
export interface AcceptedChange {
  readonly label: string;
  readonly address: string;
  /** The address that it has afterwards, for an object that moves. */
  readonly now?: string;
  /** For example `title`, `order of sections`, `removed`, `added`. */
  readonly what: string;
  /** Where it is written: the place before the edit. */
  readonly at: SourceRange;
}

/** One difference that manifests do not get, and why. */
export interface RefusedChange {
  readonly label: string;
  readonly address: string;
  readonly what: string;
  /** A clause without a final period. */
  readonly reason: string;
  readonly at?: SourceRange | undefined;
  /** What to do, as one imperative. */
  readonly help?: string | undefined;
}
