/** One organization while its live state is accepted: addresses of live objects, and live values as manifests write them. */

import type { Kind, Place } from '../../kinds/kind.ts';
import type { Field } from '../../kinds/parts/field.ts';
import type { Value } from '../../kinds/parts/payload.ts';
import type { Registry } from '../../kinds/registry.ts';
import { nameObjects, type Unnamed } from '../../manifest/emit/keys.ts';
import {
  fieldData,
  type LeftOutField,
  type LiveDataOptions,
  objectData,
  ReferenceKeys,
} from '../../manifest/emit/live-data.ts';
import { documentedKeys } from '../../manifest/format/key-order.ts';
import type { Past } from '../../plan/past.ts';
import type { OrganizationPlan, Step } from '../../plan/plan.ts';
import { driftedSteps } from '../../review/drift.ts';
import { isAdditive, ownPart } from '../../tree/additive.ts';
import { Addressing, covers, inside, keyOf } from '../../tree/addressing.ts';
import { type DesiredNode, idIn, secretsOf } from '../../tree/desired.ts';
import type { DesiredTree } from '../../tree/desired-tree.ts';
import { asSent } from '../../tree/forms.ts';
import { byRank, type LiveNode, type LiveTree } from '../../tree/live.ts';
import type { ObjectRef } from '../../tree/refs.ts';
import { isRecord } from '../../util/json.ts';
import { type Data, dataOf, isDataList, isDataMap } from '../../yaml/data.ts';
import { NotPossible } from '../../yaml/edited-document.ts';

export interface AcceptedOrganization {
  readonly tree: DesiredTree;
  /** Plan of the tree against the live state; only differences caused by drift are accepted. */
  readonly plan: OrganizationPlan;
  readonly live: LiveTree;
  /** The live state as a later plan read it: it has the order inside of added objects. */
  readonly later?: LiveTree | undefined;
  readonly past?: Past | undefined;
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
  readonly registry: Registry;
  readonly #addressing: Addressing;
  readonly #options: LiveDataOptions;

