/** Builds wanted trees straight from values, for tests of layers that do not read manifests. */
import type { Settings, WantNode, WantTree } from '../../src/graph/want.ts';
import { rootAddress } from '../../src/graph/want.ts';
import type { Kind, Value } from '../../src/kinds/kind.ts';
import { createRegistry, type Registry } from '../../src/kinds/registry.ts';
import { kinds } from '../../src/kinds/index.ts';

/** A manifest document as plain values. */
export type Document = { readonly [key: string]: unknown };

const nowhere = { file: 'test.yaml', line: 1, column: 1, endLine: 1, endColumn: 1 };
const noSettings: Settings = { prune: 'removed', pruneKinds: {}, limits: {}, protect: [] };
const meta = new Set(['id', 'was', 'lifecycle']);

/** The wanted tree of one organization. The document must be valid; nothing is checked here. */
export function treeOf(document: Document, registry: Registry = createRegistry(kinds)): WantTree {
  const nodes = new Map<string, WantNode>();
  const { organization, settings, octavo: _version, ...rest } = document;
  const own = (typeof organization === 'string' ? { id: organization } : organization) as Document;
  const { match: _match, ...fields } = own;
  add(nodes, registry, registry.root, { ...fields, ...rest }, { address: rootAddress, key: '', collection: '', index: 0 });
  return {
    label: String(own.id),
    id: String(own.id),
    settings: { ...noSettings, ...(settings as Partial<Settings> | undefined) },
    nodes,
  };
}

function add(
  nodes: Map<string, WantNode>,
  registry: Registry,
  kind: Kind,
  entry: unknown,
  place: { address: string; key: string; parent?: string; collection: string; index: number },
): void {
  const value = (kind.whole === undefined ? entry : { [kind.whole]: entry }) as Document;
  const collections = registry.collectionsOf(kind.name);
  const fields: Record<string, Value> = {};
  if (kind.key?.is === 'field') fields[kind.key.field] = place.key;
  for (const [name, field] of Object.entries(value)) {
    const known = kind.fields[name];
    if (known === undefined || collections.includes(name)) continue;
    fields[name] = field === null || known.normalize === undefined ? (field as Value) : known.normalize(field as Value);
  }
  const lifecycle = (value.lifecycle ?? {}) as { protect?: boolean; ignore?: string[] };
  nodes.set(place.address, {
    ...place,
    kind: kind.name,
    ...(typeof value.id === 'string' && kind !== registry.root ? { id: value.id } : {}),
    was: [value.was ?? []].flat().map(String),
    lifecycle: { ignore: [], ...lifecycle },
    fields,
    declares: collections.filter((key) => key in value && !meta.has(key)),
    at: nowhere,
    fieldAt: {},
  });
  for (const key of collections) {
    const children = value[key];
    if (children === undefined) continue;
    const options = registry.at(kind.name, key);
    const prefix = place.address === rootAddress ? '' : `${place.address}/`;
    if (options[0]?.place.shape === 'single') {
      add(nodes, registry, options[0].kind, children, { address: `${prefix}${key}`, key, parent: place.address, collection: key, index: 0 });
      continue;
    }
    Object.entries(children as Document).forEach(([childKey, child], index) => {
      const marked = options.find((option) => option.kind.marker !== undefined && option.kind.marker in (child as object));
      const chosen = marked ?? options.find((option) => option.kind.marker === undefined);
      if (chosen === undefined) throw new Error(`nothing stands under ${key}`);
      add(nodes, registry, chosen.kind, child, { address: `${prefix}${key}/${childKey}`, key: childKey, parent: place.address, collection: key, index });
    });
  }
}
