/**
 * Checks, right before an object is created, whether another writer has created it since the plan: creating it again would
 * duplicate it. Creates of the same kind under the same parent are then held back until the live state is read again.
 *
 * Example: teams a, b, c are to be created, and a second run creates b first.
 *   list [] → create a; list [a, b] → b exists, and this run did not create it → b and c are held back, and planned again.
 */

import type { Api } from '../contract/api.ts';
import { isListed, type Kind, type Remote } from '../kinds/kind.ts';
import { type Call, type Fields, referredAddress } from '../kinds/parts/payload.ts';
import type { Registry } from '../kinds/registry.ts';
import type { Step } from '../plan/plan.ts';
import { parentOf } from '../tree/addressing.ts';
import { canBePinned, desiredIdentity, identityValue, isLike } from '../tree/identity.ts';
import type { ObjectRef } from '../tree/refs.ts';
import { push } from '../util/group.ts';
import { rememberedIn } from '../util/remembered.ts';
import { CallFailure } from './failures.ts';
import { FreshLists, type ListParams, paramsOf } from './fresh-lists.ts';
import type { RunIds } from './run-ids.ts';
import { fillParams } from './send-call.ts';

export interface KnownObjects {
  /** Creates that one read may serve, if only people can make other changes. 0 if another run may be active. */
  readonly trustFor: number;
  /** True if the object existed when the live state was last read. */
  readonly has: (object: ObjectRef) => boolean;
}

interface Watched {
  readonly api: Api;
  readonly registry: Registry;
  /** If undefined, the watch relies only on responses of the service. */
  readonly known: KnownObjects | undefined;
  /** Ids, by address, of objects that the run created. */
  readonly own: RunIds;
  /** Ids of objects that the plan found. */
  readonly declared: Readonly<Record<string, string>>;
  readonly onOther: (address: string, id: string) => void;
  /** Called for an object that already exists twice. */
  readonly onDuplicate: (address: string) => void;
}

export class CreateWatch {
  readonly #run: Watched;
  readonly #lists: FreshLists;
  readonly #held = new Set<string>();
  readonly #listed = new WeakMap<readonly unknown[], ListedObjects>();

  constructor(run: Watched) {
    this.#run = run;
    this.#lists = new FreshLists(run.api, run.known?.trustFor);
  }

  /** Call after the live state is read again: all held-back creates may start. */
  release(): void {
    this.#held.clear();
  }

  /** Holds back creates of the same kind under the same parent as a step whose call the service rejected as a conflict. */
  hold(step: Step, { params }: Call): void {
    this.#held.add(this.#groupOf(step, fillParams({ ids: this.#run.own }, params)));
  }

