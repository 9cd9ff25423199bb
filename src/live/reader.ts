/** The walk of one read: lists per scope, then what lists cannot give (pinned ids, searches, details of fields). */

import { type Api, ApiError } from '../contract/api.ts';
import { operations } from '../contract/index.ts';
import {
  type CandidateIndex,
  identityValue,
  indexCandidates,
  pinnedId,
  wantedIdentity,
} from '../graph/identity.ts';
import { type LiveNode, type LiveTree, liveKey } from '../graph/live.ts';
import { namesMembers } from '../graph/references.ts';
import { pruneOf, type WantNode, type WantTree } from '../graph/want.ts';
import type { Included, Kind } from '../kinds/kind.ts';
import type { Registry } from '../kinds/registry.ts';
import { isRecord } from '../util/json.ts';
import { AtStakeReader } from './at-stake-reader.ts';
import { kindsToList, wantedKeys } from './declared.ts';
import { LiveTreeBuilder } from './live-tree-builder.ts';

/** From this many people on, one list of all is cheaper than a search for each. */
const searchesAtMost = 25;

/** Reads one organization; made anew for each read. */
export class LiveReader {
  readonly #api: Api;
  readonly #tree: WantTree;
  readonly #registry: Registry;
  readonly #builder: LiveTreeBuilder;
  readonly #onRead: (what: string) => void;
  readonly #wants = new Map<string, WantNode[]>();
  readonly #candidates = new Map<string, CandidateIndex>();
  readonly #detailed = new Set<string>();
  readonly #atStake: AtStakeReader;

  constructor(
    api: Api,
    tree: WantTree,
    options: { readonly registry: Registry; readonly onRead?: (what: string) => void },
  ) {
    this.#api = api;
    this.#tree = tree;
    this.#registry = options.registry;
    this.#builder = new LiveTreeBuilder(options.registry);
    this.#onRead = options.onRead ?? (() => {});
    for (const node of tree.nodes.values()) {
      const list = this.#wants.get(node.kind) ?? [];
      list.push(node);
      this.#wants.set(node.kind, list);
    }
    for (const [name, wants] of this.#wants) {
      this.#candidates.set(name, indexCandidates(this.#registry.byName(name), wants));
    }
    this.#atStake = new AtStakeReader({
      tree,
      registry: options.registry,
      builder: this.#builder,
      wants: this.#wants,
      wantsFor: (node) => this.#wantsFor(node),
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
    const rootWants = this.#wants.get(root.kind) ?? [];
    await this.#readInside(root, rootWants);
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

  /** Lists what the wanted objects that `parent` may be declare inside it, then goes on inside what was found. */
  async #readInside(parent: LiveNode, wants: readonly WantNode[]): Promise<void> {
    const needed = kindsToList(this.#tree, this.#registry, wants);
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
        const wants = this.#wantsFor(node);
        return wants.length === 0 ? undefined : this.#readInside(node, wants);
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
      [...this.#tree.nodes.values()].map(async (want) => {
        const kind = this.#registry.byName(want.kind);
        const id = pinnedId(kind, want);
        const { get, list } = kind.reads;
        if (id === undefined || get === undefined || kind.idParam === undefined || want.parent === undefined)
          return;
        if (list !== undefined && list.per === kind.scope && !this.#isSearchedInstead(kind)) return;
        if (this.#builder.has(kind.name, id)) return;
        this.#onRead(kind.noun);
        const remote = await this.#get(get.operation, { ...root.params, [kind.idParam]: id });
        if (remote !== undefined) {
          const node = this.#builder.add(kind, remote, { parent: root, incidental: true });
          await this.#readInside(node, [want]);
        }
      }),
    );
  }

  /** Objects that are found by searching for an identity: wanted ones without a candidate, and people named by others. */
  async #readSearched(root: LiveNode): Promise<void> {
    const named = wantedKeys(this.#tree, this.#registry);
    await Promise.all(
      this.#registry.kinds.map(async (kind) => {
        const { search } = kind.reads;
        if (search === undefined) return;
        const identity = kind.identities.find(({ field }) => field === search.field);
        if (identity === undefined) return;
        const values = new Set<string>(named.get(kind.name));
        for (const want of this.#wants.get(kind.name) ?? []) {
          const value = wantedIdentity(want.fields, identity);
          if (value !== undefined && pinnedId(kind, want) === undefined) values.add(value);
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

  /** The objects that wanted values rest on, also where no manifest declares any. */
  async #readSupports(): Promise<void> {
    await Promise.all(
      this.#builder.nodes().flatMap((node) =>
        Object.entries(this.#registry.byName(node.kind).fields).flatMap(([name, { restsOn }]) => {
          const wanted = this.#wantsFor(node).some((want) => want.fields[name] === true);
          return restsOn === undefined || !wanted ? [] : [this.#list(node, this.#registry.byName(restsOn))];
        }),
      ),
    );
  }

  /** What is declared inside objects that no list of their own place showed. */
  async #readBelowIncidental(): Promise<void> {
    await Promise.all(
      this.#builder.nodes().map((node) => {
        const wants = node.incidental === true ? this.#wantsFor(node) : [];
        return wants.length === 0 ? undefined : this.#readInside(node, wants);
      }),
    );
  }

  /** Fields that need a request of their own, for objects whose manifests declare the field. */
  async #readDetails(): Promise<void> {
    await Promise.all(
      this.#builder.nodes().flatMap((node) => {
        const kind = this.#registry.byName(node.kind);
        const wants = this.#wantsFor(node);
        return Object.entries(kind.fields).map(async ([name, field]) => {
          const { detail } = field;
          const slot = `${liveKey(node.kind, node.id)} ${name}`;
          if (detail === undefined || this.#detailed.has(slot) || node.deleted === true) return;
          const counts = this.#atStake.has(node) && namesMembers(field);
          if (!counts && !wants.some((want) => want.fields[name] !== undefined)) return;
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
            this.#wantsFor(node).some(
              (want) => (want.fields[keepOne.field] ?? keepOne.value) !== keepOne.value,
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

  /** True for kinds of which few objects are wanted and a search finds each. */
  #isSearchedInstead(kind: Kind): boolean {
    const { search, list } = kind.reads;
    if (search === undefined || list === undefined || list.operation !== search.operation) return false;
    if (pruneOf(this.#tree.settings, kind.name) === 'unlisted') return false;
    const named = wantedKeys(this.#tree, this.#registry).get(kind.name)?.size ?? 0;
    return named + (this.#wants.get(kind.name)?.length ?? 0) <= searchesAtMost;
  }

  #wantsFor(node: LiveNode): readonly WantNode[] {
    if (node.kind === this.#registry.root.name) return this.#wants.get(node.kind) ?? [];
    return this.#candidates.get(node.kind)?.wantsFor(node.id, node.fields) ?? [];
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
