/** An outline with its values → the texts of manifests: one file, or one for each kind and each site. Pure. */
import type { Registry } from '../../kinds/registry.ts';
import { type Data, type DataMap, isDataMap } from '../../manifest/emit/data.ts';
import {
  collectionsData,
  fieldsData,
  type LeftOutField,
  type LiveDataOptions,
} from '../../manifest/emit/live-data.ts';
import { ReferenceKeys } from '../../manifest/emit/reference-keys.ts';
import { documentText } from '../../manifest/emit/yaml-text.ts';
import { rootAddress } from '../../tree/desired.ts';
import type { LiveNode, LiveTree } from '../../tree/live.ts';
import type { Outline } from './outline.ts';

/** What is written of an outline, and how. */
export interface DocumentOptions {
  readonly registry: Registry;
  readonly live: LiveTree;
  readonly outline: Outline;
  /** True for addresses that are exported; objects around them are named by their id. */
  readonly isSelected: (address: string) => boolean;
  /** Addresses that are written with their id. */
  readonly pinned: ReadonlySet<string>;
  /** Fields that are left out, as `address field`, and why. */
  readonly omitted: ReadonlyMap<string, string>;
  readonly layout: 'one' | 'split';
}

/** A manifest to be written. */
export interface ManifestText {
  /** Relative to the folder of the export, with slashes. */
  readonly name: string;
  readonly text: string;
}

/** The manifests, and what they cannot hold. */
export interface Documents {
  readonly files: readonly ManifestText[];
  readonly leftOut: readonly LeftOutField[];
  /** How many objects they declare, beside the organization. */
  readonly objects: number;
}

/** The file of an export that is not split, where only a folder is named. */
export const wholeName = 'octavo.yaml';

/** Writes everything that is selected. */
export function documentsOf(options: DocumentOptions): Documents {
  const { outline, live, registry, isSelected, layout } = options;
  const leftOut: LeftOutField[] = [];
  const shown = shownNodes(options);
  const addressed = [...shown].map((node) => ({ kind: node.kind, address: outline.addressOf(node) ?? '' }));
  const write: LiveDataOptions = {
    registry,
    live,
    addressOf: (ref) => {
      const node = live.get(ref);
      return node !== undefined && (shown.has(node) || node === outline.root)
        ? outline.addressOf(node)
        : undefined;
    },
    references: new ReferenceKeys(addressed),
    isPinned: (node) => options.pinned.has(outline.addressOf(node) ?? ''),
    isShell: (node) => !isSelected(outline.addressOf(node) ?? ''),
    childrenOf: (node, collection) =>
      outline.childrenOf(node, collection)?.filter((child) => shown.has(child)),
    whyOmitted: (node, field) => options.omitted.get(`${outline.addressOf(node)} ${field}`),
    onLeftOut: (one) => leftOut.push(one),
  };
  const id = outline.root.id;
  const own = isSelected(rootAddress) ? fieldsData(outline.root, write) : new Map<string, Data>();
  const organization: Data = own.size === 0 ? id : new Map<string, Data>([['id', id], ...own]);
  const collections = collectionsData(outline.root, write);
  const files =
    layout === 'one'
      ? [whole(organization, collections)]
      : split(registry, { id, organization, collections });
  return { files, leftOut, objects: shown.size };
}

/** The selected objects, and those around them. */
function shownNodes({ outline, live, isSelected }: DocumentOptions): ReadonlySet<LiveNode> {
  const shown = new Set<LiveNode>();
  for (const node of outline.nodes) {
    if (!isSelected(outline.addressOf(node) ?? '')) continue;
    shown.add(node);
    for (const above of live.ancestorsOf(node)) if (above !== outline.root) shown.add(above);
  }
  return shown;
}

function document(
  name: string,
  organization: Data,
  collections: Iterable<readonly [string, Data]>,
): ManifestText {
  const data = new Map<string, Data>([['octavo', 1], ['organization', organization], ...collections]);
  return { name, text: documentText(data) };
}

function whole(organization: Data, collections: DataMap): ManifestText {
  return document(wholeName, organization, collections);
}

/** One file for the organization itself and for each kind; one for each object whose inside is a whole of its own. */
function split(
  registry: Registry,
  {
    id,
    organization,
    collections,
  }: { readonly id: string; readonly organization: Data; readonly collections: DataMap },
): readonly ManifestText[] {
  const { root } = registry;
  const files =
    organization === id && collections.size > 0 ? [] : [document(`${root.name}.yaml`, organization, [])];
  for (const [key, value] of collections) {
    const isApart = registry.at(root.name, key).some(({ kind }) => kind.navigation === true);
    if (!isApart || !isDataMap(value)) files.push(document(`${key}.yaml`, id, [[key, value]]));
    else
      for (const entry of value)
        files.push(document(`${key}/${entry[0]}.yaml`, id, [[key, new Map([entry])]]));
  }
  return files;
}
