/**
 * The facts that a new object shares with a live one: contents, members, unique values, a title.
 *
 * Example: a new team "Docs crew" with Ada and Bob, and an unlisted team "Documentation" with Ada and Bob: the same members.
 */

import type { Kind } from '../../kinds/kind.ts';
import { valueWith } from '../../kinds/parts/field.ts';
import { mapOf, type Value } from '../../kinds/parts/payload.ts';
import type { DesiredNode } from '../../tree/desired.ts';
import { lettersOf } from '../../tree/difference.ts';
import { desiredIdentity, identityValue } from '../../tree/identity.ts';
import type { LiveNode } from '../../tree/live.ts';
import { isRecord, sameJson, stableStringify } from '../../util/json.ts';
import { nearest } from '../../util/nearest.ts';
import { rememberedIn } from '../../util/remembered.ts';
import { Secret } from '../../util/secret.ts';
import type { PlanContext } from '../context.ts';
import { titleOf } from '../title-of.ts';

const pairsAtMost = 100_000;
const sharersAtMost = 20;

export interface Fact {
  readonly text: string;
  /** Unlikely to be chance, even alone. */
  readonly isProof: boolean;
}

interface ObjectPair {
  readonly desired: DesiredNode;
  readonly live: LiveNode;
  readonly isOnly: boolean;
}

const proof = (text: string): Fact => ({ text, isProof: true });
const sign = (text: string): Fact => ({ text, isProof: false });

export class SharedFacts {
  readonly #context: PlanContext;
  readonly #desiredTraits = new Map<DesiredNode, ReadonlySet<string>>();
  readonly #liveTraits = new Map<LiveNode, ReadonlySet<string>>();

  constructor(context: PlanContext) {
    this.#context = context;
  }

  of(pair: ObjectPair): readonly Fact[] {
    const { desired, live } = pair;
    const title = valueWith(this.#context.kindOf(desired), desired.fields, 'title');
    const names = this.#names(pair);
    const found = [
      ...this.#contents(pair),
      ...this.#members(pair),
      ...this.#values(pair),
      ...names,
      ...this.#key(pair),
      ...(typeof title === 'string' && names.length === 0
        ? titleFacts(title, titleOf(this.#context, live))
        : []),
    ];
    return found.length === 0 && pair.isOnly && this.#isLostSinceBase(desired)
      ? [sign('the only candidate for the object of the base')]
      : found;
  }

  isSame(desired: DesiredNode, live: LiveNode): boolean {
    if (desired.kind !== live.kind) return false;
    const { fields, ...kind } = this.#context.kindOf(desired);
    const payload = this.#context.payloadOf(desired);
    return kind.identity.by.some((identity) => {
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

  #contents({ desired, live, isOnly }: ObjectPair): readonly Fact[] {
    const about = { isOnly, what: 'contents' };
    const shared = overlapFacts(this.#traitsOf(desired), this.#traitsOfLive(live), about);
    if (shared.length > 0) return shared;
    const children = this.#context.live.childrenOf(live);
    const parts = this.#context.desired.childrenOf(desired.address);
    const alike = parts.filter((part) => children.some((child) => this.isSame(part, child)));
    return alike.length > 0 && alike.length * 2 >= Math.max(parts.length, children.length)
      ? [sign('parts of the same names')]
      : [];
  }

  #members({ desired, live }: ObjectPair): readonly Fact[] {
    return Object.entries(this.#context.kindOf(desired).fields).flatMap(([name, { type }]) => {
      const [own, present] = [desired.fields[name], live.fields[name]];
      if (type !== 'members' || !isRecord(own) || !isRecord(present)) return [];
      // One person may lead many teams.
      const about = { isOnly: false, what: name };
      return overlapFacts(new Set(Object.keys(own)), new Set(Object.keys(present)), about);
    });
  }

  #values({ desired, live }: ObjectPair): readonly Fact[] {
    const kind = this.#context.kindOf(desired);
    return Object.entries(desired.fields).flatMap(([name, value]): readonly Fact[] => {
      const present = live.fields[name];
      if (present === undefined || !isDistinctive(kind, name, value)) return [];
      return sameJson(value, present) ? [proof(`the same ${name}`)] : [];
    });
  }

  #names({ desired, live }: ObjectPair): readonly Fact[] {
    const inputs = this.#context.kindOf(desired).identity.by.flatMap(({ field }) => {
      const written = desired.inputs?.[field];
      const [own, value] = [desired.fields[field], live.fields[field]];
      if (typeof value !== 'string') return [];
      if (written !== undefined && fitsTemplate(value, written)) return [`its ${field} fits ${written}`];
      // A service may have stored it so.
      const letters = lettersOf(value);
      return typeof own === 'string' && letters !== '' && letters === lettersOf(own)
        ? [`the same letters in its ${field}`]
        : [];
    });
    return inputs.slice(0, 1).map(proof);
  }

