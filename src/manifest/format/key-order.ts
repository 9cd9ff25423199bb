/** Keys in the order of the reference: those of a document, and those of each object. What has an order of its own keeps it. */
import type { Kind } from '../../kinds/kind.ts';
import type { Registry } from '../../kinds/registry.ts';
import type { DataPath } from '../edit/data.ts';
import { editText, type TextEdit } from '../edit/edit-text.ts';
import { readSource, type SourceCollection, type SourceDocument, type SourceNode } from '../edit/source.ts';

const documentKeys = ['$schema', 'octavo', 'overlay', 'organization', 'settings'];
const commonKeys = ['id', 'was', 'lifecycle'];

/** The text with its keys in order. Mappings with aliases, or anchors that these use, stay as they are. */
export function orderKeys(text: string, registry: Registry): string | undefined {
  const documents = readSource(text);
  if (documents === undefined) return undefined;
  const edits = documents.flatMap((document, index) => new KeyOrder(document, registry).edits(index));
  return edits.length === 0 ? text : editText(text, edits).text;
}

class KeyOrder {
  readonly #document: SourceDocument;
  readonly #registry: Registry;
  readonly #edits: { readonly path: DataPath; readonly keys: readonly string[] }[] = [];

  constructor(document: SourceDocument, registry: Registry) {
    this.#document = document;
    this.#registry = registry;
  }

  /** Inner mappings first: an outer one moves them as they are then. */
  edits(document: number): readonly TextEdit[] {
    const { root } = this.#document;
    if (root?.type !== 'map' || !root.entries.some(({ key }) => key === 'octavo')) return [];
    const { root: organization } = this.#registry;
    this.#inside(organization, root, []);
    const own = root.entries.find(({ key }) => key === 'organization')?.value;
    if (own?.type === 'map')
      this.#order(own, ['organization'], ['id', 'match', 'lifecycle', ...Object.keys(organization.fields)]);
    this.#order(root, [], [...documentKeys, ...this.#registry.collectionsOf(organization.name)]);
    return this.#edits.map((edit) => ({ document, type: 'order', ...edit }));
  }

  #object(kind: Kind, node: SourceNode | undefined, path: DataPath): void {
    if (node?.type !== 'map' || kind.whole !== undefined) return;
    this.#inside(kind, node, path);
    const collections = this.#registry.collectionsOf(kind.name);
    this.#order(node, path, [...commonKeys, ...Object.keys(kind.fields), ...collections]);
  }

  #inside(kind: Kind, node: SourceCollection, path: DataPath): void {
    for (const collection of this.#registry.collectionsOf(kind.name)) {
      const value = node.entries.find(({ key }) => key === collection)?.value;
      if (value?.type !== 'map') continue;
      const places = this.#registry.at(kind.name, collection);
      const own = [...path, collection];
      if (places[0]?.place.shape === 'single') {
        this.#object(places[0].kind, value, own);
        continue;
      }
      for (const { key, value: child } of value.entries) {
        const marked = places.find(
          ({ kind: one }) =>
            one.marker !== undefined &&
            child?.type === 'map' &&
            child.entries.some((entry) => entry.key === one.marker),
        );
        const chosen = marked ?? places.find(({ kind: one }) => one.marker === undefined);
        if (chosen !== undefined) this.#object(chosen.kind, child, [...own, key]);
      }
    }
  }

  #order(node: SourceCollection, path: DataPath, known: readonly string[]): void {
    const keys = node.entries.map(({ key }) => String(key));
    const place = (key: string) => (known.includes(key) ? known.indexOf(key) : known.length);
    const sorted = [...keys].sort((left, right) => place(left) - place(right));
    const isSorted = sorted.every((key, index) => key === keys[index]);
    if (isSorted || new Set(keys).size < keys.length || this.#isShared(node)) return;
    if (node.entries.some(({ odd }) => odd !== undefined)) return;
    this.#edits.push({ path, keys: sorted });
  }

  /** True where an alias could come before its anchor. */
  #isShared(node: SourceNode | undefined): boolean {
    if (node === undefined) return false;
    if (node.type === 'alias') return true;
    if (node.anchor !== undefined && this.#document.aliased.has(node.anchor)) return true;
    return 'entries' in node && node.entries.some(({ value }) => this.#isShared(value));
  }
}
