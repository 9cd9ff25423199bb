/**
 * Names of objects in the keys of lists of people and teams. A name refers to a declared entry, else to the object with that name, else to
 * the one with that id. This is the only translation between names and ids.
 */
import type { Field } from '../kinds/parts/field.ts';
import { type Id, mapOf, type Value } from '../kinds/parts/payload.ts';
import type { Registry } from '../kinds/registry.ts';
import { compareTexts } from '../util/lists.ts';
import { rememberedByText } from '../util/remembered.ts';
import { keyOf } from './addressing.ts';
import type { DesiredNode } from './desired.ts';
import type { DesiredTree } from './desired-tree.ts';
import { desiredIdentity, identityValue } from './identity.ts';
import type { LiveNode, LiveTree } from './live.ts';
import type { ObjectRef } from './refs.ts';

export interface NamedObjects {
  readonly desired: DesiredTree;
  readonly live: LiveTree;
  readonly registry: Registry;
  readonly liveOf: (address: string) => LiveNode | undefined;
  readonly addressOf: (ref: ObjectRef) => string | undefined;
  /** Id of a declared object, including new ones. */
  readonly idOf: (address: string) => Id;
}

/** Another tree, whose names may refer to other objects. */
interface Renaming {
  readonly tree: DesiredTree;
  readonly matching: { readonly liveOf: (address: string) => LiveNode | undefined };
}

export class Names {
  readonly #known: NamedObjects;

  constructor(known: NamedObjects) {
    this.#known = known;
  }

  /** The id that a name refers to; for a new object, its address. */
  idOf(kind: string, key: string): Id | undefined {
    const declared = this.#declaredAs(kind, key);
    if (declared !== undefined) return this.#known.idOf(declared.address);
    const live =
      this.#namedOf(kind).get(key)?.id ?? (this.#known.live.has({ kind, id: key }) ? key : undefined);
    const { calls, identity } = this.#known.registry.byName(kind);
    const [name] = identity.by;
    if (live !== undefined || calls.createIsAsync !== true || name === undefined) return live;
    const requested = this.#known.desired
      .ofKind(kind)
      .find(({ fields }) => desiredIdentity(fields, name) === key);
    return requested === undefined ? undefined : this.#known.idOf(requested.address);
  }

  /** Replaces ids in the keys of a value with the names that manifests use. Ids without a live object are dropped. */
  named(field: Field | undefined, value: Value | undefined): Value | undefined {
    const entries = field?.type === 'members' ? mapOf(value) : undefined;
    if (field?.type !== 'members' || entries === undefined) return value;
    const { name, manifest } = this.#known.registry.byName(field.of);
    const moved = this.#movedKeys(name);
    if (manifest.key !== undefined && moved.size === 0) return value;
    const named = Object.entries(entries).flatMap(([id, inner]): (readonly [string, Value])[] => {
      if (manifest.key !== undefined) return [[moved.get(id) ?? id, inner]];
      const live = this.#known.live.get({ kind: name, id });
      return live === undefined ? [] : [[this.#nameOf(live), inner]];
    });
    return Object.fromEntries(named.sort(([left], [right]) => compareTexts(left, right)));
  }

  /** Does the same for a declared value, in which undeclared objects may have their own names or, in an undo, ids. */
  renamed(field: Field | undefined, value: Value, from?: Renaming): Value {
    const entries = field?.type === 'members' ? mapOf(value) : undefined;
    if (field?.type !== 'members' || entries === undefined) return value;
    const { of } = field;
    const isMoved = this.#movedKeys(of).size > 0;
    if (this.#known.registry.byName(of).manifest.key !== undefined && !isMoved) return value;
    const nameFor = (key: string): string => {
      const [former] = from?.tree.keyed(of, key) ?? [];
      const known = former && from?.matching.liveOf(former.address);
      if (known !== undefined) return this.#nameOf(known);
      if (isMoved && this.#declaredAs(of, key) === undefined) return this.#movedKeys(of).get(key) ?? key;
      const id = this.#declaredAs(of, key) === undefined ? this.idOf(of, key) : undefined;
      const live = typeof id === 'string' ? this.#known.live.get({ kind: of, id }) : undefined;
      return live === undefined ? key : this.#nameOf(live);
    };
    const renamed = Object.entries(entries).map(([key, inner]) => [nameFor(key), inner] as const);
    return Object.fromEntries(renamed.sort(([left], [right]) => compareTexts(left, right)));
  }

  /** Finds entries of kinds whose keys are only names. Other keys identify an object only once the entry is matched. */
  #declaredAs(kind: string, key: string): DesiredNode | undefined {
    const [node] = this.#known.desired.keyed(kind, key);
    const isName = this.#known.registry.byName(kind).manifest.key === undefined;
    return isName || (node !== undefined && this.#known.liveOf(node.address) !== undefined)
      ? node
      : undefined;
  }

  /**
   * Names of live objects whose address differs from the entry that they are matched with. An entry always refers to its matched object.
   *
   *     members/rex@acme.dev is user_rex, now rex.new@acme.dev; user_eve has rex@acme.dev
   *     →  { rex.new@acme.dev: rex@acme.dev, rex@acme.dev: user_eve }
   */
  readonly #movedKeys = rememberedByText((kind): ReadonlyMap<string, string> => {
    const moved = new Map<string, string>();
    const { identity, manifest } = this.#known.registry.byName(kind);
    const [name] = identity.by;
    if (manifest.key?.is !== 'field' || name === undefined) return moved;
    const others = this.#known.desired.ofKind(kind).flatMap((desired): (readonly [string, string])[] => {
      const live = this.#known.liveOf(desired.address);
      const own = live && identityValue(live.fields, name);
      return own === undefined || own === desired.key ? [] : [[own, desired.key]];
    });
    for (const [, key] of others) {
      const taker = this.#namedOf(kind).get(key);
      if (taker !== undefined) moved.set(key, taker.id);
    }
    for (const [own, key] of others) moved.set(own, key);
    return moved;
  });

  /** Uses the key, or the object's own name if it is unique. */
  #nameOf(live: LiveNode): string {
    const address = this.#known.addressOf(live);
    if (address !== undefined) return keyOf(address, this.#known.registry.byName(live.kind));
    const [identity] = this.#known.registry.byName(live.kind).identity.by;
    const own = identity && identityValue(live.fields, identity);
    if (identity === undefined || own === undefined || this.#declaredAs(live.kind, own) !== undefined)
      return live.id;
    const isShared = this.#known.live
      .ofKind(live.kind)
      .some((other) => other !== live && identityValue(other.fields, identity) === own);
    return isShared ? live.id : own;
  }

  readonly #namedOf = rememberedByText((kind): ReadonlyMap<string, LiveNode> => {
    const [identity] = this.#known.registry.byName(kind).identity.by;
    const found = new Map<string, LiveNode>();
    for (const node of this.#known.live.ofKind(kind)) {
      const value = identity && (identityValue(node.fields, identity) ?? node.id);
      if (value !== undefined && !found.has(value)) found.set(value, node);
    }
    return found;
  });
}
