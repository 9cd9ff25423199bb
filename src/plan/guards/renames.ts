/**
 * Creates that look like a live object under another name. Where something would be deleted, or the likeness is strong,
 * they are refused until the manifests tell the two apart; else they are noted. Both name the line to add.
 */

import type { Kind } from '../../kinds/kind.ts';
import { type DesiredNode, isToldApart } from '../../tree/desired.ts';
import { formerNames, namesOf } from '../../tree/identity.ts';
import { type LiveNode, liveKey } from '../../tree/live.ts';
import type { Diagnostic } from '../../util/diagnostic.ts';
import { grouped, push } from '../../util/group.ts';
import type { Scene } from '../context.ts';
import { stepId } from '../order/draft.ts';
import type { Refusal } from '../plan.ts';
import { titleOf } from '../title-of.ts';
import type { Guarded } from './guarded.ts';
import { type Likeness, LikenessJudge } from './similarity.ts';

/** From this score on a likeness counts, beside a live object that stays and beside one that goes. */
const noted = 2;
const refused = { staying: 3, going: 1 };

/** A new object and the live one that it looks like. */
interface Pair {
  readonly desired: DesiredNode;
  readonly live: LiveNode;
  readonly likeness: Likeness;
  readonly going: boolean;
}

/** What is said of renames that nobody named. */
export interface Renames {
  readonly refusals: readonly Refusal[];
  readonly notes: readonly Diagnostic[];
}

/** Finds, for each new object, the unlisted one that it is most like. */
export function probableRenames(guarded: Guarded): Renames {
  const finder = new RenameFinder(guarded);
  const pairs = finder.find();
  const isRefused = ({ likeness, going }: Pair) =>
    likeness.score >= (going ? refused.going : refused.staying);
  return {
    refusals: pairs.filter(isRefused).map((pair) => finder.refusal(pair)),
    notes: pairs
      .filter((pair) => !isRefused(pair) && pair.likeness.score >= noted)
      .map((pair) => finder.note(pair)),
  };
}

class RenameFinder {
  readonly #guarded: Guarded;
  readonly #scene: Scene;
  readonly #likeness: LikenessJudge;
  #names: ReadonlyMap<string, readonly LiveNode[]> | undefined;
  readonly #goingBy = new Map<LiveNode, string | undefined>();

  constructor(guarded: Guarded) {
    this.#guarded = guarded;
    this.#scene = guarded.scene;
    this.#likeness = new LikenessJudge(guarded.scene);
    for (const { live, by } of guarded.doomed) this.#goingBy.set(live, by);
  }

