/** Random commits: a sequence of edits of a document, each in any of its lists. */
import fc from 'fast-check';
import type { Document } from './arbitrary.ts';

/** Objects by key. */
export type Objects = Record<string, Document>;

/** Keys of lists of objects in manifests. */
const lists = [
  'teams',
  'translations',
  'samlProviders',
  'collections',
  'sites',
  'sections',
  'shareLinks',
  'spaces',
];

/** All lists of a document, from the top down, except the spaces that sites show. */
export function listsOf(document: Document, isTop = true): { key: string; list: Objects; holder: Objects }[] {
  return Object.entries(document).flatMap(([key, value]) => {
    if (!lists.includes(key) || (isTop && key === 'spaces')) return [];
    const list = value as Objects;
    const below = Object.values(list).flatMap((object) => listsOf(object, false));
    return [{ key, list, holder: document as Objects }, ...below];
  });
}

/** Types of edits that swap names or objects. */
export const swapping = ['swap', 'swap', 'swap', 'swap children', 'turn'] as const;
/** All other types of edits. */
export const others = ['set', 'drop', 'drop', 'add', 'key', 'was', 'move', 'reverse', 'undeclare'] as const;

/** Type of an edit. */
type EditType = (typeof swapping)[number] | (typeof others)[number];

/** A random edit. Numbers select among the existing entries. */
export const edit = (types: readonly EditType[]) =>
  fc.record({
    type: fc.constantFrom(...types),
    list: fc.nat(30),
    first: fc.nat(3),
    second: fc.nat(3),
    field: fc.constantFrom('title', 'title', 'path', 'name', 'label', 'space', 'description'),
    value: fc.constantFrom('Red', 'Blue', 'Docs', 'Help', 'Partners', 'First', 'p', 'one', 'Intro', 'Okta'),
  });
/** An edit of a document. */
export type Edit = ReturnType<typeof edit> extends fc.Arbitrary<infer T> ? T : never;

/** Applies an edit if the document has an entry for it. Mutates the document. */
export function change(document: Document, { type, list: at, first, second, field, value }: Edit): void {
  const all = listsOf(document);
  const { list, key: kind, holder } = all[at % Math.max(1, all.length)] ?? {};
  if (list === undefined || kind === undefined || holder === undefined) return;
  const keys = Object.keys(list);
  const key = keys[first % Math.max(1, keys.length)];
  // A different entry, if there are two.
  const other = keys[(first + 1 + (second % Math.max(1, keys.length - 1))) % Math.max(1, keys.length)];
  if (key === undefined || other === undefined) {
    if (type === 'add') list.new = { [nameOf(kind)]: value };
    return;
  }
  const one = list[key] as Objects;
  const two = list[other] as Objects;
  const name = field in one ? field : nameOf(kind);
  switch (type) {
    case 'swap':
      [one[name], two[name]] = [two[name] as Document, one[name] as Document];
      return;
    case 'swap children':
      for (const inner of lists)
        if (inner in one && inner in two)
          [one[inner], two[inner]] = [two[inner] as Document, one[inner] as Document];
      return;
    case 'turn':
      keys
        .map((each) => (list[each] as Objects)[name])
        .forEach((next, index) => {
          (list[keys[(index + 1) % keys.length] ?? ''] as Objects)[name] = next as Document;
        });
      return;
    case 'set':
      (one as Record<string, unknown>)[name] = value;
      return;
    case 'drop':
      delete list[key];
      return;
    case 'add':
      list.new = { ...two, [nameOf(kind)]: value } as Document;
      return;
    case 'key':
    case 'was':
      delete list[key];
      list.other = type === 'was' ? { ...one, was: key } : one;
      return;
    case 'move': {
      const target = all.filter((each) => each.key === kind && each.list !== list)[second]?.list;
      if (target === undefined || key in target) return;
      delete list[key];
      target[key] = one;
      return;
    }
    case 'reverse':
      for (const each of keys.reverse()) {
        const object = list[each] as Document;
        delete list[each];
        list[each] = object;
      }
      return;
    case 'undeclare':
      delete holder[kind];
  }
}

function nameOf(kind: string): string {
  return { shareLinks: 'name', samlProviders: 'label' }[kind] ?? 'title';
}
