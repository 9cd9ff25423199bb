/**
 * Reads the live state: sends requests for the reads of a plan, and adds the responses to the live
 * tree. It makes no decisions: the planner knows which reads are needed.
 */

import { type Api, ApiError, hasStatus } from '../contract/api.ts';
import { type Form, formShown, isLacking } from '../contract/form.ts';
import { type OperationId, type OperationOutput, operations } from '../contract/index.ts';
import { isListed, type Kind } from '../kinds/kind.ts';
import type { Registry } from '../kinds/registry.ts';
import { isCopyName } from '../tree/copy-name.ts';
import type { DesiredTree } from '../tree/desired-tree.ts';
import { identityValue } from '../tree/identity.ts';
import type { LiveNode, LiveTree } from '../tree/live.ts';
import type { Read } from '../tree/reads.ts';
import type { ObjectRef } from '../tree/refs.ts';
import { countsOf } from '../util/count.ts';
import { defined } from '../util/defined.ts';
import { isRecord } from '../util/json.ts';
import { rememberedIn } from '../util/remembered.ts';
import { unreachable } from '../util/unreachable.ts';
import { administers, findOrganization } from './find-organization.ts';
import { LiveTreeBuilder } from './live-tree-builder.ts';
import type { ReadMemory } from './read-memory.ts';

export interface LiveOptions {
  readonly registry: Registry;
  /** Called once for each read, for progress. */
  readonly onRead?: ((what: string) => void) | undefined;
  /** Stores responses and recalls them. Default: no memory. */
  readonly memory?: ReadMemory | undefined;
  /** True for reads that must be sent even if they are in the memory. Default: every read. */
  readonly isStale?: ((read: Read) => boolean) | undefined;
  /** If absent, the reader never waits. */
  readonly sleep?: (milliseconds: number) => Promise<unknown>;
  /** True if the other reads continue although this one failed. Default: a failed read ends the round. */
  readonly isOptional?: (read: Read, error: ApiError, live: LiveTree) => boolean | Promise<boolean>;
}

export interface LiveReader {
  readonly tree: LiveTree;
  /** The declared form, or the one detected from the organization. */
  readonly form: Form;
  readonly registry: Registry;
  /**
   * Reads one round in parallel.
   *
   * @throws ApiError if a request fails.
   */
  read(reads: readonly Read[]): Promise<void>;
}

/**
 * Finds the organization of a desired tree, without further reads.
 *
 * @throws DiagnosticError if the organization is not found or found twice; ApiError if a request fails.
 */
export async function openLive(api: Api, tree: DesiredTree, options: LiveOptions): Promise<LiveReader> {
  const { root } = options.registry;
  const read: Read = { type: 'object', kind: root.name, id: tree.id ?? '' };
  const organization = await findOrganization(sourceFor(api, options, read), tree, tree.root?.at);
  const form = tree.settings.service?.profile ?? formShown(organization);
  const registry = options.registry.under(form);
  const builder = new LiveTreeBuilder(registry, organization);
  builder.tree.seesAll = administers(organization);
  return new Reader(api, { ...options, registry }, { builder, organization, form });
}

/** Returns the service, or the memory in front of it. */
function sourceFor(api: Api, { memory, isStale }: LiveOptions, read: Read): Api {
  if (memory === undefined) return api;
  return isStale?.(read) === false ? memory.recalled(api) : memory.fresh(api);
}

/** Maximum number of reads of an object that the service is still processing, up to a second apart. */
const attempts = 20;

interface ReaderParts {
  readonly builder: LiveTreeBuilder;
  readonly organization: unknown;
  readonly form: Form;
  /** The tree for planning, if this reader makes additional reads. */
  readonly main?: LiveTree;
}

class Reader implements LiveReader {
  readonly tree: LiveTree;
  readonly form: Form;
  readonly #api: Api;
  readonly #options: LiveOptions;
  readonly #builder: LiveTreeBuilder;
  /** Shared by reads of responses that contain objects of several kinds. */
  readonly #service: ReaderParts;
  #aside: Reader | undefined;
  readonly #shared = new Map<string, Promise<readonly unknown[]>>();

