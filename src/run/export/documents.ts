/** Turns an outline with its values into the texts of manifests: one file, or one for each kind and each site. */
import type { Registry } from '../../kinds/registry.ts';
import {
  collectionsData,
  fieldsData,
  type LeftOutField,
  type LiveDataOptions,
  ReferenceKeys,
} from '../../manifest/emit/live-data.ts';
import { prefixesOf } from '../../tree/addressing.ts';
import { rootAddress } from '../../tree/desired.ts';
import type { LiveTree } from '../../tree/live.ts';
import type { ObjectRef } from '../../tree/refs.ts';
import { type Data, type DataMap, isDataMap, literal } from '../../yaml/data.ts';
import { documentText } from '../../yaml/print.ts';
import type { Outline } from './outline.ts';

interface DocumentOptions {
  readonly registry: Registry;
  readonly live: LiveTree;
  readonly outline: Outline;
  /** Parents of selected objects are also written, but only with their ids. */
  readonly isSelected: (address: string) => boolean;
  readonly pinned: ReadonlySet<string>;
  readonly omitted: ReadonlyMap<string, string>;
  readonly layout: 'one' | 'split';
}

export interface ManifestText {
  /** Relative to the folder of the export, with slashes. */
  readonly name: string;
  readonly text: string;
}

/** Used if only a folder is named. */
export const wholeName = 'octavo.yaml';

export function documentsOf(options: DocumentOptions) {
  const { outline, live, registry, isSelected, layout } = options;
  const leftOut: LeftOutField[] = [];
  const open = new Set([...outline.objects.keys()].filter(isSelected).flatMap(prefixesOf));
  const shown = [...outline.objects].filter(([address]) => open.has(address));
  const addressOf = (ref: ObjectRef) => {
    const address = outline.addressOf(ref);
    return address === rootAddress || open.has(address ?? '') ? address : undefined;
  };
  const write: LiveDataOptions = {
    registry,
    live,
    addressOf,
    references: new ReferenceKeys(shown.map(([address, { kind }]) => ({ kind, address }))),
    isPinned: (node) => options.pinned.has(addressOf(node) ?? ''),
    isShell: (node) => !isSelected(addressOf(node) ?? ''),
    childrenOf: (node, collection) =>
      outline.childrenOf(node, collection)?.filter((child) => addressOf(child) !== undefined),
    whyOmitted: (node, field) => options.omitted.get(`${addressOf(node)} ${field}`),
    onLeftOut: (one) => leftOut.push(one),
  };
  const id = outline.root.id;
  const own = isSelected(rootAddress) ? fieldsData(outline.root, write) : new Map<string, Data>();
  const organization: Data = own.size === 0 ? id : new Map<string, Data>([['id', id], ...own]);
  const collections = collectionsData(outline.root, write);
  const files =
    layout === 'one'
      ? [document(wholeName, organization, collections)]
      : split(registry, id, organization, collections);
  // The organization does not count.
  return { files, leftOut, objects: shown.length };
}

function document(
  name: string,
  organization: Data,
  collections: Iterable<readonly [string, Data]>,
): ManifestText {
  const data = new Map<string, Data>([['octavo', 1], ['organization', organization], ...collections]);
  return { name, text: documentText(literal(data)) };
}

/** Makes one file for the organization itself, each kind, and each object whose contents are a unit, such as a site. */
function split(
  registry: Registry,
  id: string,
  organization: Data,
  collections: DataMap,
): readonly ManifestText[] {
  const { root } = registry;
  const files =
    organization === id && collections.size > 0 ? [] : [document(`${root.name}.yaml`, organization, [])];
  for (const [key, value] of collections) {
    const isApart = registry.at(root.name, key).some(({ kind }) => kind.display.navigation === true);
    if (!isApart || !isDataMap(value)) files.push(document(`${key}.yaml`, id, [[key, value]]));
    else
      for (const entry of value) {
        // Names that Windows reserves, with any extension.
        const name = entry[0].replace(/^(?:con|prn|aux|nul|(?:com|lpt)[\d¹²³])(?=\.|$)/i, '$&_');
        files.push(document(`${key}/${name}.yaml`, id, [[key, new Map([entry])]]));
      }
  }
  return files;
}
