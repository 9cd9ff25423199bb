/**
 * Which live objects must be looked into although no manifest speaks of them: those that may be deleted, because of what
 * goes down with them, and those that a new object may have been under another name.
 */

import type { Kind } from '../kinds/kind.ts';
import { type DesiredNode, type DesiredTree, isToldApart } from '../tree/desired.ts';
import type { LiveNode } from '../tree/live.ts';
import { pruneOf } from '../tree/settings.ts';
import { isOfSecond, ownAddress } from '../tree/union-tree.ts';
import { byLikeness } from '../util/nearest.ts';

/** Objects of one kind that are looked into for what a new one may have been, at most. */
const suspectsAtMost = 8;

/** A node and the desired objects that it may be, also those of the base. */
export interface Met {
  readonly node: LiveNode;
  readonly desiredNodes: readonly DesiredNode[];
}

/** True for an object that the plan may delete: what stands in it must not go down unseen. */
export function mayLeave(tree: DesiredTree, kind: Kind, { node, desiredNodes }: Met): boolean {
  const policy = pruneOf(tree.settings, kind.name);
  const current = desiredNodes.filter(
    (desired) => !isOfSecond(desired) || tree.nodes.has(ownAddress(desired)),
  );
  if (current.length > 0) return current.some((desired) => isReplaced(kind, desired, node));
  if (policy === 'never' || node.deleted === true) return false;
  return desiredNodes.length > 0 || (policy === 'unlisted' && node.incidental !== true);
}

/** True when the manifest asks for what only a new object can have. */
function isReplaced(kind: Kind, desired: DesiredNode, node: LiveNode): boolean {
  return Object.entries(kind.fields).some(
    ([name, { change, reference }]) =>
      change === 'replace' &&
      reference === undefined &&
      desired.fields[name] !== undefined &&
      String(desired.fields[name]) !== String(node.fields[name]),
  );
}

/** A desired object that was found nowhere, with the unlisted objects that it may have been. */
export interface Suspicion {
  readonly desiredNodes: readonly DesiredNode[];
  readonly nodes: readonly LiveNode[];
}

/** The objects of one kind that the manifests want and that were not found, and what they may have been. */
export function suspicionOf(desiredNodes: readonly DesiredNode[], met: readonly Met[]): Suspicion {
  const found = new Set(met.flatMap((one) => one.desiredNodes));
  const missing = desiredNodes.filter(
    (desired) => !isOfSecond(desired) && !found.has(desired) && !isToldApart(desired),
  );
  const unlisted = met
    .filter(
      (one) => one.desiredNodes.length === 0 && one.node.incidental !== true && one.node.deleted !== true,
    )
    .map(({ node }) => node);
  if (missing.length === 0 || unlisted.length === 0) return { desiredNodes: [], nodes: [] };
  const titles = missing.flatMap(({ fields }) => (typeof fields.title === 'string' ? [fields.title] : []));
  const likest = byLikeness(unlisted, (node) => String(node.fields.title ?? node.id), titles);
  return { desiredNodes: missing, nodes: likest.slice(0, suspectsAtMost) };
}
