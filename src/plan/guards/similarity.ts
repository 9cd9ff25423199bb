/** How much a new object is like a live one: by what they hold, who is in them, where they stand and what they are called. */

import type { Kind } from '../../kinds/kind.ts';
import type { Fields, Value } from '../../kinds/payload.ts';
import type { DesiredNode } from '../../tree/desired.ts';
import { desiredIdentity, identityValue } from '../../tree/identity.ts';
import { type LiveNode, liveKey } from '../../tree/live.ts';
import { namesMembers } from '../../tree/references.ts';
import { push } from '../../util/group.ts';
import { isRecord, stableStringify } from '../../util/json.ts';
import { nearest } from '../../util/nearest.ts';
import { Secret } from '../../util/secret.ts';
import type { Scene } from '../context.ts';
import { titleOf } from '../title-of.ts';

/** Shorter names are part of many others. */
const shortestName = 4;
/** More pairs than this are not all weighed. */
const pairsAtMost = 100_000;
/** What more objects than this have in common tells nothing. */
const sharersAtMost = 20;

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
  readonly #desiredMarks = new Map<DesiredNode, ReadonlySet<string>>();
  readonly #presentMarks = new Map<LiveNode, ReadonlySet<string>>();

  constructor(scene: Scene) {
    this.#scene = scene;
    for (const live of scene.live.nodes.values()) {
      if (live.kind === scene.registry.root.name) continue;
      const key = liveKey(live.container.kind, live.container.id);
      push(this.#children, key, live);
    }
  }

  /** What was seen inside a live object. */
  childrenOf(live: LiveNode): readonly LiveNode[] {
    return this.#children.get(liveKey(live.kind, live.id)) ?? [];
  }

  /** `only`: there is no other new one and no other unlisted one of this kind in this place. */
  of(desired: DesiredNode, live: LiveNode, only: boolean): Likeness {
    const found: Evidence[] = [
      ...this.#contents(desired, live, only),
      ...this.#people(desired, live, only),
      ...this.#values(desired, live),
    ];
    const title = desired.fields.title;
    if (typeof title === 'string' && areAlike(title, titleOf(this.#scene, live)))
      found.push([2, 'almost the same title']);
    if (found.length === 0 && only && !this.#canTell(desired, live))
      found.push([1, 'the only one that comes and the only one that goes']);
    return {
      score: found.reduce((sum, [weight]) => sum + weight, 0),
      evidence: found.map(([, text]) => text),
    };
  }

  /** True when both hold something, and nothing of it is the same; or when their kind holds nothing. */
  #canTell(desired: DesiredNode, live: LiveNode): boolean {
    const kind = this.#scene.kindOf(desired);
    const holds =
      this.#scene.registry.collectionsOf(kind.name).length > 0 ||
      Object.keys(kind.fields).some((name) => namesMembers(kind.fields[name]));
    const desiredValue =
      this.#desiredValue(desired).size + this.#tellingValues(desired, desired.fields).length;
    const present = this.#present(live).size + this.#tellingValues(live, live.fields).length;
    return !holds || (desiredValue > 0 && present > 0);
  }

  /** True when a desired and a live object have an identity in common, wherever they stand. */
  isSame(desired: DesiredNode, live: LiveNode): boolean {
    if (desired.kind !== live.kind) return false;
    const payload = this.#scene.payloadOf(desired);
    return this.#scene.kindOf(desired).identities.some((identity) => {
      const { reference } = this.#scene.kindOf(desired).fields[identity.field] ?? {};
      const desiredValue =
        reference === undefined ? desiredIdentity(desired.fields, identity) : payload[identity.field];
      return desiredValue !== undefined && desiredValue === identityValue(live.fields, identity);
    });
  }

  /**
   * Pairs worth weighing: all, or, where these are very many, those that have something to show for it beside their
   * names.
   */
  candidates(
    desiredNodes: readonly DesiredNode[],
    lives: readonly LiveNode[],
  ): readonly (readonly [DesiredNode, LiveNode])[] {
    if (desiredNodes.length * lives.length <= pairsAtMost) {
      return desiredNodes.flatMap((desired) => lives.map((live) => [desired, live] as const));
    }
    const byMark = new Map<string, LiveNode[]>();
    for (const live of lives) {
      for (const mark of [...this.#present(live), ...this.#tellingValues(live, live.fields)]) {
        const list = byMark.get(mark);
        if (list === undefined) byMark.set(mark, [live]);
        else if (list.length < sharersAtMost) list.push(live);
      }
    }
    return desiredNodes.flatMap((desired) => {
      const marks = [...this.#desiredValue(desired), ...this.#tellingValues(desired, desired.fields)];
      return [...new Set(marks.flatMap((mark) => byMark.get(mark) ?? []))].map(
        (live) => [desired, live] as const,
      );
    });
  }

  /** Marks of values and people, as both sides have them. */
  #tellingValues({ kind: name }: { readonly kind: string }, fields: Fields): readonly string[] {
    const kind = this.#scene.registry.byName(name);
    return Object.entries(fields).flatMap(([field, value]) => {
      if (namesMembers(kind.fields[field]) && isRecord(value))
        return Object.keys(value).map((key) => `${field} ${key}`);
      return isTelling(kind, field, value) ? [`${field} ${stableStringify(value)}`] : [];
    });
  }

  /** Objects that both hold or refer to, and parts that are called alike. */
  #contents(desired: DesiredNode, live: LiveNode, only: boolean): readonly Evidence[] {
    const desiredValue = this.#desiredValue(desired);
    const shared = share(desiredValue, this.#present(live));
    const found: Evidence[] = [];
    if (shared === 'all') found.push([weightOf(desiredValue, only), 'the same contents']);
    else if (shared === 'most') found.push([2, 'most of the same contents']);
    const children = this.childrenOf(live);
    const parts = this.#scene.childrenOf(desired.address);
    const alike = parts.filter((part) => children.some((child) => this.isSame(part, child)));
    if (found.length === 0 && alike.length > 0 && alike.length * 2 >= Math.max(parts.length, children.length))
      found.push([2, 'parts of the same names']);
    return found;
  }

  /** What a desired object holds, and what stands in it refers to. */
  #desiredValue(desired: DesiredNode): ReadonlySet<string> {
    const known = this.#desiredMarks.get(desired);
    if (known !== undefined) return known;
    const marks = new Set<string>();
    for (const child of this.#scene.childrenOf(desired.address)) {
      const kept = this.#scene.liveOf(child.address);
      if (kept !== undefined) marks.add(liveKey(kept.kind, kept.id));
      for (const [name, value] of Object.entries(this.#scene.payloadOf(child))) {
        if (this.#refersOutside(child.kind, name) && typeof value === 'string') marks.add(`${name} ${value}`);
      }
      for (const mark of this.#desiredValue(child)) marks.add(mark);
    }
    this.#desiredMarks.set(desired, marks);
    return marks;
  }

  /** The same of a live object. */
  #present(live: LiveNode): ReadonlySet<string> {
    const known = this.#presentMarks.get(live);
    if (known !== undefined) return known;
    const marks = new Set<string>();
    this.#presentMarks.set(live, marks);
    for (const child of this.childrenOf(live)) {
      if (this.#scene.matching.addressOf.has(liveKey(child.kind, child.id)))
        marks.add(liveKey(child.kind, child.id));
      for (const [name, value] of Object.entries(child.fields)) {
        if (this.#refersOutside(child.kind, name) && typeof value === 'string') marks.add(`${name} ${value}`);
      }
      for (const mark of this.#present(child)) marks.add(mark);
    }
    return marks;
  }

  #refersOutside(kind: string, name: string): boolean {
    const { reference, change } = this.#scene.registry.byName(kind).fields[name] ?? {};
    return reference?.of === 'value' && reference.within === 'organization' && change !== 'create';
  }

  /** People, or whatever else a field names by key. */
  #people(desired: DesiredNode, live: LiveNode, only: boolean): readonly Evidence[] {
    const kind = this.#scene.kindOf(desired);
    return Object.keys(kind.fields).flatMap((name): Evidence[] => {
      const desiredValue = desired.fields[name];
      const present = live.fields[name];
      if (!namesMembers(kind.fields[name]) || !isRecord(desiredValue) || !isRecord(present)) return [];
      const names = new Set(Object.keys(desiredValue));
      const shared = share(names, new Set(Object.keys(present)));
      if (shared === 'all') return [[weightOf(names, only), `the same ${name}`]];
      return shared === 'most' ? [[2, `most of the same ${name}`]] : [];
    });
  }

  /** Values that hardly two objects share: those that must be unique, and addresses. */
  #values(desired: DesiredNode, live: LiveNode): readonly Evidence[] {
    const kind = this.#scene.kindOf(desired);
    return Object.entries(desired.fields).flatMap(([name, value]): Evidence[] => {
      const present = live.fields[name];
      if (present === undefined || !isTelling(kind, name, value)) return [];
      return stableStringify(value) === stableStringify(present) ? [[3, `the same ${name}`]] : [];
    });
  }
}

function isTelling({ fields, unique }: Kind, name: string, value: Value): boolean {
  if (value === null || value instanceof Secret || name === 'title') return false;
  if (fields[name]?.reference !== undefined) return false;
  return unique?.some(({ field }) => field === name) === true || isAddress(value);
}

/** True for values that hold an address: `https://…`, `acme.dev/docs`. */
function isAddress(value: Value): boolean {
  if (typeof value === 'string') return /^[a-z][a-z0-9+.-]*:|[^/ ]\.[^/ ]+\//i.test(value);
  return isRecord(value) && Object.values(value).some((inner) => isAddress(inner as Value));
}

/** True for titles that a few letters tell apart, and where one has all the words of the other. */
function areAlike(left: string, right: string): boolean {
  if (nearest(left, [right]) !== undefined) return true;
  const [few, many] = [wordsOf(left), wordsOf(right)].sort((one, other) => one.size - other.size);
  if (few === undefined || many === undefined) return false;
  return [...few].join('').length >= shortestName && [...few].every((word) => many.has(word));
}

function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);
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
