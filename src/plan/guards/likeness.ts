/** How much a new object is like a live one: by what they hold, who is in them, where they stand and what they are called. */
import { identityValue, wantedIdentity } from '../../graph/identity.ts';
import { type LiveNode, liveKey } from '../../graph/live.ts';
import type { WantNode } from '../../graph/want.ts';
import type { Payload } from '../../kinds/kind.ts';
import { isRecord, stableStringify } from '../../util/json.ts';
import { nearest } from '../../util/nearest.ts';
import { Secret } from '../../util/secret.ts';
import type { Scene } from '../scene.ts';
import { titleOf } from '../title-of.ts';

/** A likeness: 0 for none, 3 and more for one that is hardly chance. */
export interface Likeness {
  readonly score: number;
  /** For people, for example `the same members`. */
  readonly evidence: readonly string[];
}

/** A weight, and what it is for. */
type Evidence = readonly [number, string];

/** Weighs likenesses in one planning situation. */
export class LikenessJudge {
  readonly #scene: Scene;
  readonly #children = new Map<string, LiveNode[]>();

  constructor(scene: Scene) {
    this.#scene = scene;
    for (const live of scene.live.nodes.values()) {
      if (live.kind === scene.registry.root.name) continue;
      const key = liveKey(live.container.kind, live.container.id);
      const list = this.#children.get(key);
      if (list === undefined) this.#children.set(key, [live]);
      else list.push(live);
    }
  }

  /** What was seen inside a live object. */
  childrenOf(live: LiveNode): readonly LiveNode[] {
    return this.#children.get(liveKey(live.kind, live.id)) ?? [];
  }

  /** `only`: there is no other new one and no other unlisted one of this kind in this place. */
  of(want: WantNode, live: LiveNode, only: boolean): Likeness {
    const found: Evidence[] = [
      ...this.#contents(want, live, only),
      ...this.#people(want, live, only),
      ...this.#values(want, live),
    ];
    const title = want.fields.title;
    const name = titleOf(this.#scene, live);
    if (typeof title === 'string' && nearest(title, [name]) !== undefined)
      found.push([2, 'almost the same title']);
    if (found.length === 0 && only) found.push([1, 'the only one that comes and the only one that goes']);
    return {
      score: found.reduce((sum, [weight]) => sum + weight, 0),
      evidence: found.map(([, text]) => text),
    };
  }

  /** True when a wanted and a live object have an identity in common, wherever they stand. */
  isSame(want: WantNode, live: LiveNode): boolean {
    if (want.kind !== live.kind) return false;
    const payload = this.#scene.payloadOf(want);
    return this.#scene.kindOf(want).identities.some((identity) => {
      const { reference } = this.#scene.kindOf(want).fields[identity.field] ?? {};
      const wanted =
        reference === undefined ? wantedIdentity(want.fields, identity) : payload[identity.field];
      return wanted !== undefined && wanted === identityValue(live.fields, identity);
    });
  }

  /** Objects that both hold or refer to, and parts that are called alike. */
  #contents(want: WantNode, live: LiveNode, only: boolean): readonly Evidence[] {
    const wanted = new Set<string>();
    const present = new Set<string>();
    this.#markWanted(want, wanted);
    this.#markPresent(live, present);
    const shared = share(wanted, present);
    const found: Evidence[] = [];
    if (shared === 'all') found.push([weightOf(wanted, only), 'the same contents']);
    else if (shared === 'most') found.push([2, 'most of the same contents']);
    const children = this.childrenOf(live);
    const parts = this.#scene.childrenOf(want.address);
    const alike = parts.filter((part) => children.some((child) => this.isSame(part, child)));
    if (found.length === 0 && alike.length > 0 && alike.length * 2 >= Math.max(parts.length, children.length))
      found.push([2, 'parts of the same names']);
    return found;
  }

  #markWanted(want: WantNode, marks: Set<string>): void {
    for (const child of this.#scene.childrenOf(want.address)) {
      const kept = this.#scene.liveOf(child.address);
      if (kept !== undefined) marks.add(liveKey(kept.kind, kept.id));
      for (const [name, value] of Object.entries(this.#scene.payloadOf(child))) {
        if (this.#refersOutside(child.kind, name) && typeof value === 'string') marks.add(`${name} ${value}`);
      }
      this.#markWanted(child, marks);
    }
  }

  #markPresent(live: LiveNode, marks: Set<string>): void {
    for (const child of this.childrenOf(live)) {
      if (this.#scene.matching.addressOf.has(liveKey(child.kind, child.id)))
        marks.add(liveKey(child.kind, child.id));
      for (const [name, value] of Object.entries(child.fields)) {
        if (this.#refersOutside(child.kind, name) && typeof value === 'string') marks.add(`${name} ${value}`);
      }
      this.#markPresent(child, marks);
    }
  }

  #refersOutside(kind: string, name: string): boolean {
    const { reference, change } = this.#scene.registry.byName(kind).fields[name] ?? {};
    return reference?.of === 'value' && reference.within === 'organization' && change !== 'create';
  }

  /** People, or whatever else a field names by key. */
  #people(want: WantNode, live: LiveNode, only: boolean): readonly Evidence[] {
    return Object.entries(this.#scene.kindOf(want).fields).flatMap(([name, field]): Evidence[] => {
      const wanted = want.fields[name];
      const present = live.fields[name];
      const isList = field.reference?.of === 'keys' && field.compare !== 'entries';
      if (!isList || !isRecord(wanted) || !isRecord(present)) return [];
      const names = new Set(Object.keys(wanted));
      const shared = share(names, new Set(Object.keys(present)));
      if (shared === 'all') return [[weightOf(names, only), `the same ${name}`]];
      return shared === 'most' ? [[2, `most of the same ${name}`]] : [];
    });
  }

  /** Values that hardly two objects share: those that must be unique, and addresses. */
  #values(want: WantNode, live: LiveNode): readonly Evidence[] {
    const kind = this.#scene.kindOf(want);
    return Object.entries(want.fields).flatMap(([name, value]): Evidence[] => {
      const present = live.fields[name];
      if (value === null || present === undefined || value instanceof Secret || name === 'title') return [];
      if (kind.fields[name]?.reference !== undefined) return [];
      const text = stableStringify(value);
      const isTelling = kind.unique?.some(({ field }) => field === name) === true || isAddress(value);
      return isTelling && text === stableStringify(present) ? [[3, `the same ${name}`]] : [];
    });
  }
}

/** True for values that hold an address: `https://…`, `acme.dev/docs`. */
function isAddress(value: Payload): boolean {
  if (typeof value === 'string') return /^[a-z][a-z0-9+.-]*:|[^/ ]\.[^/ ]+\//i.test(value);
  return isRecord(value) && Object.values(value).some((inner) => isAddress(inner as Payload));
}

/** One thing in common may be chance, unless nothing else comes and goes. */
function weightOf(common: ReadonlySet<string>, only: boolean): number {
  return common.size > 1 || only ? 3 : 2;
}

/** How much of what both hold is the same. */
function share(left: ReadonlySet<string>, right: ReadonlySet<string>): 'none' | 'most' | 'all' {
  const common = [...left].filter((mark) => right.has(mark)).length;
  if (common === 0) return 'none';
  if (common === left.size && common === right.size) return 'all';
  return common * 2 >= Math.max(left.size, right.size) ? 'most' : 'none';
}
