/** Which objects get their ids written, and into which files. Pure: looks at trees and at what a plan found live. */

import type { Registry } from '../../kinds/registry.ts';
import { type IdTarget, idEntry } from '../../manifest/insert-ids.ts';
import type { AdoptedObject } from '../../report/adopt-text.ts';
import { type DesiredNode, rootAddress } from '../../tree/desired.ts';
import type { DesiredTree } from '../../tree/desired-tree.ts';

/** An object to pin: its key's place, its live id and how people know it. */
export interface Pin extends IdTarget {
  /** Label of the organization. */
  readonly label: string;
  /** The address in the organization's tree. */
  readonly address: string;
  /** The address as it is shown: led by the label where a run has several organizations. */
  readonly shown: string;
  readonly file: string;
}

/** A pin that is not written, and why: a clause without a final period. */
export interface SkippedPin {
  readonly pin: Pin;
  readonly reason: string;
}

/** What the choice depends on. */
export interface PinOptions {
  readonly trees: readonly DesiredTree[];
  /** Ids of the live counterparts, by address, by label of the organization. */
  readonly ids: ReadonlyMap<string, Readonly<Record<string, string>>>;
  readonly registry: Registry;
  readonly isChosen: (tree: DesiredTree, address: string) => boolean;
  /** Names of the files that may be written; absent where the ids go elsewhere. */
  readonly files?: ReadonlySet<string>;
}

/** The objects without an id of their own that have a live counterpart, and those among them that cannot be written. */
export function choosePins(options: PinOptions): {
  readonly pins: readonly Pin[];
  readonly skipped: readonly SkippedPin[];
} {
  const { files } = options;
  if (files === undefined)
    return { pins: options.trees.flatMap((tree) => pinsIn(options, tree)), skipped: [] };
  const sharers = sharersByPlace(options);
  const pins: Pin[] = [];
  const skipped: SkippedPin[] = [];
  for (const pin of options.trees.flatMap((tree) => pinsIn(options, tree))) {
    const others = (sharers.get(placeOf(pin)) ?? []).filter((other) => other !== pin.shown);
    if (others.length > 0) {
      skipped.push({ pin, reason: `the entry also declares ${others.join(', ')}` });
    } else if (!files.has(pin.file)) {
      skipped.push({ pin, reason: 'the file is included, but is not a manifest or an overlay itself' });
    } else pins.push(pin);
  }
  return { pins, skipped };
}

/** The objects of a tree that have a live counterpart and no id, whether or not it can be written. */
function pinsIn(options: PinOptions, tree: DesiredTree): readonly Pin[] {
  const { label } = tree;
  const known = options.ids.get(label) ?? {};
  return [...tree.nodes.values()].flatMap((node) => {
    const id = Object.hasOwn(known, node.address) ? known[node.address] : undefined;
    if (id === undefined || !needsPin(options.registry, node) || !options.isChosen(tree, node.address))
      return [];
    const { file, line, column } = node.at;
    return [{ label, address: node.address, shown: shown(options, tree, node), file, line, column, id }];
  });
}

/** Objects that are known by their key cannot be mistaken, and need no id. */
function needsPin(registry: Registry, node: DesiredNode): boolean {
  const { idParam, key } = registry.byName(node.kind);
  return node.address !== rootAddress && node.id === undefined && idParam !== undefined && key === undefined;
}

/** The objects declared at one place of the files: aliases, merge keys and included files can make that several. */
function sharersByPlace(options: PinOptions): ReadonlyMap<string, readonly string[]> {
  const sharers = new Map<string, string[]>();
  for (const tree of options.trees) {
    for (const node of tree.nodes.values()) {
      const list = sharers.get(placeOf(node.at)) ?? [];
      list.push(shown(options, tree, node));
      sharers.set(placeOf(node.at), list);
    }
  }
  return sharers;
}

function placeOf({ file, line, column }: Pick<Pin, 'file' | 'line' | 'column'>): string {
  return `${line}:${column}:${file}`;
}

function shown({ trees }: PinOptions, tree: DesiredTree, node: DesiredNode): string {
  return trees.length > 1 ? `${tree.label}/${node.address}` : node.address;
}

/** A pin as reports show it, with the line of its id. */
export function objectOf({ shown: address, id, file }: Pin, line: number): AdoptedObject {
  return { address, id, entry: idEntry(id), file, line };
}
