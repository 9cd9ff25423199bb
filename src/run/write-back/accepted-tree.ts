/** One organization while its live state is accepted: addresses of live objects, and live values as manifests write them. */
import type { Kind, Place } from '../../kinds/kind.ts';
import type { Field } from '../../kinds/parts/field.ts';
import type { Value } from '../../kinds/parts/payload.ts';
import type { Registry } from '../../kinds/registry.ts';
import { chooseKeys, type Unnamed } from '../../manifest/emit/keys.ts';
import { fieldData, type LiveDataOptions, objectData, ReferenceKeys } from '../../manifest/emit/live-data.ts';
import type { AsStored } from '../../plan/pending.ts';
import type { OrganizationPlan, Step } from '../../plan/plan.ts';
import { driftedSteps } from '../../review/drift.ts';
import { isAdditive, ownPart } from '../../tree/additive.ts';
import { Addressing, covers, inside, keyOf } from '../../tree/addressing.ts';
import { type DesiredNode, rootAddress, secretsOf } from '../../tree/desired.ts';
import type { DesiredTree } from '../../tree/desired-tree.ts';
import { asSent } from '../../tree/forms.ts';
import { byRank, type LiveNode, type LiveTree } from '../../tree/live.ts';
import type { ObjectRef } from '../../tree/refs.ts';
import { isRecord } from '../../util/json.ts';
import { type Data, dataOf, isDataList, isDataMap } from '../../yaml/data.ts';
import { NotPossible } from './wanted.ts';

export interface AcceptedOrganization {
  readonly tree: DesiredTree;
  /** Plan of the tree against the live state; only differences caused by drift are accepted. */
  readonly plan: OrganizationPlan;
  readonly live: LiveTree;
  /** The live state as a later plan read it: it has the order inside of added objects. */
  readonly later?: LiveTree | undefined;
  /** Includes the ids of its objects. */
  readonly base?: DesiredTree | undefined;
  readonly asStored?: AsStored | undefined;
  /**
   * Declared objects that are known not to be live, in addition to the plan's creates: all of these are removed. By default, objects are
   * only removed if the plan knows that they were live before, else refused.
   */
  readonly gone?: ReadonlySet<string>;
  /** Selects live objects to add with their id; default: none. */
  readonly isPinned?: (node: LiveNode) => boolean;
  readonly isChosen: (address: string) => boolean;
  /** Live objects to add with their contents, in addition to those whose deletion would revert drift. Declared ones are skipped. */
  readonly additions: readonly ObjectRef[];
}

export interface AddedObject {
  readonly node: LiveNode;
  readonly address: string;
  readonly key: string;
  /** Its parent. */
  readonly holder: DesiredNode;
  readonly place: Place;
}

export class AcceptedTree {
  readonly organization: AcceptedOrganization;
  /** Chosen steps that would revert drift. */
  readonly drifted: readonly Step[];
  readonly added: readonly AddedObject[];
  readonly unnamed: readonly Unnamed[];
  readonly #registry: Registry;
  readonly #addressing: Addressing;
  readonly #options: LiveDataOptions;
  #reasons: string[] = [];

