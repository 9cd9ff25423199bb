/**
 * Measures the similarity of a new object to a live one: by contents, members, other values and names.
 *
 * Example: a new team "Docs crew" with Ada and Bob, and an unlisted team "Documentation" with Ada and Bob:
 *   the same members   3
 *   total 3, so the new team is probably the old one, renamed.
 */

import { valueWith } from '../../kinds/field.ts';
import type { Kind } from '../../kinds/kind.ts';
import { type Fields, mapOf, type Value } from '../../kinds/payload.ts';
import type { DesiredNode } from '../../tree/desired.ts';
import { desiredIdentity, identityValue } from '../../tree/identity.ts';
import type { LiveNode } from '../../tree/live.ts';
import { isRecord, stableStringify } from '../../util/json.ts';
import { nearest } from '../../util/nearest.ts';
import { Secret } from '../../util/secret.ts';
import type { PlanContext } from '../context.ts';
import { titleOf } from '../title-of.ts';

/** Sums of 3 or more are unlikely to be chance. */
const weights = {
  allShared: 3,
  /** A single shared element may be chance. */
  oneShared: 2,
  mostShared: 2,
  partsOfSameNames: 2,
  distinctiveValue: 3,
  otherInput: 3,
  onlyOneSinceBase: 2,
  similarTitle: 2,
  /** The only pair, without evidence against it. */
  onlyPair: 1,
} as const;

/** Limit for weighed pairs; further pairs are skipped. */
const pairsAtMost = 100_000;
const sharersAtMost = 20;

export interface Similarity {
  readonly score: number;
  readonly evidence: readonly string[];
}

interface SimilarPair {
  readonly desired: DesiredNode;
  readonly live: LiveNode;
  readonly isOnly: boolean;
}

type Evidence = readonly [weight: number, text: string];

export class Similarities {
  readonly #context: PlanContext;
  readonly #desiredTraits = new Map<DesiredNode, ReadonlySet<string>>();
  readonly #liveTraits = new Map<LiveNode, ReadonlySet<string>>();

  constructor(context: PlanContext) {
    this.#context = context;
  }