  constructor(api: Api, options: LiveOptions, service: ReaderParts) {
    const { builder, form } = service;
    this.#service = service;
    this.#api = api;
    this.#options = options;
    this.#builder = builder;
    this.form = form;
    this.tree = builder.tree;
  }

  get registry(): Registry {
    return this.#options.registry;
  }

  async read(reads: readonly Read[]): Promise<void> {
    await Promise.all(reads.map((read) => this.#try(read)));
    this.#builder.settle();
    if (this.#aside !== undefined) this.#aside.#builder.settle();
  }

  async #try(read: Read): Promise<void> {
    try {
      await this.#read(sourceFor(this.#api, this.#options, read), read);
    } catch (error) {
      const { isOptional } = this.#options;
      if (!(error instanceof ApiError) || (await isOptional?.(read, error, this.tree)) !== true) throw error;
    }
  }

  #read(api: Api, read: Read): Promise<void> {
    switch (read.type) {
      case 'list':
        return this.#list(api, read);
      case 'places':
        return this.#places(api, this.#kind(read.kind), this.#live(read.of));
      case 'single':
        return this.#single(api, this.#kind(read.kind), this.#live(read.of));
      case 'object':
        return this.#object(api, this.#kind(read.kind), read.id);
      case 'search':
        return this.#search(api, this.#kind(read.kind), read);
      case 'having':
        return this.#having(api, read);
      case 'field':
        return this.#field(api, this.#live(read.of), read.field);
      case 'openWork':
        return this.#openWork(api, this.#live(read.of));
      case 'reach':
        return this.#reach(api, this.#live(read.of));
      case 'links':
        return this.#links(api, this.#live(read.of));
      case 'owner':
        return this.#owner(api);
      case 'aside':
        return this.#asideReader().#readIfAllowed(api, read.read);
      default:
        return unreachable(read);
    }
  }

  async #list(api: Api, { kind: name, of, partial, again }: Extract<Read, { type: 'list' }>): Promise<void> {
    const kind = this.#kind(name);
    const parent = this.#live(of);
    const { list } = kind.reads;
    if (list === undefined) return;
    this.#onRead(`${kind.noun}s`);
    const items = await this.#items(api, list, { ...parent, again: again === true });
    const isOrdered = list.places === undefined;
    items.forEach((item, at) => {
      const rank = isOrdered ? at : undefined;
      if (isListed(list, item))
        this.#builder.add(kind, item, { parent, ...defined({ rank }), seenInPassing: partial === true });
    });
  }

