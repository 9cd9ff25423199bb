/** Objects of git in memory, in git's own formats and with its ids; histories and merges. */
import { createHash } from 'node:crypto';
import { basename } from 'node:path';
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
  /** `Ada <ada@acme.dev> 1772442000 +0000` */
  readonly author: string;
  /** Of the author and the committer. */
  readonly emails: readonly string[];
  /** Unit: seconds. */
  readonly time: number;
  readonly subject: string;
  readonly message: string;
}

export interface Log {
  readonly of: string;
  readonly not: string | undefined;
  readonly isFirstParent: boolean;
  /** Leaves out commits that change no such file, and side branches that the result of a merge does not need. */
  readonly isMeant: ((file: string) => boolean) | undefined;
}

/** Ids of blobs by path. */
export type Paths = ReadonlyMap<string, string>;

export class MemoryObjects {
  readonly #all = new Map<string, MemoryObject>();
  readonly #commits = new Map<string, MemoryCommit>();

  get(oid: string): MemoryObject | undefined {
    return this.#all.get(oid);
  }

  /** Undefined if several ids start so. */
  abbreviated(start: string): string | undefined {
    const [one, ...others] = [...this.#all.keys()].filter((oid) => oid.startsWith(start));
    return others.length === 0 ? one : undefined;
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
    const message = text.slice(head.length + 2);
    const author = /^author (.*)$/m.exec(head)?.[1] ?? '';
    const one = {
      oid,
      tree: /^tree (\S+)/.exec(head)?.[1] ?? '',
      parents: [...head.matchAll(/^parent (\S+)/gm)].map(([, parent = '']) => parent),
      author,
      emails: [...head.matchAll(/^(?:author|committer) .*<(.*)>/gm)].map(([, email = '']) => email),
      time: Number(/^committer .*> (\d+)/m.exec(head)?.[1]),
      subject: (message.split('\n\n')[0] ?? '').trim().replaceAll('\n', ' '),
      message,
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

  /** Common commits that no other common one contains, newest first. */
  bases(commits: readonly string[]): readonly string[] {
    const [first = new Set<string>(), ...others] = commits.map((oid) => this.history(oid));
    const common = [...first].filter((oid) => others.every((one) => one.has(oid)));
    const contained = new Set(common.flatMap((oid) => this.commit(oid).parents));
    return this.#newestFirst(common.filter((oid) => !contained.has(oid)));
  }

  log({ of, not, isFirstParent, isMeant }: Log): readonly string[] {
    const without = not === undefined ? new Set<string>() : this.history(not);
    const waiting = [of];
    const found: string[] = [];
    const seen = new Set(waiting);
    while (waiting.length > 0) {
      const oid = waiting.shift() ?? '';
      if (without.has(oid)) continue;
      const every = this.commit(oid).parents;
      const parents = isFirstParent ? every.slice(0, 1) : every;
      const relevant = parents.filter((one) => !without.has(one) || one === not);
      const same = isMeant && parents.filter((one) => !this.#differs(one, oid, isMeant));
      const only = same?.find((one) => relevant.includes(one));
      const judged = relevant.length > 0 ? relevant : parents;
      const isNew = isMeant && parents.length === 0 ? this.#differs(undefined, oid, isMeant) : true;
      if (
        isNew &&
        only === undefined &&
        !(same && judged.length > 0 && judged.every((one) => same.includes(one)))
      )
        found.push(oid);
      for (const parent of only === undefined ? parents : [only]) {
        if (!seen.has(parent)) waiting.push(parent);
        seen.add(parent);
      }
      waiting.splice(0, waiting.length, ...this.#newestFirst(waiting));
    }
    return found;
  }

  #newestFirst(commits: readonly string[]): readonly string[] {
    return [...commits].sort((left, right) => this.commit(right).time - this.commit(left).time);
  }

  #differs(before: string | undefined, after: string, isMeant: (file: string) => boolean): boolean {
    const was: Paths = before === undefined ? new Map() : this.pathsOf(before);
    const is = this.pathsOf(after);
    return [...new Set([...was.keys(), ...is.keys()])].some(
      (file) => isMeant(file) && was.get(file) !== is.get(file),
    );
  }

  pathsOf(commit: string): Paths {
    return this.paths(this.commit(commit).tree);
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

  /** Deleted files and the new ones that have at least half of their lines, the most similar ones first. */
  renames(before: Paths, after: Paths): ReadonlyMap<string, string> {
    const gone = [...before].filter(([file]) => !after.has(file));
    const fresh = [...after].filter(([file]) => !before.has(file));
    const pairs = fresh.flatMap(([to, oid]) =>
      gone.map(([from, former]) => ({
        from,
        to,
        score: former === oid ? 2 : similarity(this.text(former), this.text(oid)),
        isSameName: basename(from) === basename(to),
      })),
    );
    const found = new Map<string, string>();
    const targets = new Set<string>();
    const better = pairs.sort(
      (one, other) => other.score - one.score || Number(other.isSameName) - Number(one.isSameName),
    );
    for (const { from, to, score } of better) {
      if (score < 0.5 || found.has(from) || targets.has(to)) continue;
      found.set(from, to);
      targets.add(to);
    }
    return found;
  }

  /** Three-way, by file, with renames, and then by line. */
  merge(
    before: Paths,
    own: Paths,
    others: Paths,
  ): { readonly tree: string } | { readonly conflicts: readonly string[] } {
    const [base, ours, theirs] = [new Map(before), new Map(own), new Map(others)];
    const conflicts = [
      ...follow(this.renames(before, own), this.renames(before, others), { base, own, other: theirs }),
      ...follow(this.renames(before, others), this.renames(before, own), { base, own: others, other: ours }),
    ];
    const merged = new Map<string, string>();
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
    return conflicts.length > 0
      ? { conflicts: [...new Set(conflicts)].sort() }
      : { tree: this.writePaths(merged) };
  }
}

/** Gives files of the other side the new names. Returns conflicts. */
function follow(
  renames: ReadonlyMap<string, string>,
  others: ReadonlyMap<string, string>,
  { base, own, other }: { base: Map<string, string>; own: Paths; other: Map<string, string> },
): readonly string[] {
  return [...renames].flatMap(([from, to]) => {
    const [was, there] = [base.get(from), other.get(from)];
    if (others.get(from) === to) {
      if (was !== undefined) base.set(to, was);
      base.delete(from);
      return [];
    }
    // The other side has a copy under the new name.
    if (was !== undefined && there === was && other.get(to) === own.get(to)) {
      base.delete(from);
      other.delete(from);
      return [];
    }
    if (was === undefined || there === undefined || other.has(to)) return [to];
    base.delete(from);
    base.set(to, was);
    other.delete(from);
    other.set(to, there);
    return [];
  });
}

/** Part of the larger text that both have. */
function similarity(one: string, other: string): number {
  const left = [...linesOf(one)];
  const common = linesOf(other).filter((line) => {
    const at = left.indexOf(line);
    if (at >= 0) left.splice(at, 1);
    return at >= 0;
  });
  return common.join('').length / Math.max(1, one.length, other.length);
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
