/**
 * Looks, right before an object is created, whether somebody else created it meanwhile: creating it as well would double it.
 * Creates of the same kind under the same parent are then held back until the live state was read again.
 *
 * Example: teams a, b, c are to be created, and a second run creates b first.
 *   list [] → create a; list [a, b] → b is there, and nobody of this run made it → b and c are held back, and planned again.
 */
import type { Api } from '../contract/api.ts';
import type { Kind, Remote } from '../kinds/kind.ts';
import type { Fields } from '../kinds/payload.ts';
import type { Registry } from '../kinds/registry.ts';
import type { Step } from '../plan/plan.ts';
import type { ObjectRef } from '../tree/refs.ts';
import { isRecord } from '../util/json.ts';
import { FreshLists, type ListParams, type ListTrust, paramsOf } from './fresh-lists.ts';
import { isLike, ListedObjects } from './listed-objects.ts';
import type { RunIds } from './run-ids.ts';

/** A live object that somebody else created while a run was about to create it. */
export interface OtherObject {
  readonly address: string;
  readonly kind: string;
  readonly id: string;
}

/** What is known of the live state when a run begins. */
export interface KnownObjects extends ListTrust {
  /** True for an object that was live when the live state was read last. */
  readonly has: (object: ObjectRef) => boolean;
}

/** A create that is about to be sent. */
export interface PlannedCreate {
  readonly step: Step;
  /** The path parameters of its call. */
  readonly params: Readonly<Record<string, string>>;
}

/** Watches the lists into which a run creates objects. */
export class CreateWatch {
  readonly #registry: Registry;
  readonly #known: KnownObjects | undefined;
  readonly #own: RunIds;
  readonly #declared: Readonly<Record<string, string>>;
  readonly #onOther: (other: OtherObject) => void;
  readonly #onTwin: (other: OtherObject) => void;
  readonly #lists: FreshLists;
  readonly #held = new Set<string>();
  readonly #listed = new WeakMap<readonly unknown[], ListedObjects>();

  /** `own` and `declared`: ids, by address, of the objects that the run made, and that the plan found. Without `known`, only what the service says counts. */
  constructor(options: {
    readonly api: Api;
    readonly registry: Registry;
    readonly known: KnownObjects | undefined;
    readonly own: RunIds;
    readonly declared: Readonly<Record<string, string>>;
    readonly onOther: (other: OtherObject) => void;
    /** Called for what exists twice already. */
    readonly onTwin: (other: OtherObject) => void;
  }) {
    this.#registry = options.registry;
    this.#known = options.known;
    this.#own = options.own;
    this.#declared = options.declared;
    this.#onOther = options.onOther;
    this.#onTwin = options.onTwin;
    this.#lists = new FreshLists(options.api, options.known);
  }

  /** Everything that was held back may start: the live state was read again. */
  release(): void {
    this.#held.clear();
  }

  /** Holds back creates of the same kind under the same parent as a step that the service refused as a conflict. */
  hold({ step, params }: Pick<PlannedCreate, 'step' | 'params'>): void {
    this.#held.add(this.#groupOf(step, params));
  }

  /** False for a create that is to be held back. */
  async mayCreate(create: PlannedCreate): Promise<boolean> {
    const group = this.#groupOf(create.step, create.params);
    if (this.#held.has(group)) return false;
    const other = await this.#otherLike(create, group);
    if (other !== undefined) {
      this.#held.add(group);
      this.#onOther({ address: create.step.address, kind: create.step.kind, id: other });
    }
    return !this.#held.has(group);
  }

  async #otherLike({ step, params }: PlannedCreate, group: string): Promise<string | undefined> {
    const kind = this.#registry.byName(step.kind);
    const { list } = kind.reads;
    if (this.#known === undefined || list === undefined || kind.copies !== undefined) return undefined;
    const parent = kind.scope === 'parent' ? this.#idOf(parentOf(step.address)) : undefined;
    if (kind.scope === 'parent' && parent === undefined) return undefined;
    if (kind.identities.length === 0 || this.#isInNew([...Object.values(params), parent])) return undefined;
    const { operation, query } = list;
    // What is created in one list makes a group: the name of one is that of the other.
    const items = await this.#lists.read(group, { operation, params, query });
    // What is in no other object is in the one that was listed.
    const listed = this.#listedIn(items, kind, params[this.#registry.byName(list.per).idParam ?? '']);
    const foreign = listed.foreign((remote) => this.#isKnown(kind, remote), parent);
    if (foreign.length === 0) return undefined;
    for (const remote of foreign) {
      const twin = listed
        .like(remote.fields, parent)
        .find(
          ({ id, fields }) => this.#own.addressOf(id) !== undefined && isLike(kind, fields, remote.fields),
        );
      if (twin === undefined) continue;
      this.#onTwin({ address: this.#own.addressOf(twin.id) ?? '', kind: kind.name, id: remote.id });
      return remote.id;
    }
    const fields = this.#fieldsOf(step);
    return foreign.find((remote) => isLike(kind, fields, remote.fields))?.id;
  }

  #listedIn(items: readonly unknown[], kind: Kind, top: string | undefined): ListedObjects {
    const known = this.#listed.get(items);
    if (known !== undefined) return known;
    const listed = new ListedObjects(kind, items, top);
    this.#listed.set(items, listed);
    return listed;
  }

  #isKnown({ name: kind }: Kind, { id }: Remote): boolean {
    return this.#own.addressOf(id) !== undefined || this.#known?.has({ kind, id }) !== false;
  }

  /** What the object will have, as far as it can be recognised by that. */
  #fieldsOf({ fields }: Step): Fields {
    return Object.fromEntries(
      fields.flatMap(({ field, after }) => {
        const value = isRecord(after) && typeof after.$id === 'string' ? this.#idOf(after.$id) : after;
        return typeof value === 'string' ? [[field, value]] : [];
      }),
    );
  }

  #idOf(address: string): string | undefined {
    return this.#own.get(address) ?? this.#declared[address];
  }

  /** Names what is in one list. */
  #groupOf({ kind }: Step, params: ListParams): string {
    const { list } = this.#registry.byName(kind).reads;
    return `${kind} ${JSON.stringify(list === undefined ? params : paramsOf(params, list.operation))}`;
  }

  /** True inside an object that this run made: nobody else knows it yet. */
  #isInNew(ids: readonly (string | undefined)[]): boolean {
    return ids.some((id) => id !== undefined && this.#own.addressOf(id) !== undefined);
  }
}

/** The address without its last collection and key. */
function parentOf(address: string): string {
  return address.split('/').slice(0, -2).join('/');
}
