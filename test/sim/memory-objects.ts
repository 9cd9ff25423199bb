/** Objects of git in memory, in git's own formats and with its ids, and merges of trees. */
import { createHash } from 'node:crypto';
import { diffArrays } from 'diff';
import { GitError } from '../../src/manifest/files/repository.ts';

export interface MemoryObject {
  readonly oid: string;
  readonly type: 'blob' | 'tree' | 'commit';
  readonly content: Buffer;
}

export interface MemoryCommit {
  readonly oid: string;
  readonly tree: string;
  readonly parents: readonly string[];
  readonly email: string;
  /** Unit: seconds. */
  readonly time: number;
  readonly subject: string;
}

/** Ids of blobs by path. */
export type Paths = ReadonlyMap<string, string>;

export class MemoryObjects {
  readonly #all = new Map<string, MemoryObject>();
  readonly #commits = new Map<string, MemoryCommit>();

  get(oid: string): MemoryObject | undefined {
    return this.#all.get(oid);
  }

  abbreviated(start: string): string | undefined {
    return [...this.#all.keys()].find((oid) => oid.startsWith(start));
  }

  write(type: MemoryObject['type'], content: Buffer): string {
    const oid = createHash('sha1').update(`${type} ${content.length}\0`).update(content).digest('hex');
    this.#all.set(oid, { oid, type, content });
    return oid;
  }

  /** Copies an object and all that it needs. */
  take(oid: string, from: MemoryObjects): void {
    if (this.#all.has(oid)) return;
    const object = from.get(oid);
    if (object === undefined) throw new GitError(`bad object ${oid}`);
    const needs =
      object.type === 'commit'
        ? [from.commit(oid).tree, ...from.commit(oid).parents]
        : object.type === 'tree'
          ? [...entriesOf(object.content)].map((entry) => entry.oid)
          : [];
    for (const one of needs) this.take(one, from);
    this.#all.set(oid, object);
  }

  commit(oid: string): MemoryCommit {
    const known = this.#commits.get(oid);
    if (known !== undefined) return known;
    const object = this.#all.get(oid);
    if (object?.type !== 'commit') throw new GitError(`bad object ${oid}`);
    const text = object.content.toString();
    const [head = ''] = text.split('\n\n');
    const one = {
      oid,
      tree: /^tree (\S+)/.exec(head)?.[1] ?? '',
      parents: [...head.matchAll(/^parent (\S+)/gm)].map(([, parent = '']) => parent),
      email: /^author .*<(.*)>/m.exec(head)?.[1] ?? '',
      time: Number(/^committer .*> (\d+)/m.exec(head)?.[1]),
      subject: text.slice(head.length + 2).split('\n')[0] ?? '',
    };
    this.#commits.set(oid, one);
    return one;
  }

  /** The commit and all before it. */
  history(oid: string): ReadonlySet<string> {
    const found = new Set([oid]);
    for (const one of found) for (const parent of this.commit(one).parents) found.add(parent);
    return found;
  }

  paths(tree: string, inside = ''): Paths {
    const object = this.#all.get(tree);
    if (object === undefined) throw new GitError(`bad object ${tree}`);
    return new Map(
      [...entriesOf(object.content)].flatMap(({ name, mode, oid }) =>
        mode === '40000' ? [...this.paths(oid, `${inside}${name}/`)] : [[`${inside}${name}`, oid] as const],
      ),
    );
  }

  text(oid: string): string {
    return this.#all.get(oid)?.content.toString() ?? '';
  }

  writeText(text: string): string {
    return this.write('blob', Buffer.from(text));
  }

  writePaths(paths: Paths): string {
    const folders = new Map<string, Map<string, string>>();
    const entries: { name: string; mode: string; oid: string }[] = [];
    for (const [path, oid] of paths) {
      const [first = '', ...rest] = path.split('/');
      if (rest.length === 0) entries.push({ name: first, mode: '100644', oid });
      else folders.set(first, (folders.get(first) ?? new Map()).set(rest.join('/'), oid));
    }
    for (const [name, inner] of folders) entries.push({ name, mode: '40000', oid: this.writePaths(inner) });
    // Git sorts a folder as if its name ended with a slash.
    const key = ({ name, mode }: { name: string; mode: string }) => (mode === '40000' ? `${name}/` : name);
    entries.sort((left, right) => Buffer.compare(Buffer.from(key(left)), Buffer.from(key(right))));
    const parts = entries.flatMap(({ name, mode, oid }) => [
      Buffer.from(`${mode} ${name}\0`),
      Buffer.from(oid, 'hex'),
    ]);
    return this.write('tree', Buffer.concat(parts));
  }

  /** Three-way, by file and then by line. */
  merge(
    base: Paths,
    ours: Paths,
    theirs: Paths,
  ): { readonly tree: string } | { readonly conflicts: readonly string[] } {
    const merged = new Map<string, string>();
    const conflicts: string[] = [];
    for (const path of [...new Set([...ours.keys(), ...theirs.keys()])].sort()) {
      const [was, own, other] = [base.get(path), ours.get(path), theirs.get(path)];
      const oid = own === other || other === was ? own : own === was ? other : undefined;
      if (own === other || other === was || own === was) {
        if (oid !== undefined) merged.set(path, oid);
        continue;
      }
      const texts = [was, own, other].map((one) => (one === undefined ? undefined : linesOf(this.text(one))));
      const [old, left, right] = texts;
      const lines = left && right && mergeLines(old ?? [], left, right);
      if (lines === undefined) conflicts.push(path);
      else merged.set(path, this.writeText(lines.join('')));
    }
    return conflicts.length > 0 ? { conflicts } : { tree: this.writePaths(merged) };
  }
}

function linesOf(text: string): readonly string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

interface Hunk {
  readonly from: number;
  readonly to: number;
  readonly lines: readonly string[];
}

function hunksOf(base: readonly string[], other: readonly string[]): readonly Hunk[] {
  const hunks: Hunk[] = [];
  let at = 0;
  let open: { from: number; lines: string[] } | undefined;
  for (const { value, added, removed } of diffArrays([...base], [...other])) {
    if (added || removed) open ??= { from: at, lines: [] };
    else if (open !== undefined) {
      hunks.push({ from: open.from, to: at, lines: open.lines });
      open = undefined;
    }
    if (added) open?.lines.push(...value);
    else at += value.length;
  }
  if (open !== undefined) hunks.push({ from: open.from, to: at, lines: open.lines });
  return hunks;
}

/** Undefined if both changed the same lines, or neighbouring ones. */
function mergeLines(
  base: readonly string[],
  ours: readonly string[],
  theirs: readonly string[],
): readonly string[] | undefined {
  const [left, right] = [hunksOf(base, ours), hunksOf(base, theirs)];
  const isSame = (one: Hunk, other: Hunk) => JSON.stringify(one) === JSON.stringify(other);
  const clash = left.some((one) =>
    right.some((other) => !isSame(one, other) && one.from <= other.to && other.from <= one.to),
  );
  if (clash) return undefined;
  const all = [...left, ...right.filter((other) => !left.some((one) => isSame(one, other)))];
  let at = 0;
  const lines: string[] = [];
  for (const hunk of all.sort((one, other) => one.from - other.from)) {
    lines.push(...base.slice(at, hunk.from), ...hunk.lines);
    at = hunk.to;
  }
  return [...lines, ...base.slice(at)];
}

export function* entriesOf(
  tree: Buffer,
): Iterable<{ readonly name: string; readonly mode: string; readonly oid: string }> {
  for (let at = 0; at < tree.length; ) {
    const [space, zero] = [tree.indexOf(0x20, at), tree.indexOf(0, at)];
    const oid = tree.toString('hex', zero + 1, zero + 21);
    yield { mode: tree.toString('latin1', at, space), name: tree.toString('utf8', space + 1, zero), oid };
    at = zero + 21;
  }
}
