/** Reads everything of one organization that there are requests for, and remembers what the token may not read. */
import type { Api, ApiError } from '../../contract/api.ts';
import type { Kind } from '../../kinds/kind.ts';
import type { Registry } from '../../kinds/registry.ts';
import { type LiveReader, openLive } from '../../live/live-reader.ts';
import { ReadMemory } from '../../live/read-memory.ts';
import { DesiredTree } from '../../tree/desired-tree.ts';
import type { LiveNode, LiveTree } from '../../tree/live.ts';
import type { Read } from '../../tree/reads.ts';
import type { ObjectRef } from '../../tree/refs.ts';
import { settingsSchemaOf } from '../../tree/settings.ts';

/** A read that the service refuses, for example since the token may not, or since the plan has no such feature. */
export interface RefusedRead {
  readonly read: Read;
  readonly status: number;
}

/** What was read of an organization. */
export interface LiveState {
  readonly live: LiveTree;
  /** The responses, for a plan that needs them again. */
  readonly memory: ReadMemory;
  /** Grows with each read. */
  readonly refused: readonly RefusedRead[];
}

/** What to read. */
export interface ReadOptions {
  readonly registry: Registry;
  readonly organizationId: string;
  /** True for kinds that are wanted. */
  readonly isWanted: (kind: Kind) => boolean;
  /** Called once for each read. */
  readonly onRead?: (() => void) | undefined;
}

/** Answers that mean that this part of the organization is closed to the token, or is not there. */
const closed: ReadonlySet<number> = new Set([402, 403, 404, 405, 410, 501]);

/** Reads lists, then what takes requests of its own for chosen objects. */
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
   * Lists everything, from the organization down. A list that the service refuses is left out.
   *
   * @throws DiagnosticError when there is no such organization; ApiError when a request fails for another reason.
   */
  async readLists(): Promise<LiveState> {
    const reader = await this.#open();
    const seen = new Set<LiveNode>();
    for (;;) {
      const fresh = reader.tree.nodes().filter((node) => !seen.has(node) && node.deleted !== true);
      for (const node of fresh) seen.add(node);
      const reads = fresh.flatMap((node) => this.#inside(node));
      if (fresh.length === 0) return { live: reader.tree, memory: this.memory, refused: this.refused };
      if (reads.length > 0) await reader.read(reads);
    }
  }

  /** Reads the fields of these objects that no list shows. */
  async readFields(nodes: readonly LiveNode[]): Promise<void> {
    const { registry } = this.#options;
    const reads = nodes.flatMap(({ kind, id }) =>
      Object.entries(registry.byName(kind).fields)
        .filter(([, { detail }]) => detail !== undefined)
        .map(([field]): Read => ({ type: 'field', of: { kind, id }, field })),
    );
    await (await this.#open()).read(reads);
  }

  async #open(): Promise<LiveReader> {
    const { registry, organizationId: id, onRead } = this.#options;
    this.#reader ??= await openLive(this.#api, emptyTree(registry, id), {
      registry,
      memory: this.memory,
      ...(onRead === undefined ? {} : { onRead }),
      goesOnWithout: (read, error) => this.#goesOnWithout(read, error),
    });
    return this.#reader;
  }

  #goesOnWithout(read: Read, { status }: ApiError): boolean {
    if (status === undefined || !closed.has(status)) return false;
    this.refused.push({ read, status });
    return true;
  }

  #inside({ kind: name, id }: LiveNode): readonly Read[] {
    const of: ObjectRef = { kind: name, id };
    return this.#options.registry.kinds.filter(this.#options.isWanted).flatMap((kind): readonly Read[] => {
      if (kind.reads.list?.per === name) return [{ type: 'list', kind: kind.name, of }];
      const isSingle = kind.places.some(({ parent, shape }) => parent === name && shape === 'single');
      return isSingle && kind.reads.get !== undefined ? [{ type: 'single', kind: kind.name, of }] : [];
    });
  }
}

/** An organization of which nothing is declared yet. */
function emptyTree(registry: Registry, id: string): DesiredTree {
  const settings = settingsSchemaOf(registry).parse({});
  return new DesiredTree({ label: id, id, settings, nodes: new Map() });
}
