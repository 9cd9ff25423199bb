/** Limits on how much one plan may delete or change, counting all that goes down with what is deleted. */

import { type LiveNode, liveKey } from '../../tree/live.ts';
import { namesMembers } from '../../tree/references.ts';
import type { Settings } from '../../tree/settings.ts';
import { isRecord } from '../../util/json.ts';
import type { Refusal } from '../plan.ts';
import { type Guarded, goingOf } from './guarded.ts';

/** Shorter lists, and fewer objects in all, make every delete a great share: there only the count matters. */
const shortList = 4;
const fewObjects = 20;

/** What goes from one list that itself stays. */
interface Loss {
  /** For people: `members of teams/crew`. */
  readonly what: string;
  readonly address: string;
  readonly steps: Set<string>;
  count: number;
  /** How many there are. */
  readonly of: number;
}

/** The verdicts on the size of the plan. */
export function limits(guarded: Guarded): readonly Refusal[] {
  return [...deleteLimits(guarded), ...changeLimit(guarded)];
}

function deleteLimits(guarded: Guarded): readonly Refusal[] {
  const set = guarded.scene.tree.settings.limits;
  const census = new Census(guarded);
  const { total } = census;
  if (total === 0 || total <= (guarded.allowDeletes ?? 0)) return [];
  const steps = [...census.steps].sort();
  const refusals: Refusal[] = [];
  const refuse = (address: string, message: string, blocked: readonly string[], line: string) =>
    refusals.push({
      guard: 'limits',
      address,
      message,
      suggestion: `allow it once with --allow-deletes ${total}, or in the settings: limits: { ${line} }`,
      steps: blocked,
    });
  if (set.deletes !== null && total > set.deletes) {
    const message = `${total} things would be deleted (${census.summary()}); the limit is ${set.deletes}`;
    refuse('organization', message, steps, `deletes: ${total}`);
  }
  for (const { address, message, percent, blocked } of census.shares(set, steps)) {
    refuse(address, message, blocked, `deletePercent: ${percent}`);
  }
  return refusals;
}

function changeLimit({ scene, draft }: Guarded): readonly Refusal[] {
  const { changes: most } = scene.tree.settings.limits;
  const changes = new Set([...draft.steps.values()].map(({ address }) => address)).size;
  if (most === null || changes <= most) return [];
  return [
    {
      guard: 'limits',
      address: 'organization',
      message: `${changes} objects would be changed; the limit is ${most}`,
      suggestion: `raise it in the settings: limits: { changes: ${changes} }`,
      steps: [...draft.steps.keys()].sort(),
    },
  ];
}

/** Counts what goes: objects, and people who leave others or go down with them. */
class Census {
  readonly steps = new Set<string>();
  readonly #guarded: Guarded;
  readonly #counts = new Map<string, number>();
  readonly #losses = new Map<string, Loss>();
  /** Everything that was read, to compare with. */
  #known = 0;

  constructor(guarded: Guarded) {
    this.#guarded = guarded;
    const going = new Map(goingOf(guarded).map((one) => [one.live, one.steps]));
    const lists = new Map<string, number>();
    for (const live of guarded.scene.live.nodes.values()) {
      if (live.incidental === true || live.kind === guarded.scene.registry.root.name) continue;
      this.#known += 1;
      if (live.deleted !== true) lists.set(listKey(live), (lists.get(listKey(live)) ?? 0) + 1);
    }
    for (const [live, steps] of going) this.#countObject(live, steps, lists, going);
    for (const live of guarded.scene.live.nodes.values()) this.#countEntries(live, going.get(live));
  }

