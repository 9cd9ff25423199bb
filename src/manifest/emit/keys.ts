/**
 * Keys for live objects: their names as one word, in their own script. If objects have the same name, all but the oldest get a
 * suffix derived from their id.
 */

import type { Kind } from '../../kinds/kind.ts';
import { fieldWith, referenceOf } from '../../kinds/parts/field.ts';
import type { Registry } from '../../kinds/registry.ts';
import { type Addressing, isUsableKey, keyOf, keySkeleton } from '../../tree/addressing.ts';
import { rootAddress } from '../../tree/desired.ts';
import type { LiveNode } from '../../tree/live.ts';
import { type ObjectRef, RefMap } from '../../tree/refs.ts';
import { compareTexts } from '../../util/lists.ts';
import { shortHash } from '../../util/short-hash.ts';
import { whyUnwritable } from './unwritable.ts';

/** Length without the suffix that distinguishes equal keys. */
const longest = 48;

export interface Unnamed {
  readonly node: LiveNode;
  readonly reason: string;
}

/**
 * Gives addresses to live objects, parents before children, and returns those that have no key. Keys are unique among siblings, and in
 * the organization for kinds that references name by key alone. Objects that have an address keep it.
 */
export function nameObjects(
  nodes: readonly LiveNode[],
  addressing: Addressing,
  registry: Registry,
): readonly Unnamed[] {
  const chooser = new KeyChooser(registry);
  const open = nodes.filter((node) => !chooser.keep(node, addressing.addressOf(node)));
  // Objects that give others their names get their keys first.
  for (const kind of registry.kinds) {
    const own = open.filter((node) => node.kind === kind.name).sort(byAge);
    for (const node of own) chooser.choose(kind, node);
  }
  for (const node of open) {
    const key = chooser.keys.get(node);
    if (key !== undefined) addressing.name(node, key);
  }
  return chooser.unnamed;
}

/** Lowercase letters and digits of any script, joined by hyphens. May be empty. */
export function keyWord(text: string): string {
  const word = text
    .normalize('NFC')
    .toLowerCase()
    .normalize('NFC')
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, '-')
    .replace(/^[-\p{M}]+|-+$/gu, '');
  const characters = [...word];
  if (characters.length <= longest) return word;
  const cut = characters.slice(0, longest).join('');
  const end = cut.lastIndexOf('-');
  return end > longest / 2 ? cut.slice(0, end) : cut;
}

class KeyChooser {
  readonly keys = new RefMap<string>();
  readonly unnamed: Unnamed[] = [];
  readonly #registry: Registry;
  readonly #wide: ReadonlySet<string>;
  readonly #taken = new Set<string>();

  constructor(registry: Registry) {
    this.#registry = registry;
    this.#wide = referredTo(registry);
  }

  keep(node: LiveNode, address: string | undefined): boolean {
    if (address !== undefined) this.#take(node, keyOf(address, this.#registry.byName(node.kind)));
    return address !== undefined;
  }

  choose(kind: Kind, node: LiveNode): void {
    if (kind.manifest.key !== undefined) {
      this.#takeGiven(kind, node);
      return;
    }
    const word = this.#wordFor(kind, node);
    const hash = shortHash(node.id);
    const first = word === '' || word === rootAddress ? [] : [word];
    const base = word === '' ? keyWord(kind.noun) : word;
    const suffixed = [4, 5, 6, 7].map((length) => `${base}-${hash.slice(0, length)}`);
    let key = [...first, ...suffixed].find((one) => !this.#isTaken(node, one));
    for (let number = 2; key === undefined; number += 1) {
      const numbered = `${base}-${hash}-${number}`;
      if (!this.#isTaken(node, numbered)) key = numbered;
    }
    this.#take(node, key);
  }

  #takeGiven(kind: Kind, node: LiveNode): void {
    const key = kind.manifest.key?.is === 'field' ? node.fields[kind.manifest.key.field] : node.id;
    const reason =
      whyNoKey(kind, key) ?? (this.#isTaken(node, String(key)) ? 'another one has the same key' : undefined);
    if (reason === undefined) this.#take(node, String(key));
    else this.unnamed.push({ node, reason });
  }

  #wordFor(kind: Kind, node: LiveNode): string {
    const identities = kind.identity.by.map(({ field }) => field);
    for (const name of [fieldWith(kind, 'title')?.name ?? '', ...identities]) {
      const value = node.fields[name];
      if (typeof value !== 'string') continue;
      const reference = referenceOf(kind.fields[name]);
      const keys = reference?.kinds.flatMap((one) => this.keys.get({ kind: one, id: value }) ?? []);
      const word = keyWord(keys === undefined ? value : (keys[0] ?? ''));
      if (word !== '') return word;
    }
    return '';
  }

  #isTaken(node: LiveNode, key: string): boolean {
    return this.#slots(node, key).some((slot) => this.#taken.has(slot));
  }

  #take(node: LiveNode, key: string): void {
    this.keys.set(node, key);
    for (const slot of this.#slots(node, key)) this.#taken.add(slot);
  }

  #slots({ kind, container }: LiveNode, key: string): readonly string[] {
    const { manifest } = this.#registry.byName(kind);
    const place = manifest.places.find(({ parent }) => parent === container.kind);
    const skeleton = manifest.key === undefined ? keySkeleton(key) : key;
    const siblings = JSON.stringify([container.kind, container.id, place?.key, skeleton]);
    return this.#wide.has(kind) ? [siblings, `${kind} ${skeleton}`] : [siblings];
  }
}

function referredTo({ kinds }: Registry): ReadonlySet<string> {
  const references = kinds.flatMap(({ fields }) => Object.values(fields).map((field) => referenceOf(field)));
  return new Set(
    references.flatMap((reference) => (reference?.within === 'organization' ? reference.kinds : [])),
  );
}

function whyNoKey(kind: Kind, key: unknown): string | undefined {
  if (typeof key !== 'string' || key === '') return 'the service does not show its key';
  const isUsable = isUsableKey(kind, key) && kind.manifest.keySchema?.().safeParse(key).success !== false;
  return isUsable ? whyUnwritable({ [key]: null }) : `manifests do not take ${JSON.stringify(key)} as a key`;
}

/** Orders objects by age, independent of the order of a list. */
function byAge(left: LiveNode & ObjectRef, right: LiveNode & ObjectRef): number {
  const age = ({ createdAt, id }: LiveNode & ObjectRef) => `${createdAt ?? '9'} ${id}`;
  return compareTexts(age(left), age(right));
}
