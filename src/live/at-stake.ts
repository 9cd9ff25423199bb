/**
 * Which live objects must be looked into although no manifest speaks of them: those that may be deleted, because of what
 * goes down with them, and those that a new object may have been under another name.
 */
import type { LiveNode } from '../graph/live.ts';
import { isOfSecond, ownAddress } from '../graph/union-tree.ts';
import { isToldApart, pruneOf, type WantNode, type WantTree } from '../graph/want.ts';
import type { Kind } from '../kinds/kind.ts';
import { byLikeness } from '../util/nearest.ts';

/** Objects of one kind that are looked into for what a new one may have been, at most. */
const suspectsAtMost = 8;

/** A node and the wanted objects that it may be, also those of the base. */
export interface Met {
  readonly node: LiveNode;
  readonly wants: readonly WantNode[];
}

/** True for an object that the plan may delete: what stands in it must not go down unseen. */
export function mayLeave(tree: WantTree, kind: Kind, { node, wants }: Met): boolean {
  const policy = pruneOf(tree.settings, kind.name);
  const current = wants.filter((want) => !isOfSecond(want) || tree.nodes.has(ownAddress(want)));
  if (current.length > 0) return current.some((want) => isReplaced(kind, want, node));
  if (policy === 'never' || node.deleted === true) return false;
  return wants.length > 0 || (policy === 'unlisted' && node.incidental !== true);
}

/** True when the manifest asks for what only a new object can have. */
function isReplaced(kind: Kind, want: WantNode, node: LiveNode): boolean {
  return Object.entries(kind.fields).some(
    ([name, { change, reference }]) =>
      change === 'replace' &&
      reference === undefined &&
      want.fields[name] !== undefined &&
      String(want.fields[name]) !== String(node.fields[name]),
  );
}

/** A wanted object that was found nowhere, with the unlisted objects that it may have been. */
export interface Suspicion {
  readonly wants: readonly WantNode[];
  readonly nodes: readonly LiveNode[];
}

/** The objects of one kind that the manifests want and that were not found, and what they may have been. */
export function suspicionOf(wants: readonly WantNode[], met: readonly Met[]): Suspicion {
  const found = new Set(met.flatMap((one) => one.wants));
  const missing = wants.filter((want) => !isOfSecond(want) && !found.has(want) && !isToldApart(want));
  const unlisted = met
    .filter((one) => one.wants.length === 0 && one.node.incidental !== true && one.node.deleted !== true)
    .map(({ node }) => node);
  if (missing.length === 0 || unlisted.length === 0) return { wants: [], nodes: [] };
  const titles = missing.flatMap(({ fields }) => (typeof fields.title === 'string' ? [fields.title] : []));
  const likest = byLikeness(unlisted, (node) => String(node.fields.title ?? node.id), titles);
  return { wants: missing, nodes: likest.slice(0, suspectsAtMost) };
}
