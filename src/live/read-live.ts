/**
 * Reads the live state of one organization, as far as the manifests speak of it: only declared collections, each list
 * once, lists in parallel. It decides nothing: which live object is which desired one is the planner's work.
 */
import type { Api } from '../contract/api.ts';
import type { Registry } from '../kinds/registry.ts';
import { type DesiredTree, rootAddress } from '../tree/desired.ts';
import type { LiveTree } from '../tree/live.ts';
import { unionTree } from '../tree/union-tree.ts';
import { findOrganization } from './find-organization.ts';
import { LiveReader } from './reader.ts';

/** Options of a read. */
export interface ReadOptions {
  readonly registry: Registry;
  /** Manifests of another time, of which the live objects are needed as well. */
  readonly base?: DesiredTree;
  /** Called once for each request, for progress. */
  readonly onRead?: (what: string) => void;
}

/**
 * Reads what the manifests of one organization declare.
 *
 * @throws DiagnosticError when the organization is not found or found twice; ApiError when a request fails.
 */
export async function readLive(api: Api, tree: DesiredTree, options: ReadOptions): Promise<LiveTree> {
  const root = tree.nodes.get(rootAddress);
  const remote = await findOrganization(api, tree, root?.at);
  const reader = new LiveReader(api, unionTree(tree, options.base), options);
  return reader.read(remote);
}
