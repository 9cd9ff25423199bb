/** The repository in memory answers as git does, with the same ids, so that years in memory are years with git. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openRepositoryWith } from '../../src/manifest/files/git-repository.ts';
import { GitError, type Repository } from '../../src/manifest/files/repository.ts';
import { git, initBare } from '../cli/git.ts';
import { MemoryRepository } from '../sim/memory-repository.ts';
import { type Clone, GitClone } from '../support/git-clone.ts';
import { patience, tries } from '../support/runs.ts';

const branches = ['main', 'topic'];
const refs = ['refs/octavo/a', 'refs/octavo/b', 'refs/octavo/refused', 'refs/heads/offer'];
const times = ['Z', '.000Z', '+02:00'];

const who = fc.constantFrom(0, 1);
const branch = fc.constantFrom(...branches);
const name = fc.constantFrom(
  ...[
    'HEAD',
    'HEAD~1',
    'HEAD~2',
    'main',
    'main',
    'topic',
    'topic',
    'origin/main',
    'origin/topic',
    'refs/tags/t',
  ],
);
const ref = fc.constantFrom(...refs);
/** Commits so far, by any clone, counted from the last. */
const commit = fc.nat(9);
const remote = fc.constantFrom(undefined, 'origin');

/** Changes of few places, so that branches often change the same ones. */
const edit = fc.record({
  who,
  how: fc.constantFrom('change', 'change', 'change', 'insert', 'remove', 'create', 'delete', 'rename'),
  file: fc.nat(3),
  line: fc.nat(9),
  isCommitted: fc.constantFrom(true, true, true, false),
});
type Edit = typeof edit extends fc.Arbitrary<infer T> ? T : never;

const event = fc.oneof(
  {
    weight: 4,
    arbitrary: edit.map((one) => ({ type: 'edit' as const, ...one })),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      type: fc.constant('meet' as const),
      who,
      own: fc.array(edit, { minLength: 1, maxLength: 3 }),
      others: fc.array(edit, { minLength: 1, maxLength: 3 }),
      how: fc.constantFrom('merge', 'rebase', 'none'),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ type: fc.constant('checkout' as const), who, name, creates: fc.boolean() }),
  },
  { weight: 4, arbitrary: fc.record({ type: fc.constant('merge' as const), who, name }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('revert' as const), who, name }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('rebase' as const), who, name }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('reset' as const), who, name }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('pull' as const), who }) },
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant('push' as const),
      who,
      branch,
      isForced: fc.constantFrom(false, false, true),
    }),
  },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('fetch' as const), who, ref }) },
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant('refs' as const),
      who,
      remote,
      refs: fc.uniqueArray(ref, { minLength: 1, maxLength: 2 }),
      to: fc.option(commit, { freq: 4, nil: undefined }),
      expected: fc.constantFrom('right', 'right', 'none', 'other'),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('ref' as const),
      who,
      ref: fc.constantFrom('refs/octavo/a', 'refs/tags/t'),
      to: fc.option(commit, { freq: 4, nil: undefined }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ type: fc.constant('write' as const), who, files: fc.array(fc.nat(9)), commit }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('ask' as const),
      who,
      one: commit,
      other: commit,
      third: commit,
    }),
  },
);
type StoryEvent = typeof event extends fc.Arbitrary<infer T> ? T : never;

interface Place {
  readonly files: ReadonlyMap<string, string>;
  readonly memory: MemoryRepository;
  readonly real: Clone;
  readonly port: Repository;
}

class Story {
  readonly #root = mkdtempSync(join(tmpdir(), 'octavo-repository-'));
  readonly #remote = MemoryRepository.bare();
  readonly #places: Place[] = [];
  readonly #commits: string[] = [];
  readonly #dirty = new Set<Place>();
  #count = 0;

