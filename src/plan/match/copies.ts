/**
 * Finds unfinished copies of an interrupted run: they exist, but still have the name of their original. Creation time and the
 * objects that show them distinguish them from the original. They are finished, never copied a second time.
 *
 * Example: `next: { duplicateOf: guide, title: Next }`, and live are two spaces titled Guide, s1 from May and s2 from today.
 *   s1 is guide, since it is older; s2 is next, and is renamed.
 */
import type { Kind } from '../../kinds/kind.ts';
import type { Registry } from '../../kinds/registry.ts';
import { isCopyName } from '../../tree/copy-name.ts';
import type { DesiredNode } from '../../tree/desired.ts';
import type { DesiredTree } from '../../tree/desired-tree.ts';
import { identityValue } from '../../tree/identity.ts';
import type { LiveNode, LiveTree } from '../../tree/live.ts';
import { resolveField } from '../../tree/references.ts';
import { RefLists } from '../../tree/refs.ts';
import { push } from '../../util/group.ts';
import { append } from '../../util/lists.ts';

export interface CopyContext {
  readonly tree: DesiredTree;
  readonly live: LiveTree;
  readonly registry: Registry;
  readonly liveOf: (address: string) => LiveNode | undefined;
  readonly addressOf: (ref: LiveNode) => string | undefined;
}

interface CopyClaims {
  readonly claims: readonly (readonly [DesiredNode, LiveNode])[];
  readonly doubtful: readonly { readonly desired: DesiredNode; readonly lives: readonly LiveNode[] }[];
}

export class Copies {
  readonly #context: CopyContext;
  #users: RefLists<LiveNode> | undefined;

  constructor(context: CopyContext) {
    this.#context = context;
  }

  originalOf(kind: Kind, desired: DesiredNode, lives: readonly LiveNode[]): LiveNode | undefined {
    const { tree, liveOf } = this.#context;
    const open = tree
      .ofKind(kind.name)
      .filter((one) => liveOf(one.address) === undefined && this.#sourceOf(kind, one) === desired.address);
    if (open.length === 0 || lives.length > open.length + 1) return undefined;
    return oldest(lives) ?? only(lives.filter((live) => this.#usersOf(live).length > 0));
  }

  claims(kind: Kind, open: readonly DesiredNode[], lives: readonly LiveNode[]): CopyClaims {
    const claims: (readonly [DesiredNode, LiveNode])[] = [];
    const doubtful: CopyClaims['doubtful'][number][] = [];
    for (const [source, wanted] of this.#bySource(kind, open)) {
      const copies = lives.filter((live) => this.#isCopy(kind, live, { source, wanted })).sort(byCreation);
      if (copies.length > wanted.length)
        append(
          doubtful,
          wanted.map((desired) => ({ desired, lives: copies })),
        );
      else append(claims, pairs(wanted, copies));
    }
    return { claims, doubtful };
  }

  #bySource(kind: Kind, open: readonly DesiredNode[]): ReadonlyMap<LiveNode, readonly DesiredNode[]> {
    const bySource = new Map<LiveNode, DesiredNode[]>();
    for (const desired of open) {
      const source = desired.isNew === true ? undefined : this.#sourceOf(kind, desired);
      const live = source === undefined ? undefined : this.#liveSource(kind, source);
      if (live !== undefined) push(bySource, live, desired);
    }
    return bySource;
  }

  #sourceOf(kind: Kind, desired: DesiredNode): string | undefined {
    const name = kind.calls.copies?.field;
    if (name === undefined) return undefined;
    const target = resolveField(this.#context.tree, desired, {
      field: kind.fields[name],
      value: desired.fields[name],
    });
    if (target?.type === 'node') return target.address;
    return target?.type === 'id' ? target.id : undefined;
  }

  #liveSource(kind: Kind, source: string): LiveNode | undefined {
    return this.#context.liveOf(source) ?? this.#context.live.get({ kind: kind.name, id: source });
  }

  /** True for an object that is named like its source, created after it, and shown only by objects that are to show the copy. */
  #isCopy(
    kind: Kind,
    live: LiveNode,
    { source, wanted }: { readonly source: LiveNode; readonly wanted: readonly DesiredNode[] },
  ): boolean {
    const identity = { field: kind.calls.copies?.name ?? '' };
    const name = identityValue(live.fields, identity);
    // The original may have been renamed since.
    const declared = this.#context.tree.get(this.#context.addressOf(source) ?? '')?.fields;
    const originals = [source.fields, declared ?? {}].flatMap(
      (fields) => identityValue(fields, identity) ?? [],
    );
    if (live === source || name === undefined) return false;
    if (!originals.some((original) => isCopyName(name, original))) return false;
    if (live.createdAt !== undefined && source.createdAt !== undefined && live.createdAt < source.createdAt)
      return false;
    return this.#usersOf(live).every((user) => wanted.some((desired) => this.#isToShow(user, desired)));
  }

  #isToShow({ kind }: LiveNode, copy: DesiredNode): boolean {
    const { tree, registry } = this.#context;
    const { fields } = registry.byName(kind);
    return tree.ofKind(kind).some((desired) =>
      Object.entries(desired.fields).some(([name, value]) => {
        const target = resolveField(tree, desired, { field: fields[name], value });
        return target?.type === 'node' && target.address === copy.address;
      }),
    );
  }

  #usersOf(live: LiveNode): readonly LiveNode[] {
    this.#users ??= this.#readUsers();
    return this.#users.get(live);
  }

  #readUsers(): RefLists<LiveNode> {
    const users = new RefLists<LiveNode>();
    for (const live of this.#context.live.nodes()) {
      for (const [name, field] of Object.entries(this.#context.registry.byName(live.kind).fields)) {
        const id = live.fields[name];
        if (field.type !== 'reference' || typeof id !== 'string') continue;
        for (const kind of field.kinds) users.push({ kind, id }, live);
      }
    }
    return users;
  }
}

function oldest(lives: readonly LiveNode[]): LiveNode | undefined {
  if (lives.some(({ createdAt }) => createdAt === undefined)) return undefined;
  const [first, second] = [...lives].sort(byCreation);
  return first !== undefined && first.createdAt !== second?.createdAt ? first : undefined;
}

function byCreation(left: LiveNode, right: LiveNode): number {
  const [one, other] = [`${left.createdAt ?? ''} ${left.id}`, `${right.createdAt ?? ''} ${right.id}`];
  return one < other ? -1 : 1;
}

function pairs<T, U>(first: readonly T[], second: readonly U[]): readonly (readonly [T, U])[] {
  return first.flatMap((one, at) => second.slice(at, at + 1).map((other) => [one, other] as const));
}

function only<T>(items: readonly T[]): T | undefined {
  return items.length === 1 ? items[0] : undefined;
}