  async #places(api: Api, kind: Kind, parent: LiveNode): Promise<void> {
    const places = kind.reads.list?.places;
    if (places === undefined) return;
    this.#onRead(`${kind.noun}s`);
    const items = await all(api, places.operation, parent.params);
    items.forEach((item, rank) => {
      this.#builder.place(this.#builder.add(kind, item, { parent }), parent, rank);
    });
  }

  #items(
    api: Api,
    { operation, query, object }: NonNullable<Kind['reads']['list']>,
    { id, params, again }: LiveNode & { readonly again: boolean },
  ): Promise<readonly unknown[]> {
    const read = () => all(api, operation, params, query);
    if (object === undefined) return read();
    return rememberedIn(this.#shared, `${operation} ${id} ${again}`, read);
  }

  async #single(api: Api, kind: Kind, parent: LiveNode): Promise<void> {
    const { get } = kind.reads;
    if (get === undefined) return;
    this.#onRead(kind.noun);
    const remote = await getOne(api, get.operation, parent.params);
    if (remote !== undefined) this.#builder.add(kind, remote, { parent });
  }

  async #object(api: Api, kind: Kind, id: string): Promise<void> {
    this.#onRead(kind.noun);
    try {
      const remote = await this.#getById(api, kind, id);
      if (remote !== undefined) this.#builder.addIncluded(kind, { remote });
    } catch (error) {
      if (!hasStatus(error, 403)) throw error;
      this.tree.deny({ kind: kind.name, id });
    }
  }

  async #search(api: Api, kind: Kind, { value, copies }: Extract<Read, { type: 'search' }>): Promise<void> {
    const { search } = kind.reads;
    if (search === undefined) return;
    this.#onRead(kind.noun);
    const identity = kind.identity.by.find(({ field }) => field === search.field) ?? { field: search.field };
    const query = { [search.parameter]: value.slice(0, 512) };
    const hits = await all(api, search.operation, this.#builder.root.params, query);
    const found = hits.filter((hit) => {
      const name = identityValue(kind.fromRemote(hit).fields, identity);
      return name === value || (copies === true && name !== undefined && isCopyName(name, value));
    });
    await Promise.all(
      found.map(async (hit) => {
        const { id } = kind.fromRemote(hit);
        if (search.thenGet && this.tree.has({ kind: kind.name, id })) return;
        const remote = search.thenGet ? await this.#getById(api, kind, id) : hit;
        if (remote !== undefined) this.#builder.addIncluded(kind, { remote });
      }),
    );
  }

  async #having(api: Api, { kind: name, field, value }: Extract<Read, { type: 'having' }>): Promise<void> {
    const kind = this.#kind(name);
    const { list } = kind.reads;
    if (list === undefined) return;
    this.#onRead(`${kind.noun}s`);
    const items = await all(api, list.operation, this.#builder.root.params, { [field]: value });
    for (const remote of items) this.#builder.addIncluded(kind, { remote });
  }

  async #field(api: Api, node: LiveNode, name: string): Promise<void> {
    const kind = this.#kind(node.kind);
    const detail = kind.fields[name]?.detail;
    if (detail === undefined || detail.isNeeded?.(node.fields[name]) === false) return;
    this.#onRead(`${kind.noun} ${name}`);
    if (detail.onceSettled === true) await this.#settled(api, kind, node);
    const params = paramsFor(detail.operation, node.params);
    const reading = operations[detail.operation].paged
      ? api.all(detail.operation, { params })
      : api.send(detail.operation, { params });
    const response: unknown = await reading.catch((error: unknown) => {
      if (detail.mayBeMissing !== true || !hasStatus(error, 404)) throw error;
    });
    if (response === undefined) return;
    const shown = detail.read(response, node.fields[name]);
    if (shown === undefined) throw unknownForm(detail.operation, node.params);
    const { value, includes } = shown;
    this.#builder.setField(node, name, value);
    for (const included of includes ?? []) this.#builder.addIncluded(this.#kind(included.kind), included);
  }

  /** Continues with the current state if the service takes too long. Lists may lag behind the object itself. */
  async #settled(api: Api, kind: Kind, { id }: LiveNode): Promise<void> {
    const { sleep, memory } = this.#options;
    for (let [attempt, from] = [1, api]; attempt <= attempts; attempt += 1) {
      const remote = await this.#getById(from, kind, id);
      const isSettled = remote === undefined || kind.fromRemote(remote).unsettled !== true;
      if (isSettled || sleep === undefined) return;
      await sleep(Math.min(attempt * 100, 1000));
      from = memory?.fresh(this.#api) ?? this.#api;
    }
  }

  async #openWork(api: Api, node: LiveNode): Promise<void> {
    const { openWork } = this.#kind(node.kind).deletion;
    if (openWork === undefined) return;
    this.#onRead(`${openWork.noun}s`);
    const items = await all(api, openWork.operation, node.params, openWork.query);
    this.#builder.set(node, { openWork: items.length });
  }

  async #reach(api: Api, node: LiveNode): Promise<void> {
    const { reach } = this.#kind(node.kind).reads;
    if (reach === undefined) return;
    this.#onRead(`access of ${this.#kind(node.kind).noun}s`);
    const kind = this.#kind(reach.kind);
    const reached = reach.read(await all(api, reach.operation, node.params));
    for (const { remote } of reached) this.#builder.addIncluded(kind, { remote });
    const levels = reached.map(({ remote, level }) => [kind.fromRemote(remote).id, level] as const);
    this.#builder.set(node, { reach: Object.fromEntries(levels) });
  }

  async #links(api: Api, node: LiveNode): Promise<void> {
    const { links } = this.#kind(node.kind).reads;
    if (links === undefined) return;
    this.#onRead(`links of ${this.#kind(node.kind).noun}s`);
    const items = await all(api, links.operation, node.params).catch((error: unknown) => {
      if (!(error instanceof ApiError) || error.type === 'cancelled') throw error;
    });
    if (items !== undefined) this.#builder.set(node, { links: countsOf(links.targets(items)) });
  }

  /** The plan does not change if the service does not report the owner: a token need not belong to a person. */
  async #owner(api: Api): Promise<void> {
    if (isLacking(this.form, operations['user.get'].needs)) return;
    this.#onRead('user');
    try {
      const { id, email } = (await api.send('user.get', { params: {} })) as OperationOutput<'user.get'>;
      this.tree.owner = { id, ...defined({ email: email ?? undefined }) };
    } catch (error) {
      if (![401, 403, 404].some((status) => hasStatus(error, status))) throw error;
    }
  }

  /** The reader for additional reads of a plan's views. */
  #asideReader(): Reader {
    const { organization, form } = this.#service;
    this.#aside ??= new Reader(this.#api, this.#options, {
      builder: new LiveTreeBuilder(this.registry, organization),
      organization,
      form,
      main: this.tree,
    });
    this.tree.aside = this.#aside.tree;
    return this.#aside;
  }

  async #readIfAllowed(api: Api, read: Read): Promise<void> {
    try {
      await this.#read(api, read);
    } catch (error) {
      if (![400, 401, 403, 404].some((status) => hasStatus(error, status))) throw error;
      if (read.type === 'list') this.tree.deny(read.of);
    }
  }

  #kind(name: string): Kind {
    return this.#options.registry.byName(name);
  }

  #live(ref: ObjectRef): LiveNode {
    const other = this.tree.has(ref) ? undefined : this.#service.main?.get(ref);
    const node = other === undefined ? this.tree.get(ref) : this.#builder.copy(other);
    if (node === undefined) throw new Error(`a read names ${ref.kind} ${ref.id}, which is not in the tree`);
    return node;
  }

  #onRead(what: string): void {
    this.#options.onRead?.(what);
  }

  #getById(api: Api, kind: Kind, id: string): Promise<unknown> {
    const { get } = kind.reads;
    if (get === undefined || kind.identity.idParam === undefined) return Promise.resolve(undefined);
    return getOne(api, get.operation, { ...this.#builder.root.params, [kind.identity.idParam]: id });
  }
}

function unknownForm(operation: OperationId, params: Params): ApiError {
  const { method, path } = operations[operation];
  const filled = path.replace(/\{(\w+)\}/g, (_whole, name: string) => params[name] ?? '');
  const request = { operation, method, path: filled, attempt: 1, mayHaveHappened: false };
  return new ApiError(`${operation} returned an unknown form`, { ...request, type: 'shape' });
}

type Params = LiveNode['params'];
type Query = NonNullable<Kind['reads']['list']>['query'];

function all(api: Api, operation: OperationId, params: Params, query?: Query): Promise<readonly unknown[]> {
  return api.all(operation, { params: paramsFor(operation, params), ...defined({ query }) });
}

/** Undefined for status 404. */
export async function getOne(api: Api, operation: OperationId, params: Params): Promise<unknown> {
  try {
    const response = await api.send(operation, { params: paramsFor(operation, params) });
    return isRecord(response) ? response : undefined;
  } catch (error) {
    if (hasStatus(error, 404)) return undefined;
    throw error;
  }
}

function paramsFor(operation: OperationId, params: Params): Params {
  return Object.fromEntries(operations[operation].params.map((name) => [name, params[name] ?? '']));
}
