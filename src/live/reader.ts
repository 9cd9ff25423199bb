/** The walk of one read: lists per scope, then what lists cannot give (pinned ids, searches, details of fields). */

import { type Api, ApiError } from '../contract/api.ts';
import { operations } from '../contract/index.ts';
import type { Included, Kind } from '../kinds/kind.ts';
import type { Registry } from '../kinds/registry.ts';
import type { DesiredNode, DesiredTree } from '../tree/desired.ts';
import {
  type CandidateIndex,
  desiredIdentity,
  identityValue,
  indexCandidates,
  pinnedId,
} from '../tree/identity.ts';
import { type LiveNode, type LiveTree, liveKey } from '../tree/live.ts';
import { namesMembers } from '../tree/references.ts';
import { pruneOf } from '../tree/settings.ts';
import { isRecord } from '../util/json.ts';
import { AtStakeReader } from './at-stake-reader.ts';
import { desiredKeys, kindsToList } from './declared.ts';
import { LiveTreeBuilder } from './live-tree-builder.ts';

/** From this many people on, one list of all is cheaper than a search for each. */
const searchesAtMost = 25;

/** Reads one organization; made anew for each read. */
export class LiveReader {
  readonly #api: Api;
  readonly #tree: DesiredTree;
  readonly #registry: Registry;
  readonly #builder: LiveTreeBuilder;
  readonly #onRead: (what: string) => void;
  readonly #desiredNodes = new Map<string, DesiredNode[]>();
  readonly #candidates = new Map<string, CandidateIndex>();
  readonly #detailed = new Set<string>();
  readonly #atStake: AtStakeReader;