  get total(): number {
    return [...this.#counts.values()].reduce((sum, count) => sum + count, 0);
  }

  /** For people: `2 teams, 12 members of teams`. */
  summary(): string {
    return [...this.#counts].map(([noun, count]) => plural(noun, count)).join(', ');
  }

  /** The lists that lose too much, and the whole. */
  shares(set: Settings['limits'], all: readonly string[]) {
    const most = set.deletePercent;
    if (most === null) return [];
    const found = [];
    for (const { what, address, steps, count, of } of this.#losses.values()) {
      const percent = Math.ceil((count / of) * 100);
      if (of < shortList || count * 100 <= most * of) continue;
      const message = `${count} of ${of} ${what} (${percent}%) would be removed; the limit is ${most}%`;
      found.push({ address, message, percent, blocked: [...steps].sort() });
    }
    const percent = Math.ceil((this.total / Math.max(1, this.#known)) * 100);
    if (this.#known >= fewObjects && this.total * 100 > most * this.#known) {
      const message = `${this.total} of the ${this.#known} things that were read (${percent}%) would be deleted; the limit is ${most}%`;
      found.push({ address: 'organization', message, percent, blocked: all });
    }
    return found;
  }

  #countObject(
    live: LiveNode,
    steps: readonly string[],
    lists: ReadonlyMap<string, number>,
    going: ReadonlyMap<LiveNode, unknown>,
  ): void {
    const { scene } = this.#guarded;
    const { noun } = scene.kindOf(live);
    this.#add(noun, 1, steps);
    const container = scene.live.nodes.get(liveKey(live.container.kind, live.container.id));
    if (container === undefined || going.has(container)) return;
    const address = scene.matching.addressOf.get(liveKey(container.kind, container.id)) ?? container.id;
    const what = container.id === scene.live.organizationId ? `${noun}s` : `${noun}s of ${address}`;
    this.#lose(listKey(live), { what, address, of: lists.get(listKey(live)) ?? 1 }, 1, steps);
  }

  /** People who leave an object that stays, or that goes. */
  #countEntries(live: LiveNode, going: readonly string[] | undefined): void {
    const { scene, draft } = this.#guarded;
    const kind = scene.kindOf(live);
    for (const [name, field] of Object.entries(kind.fields)) {
      const before = live.fields[name];
      if (!namesMembers(field) || !isRecord(before)) continue;
      const of = Object.keys(before).length;
      this.#known += of;
      const person = scene.registry.byName(field.reference?.kinds[0] ?? live.kind).noun;
      const what = `${person} of ${kind.noun}s`;
      if (going !== undefined) {
        this.#add(what, of, going);
        continue;
      }
      const address = scene.matching.addressOf.get(liveKey(live.kind, live.id));
      const update = address === undefined ? undefined : draft.get(address, 'update');
      const desiredValue = update?.gives[name];
      if (address === undefined || update === undefined || !isRecord(desiredValue)) continue;
      const removed = Object.keys(before).filter((key) => !(key in desiredValue)).length;
      if (removed === 0) continue;
      this.#add(what, removed, [update.id]);
      this.#lose(update.id, { what: `${person}s of ${address}`, address, of }, removed, [update.id]);
    }
  }

  #add(noun: string, count: number, steps: readonly string[]): void {
    if (count === 0) return;
    this.#counts.set(noun, (this.#counts.get(noun) ?? 0) + count);
    for (const step of steps) this.steps.add(step);
  }

  #lose(
    key: string,
    list: Pick<Loss, 'what' | 'address' | 'of'>,
    count: number,
    steps: readonly string[],
  ): void {
    const loss = this.#losses.get(key) ?? { ...list, steps: new Set<string>(), count: 0 };
    loss.count += count;
    for (const step of steps) loss.steps.add(step);
    this.#losses.set(key, loss);
  }
}

function listKey(live: LiveNode): string {
  return `${live.kind} ${liveKey(live.container.kind, live.container.id)}`;
}

/** `3 teams`; `2 members of teams`. */
function plural(noun: string, count: number): string {
  const [head = noun, ...rest] = noun.split(' of ');
  return [`${count} ${head}${count === 1 ? '' : 's'}`, ...rest].join(' of ');
}