  /** The likeliest pairs, each object in one at most; inside a pair, those of what stands in it. */
  find(): readonly Pair[] {
    const { unmanaged, spared } = this.#guarded;
    const staying = unmanaged.flatMap(({ kind, id }) => this.#scene.live.nodes.get(liveKey(kind, id)) ?? []);
    const lives = [...this.#goingBy.keys(), ...staying, ...spared.map(({ live }) => live)];
    const desiredNodes = [...this.#scene.tree.nodes.values()].filter((desired) =>
      this.#mayBeRenamed(desired),
    );
    // What stands in a new object is looked at with that object.
    const scopeOf = (desired: DesiredNode) => this.#scene.liveOf(this.#scene.scopeAddress(desired) ?? '')?.id;
    const pairs = this.#pair(
      grouped(
        desiredNodes.filter((desired) => scopeOf(desired) !== undefined),
        (desired) => `${desired.kind} ${scopeOf(desired)}`,
      ),
      grouped(lives, (live) => `${live.kind} ${live.scope.id}`),
    );
    return pairs.flatMap((pair) => [pair, ...this.#inside(pair)]);
  }

  /** What stands in an object that was probably renamed was probably not made anew either. */
  #inside(pair: Pair): readonly Pair[] {
    const desiredNodes = this.#scene.childrenOf(pair.desired.address);
    const { addressOf } = this.#scene.matching;
    const lives = this.#likeness
      .childrenOf(pair.live)
      .filter(({ kind, id }) => !addressOf.has(liveKey(kind, id)));
    const open: DesiredNode[] = [];
    const taken = new Set<LiveNode>();
    const same: Pair[] = [];
    for (const desired of desiredNodes) {
      const twin = lives.find((live) => !taken.has(live) && this.#likeness.isSame(desired, live));
      if (twin === undefined) open.push(desired);
      else {
        taken.add(twin);
        same.push({ ...pair, desired, live: twin });
      }
    }
    const renamed = this.#pair(
      grouped(
        open.filter((desired) => this.#mayBeRenamed(desired)),
        ({ kind }) => kind,
      ),
      grouped(
        lives.filter((live) => !taken.has(live)),
        ({ kind }) => kind,
      ),
    );
    return [
      ...same.flatMap((one) => this.#inside(one)),
      ...renamed.flatMap((one) => [one, ...this.#inside(one)]),
    ];
  }

  /** Pairs desired and live objects of one place each. */
  #pair(
    desiredNodes: ReadonlyMap<string, readonly DesiredNode[]>,
    lives: ReadonlyMap<string, readonly LiveNode[]>,
  ): readonly Pair[] {
    const all = [...desiredNodes].flatMap(([place, coming]) => {
      const beside = lives.get(place) ?? [];
      const only = beside.length === 1 && coming.length === 1;
      return this.#likeness.candidates(coming, beside).flatMap(([desired, live]) => {
        if (!this.#canBecome(desired, live)) return [];
        const likeness = this.#likeness.of(desired, live, only);
        return likeness.score === 0 ? [] : [{ desired, live, likeness, going: this.#goingBy.has(live) }];
      });
    });
    const taken = new Set<DesiredNode | LiveNode>();
    return all
      .sort((left, right) => right.likeness.score - left.likeness.score)
      .filter(({ desired, live }) => {
        if (taken.has(desired) || taken.has(live)) return false;
        taken.add(desired).add(live);
        return true;
      });
  }

  /** New, and not told apart yet by an id or by former names, also not by saying that there are none. */
  #mayBeRenamed(desired: DesiredNode): boolean {
    const { scene, draft } = this.#guarded;
    return (
      draft.get(desired.address, 'create') !== undefined &&
      !scene.replaced.has(desired.address) &&
      !isToldApart(desired) &&
      isNameable(scene.kindOf(desired))
    );
  }

  /** True where an update could make the one of the other. */
  #canBecome(desired: DesiredNode, live: LiveNode): boolean {
    return live.deleted !== true && this.#scene.replacingFields(desired, live).length === 0;
  }

  refusal(pair: Pair): Refusal {
    const { desired, live, likeness, going } = pair;
    const { noun } = this.#scene.kindOf(desired);
    const name = JSON.stringify(titleOf(this.#scene, live));
    const fate = going ? 'would be deleted' : 'would stay beside it';
    const by = this.#goingBy.get(live);
    return {
      guard: 'rename',
      address: desired.address,
      message: `a new ${noun} would be made, and the ${noun} ${name} ${fate}; they look like one, renamed: ${likeness.evidence.join(', ')}`,
      suggestion: `if it is the same ${noun}, add under ${desired.address}:\n  ${this.#line(live)}\nif it is another one, add in its place:\n  was: []`,
      steps: [stepId(desired.address, 'create'), ...(by === undefined ? [] : [by])],
    };
  }

  note(pair: Pair): Diagnostic {
    const { desired, live, likeness } = pair;
    const { noun } = this.#scene.kindOf(desired);
    const name = JSON.stringify(titleOf(this.#scene, live));
    return {
      severity: 'warning',
      code: 'probable-rename',
      message: `this ${noun} would be new, and the live ${noun} ${name}, which looks like it (${likeness.evidence.join(', ')}), would stay beside it`,
      address: desired.address,
      at: desired.at,
      suggestion: `if it is the same one under a new name, add the line\n${this.#line(live)}`,
    };
  }

  /** Live objects by kind, scope and each name that they go by. */
  #byName(): ReadonlyMap<string, readonly LiveNode[]> {
    if (this.#names !== undefined) return this.#names;
    const names = new Map<string, LiveNode[]>();
    for (const live of this.#scene.live.nodes.values()) {
      for (const name of namesOf(this.#scene.kindOf(live), live.fields))
        push(names, `${live.kind} ${live.scope.id} ${name}`, live);
    }
    this.#names = names;
    return names;
  }

  /** The line that makes it a rename: by name where the name tells the live object from all others. */
  #line(live: LiveNode): string {
    const name = titleOf(this.#scene, live);
    const named = new Set(
      formerNames([name]).flatMap((one) => this.#byName().get(`${live.kind} ${live.scope.id} ${one}`) ?? []),
    );
    return named.size === 1 && named.has(live) ? `was: ${JSON.stringify(name)}` : `id: ${live.id}`;
  }
}

/** Kinds whose objects keep what they are when their name changes. */
function isNameable(kind: Kind): boolean {
  return kind.key === undefined && kind.idParam !== undefined && kind.identities.length > 0;
}
