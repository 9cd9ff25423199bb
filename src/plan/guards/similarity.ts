/**
 * How similar a new object is to a live one: by what they contain, who their members are, what else they have and what
 * they are called.
 *
 * Example: a new team "Docs crew" with Ada and Bob, and an unlisted team "Documentation" with Ada and Bob:
 *   the same members   3
 *   together 3, so the new team is probably the old one, renamed.
 */

import type { Fields } from '../../kinds/payload.ts';
import type { DesiredNode } from '../../tree/desired.ts';
import { desiredIdentity, identityValue } from '../../tree/identity.ts';
import type { LiveNode } from '../../tree/live.ts';
import { isRecord, stableStringify } from '../../util/json.ts';
import type { PlanContext } from '../context.ts';
import { titleOf } from '../title-of.ts';
import { areAlike, fitsTemplate, isTelling, type Overlap, overlapOf } from './resemblance.ts';

/** What each piece of evidence weighs. From 3 on, chance is unlikely. */
const weights = {
  /** All contents or members are the same, and more than one. */
  allShared: 3,
  /** The same, but there is one only, which may be chance. */
  oneShared: 2,
  mostShared: 2,
  partsOfSameNames: 2,
  /** A unique value or an address. */
  tellingValue: 3,
  /** The name fits what the manifests write, with another value from the environment. */
  otherInput: 3,
  /** The base declared the object, and it is the only one that may be it under another name. */
  onlyOneSinceBase: 2,
  similarTitle: 2,
  /** Nothing speaks against it, and there is no other pair. */
  onlyPair: 1,
} as const;

/** More pairs than this are not all weighed. */
const pairsAtMost = 100_000;
/** A trait that more objects than this share says nothing. */
const sharersAtMost = 20;

/** How similar two objects are: 0 for not at all. */
export interface Similarity {
  readonly score: number;
  /** For people, for example `the same members`. */
  readonly evidence: readonly string[];
}

/** A desired and a live object to be compared. */
export interface SimilarPair {
  readonly desired: DesiredNode;
  readonly live: LiveNode;
  /** True when there is no other new object and no other unlisted one of this kind in this place. */
  readonly isOnly: boolean;
}

/** A weight, and what it is for. */
type Evidence = readonly [weight: number, text: string];

/** Weighs similarities in one planning situation. */
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
    const { title } = pair.desired.fields;
    if (typeof title === 'string' && areAlike(title, titleOf(this.#context, pair.live)))
      found.push([weights.similarTitle, 'almost the same title']);
    if (found.length === 0 && pair.isOnly && this.#isLostSinceBase(pair.desired))
      found.push([weights.onlyOneSinceBase, 'the only one that the base may mean']);
    if (found.length === 0 && pair.isOnly && !this.#canTell(pair))
      found.push([weights.onlyPair, 'the only new one and the only one that goes']);
    return {
      score: found.reduce((sum, [weight]) => sum + weight, 0),
      evidence: found.map(([, text]) => text),
    };
  }

  /** True when a desired and a live object have an identity in common, wherever they are. */
  isSame(desired: DesiredNode, live: LiveNode): boolean {
    if (desired.kind !== live.kind) return false;
    const { fields, identities } = this.#context.kindOf(desired);
    const payload = this.#context.payloadOf(desired);
    return identities.some((identity) => {
      const value =
        fields[identity.field]?.type === 'reference'
          ? payload[identity.field]
          : desiredIdentity(desired.fields, identity);
      return value !== undefined && value === identityValue(live.fields, identity);
    });
  }

  /** Pairs worth weighing: all, or, where these are very many, those that share a trait beside their names. */
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

  /** True when both contain something, and nothing of it is the same; or when their kind contains nothing. */
  #canTell({ desired, live }: SimilarPair): boolean {
    const { name, fields } = this.#context.kindOf(desired);
    const hasContents =
      this.#context.registry.collectionsOf(name).length > 0 ||
      Object.values(fields).some(({ type }) => type === 'members');
    if (!hasContents) return true;
    const own = this.#traitsOf(desired).size + this.#valueTraits(desired).length;
    return own > 0 && this.#traitsOfLive(live).size + this.#valueTraits(live).length > 0;
  }

  /** Objects that both contain or refer to, and parts that are called alike. */
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

  /** Members, field by field. */
  #members({ desired, live, isOnly }: SimilarPair): readonly Evidence[] {
    return Object.entries(this.#context.kindOf(desired).fields).flatMap(([name, { type }]) => {
      const [own, present] = [desired.fields[name], live.fields[name]];
      if (type !== 'members' || !isRecord(own) || !isRecord(present)) return [];
      const overlap = overlapOf(new Set(Object.keys(own)), new Set(Object.keys(present)));
      return sharedEvidence(overlap, { isOnly, what: name });
    });
  }

  /** Values that hardly two objects share: those that must be unique, and addresses. */
  #values({ desired, live }: SimilarPair): readonly Evidence[] {
    const kind = this.#context.kindOf(desired);
    return Object.entries(desired.fields).flatMap(([name, value]): readonly Evidence[] => {
      const present = live.fields[name];
      if (present === undefined || !isTelling(kind, name, value)) return [];
      const isShared = stableStringify(value) === stableStringify(present);
      return isShared ? [[weights.tellingValue, `the same ${name}`]] : [];
    });
  }

  /** Names that came from the environment. */
  #names({ desired, live }: SimilarPair): readonly Evidence[] {
    const inputs = this.#context.kindOf(desired).identities.flatMap(({ field }) => {
      const written = desired.inputs?.[field];
      const value = live.fields[field];
      const fits = written !== undefined && typeof value === 'string' && fitsTemplate(value, written);
      return fits ? [`its ${field} fits ${written}`] : [];
    });
    return inputs[0] === undefined ? [] : [[weights.otherInput, inputs[0]]];
  }

  /** True when the base declared the object, and its live object is not to be found. */
  #isLostSinceBase({ address, kind }: DesiredNode): boolean {
    const { base } = this.#context;
    return base?.tree.get(address)?.kind === kind && base.matching.liveOf(address) === undefined;
  }

  /** Traits from values and members, as both sides have them. */
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
      return isTelling(kind, field, value) ? [`${field} ${stableStringify(value)}`] : [];
    });
  }

  /** What a desired object contains, and what its contents refer to. */
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

  /** The same of a live object. */
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

  /** References to objects elsewhere in the organization. */
  #referenceTraits(kind: string, values: Readonly<Record<string, unknown>>): readonly string[] {
    const { fields } = this.#context.registry.byName(kind);
    return Object.entries(values).flatMap(([name, value]) => {
      const field = fields[name];
      const isOutside =
        field?.type === 'reference' && field.within === 'organization' && field.change !== 'create';
      return isOutside && typeof value === 'string' ? [`${name} ${value}`] : [];
    });
  }
}

function traitOf({ kind, id }: LiveNode): string {
  return JSON.stringify([kind, id]);
}

/** `isOnly`: there is no other pair, so that a single thing in common is not chance. */
function sharedEvidence(
  { share, size }: Overlap,
  { isOnly, what }: { readonly isOnly: boolean; readonly what: string },
): readonly Evidence[] {
  if (share === 'all')
    return [[size > 1 || isOnly ? weights.allShared : weights.oneShared, `the same ${what}`]];
  return share === 'most' ? [[weights.mostShared, `most of the same ${what}`]] : [];
}