  constructor(organization: AcceptedOrganization, registry: Registry) {
    this.organization = organization;
    this.#registry = registry;
    const { tree, live, plan, isChosen } = organization;
    this.drifted = driftedSteps(plan).filter(({ address }) => isChosen(address));
    this.#addressing = new Addressing(registry, live).declare(tree, new Map(liveIdsIn(plan)));
    const found = this.#additions();
    const secret = found.filter((node) => wasSecret(organization, node));
    const additions = found.filter((node) => !secret.includes(node));
    const all = additions.flatMap((node) => [node, ...this.#below(node)]);
    const declared = live.nodes().filter((node) => this.addressOf(node) !== undefined);
    const { keys, unnamed } = chooseKeys([...declared, ...all], {
      registry,
      knownKeyOf: (node) => {
        const address = this.addressOf(node);
        return address === undefined ? undefined : keyOf(address, this.kindOf(node));
      },
    });
    const reason = 'it was written with a secret, whose live value is not written into manifests';
    this.unnamed = [...unnamed, ...secret.map((node) => ({ node, reason }))];
    for (const node of all) {
      const key = keys.get(node);
      if (key !== undefined) this.#addressing.name(node, key);
    }
    this.added = additions.flatMap((node): readonly AddedObject[] => {
      const [key, address, place] = [keys.get(node), this.addressOf(node), this.#addressing.placeOf(node)];
      const holder = tree.get(this.addressOf(node.container) ?? '');
      if (key === undefined || address === undefined || holder === undefined || place === undefined)
        return [];
      return [{ node, address, key, holder, place }];
    });
    this.#options = {
      registry,
      live,
      addressOf: (ref) => this.addressOf(ref),
      references: new ReferenceKeys([
        ...tree.nodes.values(),
        ...all.flatMap((node) => {
          const address = this.addressOf(node);
          return address === undefined ? [] : [{ kind: node.kind, address }];
        }),
      ]),
      isPinned: organization.isPinned ?? (() => false),
      childrenOf: (node, collection) => this.#writtenInside(node, collection),
      onLeftOut: ({ reason }) => this.#reasons.push(reason),
    };
  }

  liveOf(address: string): LiveNode | undefined {
    const node = this.#addressing.at(address);
    // A deleted object that can still be restored is not live.
    return node?.deleted === true ? undefined : node;
  }

  addressOf(ref: ObjectRef): string | undefined {
    return this.#addressing.addressOf(ref);
  }

  kindOf(node: { readonly kind: string }): Kind {
    return this.#registry.byName(node.kind);
  }

  /** Keys in documented order. */
  keysOf(address: string): readonly string[] | undefined {
    const node = this.organization.tree.get(address) ?? this.liveOf(address);
    if (node === undefined) return undefined;
    const collections = this.#registry.collectionsOf(node.kind);
    if (address === rootAddress) return ['octavo', 'organization', 'settings', ...collections];
    return ['id', 'was', 'lifecycle', ...Object.keys(this.kindOf(node).fields), ...collections];
  }

  /** Addresses in live order; undefined if the order does not matter. */
  orderIn(address: string, collection: string): readonly string[] | undefined {
    const parent = this.liveOf(address);
    if (parent === undefined) return undefined;
    if (!this.#registry.at(parent.kind, collection).some(({ place }) => place.ordered)) return undefined;
    const children = this.#sorted(this.#addressing.childrenOf(parent, collection));
    return children.flatMap((child) => {
      const own = this.addressOf(child);
      return own === undefined ? [] : [keyOf(own, this.kindOf(child))];
    });
  }

  /**
   * Undefined if absent. A list that only adds is limited to its own elements.
   * @throws NotPossible
   */
  liveValue(node: DesiredNode, name: string): Data | undefined {
    const whole = this.#asDeclared(node, name);
    const field = this.kindOf(node).fields[name];
    if (whole === undefined || field === undefined) throw unwritable('its live value is not known');
    if (field.type === 'members' && !this.organization.live.seesAll)
      throw unwritable('this token may not see all of it');
    if (!isAdditive(node, name)) return this.#liveValue(whole, name, field);
    const declared = node.fields[name] ?? null;
    const isById = field.type === 'members' && this.#registry.byName(field.of).manifest.key === undefined;
    const part = isById ? {} : { [name]: ownPart(whole.fields[name], declared) };
    const own = { ...whole, fields: { ...whole.fields, ...part } };
    return ownData(this.#liveValue(own, name, field), declared);
  }

  /** The live object, with the declared parts of a value in place of the forms in which the service stores them. */
  #asDeclared({ address, fields }: DesiredNode, name: string): LiveNode | undefined {
    const [whole, wanted] = [this.liveOf(address), fields[name]];
    const live = whole?.fields[name];
    if (whole === undefined || wanted === undefined || live === undefined) return whole;
    const stored = this.organization.asStored?.({ address, name, id: whole.id }, wanted, live) ?? wanted;
    if (stored === wanted) return whole;
    return { ...whole, fields: { ...whole.fields, [name]: asSent(live, wanted, stored) as Value } };
  }

  #liveValue(live: LiveNode, name: string, field: Field): Data | undefined {
    this.#reasons = [];
    const value = fieldData(live, name, this.#options);
    if (value !== undefined) return value;
    const [reason] = this.#reasons;
    if (reason !== undefined) throw unwritable(reason);
    const raw = live.fields[name] ?? field.absent;
    if (raw !== undefined && raw !== null && raw !== '') return dataOf(raw);
    return field.nullable === undefined ? undefined : null;
  }

  dataOf(node: LiveNode): Data | undefined {
    return objectData(node, this.#options);
  }

  /** Live objects to add, without those inside of others. */
  #additions(): readonly LiveNode[] {
    const { live, tree, additions } = this.organization;
    const refs = [...additions, ...undeclaredIn(this.drifted, tree)];
    const all = new Set(refs.flatMap((ref) => live.get(ref) ?? []));
    const isAdded = (node: LiveNode) => all.has(node) && this.addressOf(node) === undefined;
    return [...all].filter((node) => isAdded(node) && !live.ancestorsOf(node).some(isAdded));
  }

  #below(node: LiveNode): readonly LiveNode[] {
    return this.#registry.collectionsOf(node.kind).flatMap((collection) => {
      const children = this.#addressing.childrenOf(node, collection);
      const open = children.filter((child) => this.addressOf(child) === undefined);
      return open.flatMap((child) => [child, ...this.#below(child)]);
    });
  }

  /** Excludes objects that are declared elsewhere, until they are moved. */
  #writtenInside(node: LiveNode, collection: string): readonly LiveNode[] | undefined {
    const isOwn = covers([inside(this.addressOf(node) ?? '', collection)]);
    const children = this.#addressing
      .childrenOf(node, collection)
      .filter((child) => isOwn(this.addressOf(child) ?? ''));
    return children.length === 0 ? undefined : this.#sorted(children);
  }

  #sorted(nodes: readonly LiveNode[]): readonly LiveNode[] {
    const shown = (node: LiveNode) => this.organization.later?.get(node) ?? node;
    return nodes.toSorted((left, right) => byRank(shown(left), shown(right)));
  }
}

