/**
 * Looks up objects that calls also created, such as the site-space of a new section. Look-ups in one list wait for
 * each other and share one request: for a thousand new sections, the site-spaces of the site are read once.
 *
 * Example: sections a, b and c of a site are created one after the other.
 *   a, b, c created → one list → the site-spaces of a, b and c
 */
import type { Step } from '../plan/plan.ts';
import { rememberedIn } from '../util/remembered.ts';
import { LookUpList } from './new-objects.ts';

export interface ReadyLookUp {
  readonly step: Step;
  readonly list: LookUpList;
}

interface LookUpGroup {
  /** Number of steps that are not ready yet. */
  left: number;
  ready: Step[];
}

export class LookUps {
  readonly #groups = new Map<string, LookUpGroup>();

  constructor(steps: readonly Step[]) {
    for (const step of steps) {
      const list = listOf(step);
      if (list === undefined) continue;
      rememberedIn(this.#groups, list, (): LookUpGroup => ({ left: 0, ready: [] })).left += 1;
    }
  }

  /** True for steps that only look up an object. They may wait for others. */
  has(step: Step): boolean {
    return this.#groups.has(listOf(step) ?? '');
  }

  /** Returns an empty list while other look-ups in the same list are pending. */
  ready(step: Step): readonly ReadyLookUp[] {
    const group = this.#groups.get(listOf(step) ?? '');
    if (group === undefined) return [];
    group.left -= 1;
    group.ready.push(step);
    return group.left === 0 ? release(group) : [];
  }

  /** Releases the remaining look-ups, even if their groups are incomplete. */
  rest(): readonly ReadyLookUp[] {
    return [...this.#groups.values()].flatMap(release);
  }
}

function release(group: LookUpGroup): readonly ReadyLookUp[] {
  const list = new LookUpList();
  const { ready } = group;
  group.ready = [];
  return ready.map((step) => ({ step, list }));
}

function listOf({ calls }: Step): string | undefined {
  const [call, ...more] = calls;
  if (call?.find === undefined || more.length > 0) return undefined;
  return JSON.stringify([call.operation, call.params, Object.keys(call.find)]);
}
