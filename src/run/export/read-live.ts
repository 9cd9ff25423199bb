/** Reads one organization as far as requests exist, and records the parts that the token may not read. */
import type { Api, ApiError } from '../../contract/api.ts';
import type { Kind } from '../../kinds/kind.ts';
import { needsDetail } from '../../kinds/parts/field.ts';
import type { Registry } from '../../kinds/registry.ts';
import { type LiveReader, openLive } from '../../live/live-reader.ts';
import { ReadMemory } from '../../live/read-memory.ts';
import { DesiredTree } from '../../tree/desired-tree.ts';
import type { LiveNode, LiveTree } from '../../tree/live.ts';
import type { Read } from '../../tree/reads.ts';
import type { ObjectRef } from '../../tree/refs.ts';
import { settingsSchemaOf } from '../../tree/settings.ts';
import { defined } from '../../util/defined.ts';
import { isAbsent } from '../reads/absent-parts.ts';

/** A read that was refused, for example because the token lacks access or the plan of the organization lacks the feature. */
export interface RefusedRead {
  readonly read: Read;
  readonly error: ApiError;
}

export interface LiveState {
  readonly live: LiveTree;
  /** The kinds of this service. */
  readonly registry: Registry;
  /** Memory for a plan that needs the responses again. */
  readonly memory: ReadMemory;
  readonly refused: readonly RefusedRead[];
}

export interface ReadOptions {
  readonly registry: Registry;
  readonly organizationId: string;
  readonly isWanted: (kind: Kind) => boolean;
  readonly onRead?: (() => void) | undefined;
}

/** Statuses of parts that the token may not read. */
const closed: ReadonlySet<number> = new Set([402, 403, 410]);

export class WholeReader {
  readonly refused: RefusedRead[] = [];
  readonly memory = new ReadMemory();
  readonly #options: ReadOptions;
  readonly #api: Api;
  #reader: LiveReader | undefined;

  constructor(api: Api, options: ReadOptions) {
    this.#api = api;
    this.#options = options;
  }

  /**
   * Reads from the organization down. Omits lists that the service refuses.
   * @throws DiagnosticError if the organization does not exist; ApiError if a request fails for another reason.
   */
  async readLists(): Promise<LiveState> {
    const reader = await this.#open();
    const seen = new Set<LiveNode>();
    for (;;) {
      const fresh = reader.tree.nodes().filter((node) => !seen.has(node) && node.deleted !== true);
      for (const node of fresh) seen.add(node);
      const reads = fresh.flatMap((node) => this.#inside(reader.registry, node, reader.tree));
      if (fresh.length === 0) {
        const { registry, tree: live } = reader;
        return { live, registry, memory: this.memory, refused: this.refused };
      }
      if (reads.length > 0) await reader.read(reads);
    }
  }

  async readFields(nodes: readonly LiveNode[]): Promise<void> {
    const { registry } = await this.#open();
    const reads = nodes.flatMap(({ kind, id }) =>
      Object.entries(registry.byName(kind).fields)
        .filter(([, field]) => needsDetail(field, undefined))
        .map(([field]): Read => ({ type: 'field', of: { kind, id }, field })),
    );
    await (await this.#open()).read(reads);
  }

  async #open(): Promise<LiveReader> {
    const { registry, organizationId: id, onRead } = this.#options;
    const settings = settingsSchemaOf(registry).parse({});
    const empty = new DesiredTree({ label: id, id, settings, nodes: new Map() });
    this.#reader ??= await openLive(this.#api, empty, {
      registry,
      memory: this.memory,
      ...defined({ onRead }),
      isOptional: (read, error) => this.#isOptional(read, error),
    });
    return this.#reader;
  }

  #isOptional(read: Read, error: ApiError): boolean {
    if (!isAbsent(error) && !closed.has(error.status ?? 0)) return false;
    this.refused.push({ read, error });
    return true;
  }

  #inside({ kinds }: Registry, node: LiveNode, live: LiveTree): readonly Read[] {
    const { kind: name, id } = node;
    const of: ObjectRef = { kind: name, id };
    return kinds.filter(this.#options.isWanted).flatMap((kind): readonly Read[] => {
      const inside = live.childrenOf(node).filter((child) => child.kind === kind.name);
      if (kind.reads.list?.places?.per === name)
        return inside.length > 1 ? [{ type: 'places', kind: kind.name, of }] : [];
      if (kind.reads.list?.per === name) return [{ type: 'list', kind: kind.name, of }];
      const isSingle = kind.manifest.places.some(
        ({ parent, shape }) => parent === name && shape === 'single',
      );
      return isSingle && kind.reads.get !== undefined ? [{ type: 'single', kind: kind.name, of }] : [];
    });
  }
}
