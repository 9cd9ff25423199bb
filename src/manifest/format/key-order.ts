/** Orders keys of documents and objects as the reference does. Ordered collections keep their order. */
import type { Kind } from '../../kinds/kind.ts';
import { kindWith, type Registry } from '../../kinds/registry.ts';
import type { Data, DataPath } from '../../yaml/data.ts';
import {
  type SourceCollection,
  type SourceDocument,
  type SourceNode,
  sourceData,
} from '../../yaml/source.ts';
import type { SourceTexts } from '../../yaml/source-texts.ts';
import { update } from '../../yaml/update.ts';
import { newKey, templatesKey, untilKey, useKeys } from '../files/paths.ts';
import { bodyKey, bodyKinds } from '../templates/forms.ts';

const documentKeys = ['$schema', 'octavo', 'overlay', templatesKey, ...useKeys, 'organization', 'settings'];
const commonKeys = [newKey, ...useKeys, 'id', 'was', 'lifecycle'];
const templateKeys = ['description', 'inputs'];

/** Keys of an object in their documented order; for the organization, those of a document. */
export function documentedKeys(kind: Kind, registry: Registry): readonly string[] {
  const collections = registry.collectionsOf(kind.name);
  if (kind === registry.root) return [...documentKeys, ...collections];
  const names = Object.keys(kind.fields).map((name) => name.replace(/\..*/, ''));
  return [...commonKeys, ...new Set(names), untilKey, ...collections];
}

export function orderKeys(text: string, texts: SourceTexts, registry: Registry): string | undefined {
  const documents = texts.read(text);
  if (documents === undefined) return undefined;
  const left = new Set<string>();
  for (;;) {
    const wanted = documents.map((document, index) =>
      new KeyOrder(document, registry, (path) => left.has(JSON.stringify([index, path]))).ordered(),
    );
    const { text: now, refused } = update(text, wanted, [], texts);
    const before = left.size;
    for (const { document, path } of refused) left.add(JSON.stringify([document, path]));
    if (left.size === before) return now;
  }
}

class KeyOrder {
  readonly #document: SourceDocument;
  readonly #registry: Registry;
  readonly #isUnformatted: (path: DataPath) => boolean;
  readonly #known = new Map<SourceNode, Data>();

  constructor(document: SourceDocument, registry: Registry, isUnformatted: (path: DataPath) => boolean) {
    this.#document = document;
    this.#registry = registry;
    this.#isUnformatted = isUnformatted;
  }

  ordered(): Data {
    const { root } = this.#document;
    const isManifest = root?.type === 'map' && root.entries.some(({ key }) => key === 'octavo');
    if (!isManifest || this.#isUnformatted([])) return this.#data(root);
    return this.#documentData(root, []);
  }

  #documentData(root: SourceNode | undefined, path: DataPath): Data {
    if (root?.type !== 'map' || this.#isUnformatted(path)) return this.#data(root);
    const { root: organization } = this.#registry;
    const inside = this.#inside(organization, root, path);
    const templates = root.entries.find(({ key }) => key === templatesKey)?.value;
    const ownTemplates = [...path, templatesKey];
    if (templates?.type === 'map' && !this.#isUnformatted(ownTemplates))
      inside.set(templatesKey, this.#templates(templates, ownTemplates));
    const own = root.entries.find(({ key }) => key === 'organization')?.value;
    const ownKeys = ['id', 'match', 'lifecycle', ...Object.keys(organization.fields)];
    if (own?.type === 'map' && !this.#isUnformatted([...path, 'organization']))
      inside.set('organization', this.#mapping(own, ownKeys));
    return this.#mapping(root, documentedKeys(organization, this.#registry), inside);
  }

  #templates({ entries }: SourceCollection, path: DataPath): Data {
    const kinds = new Map(bodyKinds(this.#registry).map((kind) => [bodyKey(kind, this.#registry), kind]));
    return new Map(
      entries.map(({ key, value }) => {
        const own = [...path, key];
        if (value?.type !== 'map' || this.#isUnformatted(own))
          return [String(key), this.#data(value)] as const;
        const bodies = value.entries.flatMap(({ key: name, value: body }) => {
          const kind = kinds.get(String(name));
          if (kind === undefined) return [];
          const at = [...own, name];
          const isWhole = kind === this.#registry.root;
          return [
            [String(name), isWhole ? this.#documentData(body, at) : this.#object(kind, body, at)] as const,
          ];
        });
        return [String(key), this.#mapping(value, templateKeys, new Map(bodies))] as const;
      }),
    );
  }

  #data(node: SourceNode | undefined): Data {
    return sourceData(node, this.#known);
  }

  #object(kind: Kind, node: SourceNode | undefined, path: DataPath): Data {
    if (node?.type !== 'map' || kind.manifest.whole !== undefined || this.#isUnformatted(path))
      return this.#data(node);
    return this.#mapping(node, documentedKeys(kind, this.#registry), this.#inside(kind, node, path));
  }

  #inside(kind: Kind, node: SourceCollection, path: DataPath): Map<string, Data> {
    const inside = new Map<string, Data>();
    for (const collection of this.#registry.collectionsOf(kind.name)) {
      const value = node.entries.find(({ key }) => key === collection)?.value;
      const own = [...path, collection];
      if (value?.type !== 'map' || this.#isUnformatted(own)) continue;
      const places = this.#registry.at(kind.name, collection);
      if (places[0]?.place.shape === 'single') {
        inside.set(collection, this.#object(places[0].kind, value, own));
        continue;
      }
      const kinds = places.map((place) => place.kind);
      const entries = value.entries.map(({ key, value: child }): [string, Data] => {
        const has = (name: string) =>
          child?.type === 'map' && child.entries.some((entry) => entry.key === name);
        const chosen = kindWith(kinds, has);
        return [
          String(key),
          chosen === undefined ? this.#data(child) : this.#object(chosen, child, [...own, key]),
        ];
      });
      inside.set(collection, new Map(entries));
    }
    return inside;
  }

  #mapping(
    node: SourceCollection,
    known: readonly string[],
    inside: ReadonlyMap<string, Data> = new Map(),
  ): Data {
    const entries = node.entries.map(({ key, value }): [string, Data] => [
      String(key),
      inside.get(String(key)) ?? this.#data(value),
    ]);
    const isFixed =
      new Set(entries.map(([key]) => key)).size < entries.length ||
      node.entries.some(({ odd }) => odd !== undefined) ||
      this.#isShared(node);
    const place = (key: string) => (known.includes(key) ? known.indexOf(key) : known.length);
    return new Map(isFixed ? entries : entries.sort(([left], [right]) => place(left) - place(right)));
  }

  /** True if reordering could put an alias before its anchor. */
  #isShared(node: SourceNode | undefined): boolean {
    if (node === undefined) return false;
    if (node.type === 'alias') return true;
    if (node.anchor !== undefined && this.#document.aliased.has(node.anchor)) return true;
    return 'entries' in node && node.entries.some(({ value }) => this.#isShared(value));
  }
}
