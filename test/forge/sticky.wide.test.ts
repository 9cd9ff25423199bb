/** Posts under random failures: exactly one with the last text remains, and posts of others are not changed. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ForgeError, type Post, type Thread } from '../../src/forge/forge.ts';
import { keepPost, markedBody, markerOf, removePosts } from '../../src/forge/sticky.ts';
import { mostBytes } from '../../src/report/text/markdown.ts';
import { tries } from '../support/runs.ts';

type Failure = 'none' | 'before' | 'after' | 'refused';

/** A thread in memory that fails as given: before a change, after it without a response, or by rejecting it. */
class FlakyThread implements Thread {
  readonly all: Post[] = [];
  #failures: Failure[];
  #made = 0;

  constructor(failures: readonly Failure[]) {
    this.#failures = [...failures];
  }

  heal(): void {
    this.#failures = [];
  }

  add(body: string, more: Partial<Post> = {}): Post {
    this.#made += 1;
    const post = {
      id: String(this.#made),
      url: `#${this.#made}`,
      body,
      isOwn: true,
      isFolded: false,
      ...more,
    };
    this.all.push(post);
    return post;
  }

  async *posts(): AsyncGenerator<Post> {
    this.#risk(() => undefined);
    yield* [...this.all];
  }

  create = async (body: string) => this.#risk(() => this.add(body));

  update = async ({ id }: Post, body: string) => this.#risk(() => this.#set(id, { body }));

  fold = async ({ id }: Post) => {
    this.#risk(() => this.#set(id, { isFolded: true }));
  };

  remove = async ({ id }: Post) => {
    this.#risk(() => {
      const at = this.all.findIndex((one) => one.id === id);
      if (at >= 0) this.all.splice(at, 1);
    });
  };

  #set(id: string, change: Partial<Post>): Post {
    const at = this.all.findIndex((one) => one.id === id);
    const post = { ...(this.all[at] as Post), ...change };
    this.all[at] = post;
    return post;
  }

  #risk<T>(change: () => T): T {
    const failure = this.#failures.shift() ?? 'none';
    if (failure === 'before') throw new ForgeError('cut', { mayHaveHappened: true });
    if (failure === 'refused') throw new ForgeError('refused', { mayHaveHappened: false, status: 403 });
    const result = change();
    if (failure === 'after') throw new ForgeError('lost', { mayHaveHappened: true });
    return result;
  }
}

const key = 'plan';
const marked = (body: string) => `${markerOf(key)}\n${body}\n<!-- /octavo:plan -->`;
const pause = async () => undefined;

const failures = fc.array(fc.constantFrom<Failure>('none', 'none', 'before', 'after', 'refused'), {
  maxLength: 12,
});
/** Existing posts: by others, its own, folded, or with another key. */
const earlier = fc.array(
  fc.record({
    body: fc.constantFrom(
      marked('old'),
      marked('older'),
      `${markerOf('other')}\nother`,
      'a remark',
      ` ${marked('x')}`,
    ),
    isOwn: fc.boolean(),
    isFolded: fc.boolean(),
  }),
  { maxLength: 6 },
);
const bodies = fc.array(fc.constantFrom('one', 'two', 'three'), { minLength: 1, maxLength: 5 });

/** Its own visible posts with the key. */
const shown = ({ all }: FlakyThread) =>
  all.filter(({ body, isOwn, isFolded }) => isOwn && !isFolded && body.trim().startsWith(markerOf(key)));

test('exactly one post with the last text remains, and posts of others are unchanged', async () => {
  await fc.assert(
    fc.asyncProperty(failures, earlier, bodies, async (broken, before, texts) => {
      const thread = new FlakyThread(broken);
      const others = before
        .map((one) => thread.add(one.body, one))
        .filter((post) => !shown(thread).includes(post));
      const most = Math.max(1, shown(thread).length);
      for (const body of texts) {
        await keepPost(thread, { key, body, creates: true, pause }).catch((error: unknown) => {
          expect(error).toBeInstanceOf(ForgeError);
        });
        expect(shown(thread).length).toBeLessThanOrEqual(most);
      }
      thread.heal();
      const last = texts.at(-1) ?? '';
      const kept = await keepPost(thread, { key, body: last, creates: true, pause });
      expect(shown(thread)).toEqual([kept.post]);
      expect(kept.post?.body).toBe(marked(last));
      expect(await keepPost(thread, { key, body: last, creates: true, pause })).toMatchObject({
        type: 'unchanged',
      });
      for (const other of others) expect(thread.all).toContainEqual(other);
      await removePosts(thread, key);
      expect(shown(thread)).toEqual([]);
      for (const other of others) expect(thread.all).toContainEqual(other);
    }),
    tries(200),
  );
});

test.each(['plan', 'production', 'eu-west.1', 'a/b_c'])('%s is a valid key', (name) => {
  expect(markerOf(name)).toBe(`<!-- octavo:${name} -->`);
});

test.each(['', '-a', 'a-', 'a--b', 'a b', '-->', 'ä', 'x'.repeat(101), 'a\nb'])(
  '%j is not a valid key',
  (name) => {
    expect(() => markerOf(name)).toThrow(/cannot mark a comment/);
  },
);

test('the largest report with the longest key fits the limit', () => {
  const key = 'x'.repeat(100);
  const text = 'a'.repeat(mostBytes);
  const body = markedBody(key, text);
  expect(body.length).toBeLessThanOrEqual(65_536);
  expect(body).toContain(text);
});