  /** @throws CallFailure if the list cannot be read. */
  async mayCreate(step: Step): Promise<boolean> {
    const [call] = step.calls;
    if (call === undefined) return true;
    try {
      const params = fillParams({ ids: this.#run.own }, call.params);
      const group = this.#groupOf(step, params);
      if (this.#held.has(group)) return false;
      const other = await this.#otherLike(step, params, group);
      if (other !== undefined) {
        this.#held.add(group);
        this.#run.onOther(step.address, other);
      }
      return !this.#held.has(group);
    } catch (error) {
      throw new CallFailure(call, error);
    }
  }

  async #otherLike(step: Step, params: ListParams, group: string): Promise<string | undefined> {
    const kind = this.#run.registry.byName(step.kind);
    const { list } = kind.reads;
    const isCopy = kind.calls.copies !== undefined && step.fields.length === 0;
    if (this.#run.known === undefined || list === undefined || isCopy) return undefined;
    const parent = kind.identity.scope === 'parent' ? this.#idOf(parentOf(step.address)) : undefined;
    if (kind.identity.scope === 'parent' && parent === undefined) return undefined;
    // No other writer knows an ancestor that this run created.
    const isInNew = [...Object.values(params), parent ?? ''].some(
      (id) => this.#run.own.addressOf(id) !== undefined,
    );
    if (kind.identity.by.length === 0 || isInNew) return undefined;
    const { operation, query } = list;
    // Creates in one list form a group, named after the list.
    const items = await this.#lists.read(group, { operation, params, query });
    // An object without a container is in the listed one.
    const top = params[this.#run.registry.byName(list.per).identity.idParam ?? ''];
    const listed = rememberedIn(this.#listed, items, () => new ListedObjects(kind, items, top));
    const foreign = listed.foreign((remote) => this.#isKnown(kind, remote), parent);
    if (foreign.length === 0) return undefined;
    for (const remote of foreign) {
      const alike = listed
        .like(remote.fields, parent)
        .filter((one) => isLike(kind, one.fields, remote.fields));
      const [address] = alike.flatMap(({ id }) => this.#run.own.addressOf(id) ?? []);
      if (address === undefined) continue;
      this.#run.onDuplicate(address);
      return remote.id;
    }
    const fields = this.#fieldsOf(step);
    return foreign.find((remote) => isLike(kind, fields, remote.fields))?.id;
  }

  /** True if a create returned the id of an older object. Applies only to kinds whose ids the service chooses. */
  isOlder({ kind: name, id }: ObjectRef): boolean {
    if (!canBePinned(this.#run.registry.byName(name))) return false;
    return this.#run.own.addressOf(id) === undefined && this.#run.known?.has({ kind: name, id }) === true;
  }

  #isKnown({ name: kind }: Kind, { id }: Remote): boolean {
    return this.#run.own.addressOf(id) !== undefined || this.#run.known?.has({ kind, id }) !== false;
  }

  #fieldsOf({ fields }: Step): Fields {
    return Object.fromEntries(
      fields.flatMap(({ field, after }) => {
        const address = referredAddress(after);
        const value = address === undefined ? after : this.#idOf(address);
        return typeof value === 'string' ? [[field, value]] : [];
      }),
    );
  }

  #idOf(address: string): string | undefined {
    return this.#run.own.get(address) ?? this.#run.declared[address];
  }

  #groupOf({ kind }: Step, params: ListParams): string {
    const { list } = this.#run.registry.byName(kind).reads;
    return `${kind} ${JSON.stringify(list === undefined ? params : paramsOf(params, list.operation))}`;
  }
}

class ListedObjects {
  readonly #kind: Kind;
  readonly #top: string | undefined;
  readonly #byIdentity = new Map<string, Remote[]>();
  #foreign: readonly Remote[];

  /** `top`: container of objects that do not name one. */
  constructor(kind: Kind, items: readonly unknown[], top: string | undefined) {
    this.#kind = kind;
    this.#top = top;
    const { list } = kind.reads;
    const own = list === undefined ? items : items.filter((item) => isListed(list, item));
    const remotes = own.map((item) => kind.fromRemote(item));
    for (const remote of remotes)
      for (const identity of this.#identitiesOf(remote.fields)) push(this.#byIdentity, identity, remote);
    this.#foreign = remotes;
  }

  /** Unknown objects, inside the parent if it is given. An object that was once known remains known. */
  foreign(isKnown: (remote: Remote) => boolean, parent: string | undefined): readonly Remote[] {
    this.#foreign = this.#foreign.filter((remote) => !isKnown(remote));
    return this.#in(parent, this.#foreign);
  }

  like(fields: Fields, parent: string | undefined): readonly Remote[] {
    const candidates = new Set(
      this.#identitiesOf(fields).flatMap((identity) => this.#byIdentity.get(identity) ?? []),
    );
    return this.#in(parent, [...candidates]);
  }

  #in(parent: string | undefined, remotes: readonly Remote[]): readonly Remote[] {
    if (parent === undefined) return remotes;
    return remotes.filter(({ container }) => (container?.id ?? this.#top) === parent);
  }

  /** Identity values that similar objects share, both as stored and as looked up. */
  #identitiesOf(fields: Fields): readonly string[] {
    const identities = this.#kind.identity.by.flatMap((identity, at) =>
      [identityValue(fields, identity), desiredIdentity(fields, identity)].flatMap((value) =>
        value === undefined ? [] : [`${at} ${value}`],
      ),
    );
    return [...new Set(identities)];
  }
}