/** Live objects that steps delete because no manifest declares them. */
export function undeclaredIn(steps: readonly Step[], tree: DesiredTree): readonly ObjectRef[] {
  return steps.flatMap(({ action, phase, address, kind, liveId: id = '' }) =>
    action === 'delete' && phase === 'delete' && tree.get(address) === undefined ? [{ kind, id }] : [],
  );
}

/** Addresses with live ids, also of objects that the plan replaces. */
export function liveIdsIn({ ids, steps }: OrganizationPlan): readonly (readonly [string, string])[] {
  const replaced = steps.flatMap(({ address, liveId }) =>
    liveId === undefined ? [] : [[address, liveId] as const],
  );
  return [...Object.entries(ids), ...replaced];
}

function unwritable(reason: string): NotPossible {
  return new NotPossible(`its live value cannot be written: ${reason}`);
}

/** True if the object, or one inside it, has secrets in the base. */
function wasSecret({ base, live }: AcceptedOrganization, node: LiveNode): boolean {
  return [...(base?.nodes.values() ?? [])].some((former) => {
    const at = live.get({ kind: former.kind, id: former.id ?? '' });
    const isInside = at !== undefined && (at === node || live.ancestorsOf(at).includes(node));
    return isInside && secretsOf(former).length > 0;
  });
}

function ownData(live: Data | undefined, declared: Value): Data {
  if (Array.isArray(declared)) return isDataList(live) ? live : [];
  const own = isRecord(declared) ? declared : {};
  return new Map(isDataMap(live) ? [...live].filter(([key]) => Object.hasOwn(own, key)) : []);
}