  of(pair: SimilarPair): Similarity {
    const found: Evidence[] = [
      ...this.#contents(pair),
      ...this.#members(pair),
      ...this.#values(pair),
      ...this.#names(pair),
    ];
    const title = valueWith(this.#context.kindOf(pair.desired), pair.desired.fields, 'title');
    if (typeof title === 'string' && areAlike(title, titleOf(this.#context, pair.live)))
      found.push([weights.similarTitle, 'almost the same title']);
    if (found.length === 0 && pair.isOnly && this.#isLostSinceBase(pair.desired))
      found.push([weights.onlyOneSinceBase, 'the only candidate for the object of the base']);
    if (found.length === 0 && pair.isOnly && !this.#canTell(pair))
      found.push([weights.onlyPair, 'the only new one and the only deleted one']);
    return {
      score: found.reduce((sum, [weight]) => sum + weight, 0),
      evidence: found.map(([, text]) => text),
    };
  }

  isSame(desired: DesiredNode, live: LiveNode): boolean {
    if (desired.kind !== live.kind) return false;
    const {
      fields,
      identity: { by: identities },
    } = this.#context.kindOf(desired);
    const payload = this.#context.payloadOf(desired);
    return identities.some((identity) => {
      const value =
        fields[identity.field]?.type === 'reference'
          ? payload[identity.field]
          : desiredIdentity(desired.fields, identity);
      return value !== undefined && value === identityValue(live.fields, identity);
    });
  }

  candidates(
    desiredNodes: readonly DesiredNode[],
    lives: readonly LiveNode[],
  ): readonly (readonly [DesiredNode, LiveNode])[] {
    if (desiredNodes.length * lives.length <= pairsAtMost) {
      return desiredNodes.flatMap((desired) => lives.map((live) => [desired, live] as const));
    }
    const byTrait = new Map<string, LiveNode[]>();
    for (const live of lives) {
      for (const trait of [...this.#traitsOfLive(live), ...this.#valueTraits(live)]) {
        const list = byTrait.get(trait);
        if (list === undefined) byTrait.set(trait, [live]);
        else if (list.length < sharersAtMost) list.push(live);
      }
    }
    return desiredNodes.flatMap((desired) => {
      const traits = [...this.#traitsOf(desired), ...this.#valueTraits(desired)];
      return [...new Set(traits.flatMap((trait) => byTrait.get(trait) ?? []))].map(
        (live) => [desired, live] as const,
      );
    });
  }

  #canTell({ desired, live }: SimilarPair): boolean {
    // A reference identifies an object: a site-space that shows another space is another site-space.
    const own = [
      ...this.#traitsOf(desired),
      ...this.#valueTraits(desired),
      ...this.#referenceTraits(desired.kind, this.#context.payloadOf(desired)),
    ];
    const present = [
      ...this.#traitsOfLive(live),
      ...this.#valueTraits(live),
      ...this.#referenceTraits(live.kind, live.fields),
    ];
    return own.length > 0 && present.length > 0;
  }

  #contents({ desired, live, isOnly }: SimilarPair): readonly Evidence[] {
    const overlap = overlapOf(this.#traitsOf(desired), this.#traitsOfLive(live));
    const shared = sharedEvidence(overlap, { isOnly, what: 'contents' });
    if (shared.length > 0) return shared;
    const children = this.#context.live.childrenOf(live);
    const parts = this.#context.desired.childrenOf(desired.address);
    const alike = parts.filter((part) => children.some((child) => this.isSame(part, child)));
    return alike.length > 0 && alike.length * 2 >= Math.max(parts.length, children.length)
      ? [[weights.partsOfSameNames, 'parts of the same names']]
      : [];
  }

  #members({ desired, live, isOnly }: SimilarPair): readonly Evidence[] {
    return Object.entries(this.#context.kindOf(desired).fields).flatMap(([name, { type }]) => {
      const [own, present] = [desired.fields[name], live.fields[name]];
      if (type !== 'members' || !isRecord(own) || !isRecord(present)) return [];
      const overlap = overlapOf(new Set(Object.keys(own)), new Set(Object.keys(present)));
      return sharedEvidence(overlap, { isOnly, what: name });
    });
  }

  #values({ desired, live }: SimilarPair): readonly Evidence[] {
    const kind = this.#context.kindOf(desired);
    return Object.entries(desired.fields).flatMap(([name, value]): readonly Evidence[] => {
      const present = live.fields[name];
      if (present === undefined || !isDistinctive(kind, name, value)) return [];
      const isShared = stableStringify(value) === stableStringify(present);
      return isShared ? [[weights.distinctiveValue, `the same ${name}`]] : [];
    });
  }

  #names({ desired, live }: SimilarPair): readonly Evidence[] {
    const inputs = this.#context.kindOf(desired).identity.by.flatMap(({ field }) => {
      const written = desired.inputs?.[field];
      const value = live.fields[field];
      const fits = written !== undefined && typeof value === 'string' && fitsTemplate(value, written);
      return fits ? [`its ${field} fits ${written}`] : [];
    });
    return inputs[0] === undefined ? [] : [[weights.otherInput, inputs[0]]];
  }

  #isLostSinceBase({ address, kind }: DesiredNode): boolean {
    const { base } = this.#context;
    return base?.tree.get(address)?.kind === kind && base.matching.liveOf(address) === undefined;
  }

