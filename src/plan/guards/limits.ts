import { rootAddress } from '../../tree/desired.ts';
import type { LiveNode } from '../../tree/live.ts';
import { RefMap } from '../../tree/refs.ts';
import type { Settings } from '../../tree/settings.ts';
import { countOf } from '../../util/count.ts';
import { isRecord } from '../../util/json.ts';
import { rememberedIn } from '../../util/remembered.ts';
import { namedObject } from '../title-of.ts';
import { deletedObjects, type Guard, type GuardedPlan, type OwnRefusal } from './guard.ts';

type Limits = Settings['limits'];

/** Among few entries or objects, every delete is a large share, so only the count matters. */
const shortList = 4;
const fewObjects = 20;

export const limits: Guard = {
  name: 'limits',
  check: (plan) => ({ refusals: [...deleteLimits(plan), ...changeLimit(plan)] }),
};

function deleteLimits(plan: GuardedPlan): readonly OwnRefusal[] {
  if (plan.draft.steps.size === 0) return [];
  const count = new DeleteCount(plan);
  const { total } = count;
  if (total === 0 || total <= (plan.allowDeletes ?? 0)) return [];
  return [...count.excesses(plan.context.desired.settings.limits)].map(
    ({ address, message, line, steps }) => ({
      address,
      message,
      suggestion: `allow it once with --allow-deletes ${total}, or in the settings: limits: { ${line} }`,
      steps: [...steps].sort(),
    }),
  );
}

interface Excess {
  readonly address: string;
  readonly message: string;
  readonly line: string;
  readonly steps: Iterable<string>;
}

function changeLimit({ context, draft }: GuardedPlan): readonly OwnRefusal[] {
  const { changes: most } = context.desired.settings.limits;
  const changes = new Set([...draft.steps.values()].map(({ address }) => address)).size;
  if (most === null || changes <= most) return [];
  return [
    {
      address: rootAddress,
      message: `${changes} objects would be changed; the limit is ${most}`,
      suggestion: `raise it in the settings: limits: { changes: ${changes} }`,
      steps: [...draft.steps.keys()].sort(),
    },
  ];
}

interface Loss {
  /** Example: `team`, `member of teams`. */
  readonly noun: string;
  readonly count: number;
  readonly steps: readonly string[];
  readonly list?: ShrinkingList;
}

interface ShrinkingList {
  /** Example: `members of teams/crew`. */
  readonly what: string;
  readonly address: string;
  readonly of: number;
}

class DeleteCount {
  readonly steps = new Set<string>();
  readonly #plan: GuardedPlan;
  readonly #byNoun = new Map<string, number>();
  readonly #shrinking = new Map<string, { list: ShrinkingList; count: number; steps: Set<string> }>();
  readonly #sizes = new RefMap<Map<string, number>>();
  #known = 0;

  constructor(plan: GuardedPlan) {
    this.#plan = plan;
    const { live: tree, registry } = plan.context;
    const deleted = new Map(deletedObjects(plan).map((one) => [one.live, one.steps]));
    for (const live of tree.nodes()) {
      if (live.seenInPassing === true || live.kind === registry.root.name) continue;
      this.#known += 1;
      if (live.deleted !== true) this.#countListed(live);
    }
    for (const [live, steps] of deleted) this.#add(this.#objectLoss(live, steps, deleted));
    for (const live of tree.nodes()) this.#countMembers(live, deleted.get(live));
  }

  get total(): number {
    return [...this.#byNoun.values()].reduce((sum, count) => sum + count, 0);
  }

  *excesses({ deletes, deletePercent: most }: Limits): Iterable<Excess> {
    const { total, steps } = this;
    if (deletes !== null && total > deletes) {
      const each = [...this.#byNoun].map(([noun, count]) => plural(noun, count)).join(', ');
      const message = `${countOf(total, 'object')} would be deleted (${each}); the limit is ${deletes}`;
      yield { address: rootAddress, message, line: `deletes: ${total}`, steps };
    }
    if (most === null) return;
    for (const { list, count, steps: own } of this.#shrinking.values()) {
      if (list.of < shortList || count * 100 <= most * list.of) continue;
      const percent = percentOf(count, list.of);
      const message = `${count} of ${list.of} ${list.what} (${percent}%) would be removed; the limit is ${most}%`;
      yield { address: list.address, message, line: `deletePercent: ${percent}`, steps: own };
    }
    // A cascade also deletes objects that no list contained.
    const known = Math.max(this.#known, total);
    if (known >= fewObjects && total * 100 > most * known) {
      const percent = percentOf(total, known);
      const message = `${total} of the ${known} objects that were read (${percent}%) would be deleted; the limit is ${most}%`;
      yield { address: rootAddress, message, line: `deletePercent: ${percent}`, steps };
    }
  }

  #countListed({ kind, container }: LiveNode): void {
    const sizes = rememberedIn(this.#sizes, container, () => new Map<string, number>());
    sizes.set(kind, (sizes.get(kind) ?? 0) + 1);
  }

  #objectLoss(live: LiveNode, steps: readonly string[], deleted: ReadonlyMap<LiveNode, unknown>): Loss {
    const { context } = this.#plan;
    const { noun } = context.kindOf(live);
    const container = context.live.parentOf(live);
    if (container === undefined || deleted.has(container)) return { noun, count: 1, steps };
    const address = context.matching.addressOf(container) ?? namedObject(context, container);
    const what = container.id === context.live.organizationId ? `${noun}s` : `${noun}s of ${address}`;
    const of = this.#sizes.get(container)?.get(live.kind) ?? 1;
    return { noun, count: 1, steps, list: { what, address, of } };
  }

  #countMembers(live: LiveNode, deleted: readonly string[] | undefined): void {
    const { registry } = this.#plan.context;
    const kind = registry.byName(live.kind);
    for (const [name, field] of Object.entries(kind.fields)) {
      const before = live.fields[name];
      if (field.type !== 'members' || field.absent !== undefined || !isRecord(before)) continue;
      const of = Object.keys(before).length;
      this.#known += of;
      const member = registry.byName(field.of).noun;
      const noun = `${member} of ${kind.noun}s`;
      if (deleted === undefined) this.#add(this.#membersLoss(live, name, noun, member));
      else this.#add({ noun, count: of, steps: deleted });
    }
  }

  #membersLoss(live: LiveNode, name: string, noun: string, member: string): Loss {
    const { context, draft } = this.#plan;
    const address = context.matching.addressOf(live) ?? '';
    const update = draft.get(address, 'update');
    const after = update?.sets[name];
    const before = Object.keys(live.fields[name] ?? {});
    if (update === undefined || !isRecord(after)) return { noun, count: 0, steps: [] };
    const count = before.filter((key) => !(key in after)).length;
    const list = { what: `${member}s of ${address}`, address, of: before.length };
    return { noun, count, steps: [update.id], list };
  }

  #add({ noun, count, steps, list }: Loss): void {
    if (count === 0) return;
    this.#byNoun.set(noun, (this.#byNoun.get(noun) ?? 0) + count);
    for (const step of steps) this.steps.add(step);
    if (list === undefined) return;
    const key = `${list.what} ${list.address}`;
    const known = rememberedIn(this.#shrinking, key, () => ({ list, count: 0, steps: new Set<string>() }));
    known.count += count;
    for (const step of steps) known.steps.add(step);
  }
}

function percentOf(count: number, of: number): number {
  return Math.min(100, Math.ceil((count * 100) / Math.max(1, of)));
}

function plural(noun: string, count: number): string {
  const [head = noun, ...rest] = noun.split(' of ');
  return [countOf(count, head), ...rest].join(' of ');
}