  /** A remote with a commit, and two clones. */
  async begin(): Promise<void> {
    initBare(this.#root, 'remote.git');
    const hook = join(this.#root, 'remote.git/hooks/update');
    mkdirSync(dirname(hook), { recursive: true });
    writeFileSync(hook, '#!/bin/sh\ncase "$1" in */refused) exit 1;; esac\n');
    chmodSync(hook, 0o755);
    this.#remote.refuse = (changed) => (changed.endsWith('/refused') ? 'hook declined' : undefined);
    const first = await this.#clone('ada');
    const names = [
      'acme.yaml',
      'docs/a-b.yaml',
      'docs/a/c.yml',
      'docs/a.yaml',
      'a/.octavo/d.yaml',
      'README.md',
    ];
    const head = (file: string) => (file.startsWith('docs/a') ? 'octavo: 1\n' : '"octavo" : 1\n');
    this.#write(first, new Map(names.map((file) => [file, `${head(file)}${this.#lines(12).join('')}`])));
    const by = this.#by();
    await this.#both(first, (one) => one.commit('Begin', by));
    await this.#both(first, (one) => one.push());
    await this.#both(first, (one) => one.checkout('topic', { creates: true }));
    await this.#both(first, (one) => one.push('topic'));
    const second = await this.#clone('bob');
    await this.#both(second, (one) => one.checkout('topic', { creates: true }));
    await this.#both(second, (one) => one.checkout('main'));
  }

  async #clone(name: string): Promise<Place> {
    const root = join(this.#root, name);
    const files = new Map<string, string>();
    const write = (changes: ReadonlyMap<string, string | undefined>) => {
      for (const [file, text] of changes)
        if (text === undefined) files.delete(file);
        else files.set(file, text);
    };
    const real = new GitClone(root, `file://${join(this.#root, 'remote.git')}`);
    const port = await openRepositoryWith(process.env)(root);
    if (port === undefined) throw new Error('no repository');
    const place = { files, memory: this.#remote.clone(root, { read: () => files, write }), real, port };
    this.#places.push(place);
    return place;
  }

  async live(event: StoryEvent): Promise<void> {
    const place = this.#places[event.who];
    if (place === undefined) return;
    const by = this.#by();
    if (!['edit', 'write', 'ask'].includes(event.type) && this.#dirty.delete(place))
      await this.#both(place, (one) => one.reset('HEAD'));
    switch (event.type) {
      case 'edit':
        this.#edit(place, event);
        this.#dirty.add(place);
        if (event.isCommitted && this.#dirty.delete(place))
          await this.#both(place, (one) => one.commit(`Edit ${this.#count}`, by));
        break;
      case 'meet':
        await this.#meet(place, event);
        break;
      case 'checkout':
        if (event.creates) await this.#both(place, (one) => one.checkout('topic', { creates: true }));
        else if (place.real.resolve(event.name) !== undefined)
          await this.#both(place, (one) => one.checkout(event.name));
        break;
      case 'merge':
        if (this.#hasOneBase(place, event.name))
          await this.#both(place, (one) => one.mergeBranch(event.name, by));
        break;
      case 'revert':
        await this.#both(place, (one) => one.revert(event.name, by));
        break;
      case 'rebase':
        if (this.#isLinear(place, event.name)) await this.#both(place, (one) => one.rebase(event.name, by));
        break;
      case 'reset':
        if (place.real.resolve(event.name) !== undefined)
          await this.#both(place, (one) => one.reset(event.name));
        break;
      case 'pull':
        await this.#both(place, (one) => one.fetchBranches());
        if (this.#hasOneBase(place, 'origin/main')) await this.#both(place, (one) => one.pull(by));
        break;
      case 'push':
        await this.#both(place, (one) => one.push(event.branch, event));
        break;
      case 'fetch':
        await this.#same(place, (port) => port.fetch('origin', [event.ref]));
        break;
      case 'refs':
        await this.#changeRefs(place, event);
        break;
      case 'ref':
        await this.#same(place, (port) =>
          port.setRef(event.ref, event.to === undefined ? undefined : this.#commitAt(event.to)),
        );
        break;
      case 'write':
        await this.#writeObjects(place, event);
        break;
      case 'ask':
        await this.#ask(place, event);
    }
    if (event.type !== 'ask') await this.#compare(place);
  }

  close(): void {
    rmSync(this.#root, { recursive: true });
  }

  #by() {
    this.#count += 1;
    const seconds = Date.parse('2026-03-02T09:00:00Z') / 1000 + 60 * this.#count;
    const time = `${new Date(seconds * 1000).toISOString().slice(0, 19)}${times[this.#count % times.length]}`;
    return { author: { name: 'Ada', email: `ada${this.#count % 3}@acme.dev` }, time };
  }

  /** No two lines are equal: git may otherwise align texts in several ways. */
  #lines(count: number): readonly string[] {
    return Array.from({ length: count }, () => {
      this.#count += 1;
      return `key${this.#count}: value ${this.#count * 7919}\n`;
    });
  }

  #commitAt(back: number): string {
    return this.#commits[Math.max(0, this.#commits.length - 1 - back)] ?? '';
  }

  #write(place: Place, changes: ReadonlyMap<string, string | undefined>): void {
    place.memory.write(changes);
    place.real.write(changes);
  }

  #edit({ files, ...place }: Place, { how, file, line }: Edit): void {
    const all = [...files.keys()].sort();
    const path = all[file % Math.max(1, all.length)];
    const text = (path === undefined ? undefined : files.get(path)) ?? '';
    const lines = text.split(/(?<=\n)/);
    const at = 1 + (line % Math.max(1, lines.length - 1));
    const changed = (removed: number, count: number) =>
      [...lines.slice(0, at), ...this.#lines(count), ...lines.slice(at + removed)].join('');
    this.#count += 1;
    const write = (changes: Record<string, string | undefined>) =>
      this.#write({ files, ...place }, new Map(Object.entries(changes)));
    if (how === 'create' || path === undefined)
      write({ [`docs/n${this.#count}.yaml`]: this.#lines(9).join('') });
    else if (how === 'delete') write({ [path]: undefined });
    else if (how === 'rename')
      write({ [path]: undefined, [join(dirname(path), `r${this.#count}.yaml`)]: text });
    else if (how === 'change') write({ [path]: changed(1, 1) });
    else if (how === 'insert') write({ [path]: changed(0, 2) });
    else write({ [path]: changed(1, 0) });
    if (path !== undefined && line % 3 === 0 && how !== 'create')
      for (const one of [place.memory, place.real]) one.add(path);
  }

  /** Two branches change files before they are merged. */
  async #meet(place: Place, event: StoryEvent & { readonly type: 'meet' }): Promise<void> {
    await this.#both(place, (one) => one.checkout('main'));
    await this.#both(place, (one) => one.checkout('topic', { creates: true }));
    for (const edits of [event.others, event.own]) {
      for (const one of edits) {
        const by = this.#by();
        this.#edit(place, one);
        await this.#both(place, (clone) => clone.commit(`Edit ${this.#count}`, by));
      }
      if (edits === event.others) await this.#both(place, (one) => one.checkout('main'));
    }
    await this.#sameMerge(place, 'main', 'topic');
    const by = this.#by();
    if (event.how === 'merge') await this.#both(place, (one) => one.mergeBranch('topic', by));
    if (event.how === 'rebase') await this.#both(place, (one) => one.rebase('topic', by));
    await this.#ask(place, { one: 0, other: event.own.length + 1, third: event.own.length });
  }

  async #sameMerge(place: Place, one: string, other: string): Promise<void> {
    await this.#same(place, async (port) => {
      const merged = await port.merge(one, other);
      return 'tree' in merged ? merged : merged.conflicts.length > 0;
    });
  }

  #hasOneBase({ real }: Place, name: string): boolean {
    const [head, other] = [real.resolve('HEAD'), real.resolve(name)];
    if (head === undefined || other === undefined) return false;
    return this.#basesOf(real, head, other) === 1;
  }

  #basesOf({ root }: Clone, one: string, other: string): number {
    try {
      return git(root, 'merge-base', '--all', one, other).trim().split('\n').length;
    } catch {
      return 0;
    }
  }

  #isLinear({ real }: Place, name: string): boolean {
    if (real.resolve(name) === undefined) return false;
    return git(real.root, 'rev-list', '--merges', `${name}..HEAD`) === '';
  }