  constructor(organization: AcceptedOrganization, registry: Registry) {
    this.organization = organization;
    this.registry = registry;
    const { tree, live, plan, isChosen } = organization;
    this.drifted = driftedSteps(plan).filter(({ address }) => isChosen(address));
    this.#addressing = new Addressing(registry, live).declare(tree, new Map(liveIdsIn(plan)));
    const found = this.#additions();
    const withSecrets = hadSecrets(organization);
    const additions = found.filter((node) => !withSecrets.has(node));
    const secret = found.filter((node) => withSecrets.has(node));
    const all = additions.flatMap((node) => [node, ...this.#below(node)]);
    const declared = live.nodes().filter((node) => this.addressOf(node) !== undefined);
    const unnamed = nameObjects([...declared, ...all], this.#addressing, registry);
    const reason = 'it was written with a secret, whose live value is not written into manifests';
    this.unnamed = [...unnamed, ...secret.map((node) => ({ node, reason }))];
    this.added = additions.flatMap((node): readonly AddedObject[] => {
      const [address, place] = [this.addressOf(node), this.#addressing.placeOf(node)];
      const holder = tree.get(this.addressOf(node.container) ?? '');
      if (address === undefined || holder === undefined || place === undefined) return [];
      return [{ node, address, key: keyOf(address, this.kindOf(node)), holder, place }];
    });
    this.#options = {
      registry,
      live,
      addressOf: (ref) => this.addressOf(ref),
      references: new ReferenceKeys([
        ...tree.nodes.values(),
        ...all.map((node) => ({ kind: node.kind, address: this.addressOf(node) ?? '' })),
      ]),
      isPinned: organization.isPinned ?? (() => false),
      childrenOf: (node, collection) => this.#writtenInside(node, collection),
    };
  }

  liveOf(address: string): LiveNode | undefined {
    const node = this.#addressing.at(address);
    // A deleted object that can still be restored is not live.
    return node?.deleted === true ? undefined : node;
  }

  /** True for an object that the record knows, and that is live in a place that no manifest declares. */
  isStray({ address, kind }: DesiredNode): boolean {
    const { live, past } = this.organization;
    const found = live.get({ kind, id: past?.ids?.get(address) ?? '' });
    const isListed = found !== undefined && found.deleted !== true && found.seenInPassing !== true;
    return isListed && this.addressOf(found) === undefined;
  }

  addressOf(ref: ObjectRef): string | undefined {
    return this.#addressing.addressOf(ref);
  }

  kindOf(node: { readonly kind: string }): Kind {
    return this.registry.byName(node.kind);
  }

  /** The live place of a declared object. `to`: address of its parent, if it has one. */
  homeOf(node: DesiredNode) {
    const live = this.liveOf(node.address);
    return live && { node, to: this.addressOf(live.container), place: this.#addressing.placeOf(live) };
  }

  /** Keys of the objects that have this place. */
  keysAround({ parent }: Place): readonly string[] {
    return documentedKeys(this.kindOf({ kind: parent }), this.registry);
  }

  /** Addresses in live order; undefined if the order does not matter. */
  orderIn(address: string, { key, ordered }: Place): readonly string[] | undefined {
    const parent = this.liveOf(address);
    if (parent === undefined || !ordered) return undefined;
    return this.#sorted(this.#addressing.childrenOf(parent, key)).flatMap((child) => {
      const own = this.addressOf(child);
      return own === undefined ? [] : [keyOf(own, this.kindOf(child))];
    });
  }

  /**
   * Undefined if absent. A list that only adds is limited to its own elements.
   * @throws NotPossible
   */
  liveValue(node: DesiredNode, name: string, field: Field): Data | undefined {
    const live = this.liveOf(node.address);
    if (live === undefined) throw unwritable('its live value is not known');
    if (field.type === 'members' && !this.organization.live.seesAll)
      throw unwritable('this token may not see all of it');
    const declared = node.fields[name] ?? null;
    const stored = this.#asDeclared(live, node, name);
    const isById = field.type === 'members' && this.kindOf({ kind: field.of }).manifest.key === undefined;
    const value = isAdditive(node, name) && !isById ? ownPart(stored, declared) : stored;
    // The live tree knows only its own objects.
    const isLive = value === undefined || value === live.fields[name];
    const own = isLive ? live : { ...live, fields: { ...live.fields, [name]: value } };
    const data = this.#data(own, name, field);
    return isAdditive(node, name) ? ownData(data, declared) : data;
  }

  /** The live value, with the declared parts in place of the forms in which the service stores them. */
  #asDeclared({ id, fields }: LiveNode, node: DesiredNode, name: string): Value | undefined {
    const { address } = node;
    const [live, wanted] = [fields[name], node.fields[name]];
    if (wanted === undefined || live === undefined) return live;
    const stored = this.organization.past?.asStored?.({ address, name, id }, wanted, live) ?? wanted;
    return stored === wanted ? live : (asSent(live, wanted, stored) as Value);
  }

  #data(live: LiveNode, name: string, field: Field): Data | undefined {
    const reasons: string[] = [];
    const onLeftOut = (one: LeftOutField) => reasons.push(one.reason);
    const value = fieldData(live, name, { ...this.#options, onLeftOut });
    if (value !== undefined) return value;
    const [reason] = reasons;
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
    return this.registry.collectionsOf(node.kind).flatMap((collection) => {
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

/** Live objects that had secrets in the base, and objects around them. */
function hadSecrets({ past, live }: AcceptedOrganization): ReadonlySet<LiveNode> {
  const former = [...(past?.tree?.nodes.values() ?? [])].filter((node) => secretsOf(node).length > 0);
  const found = former.flatMap((node) => live.get({ kind: node.kind, id: idIn(node) ?? '' }) ?? []);
  return new Set(found.flatMap((node) => [node, ...live.ancestorsOf(node)]));
}

function ownData(live: Data | undefined, declared: Value): Data {
  if (Array.isArray(declared)) return isDataList(live) ? live : [];
  const own = isRecord(declared) ? declared : {};
  return new Map(isDataMap(live) ? [...live].filter(([key]) => Object.hasOwn(own, key)) : []);
}
