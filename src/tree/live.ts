/** The live tree: what the service holds, as far as the manifests speak of it, in the same normal form as the desired tree. */
import type { ContainerRef } from '../kinds/kind.ts';
import type { Fields } from '../kinds/payload.ts';

/** One live object. */
export interface LiveNode {
  readonly kind: string;
  readonly id: string;
  /** Ids by parameter name of the object and of everything it stands in. */
  readonly params: Readonly<Record<string, string>>;
  /** The object inside which its kind looks for identities, for example the site of a section. */
  readonly scope: ContainerRef<string>;
  /** The direct parent. */
  readonly container: ContainerRef<string>;
  readonly fields: Fields;
  /** Place in the container, compared with its siblings' ranks; absent where the order cannot be read. */
  readonly rank?: number;
  /** True when the object is deleted and can be restored. */
  readonly deleted?: true;
  /** How much work others have under way inside it; known only where a delete may be at hand. */
  readonly openWork?: number;
  /** True when it was met by the way (inside another answer, by a search) and not in a list of its container. */
  readonly incidental?: true;
}

/** All that was read of one organization. */
export interface LiveTree {
  readonly organizationId: string;
  /** By `kind` and `id` joined with a slash. */
  readonly nodes: ReadonlyMap<string, LiveNode>;
  /** Lists that were read in full, as `kind` and the id of the object they were listed for. */
  readonly listed: ReadonlySet<string>;
}

/** The key of a live object in the tree. */
export function liveKey(kind: string, id: string): string {
  return `${kind}/${id}`;
}
