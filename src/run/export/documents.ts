/** The texts of exported manifests. */
import type { Registry } from '../../kinds/registry.ts';
import { type Data, type DataMap, isDataMap, literal } from '../../yaml/data.ts';
import { documentText } from '../../yaml/print.ts';

export interface ManifestText {
  /** Relative to the folder of the export, with slashes. */
  readonly name: string;
  readonly text: string;
}

/**
 * One file; or, split, one for the organization itself, each kind, and each object whose contents are a unit, such as a site.
 * `own`: fields of the organization.
 */
export function textsOf(
  { root, at }: Registry,
  layout: 'one' | 'split',
  id: string,
  { own, collections }: { readonly own: DataMap; readonly collections: DataMap },
): readonly ManifestText[] {
  const organization = own.size === 0 ? id : new Map<string, Data>([['id', id], ...own]);
  // Used if only a folder is named.
  if (layout === 'one') return [document('octavo.yaml', organization, collections)];
  const isApart = own.size > 0 || collections.size === 0;
  const files = isApart ? [document(`${root.name}.yaml`, organization, [])] : [];
  for (const [key, value] of collections) {
    const isUnit = at(root.name, key).some(({ kind }) => kind.display.navigation === true);
    if (!isUnit || !isDataMap(value)) files.push(document(`${key}.yaml`, id, [[key, value]]));
    else
      for (const entry of value) {
        // Names that Windows reserves, with any extension.
        const name = entry[0].replace(/^(?:con|prn|aux|nul|(?:com|lpt)[\d¹²³])(?=\.|$)/i, '$&_');
        files.push(document(`${key}/${name}.yaml`, id, [[key, new Map([entry])]]));
      }
  }
  return files;
}

function document(
  name: string,
  organization: Data,
  collections: Iterable<readonly [string, Data]>,
): ManifestText {
  const data = new Map<string, Data>([['octavo', 1], ['organization', organization], ...collections]);
  return { name, text: documentText(literal(data)) };
}
