/** Examples for explanations: one field at its place in a manifest, as YAML. Pure. */
import type { Kind } from '../../kinds/kind.ts';
import type { Registry } from '../../kinds/registry.ts';
import { sampleKeyOf } from '../../kinds/sample-key.ts';
import { dataOf, isDataMap } from '../../manifest/emit/data.ts';
import { entriesText } from '../../manifest/emit/yaml-text.ts';

/** A manifest's lines with this field alone. */
export function exampleOf(registry: Registry, kind: Kind, name: string): string {
  const field = kind.fields[name];
  const value = field === undefined ? undefined : field.example;
  const isKey = kind.key?.is === 'field' && kind.key.field === name;
  const own = kind.whole === name ? value : isKey ? {} : { [name]: value };
  return yamlText(placed(registry, kind, own));
}

/** A value where an object of the kind is in a manifest. */
export function placed(registry: Registry, kind: Kind, value: unknown): unknown {
  const [place] = kind.places;
  if (place === undefined) return { [kind.name]: value };
  const held = { [place.key]: place.shape === 'map' ? { [sampleKeyOf(kind)]: value } : value };
  return place.parent === registry.root.name ? held : placed(registry, registry.byName(place.parent), held);
}

/** A mapping as people write it. */
export function yamlText(value: unknown): string {
  const data = dataOf(value);
  return isDataMap(data) ? entriesText(data, 0) : '';
}