  async #both<T>({ memory, real }: Place, act: (one: Clone) => T): Promise<void> {
    expect(act(memory)).toEqual(act(real));
    const head = real.resolve('HEAD');
    if (head !== undefined && !this.#commits.includes(head)) this.#commits.push(head);
  }

  /** Both answer the same, or both throw a GitError. */
  async #same<T>({ memory, port }: Place, ask: (one: Repository) => Promise<T>): Promise<T | 'GitError'> {
    const answer = async (one: Repository): Promise<T | 'GitError'> => {
      try {
        return await ask(one);
      } catch (error) {
        if (error instanceof GitError) return 'GitError';
        throw error;
      }
    };
    const [one, other] = [await answer(memory), await answer(port)];
    expect(one).toEqual(other);
    return other;
  }

  async #changeRefs(
    place: Place,
    { remote, refs: changed, to, expected }: StoryEvent & { readonly type: 'refs' },
  ): Promise<void> {
    const target = to === undefined ? undefined : this.#commitAt(to);
    // Git says for only one of several refs which one the remote refused.
    const some = changed.length > 1 ? changed.filter((one) => !one.endsWith('/refused')) : changed;
    await this.#same(place, async (port) => {
      const now = await port.refs(remote, some);
      const from = some.map(
        (one) =>
          [
            one,
            expected === 'right' ? now.get(one) : expected === 'none' ? undefined : this.#commits[0],
          ] as const,
      );
      return (await port.changeRefs(remote, { from: new Map(from), to: target }))?.type;
    });
  }

  async #writeObjects(
    place: Place,
    { files, commit: at }: StoryEvent & { readonly type: 'write' },
  ): Promise<void> {
    const [of, { author, time }, texts] = [this.#commitAt(at), this.#by(), this.#lines(2)];
    const loose = Object.fromEntries(texts.map((text, index) => [`${index}.json`, text]));
    const small = await this.#same(place, (port) => port.writeTree({ texts: loose }));
    const all = [...place.files.keys(), 'missing.yaml'];
    const paths = files.map((file) => join(place.real.root, all[file % all.length] ?? ''));
    const large =
      paths.length === 0
        ? 'GitError'
        : await this.#same(place, (port) => port.writeTree({ of, files: paths }));
    const about = {
      message: `Write ${this.#count}\nand more\n\nbody`,
      author: at % 2 ? author : undefined,
      time,
    };
    const parents = large === 'GitError' ? [] : [of];
    const tree = large === 'GitError' ? small : large;
    const oid = await this.#same(place, (port) => port.writeCommit({ ...about, tree, parents }));
    await this.#same(place, (port) => port.writeCommit({ ...about, tree: of.replace(/./, 'f'), parents }));
    if (!this.#commits.includes(oid)) this.#commits.push(oid);
  }

  async #ask(
    place: Place,
    event: Pick<StoryEvent & { readonly type: 'ask' }, 'one' | 'other' | 'third'>,
  ): Promise<void> {
    const [one, other, third] = [event.one, event.other, event.third].map((at) => this.#commitAt(at));
    if (one === undefined || other === undefined || third === undefined) return;
    const { root } = place.real;
    const bases = this.#basesOf(place.real, one, other);
    if (bases <= 1) await this.#same(place, (port) => port.mergeBase([one, other]));
    await this.#same(place, (port) => port.independent([one, other, third, one]));
    await this.#same(place, (port) => port.commits({ of: one, isFirstParent: true, skip: 1, most: 3 }));
    await this.#same(place, (port) => port.commits({ of: 'HEAD', not: other }));
    const touching = [
      { manifests: [join(root, 'docs')], files: [join(root, 'README.md')] },
      { manifests: [join(root, 'acme.yaml'), join(root, 'docs/a')], files: [] },
      { manifests: [], files: [] },
    ][event.one % 3];
    await this.#same(place, (port) => port.commits({ of: one, not: other, ...(touching && { touching }) }));
    await this.#same(place, (port) =>
      port.commits({ of: third, isFirstParent: true, most: 2, ...(touching && { touching }) }),
    );
    if (bases <= 1) await this.#sameMerge(place, one, other);
    await this.#same(place, (port) => port.renamedSince(third));
    await this.#same(place, (port) => port.search(one, '^["\']?octavo["\']?[[:space:]]*:'));
    await this.#same(place, (port) => port.tracked(['docs/a', 'acme.yaml'], ['.octavo']));
    const starts = [
      one,
      other.slice(0, 9),
      'HEAD',
      'main',
      'origin/topic',
      'refs/octavo/a',
      't',
      'topic',
      'x y',
    ];
    const ends = ['', '^{commit}', '^{tree}', '^', '~2', '~1^{commit}', ':', ':docs', ':docs/a.yaml', ':no'];
    const names = starts.flatMap((start) => ends.map((end) => `${start}${end}`));
    await this.#same(place, (port) =>
      Promise.all(names.map(async (name) => [name, await port.find(name, event.third * 100)])),
    );
  }

  async #compare(place: Place): Promise<void> {
    await this.#same(place, async (port) => {
      const [head, current, tracked, here, there] = await Promise.all([
        port.find('HEAD^{commit}', 9999),
        port.branch(),
        port.tracked([]),
        port.refs(undefined, ['refs/']),
        port.refs('origin', ['refs/']),
      ]);
      const refsThere = [...there].filter(([one]) => one.startsWith('refs/'));
      return { head, current, tracked, here, refsThere };
    });
  }
}

test('the repository in memory answers every question as git does', {
  timeout: patience(600_000),
}, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(event, { minLength: 6, maxLength: 14, size: 'max' }), async (events) => {
      const story = new Story();
      try {
        await story.begin();
        for (const one of events) await story.live(one);
      } finally {
        story.close();
      }
    }),
    tries(12),
  );
});