  /**
   * The key that the base has for the object in another place, if it means one object there and here. Contents of a new object are
   * compared with that object.
   *
   *   base   collections/k35      title: Old         now   collections/k37/collections/k35      title: New
   */
  #key({ desired, live }: ObjectPair): readonly Fact[] {
    const { desired: tree, base, matching } = this.#context;
    const was = this.#context.baseNodeOf(live);
    if (base === undefined || was?.key !== desired.key || tree.get(was.address) !== undefined) return [];
    const isAlone = [tree, base.tree].every(
      (one) => one.ofKind(desired.kind).filter(({ key }) => key === desired.key).length === 1,
    );
    const isWithParent =
      matching.addressOf(live.container) === undefined && matching.liveOf(desired.parent ?? '') === undefined;
    return isAlone && !isWithParent
      ? [sign(`the same key as ${was.address}, which is no longer declared`)]
      : [];
  }

  #isLostSinceBase({ address, kind }: DesiredNode): boolean {
    const { base } = this.#context;
    return base?.tree.get(address)?.kind === kind && base.matching.liveOf(address) === undefined;
  }

  #valueTraits({ kind: name, fields }: Pick<LiveNode, 'kind' | 'fields'>): readonly string[] {
    const kind = this.#context.registry.byName(name);
    return Object.entries(fields).flatMap(([field, value]) => {
      if (kind.fields[field]?.type === 'members' && isRecord(value))
        return Object.keys(value).map((key) => `${field} ${key}`);
      if (kind.identity.by.some((one) => one.field === field)) return [`${field} ${lettersOf(value)}`];
      return isDistinctive(kind, field, value) ? [`${field} ${stableStringify(value)}`] : [];
    });
  }

  #traitsOf(desired: DesiredNode): ReadonlySet<string> {
    return rememberedIn(this.#desiredTraits, desired, () => {
      const traits = this.#context.desired.childrenOf(desired.address).flatMap((child) => {
        const kept = this.#context.liveOf(child.address);
        const references = this.#referenceTraits(child.kind, this.#context.payloadOf(child));
        return [...(kept === undefined ? [] : [traitOf(kept)]), ...references, ...this.#traitsOf(child)];
      });
      return new Set(traits);
    });
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

function overlapFacts(
  left: ReadonlySet<string>,
  right: ReadonlySet<string>,
  { isOnly, what }: { readonly isOnly: boolean; readonly what: string },
): readonly Fact[] {
  const { size } = left;
  const common = [...left].filter((item) => right.has(item)).length;
  // A single shared element may be chance.
  if (common > 0 && common === size && common === right.size)
    return [{ text: `the same ${what}`, isProof: size > 1 || isOnly }];
  return common > 0 && common * 2 >= Math.max(size, right.size) ? [sign(`most of the same ${what}`)] : [];
}

const shortestName = 4;

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

function titleFacts(left: string, right: string): readonly Fact[] {
  const [few = new Set(), many = few] = [wordsOf(left), wordsOf(right)].sort(
    (one, other) => one.size - other.size,
  );
  const common = [...few].filter((word) => many.has(word));
  const isPart = common.length === few.size && common.join('').length >= shortestName;
  if (isPart || nearest(left, [right], Math.floor(left.length / 3)) !== undefined)
    return [sign('almost the same title')];
  return common.length * 2 > many.size ? [sign('most words of the title')] : [];
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