  #valueTraits({
    kind: name,
    fields,
  }: {
    readonly kind: string;
    readonly fields: Fields;
  }): readonly string[] {
    const kind = this.#context.registry.byName(name);
    return Object.entries(fields).flatMap(([field, value]) => {
      if (kind.fields[field]?.type === 'members' && isRecord(value))
        return Object.keys(value).map((key) => `${field} ${key}`);
      return isDistinctive(kind, field, value) ? [`${field} ${stableStringify(value)}`] : [];
    });
  }

  #traitsOf(desired: DesiredNode): ReadonlySet<string> {
    const known = this.#desiredTraits.get(desired);
    if (known !== undefined) return known;
    const traits = new Set<string>();
    for (const child of this.#context.desired.childrenOf(desired.address)) {
      const kept = this.#context.liveOf(child.address);
      if (kept !== undefined) traits.add(traitOf(kept));
      for (const trait of this.#referenceTraits(child.kind, this.#context.payloadOf(child)))
        traits.add(trait);
      for (const trait of this.#traitsOf(child)) traits.add(trait);
    }
    this.#desiredTraits.set(desired, traits);
    return traits;
  }

  #traitsOfLive(live: LiveNode): ReadonlySet<string> {
    const known = this.#liveTraits.get(live);
    if (known !== undefined) return known;
    const traits = new Set<string>();
    this.#liveTraits.set(live, traits);
    for (const child of this.#context.live.childrenOf(live)) {
      if (this.#context.matching.addressOf(child) !== undefined) traits.add(traitOf(child));
      for (const trait of this.#referenceTraits(child.kind, child.fields)) traits.add(trait);
      for (const trait of this.#traitsOfLive(child)) traits.add(trait);
    }
    return traits;
  }

  #referenceTraits(kind: string, values: Readonly<Record<string, unknown>>): readonly string[] {
    const { fields } = this.#context.registry.byName(kind);
    return Object.entries(values).flatMap(([name, value]) => {
      const field = fields[name];
      const isOutside =
        field?.type === 'reference' && field.within !== 'descendants' && field.change !== 'create';
      return isOutside && typeof value === 'string' ? [`${name} ${value}`] : [];
    });
  }
}

function traitOf({ kind, id }: LiveNode): string {
  return JSON.stringify([kind, id]);
}

function sharedEvidence(
  { share, size }: Overlap,
  { isOnly, what }: { readonly isOnly: boolean; readonly what: string },
): readonly Evidence[] {
  if (share === 'all')
    return [[size > 1 || isOnly ? weights.allShared : weights.oneShared, `the same ${what}`]];
  return share === 'most' ? [[weights.mostShared, `most of the same ${what}`]] : [];
}

const shortestName = 4;

interface Overlap {
  readonly share: 'none' | 'most' | 'all';
  readonly size: number;
}

function overlapOf(left: ReadonlySet<string>, right: ReadonlySet<string>): Overlap {
  const { size } = left;
  const common = [...left].filter((item) => right.has(item)).length;
  if (common === 0) return { share: 'none', size };
  if (common === size && common === right.size) return { share: 'all', size };
  return { share: common * 2 >= Math.max(size, right.size) ? 'most' : 'none', size };
}

function isDistinctive({ fields, identity: { unique } }: Kind, name: string, value: Value): boolean {
  if (value === null || value instanceof Secret) return false;
  const { type, trait } = fields[name] ?? {};
  if (trait?.is === 'title') return false;
  if (type === 'reference' || type === 'members' || type === 'map') return false;
  return unique?.some(({ field }) => field === name) === true || isAddress(value);
}

/** Examples: `https://…`, `acme.dev/docs`. */
function isAddress(value: Value): boolean {
  if (typeof value === 'string') return /^[a-z][a-z0-9+.-]*:|[^/ ]\.[^/ ]+\//i.test(value);
  return Object.values(mapOf(value) ?? {}).some(isAddress);
}

function areAlike(left: string, right: string): boolean {
  if (nearest(left, [right]) !== undefined) return true;
  const [few, many] = [wordsOf(left), wordsOf(right)].sort((one, other) => one.size - other.size);
  if (few === undefined || many === undefined) return false;
  return [...few].join('').length >= shortestName && [...few].every((word) => many.has(word));
}

function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);
}

/** True if the text is the template with some values filled in; at least one character must be literal. */
function fitsTemplate(text: string, written: string): boolean {
  const parts = written.split(/\$\{[^}]*\}/);
  if (parts.every((part) => part.trim() === '')) return false;
  const escaped = parts.map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return new RegExp(`^${escaped.join('.*')}$`, 's').test(text);
}
