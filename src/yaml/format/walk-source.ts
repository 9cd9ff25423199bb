import type { LineTable } from '../line-table.ts';
import type { PlacedEntry, SourceDocument, SourceNode } from '../source.ts';

export function entriesIn(documents: readonly SourceDocument[]): readonly PlacedEntry[] {
  const found: PlacedEntry[] = [];
  const add = (node: SourceNode | undefined): void => {
    if (node === undefined || !('entries' in node)) return;
    for (const entry of node.entries) {
      found.push({ entry, parent: node });
      add(entry.value);
    }
  };
  for (const { root } of documents) add(root);
  return found;
}

export function nodesIn(documents: readonly SourceDocument[]): readonly SourceNode[] {
  const roots = documents.flatMap(({ root }) => (root === undefined ? [] : [root]));
  return [...roots, ...entriesIn(documents).flatMap(({ entry }) => entry.value ?? [])];
}

/** Line numbers, counted from 1. Spaces in lines that begin inside a scalar are not layout. */
export function linesInScalars(documents: readonly SourceDocument[], lines: LineTable): ReadonlySet<number> {
  const inside = new Set<number>();
  const add = (from: number, to: number): void => {
    const last = lines.placeOf(to).line;
    for (let line = lines.placeOf(from).line + 1; line <= last; line += 1) inside.add(line);
  };
  for (const node of nodesIn(documents)) if (node.type === 'scalar') add(node.from, node.to);
  for (const { entry } of entriesIn(documents))
    if (entry.keyStyle !== undefined) add(entry.keyFrom, entry.keyTo);
  return inside;
}
