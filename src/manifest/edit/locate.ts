/** Finds the entry at a path of a document, and the path at a place; says why one cannot be edited on its own. */
import type { DataPath } from './data.ts';
import type { SourceCollection, SourceDocument, SourceEntry, SourceNode } from './source.ts';

/** Where a path leads. */
export interface Found {
  /** The collection that has, or would have, the last key of the path; undefined for the root. */
  readonly parent: SourceCollection | undefined;
  /** The entry that has the parent as its value; undefined for an entry of the root. */
  readonly above: SourceEntry | undefined;
  readonly entry: SourceEntry | undefined;
  readonly node: SourceNode | undefined;
}

/** Why a path leads nowhere; `at`: the offset of what is in the way. */
export interface Astray {
  readonly reason: string;
  readonly at: number;
}

/** Follows a path. The last key need not be there. */
export function locate(document: SourceDocument, path: DataPath): Found | Astray {
  let found: Found = { parent: undefined, above: undefined, entry: undefined, node: document.root };
  for (const [index, key] of path.entries()) {
    const next = follow(document, found, key);
    if (isAstray(next)) return next;
    if (next.entry === undefined && index < path.length - 1) {
      const isMerged = next.parent?.entries.some((one) => one.key === '<<') === true;
      const reason = isMerged ? 'it comes from a merge key (<<)' : notHere;
      return { reason, at: next.parent?.from ?? 0 };
    }
    found = next;
  }
  return found;
}

const notHere = 'its parent is not written here';

function follow(document: SourceDocument, { node, entry }: Found, key: string | number): Found | Astray {
  const at = node?.from ?? entry?.from ?? 0;
  const closed = whyClosed(document, node);
  if (closed !== undefined) return { reason: closed, at };
  if (node === undefined || !('entries' in node)) return { reason: notHere, at };
  const next = node.entries.find((one) => one.key === key);
  if (next?.odd !== undefined) return { reason: next.odd, at: next.from };
  return { parent: node, above: entry, entry: next, node: next?.value };
}

/** Why others would change along with what is inside a node; undefined where none would. */
export function whyClosed(document: SourceDocument, node: SourceNode | undefined): string | undefined {
  if (node === undefined) return undefined;
  if (node.type === 'alias') return `it is the alias *${node.name}, shared with others`;
  if (node.anchor !== undefined && document.aliased.has(node.anchor))
    return `it has the anchor &${node.anchor}, which *${node.anchor} uses elsewhere`;
  if (node.tag !== undefined) return `it has the tag ${node.tag}`;
  if (
    node.type === 'scalar' &&
    typeof node.value === 'string' &&
    /^\$\{(?:json|yaml):[^{}]*\}$/.test(node.value)
  )
    return 'it is included from another file';
  return undefined;
}

/** Says that a path leads nowhere. */
export function isAstray(located: Found | Astray): located is Astray {
  return 'reason' in located;
}

/** The document and the path of the entry whose key, or whose value, begins at an offset. */
export function pathAt(
  documents: readonly SourceDocument[],
  offset: number,
): { readonly document: number; readonly path: DataPath } | undefined {
  for (const [index, { root }] of documents.entries()) {
    const path = root === undefined ? undefined : pathIn(root, offset);
    if (path !== undefined) return { document: index, path };
  }
  return undefined;
}

function pathIn(node: SourceNode, offset: number): DataPath | undefined {
  if (!('entries' in node)) return node.from === offset ? [] : undefined;
  for (const entry of node.entries) {
    const inner = offset < entry.from || offset > entry.to ? undefined : pathInEntry(entry, offset);
    if (inner !== undefined) return inner;
  }
  return node.from === offset ? [] : undefined;
}

/** A mapping begins where its first key does; the place of a key means the entry. */
function pathInEntry({ key, keyFrom, value }: SourceEntry, offset: number): DataPath | undefined {
  if (typeof key === 'string' && keyFrom === offset) return [key];
  const inner = value === undefined ? undefined : pathIn(value, offset);
  return inner === undefined ? undefined : [key, ...inner];
}