  constructor(
    api: Api,
    tree: DesiredTree,
    options: { readonly registry: Registry; readonly onRead?: (what: string) => void },
  ) {
    this.#api = api;
    this.#tree = tree;
    this.#registry = options.registry;
    this.#builder = new LiveTreeBuilder(options.registry);
    this.#onRead = options.onRead ?? (() => {});
    for (const node of tree.nodes.values()) {
      const list = this.#desiredNodes.get(node.kind) ?? [];
      list.push(node);
      this.#desiredNodes.set(node.kind, list);
    }
    for (const [name, desiredNodes] of this.#desiredNodes) {
      this.#candidates.set(name, indexCandidates(this.#registry.byName(name), desiredNodes));
    }
    this.#atStake = new AtStakeReader({
      tree,
      registry: options.registry,
      builder: this.#builder,
      desiredNodes: this.#desiredNodes,
      desiredFor: (node) => this.#desiredFor(node),
      list: (parent, kind, met) => this.#list(parent, kind, met),
      all: (operation, params, query) =>
        api.all(operation, {
          params: paramsFor(operation, params),
          ...(query === undefined ? {} : { query }),
        }),
      onRead: this.#onRead,
    });
  }

  /** Reads everything that is declared below the organization, given as the service answered it. */
  async read(organization: unknown): Promise<LiveTree> {
    const root = this.#builder.addRoot(organization);
    const desiredRoot = this.#desiredNodes.get(root.kind) ?? [];
    await this.#readInside(root, desiredRoot);
    await this.#readPinned(root);
    await this.#readSearched(root);
    await this.#readSupports();
    await this.#readBelowIncidental();
    await this.#atStake.readDoomed();
    await this.#atStake.readSuspects();
    await this.#readDetails();
    await this.#readKept(root);
    return this.#builder.finish(root.id);
  }

  /** Lists what the desired objects that `parent` may be declare inside it, then goes on inside what was found. */
  async #readInside(parent: LiveNode, desiredNodes: readonly DesiredNode[]): Promise<void> {
    const needed = kindsToList(this.#tree, this.#registry, desiredNodes);
    await Promise.all([
      ...needed.lists
        .filter((kind) => !this.#isSearchedInstead(kind))
        .map((kind) => this.#list(parent, kind)),
      ...needed.singles.map((kind) => this.#single(parent, kind)),
    ]);
  }

  async #list(parent: LiveNode, kind: Kind, met: { readonly incidental?: boolean } = {}): Promise<void> {
    const list = kind.reads.list;
    if (list === undefined || !this.#builder.startList(kind, parent)) return;
    this.#onRead(`${kind.noun}s`);
    const items = await this.#api.all(list.operation, {
      params: paramsFor(list.operation, parent.params),
      ...(list.query === undefined ? {} : { query: list.query }),
    });
    const nodes = items.map((item, index) => this.#builder.add(kind, item, { parent, rank: index, ...met }));
    await Promise.all(
      nodes.map((node) => {
        const desiredNodes = this.#desiredFor(node);
        return desiredNodes.length === 0 ? undefined : this.#readInside(node, desiredNodes);
      }),
    );
  }

  async #single(parent: LiveNode, kind: Kind): Promise<void> {
    const { get } = kind.reads;
    if (get === undefined || !this.#builder.startList(kind, parent)) return;
    this.#onRead(kind.noun);
    const remote = await this.#get(get.operation, parent.params);
    if (remote !== undefined) this.#builder.add(kind, remote, { parent });
  }

  /** Objects that manifests pin by id and that no complete list can have shown. */
  async #readPinned(root: LiveNode): Promise<void> {
    await Promise.all(
      [...this.#tree.nodes.values()].map(async (desired) => {
        const kind = this.#registry.byName(desired.kind);
        const id = pinnedId(kind, desired);
        const { get, list } = kind.reads;
        if (
          id === undefined ||
          get === undefined ||
          kind.idParam === undefined ||
          desired.parent === undefined
        )
          return;
        if (list !== undefined && list.per === kind.scope && !this.#isSearchedInstead(kind)) return;
        if (this.#builder.has(kind.name, id)) return;
        this.#onRead(kind.noun);
        const remote = await this.#get(get.operation, { ...root.params, [kind.idParam]: id });
        if (remote !== undefined) {
          const node = this.#builder.add(kind, remote, { parent: root, incidental: true });
          await this.#readInside(node, [desired]);
        }
      }),
    );
  }

  /** Objects that are found by searching for an identity: desired ones without a candidate, and people named by others. */
  async #readSearched(root: LiveNode): Promise<void> {
    const named = desiredKeys(this.#tree, this.#registry);
    await Promise.all(
      this.#registry.kinds.map(async (kind) => {
        const { search } = kind.reads;
        if (search === undefined) return;
        const identity = kind.identities.find(({ field }) => field === search.field);
        if (identity === undefined) return;
        const values = new Set<string>(named.get(kind.name));
        for (const desired of this.#desiredNodes.get(kind.name) ?? []) {
          const value = desiredIdentity(desired.fields, identity);
          if (value !== undefined && pinnedId(kind, desired) === undefined) values.add(value);
        }
        const known = this.#builder.identityValues(kind, identity);
        const missing = [...values].filter((value) => !known.has(value));
        await Promise.all(missing.map((value) => this.#search(root, kind, value)));
      }),
    );
  }

  async #search(root: LiveNode, kind: Kind, value: string): Promise<void> {
    const { search, get } = kind.reads;
    if (search === undefined) return;
    this.#onRead(kind.noun);
    const identity = kind.identities.find(({ field }) => field === search.field) ?? { field: search.field };
    const hits = await this.#api.all(search.operation, {
      params: paramsFor(search.operation, root.params),
      query: { [search.parameter]: value.slice(0, 512) },
    });
    const found = hits.filter((hit) => identityValue(kind.fromRemote(hit).fields, identity) === value);
    await Promise.all(
      found.map(async (hit) => {
        let remote: unknown = hit;
        if (search.thenGet && get !== undefined && kind.idParam !== undefined) {
          const id = kind.fromRemote(hit).id;
          if (this.#builder.has(kind.name, id)) return;
          remote = await this.#get(get.operation, { ...root.params, [kind.idParam]: id });
        }
        if (remote !== undefined) this.#builder.add(kind, remote, { parent: root, incidental: true });
      }),
    );
  }

  /** The objects that desired values rest on, also where no manifest declares any. */
  async #readSupports(): Promise<void> {
    await Promise.all(
      this.#builder.nodes().flatMap((node) =>
        Object.entries(this.#registry.byName(node.kind).fields).flatMap(([name, { restsOn }]) => {
          const desiredValue = this.#desiredFor(node).some((desired) => desired.fields[name] === true);
          return restsOn === undefined || !desiredValue
            ? []
            : [this.#list(node, this.#registry.byName(restsOn))];
        }),
      ),
    );
  }

  /** What is declared inside objects that no list of their own place showed. */
  async #readBelowIncidental(): Promise<void> {
    await Promise.all(
      this.#builder.nodes().map((node) => {
        const desiredNodes = node.incidental === true ? this.#desiredFor(node) : [];
        return desiredNodes.length === 0 ? undefined : this.#readInside(node, desiredNodes);
      }),
    );
  }

  /** Fields that need a request of their own, for objects whose manifests declare the field. */
  async #readDetails(): Promise<void> {
    await Promise.all(
      this.#builder.nodes().flatMap((node) => {
        const kind = this.#registry.byName(node.kind);
        const desiredNodes = this.#desiredFor(node);
        return Object.entries(kind.fields).map(async ([name, field]) => {
          const { detail } = field;
          const slot = `${liveKey(node.kind, node.id)} ${name}`;
          if (detail === undefined || this.#detailed.has(slot) || node.deleted === true) return;
          const counts = this.#atStake.has(node) && namesMembers(field);
          if (!counts && !desiredNodes.some((desired) => desired.fields[name] !== undefined)) return;
          this.#detailed.add(slot);
          this.#onRead(`${kind.noun} ${name}`);
          const input = { params: paramsFor(detail.operation, node.params) };
          const answer = operations[detail.operation].paged
            ? await this.#api.all(detail.operation, input)
            : await this.#api.send(detail.operation, input);
          const { value, includes } = detail.read(answer);
          this.#builder.setField(node, name, value);
          this.#include(includes ?? []);
        });
      }),
    );
  }

  /** Where the last object with some value must not go, all objects with that value, if one of them is to change. */
  async #readKept(root: LiveNode): Promise<void> {
    for (const kind of this.#registry.kinds) {
      const { keepOne } = kind;
      const { list } = kind.reads;
      if (keepOne === undefined || list === undefined) continue;
      const atStake = this.#builder
        .nodes()
        .some(
          (node) =>
            node.kind === kind.name &&
            node.fields[keepOne.field] === keepOne.value &&
            this.#desiredFor(node).some(
              (desired) => (desired.fields[keepOne.field] ?? keepOne.value) !== keepOne.value,
            ),
        );
      if (!atStake) continue;
      const items = await this.#api.all(list.operation, {
        params: paramsFor(list.operation, root.params),
        query: { [keepOne.field]: keepOne.value },
      });
      for (const item of items) this.#builder.add(kind, item, { parent: root, incidental: true });
    }
  }

  #include(includes: readonly Included[]): void {
    for (const { kind, remote } of includes) this.#builder.addIncluded(this.#registry.byName(kind), remote);
  }

  /** True for kinds of which few objects are desired and a search finds each. */
  #isSearchedInstead(kind: Kind): boolean {
    const { search, list } = kind.reads;
    if (search === undefined || list === undefined || list.operation !== search.operation) return false;
    if (pruneOf(this.#tree.settings, kind.name) === 'unlisted') return false;
    const named = desiredKeys(this.#tree, this.#registry).get(kind.name)?.size ?? 0;
    return named + (this.#desiredNodes.get(kind.name)?.length ?? 0) <= searchesAtMost;
  }

  #desiredFor(node: LiveNode): readonly DesiredNode[] {
    if (node.kind === this.#registry.root.name) return this.#desiredNodes.get(node.kind) ?? [];
    return this.#candidates.get(node.kind)?.desiredFor(node.id, node.fields) ?? [];
  }

  async #get(
    operation: Parameters<Api['send']>[0],
    params: Readonly<Record<string, string>>,
  ): Promise<unknown | undefined> {
    try {
      const answer = await this.#api.send(operation, { params: paramsFor(operation, params) });
      return isRecord(answer) ? answer : undefined;
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return undefined;
      throw error;
    }
  }
}

/** Of all known ids, those that the operation's path takes. */
function paramsFor(
  operation: Parameters<Api['send']>[0],
  params: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(operations[operation].params.map((name) => [name, params[name] ?? '']));
}
