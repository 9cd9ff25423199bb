/** Reads one organization as far as requests exist, and records the parts that the token may not read. */
import type { Api, ApiError } from '../../contract/api.ts';
import type { Kind } from '../../kinds/kind.ts';
import { needsDetail } from '../../kinds/parts/field.ts';
import type { Registry } from '../../kinds/registry.ts';
import { openLive } from '../../live/live-reader.ts';
import { ReadMemory } from '../../live/read-memory.ts';
import { DesiredTree } from '../../tree/desired-tree.ts';
import type { LiveNode, LiveTree } from '../../tree/live.ts';
import type { Read } from '../../tree/reads.ts';
import type { ObjectRef } from '../../tree/refs.ts';
import { settingsSchemaOf } from '../../tree/settings.ts';
import { isAbsent } from '../reads/absent-parts.ts';

/** A read that was refused, for example because the token lacks access or the plan of the organization lacks the feature. */
export interface RefusedRead {
  readonly read: Read;
  readonly error: ApiError;
}

export type LiveState = Awaited<ReturnType<typeof readLists>>;

/** Statuses of parts that the token may not read. */
const closed: ReadonlySet<number> = new Set([402, 403, 410]);

/**
 * Reads from the organization down. Omits lists that the service refuses. `registry`: the kinds of this service; `memory`: for a plan
 * that needs the responses again.
 * @throws DiagnosticError if the organization does not exist; ApiError if a request fails for another reason.
 */
export async function readLists(api: Api, all: Registry, id: string, isWanted: (kind: Kind) => boolean) {
  const memory = new ReadMemory();
  const refused: RefusedRead[] = [];
  const settings = settingsSchemaOf(all).parse({});
  const empty = new DesiredTree({ label: id, id, settings, nodes: new Map() });
  const reader = await openLive(api, empty, {
    registry: all,
    memory,
    isOptional: (read, error) => {
      const isOptional = isAbsent(error) || closed.has(error.status ?? 0);
      if (isOptional) refused.push({ read, error });
      return isOptional;
    },
  });
  const { registry, tree: live } = reader;
  const kinds = registry.kinds.filter(isWanted);
  const seen = new Set<LiveNode>();
  for (;;) {
    const fresh = live.nodes().filter((node) => !seen.has(node) && node.deleted !== true);
    if (fresh.length === 0) return { reader, live, registry, memory, refused };
    for (const node of fresh) seen.add(node);
    const reads = fresh.flatMap((node) => kinds.flatMap((kind) => readsInside(node, kind, live)));
    if (reads.length > 0) await reader.read(reads);
  }
}

export async function readFields({ reader, registry }: LiveState, nodes: readonly LiveNode[]): Promise<void> {
  const reads = nodes.flatMap(({ kind, id }) =>
    Object.entries(registry.byName(kind).fields)
      .filter(([, field]) => needsDetail(field, undefined))
      .map(([field]): Read => ({ type: 'field', of: { kind, id }, field })),
  );
  await reader.read(reads);
}

function readsInside(node: LiveNode, kind: Kind, live: LiveTree): readonly Read[] {
  const of: ObjectRef = { kind: node.kind, id: node.id };
  const { list, get } = kind.reads;
  if (list?.places?.per === node.kind) {
    const inside = live.childrenOf(node).filter((child) => child.kind === kind.name);
    return inside.length > 1 ? [{ type: 'places', kind: kind.name, of }] : [];
  }
  if (list?.per === node.kind) return [{ type: 'list', kind: kind.name, of }];
  const isSingle = kind.manifest.places.some(
    ({ parent, shape }) => parent === node.kind && shape === 'single',
  );
  return isSingle && get !== undefined ? [{ type: 'single', kind: kind.name, of }] : [];
}
