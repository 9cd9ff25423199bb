/**
 * Keeps one post up to date: finds it by a marker that readers do not see, updates it in place, and folds older ones.
 * If a create gets no response, the post is looked up before it is created again.
 */
import { countOf } from '../util/count.ts';
import { userError } from '../util/user-error.ts';
import { ForgeError, type Post, type Thread, undefinedIfGone } from './forge.ts';

export interface WantedPost {
  readonly key: string;
  /** Text of the post, without the marker. */
  readonly body: string;
  /** If false, only an existing post is updated. */
  readonly creates: boolean;
  /** Waits before a look-up of a post that may have been created. */
  readonly pause: (milliseconds: number) => Promise<void>;
}

export interface KeptPost {
  readonly type: 'created' | 'updated' | 'unchanged' | 'removed' | 'none';
  readonly post?: Post;
  readonly folded: number;
  /** Posts of the account of a former token, which this one may not change. */
  readonly left: readonly Post[];
}

/** Unit: bytes, of which a text has at least as many as characters. */
const largestBody = 65_536;
/** Maximum number of times a post is sent, with a look-up before each repetition. */
const attempts = 3;
/** Unit: milliseconds. Time until a new post appears in lists. */
const settling = 1000;

/** The marker is a comment, which Markdown does not show. Throws a DiagnosticError for a key that would end the comment. */
export function markerOf(key: string): string {
  if (/^[A-Za-z0-9](?:[A-Za-z0-9._/]|-(?!-)){0,99}$/.test(key) && !key.endsWith('-'))
    return `<!-- octavo:${key} -->`;
  throw userError(
    'comment-key',
    `the key ${JSON.stringify(key)} cannot mark a comment`,
    'use up to 100 letters, digits, dots, slashes, underscores and single dashes',
  );
}

/** Lines between the markers, and those that people wrote around them. */
interface MarkedLines {
  readonly before: readonly string[];
  readonly own: readonly string[];
  readonly after: readonly string[];
}

/** The first marker of the start counts, and the last one of the end, so that no value in the text can end it. */
function sectionIn(key: string, body: string): MarkedLines | undefined {
  const lines = body.split(/\r?\n/);
  const from = lines.findIndex((text) => text.trim() === markerOf(key));
  if (from < 0) return undefined;
  const end = lines.findLastIndex((text) => text.trim() === endOf(key));
  const to = end < from ? lines.length : end;
  return { before: lines.slice(0, from), own: lines.slice(from + 1, to), after: lines.slice(to + 1) };
}

function endOf(key: string): string {
  return markerOf(key).replace('octavo:', '/octavo:');
}

/** Adds the markers after a text of people without them. */
export function withMarker(key: string, body: string): string {
  if (sectionIn(key, body) !== undefined) return body;
  return `${body.trim() === '' ? '' : `${body.trimEnd()}\n\n`}${markerOf(key)}\n${endOf(key)}`;
}

/** Cuts the text after a whole line, if it does not fit. `body`: the present one, whose text of people stays. */
export function markedBody(key: string, text: string, body = ''): string {
  const wanted = text.replace(/^\uFEFF/, '').trim();
  if (wanted === '')
    throw userError('comment-body', 'the body is empty', 'see the log of the run for the reason');
  const { before = [], after = [] } = sectionIn(key, body) ?? {};
  const framed = (own: readonly string[]) =>
    [...before, markerOf(key), ...own, endOf(key), ...after].join('\n');
  const lines = wanted.split('\n');
  let room = largestBody - Buffer.byteLength(framed([])) - 60;
  const fits = lines.findIndex((line) => {
    room -= Buffer.byteLength(line) + 1;
    return room < 0;
  });
  if (fits < 0) return framed(lines);
  return framed([
    ...lines.slice(0, fits),
    '',
    `_${countOf(lines.length - fits, 'more line')} in the log of the job._`,
  ]);
}

export async function keepPost(thread: Thread, wanted: WantedPost): Promise<KeptPost> {
  const fresh = markedBody(wanted.key, wanted.body);
  const { own, former } = await postsOf(thread, wanted.key);
  const current = own.at(-1);
  if (current === undefined && !wanted.creates) return { type: 'none', folded: 0, left: [] };
  const body = current === undefined ? fresh : markedBody(wanted.key, wanted.body, current.body);
  const plain = (text: string) => text.replaceAll('\r\n', '\n').trim();
  const isSame = current !== undefined && plain(current.body) === plain(body);
  const changed =
    current === undefined || isSame ? current : await thread.update(current, body).catch(undefinedIfGone);
  const post = changed ?? (wanted.creates ? await createOnce(thread, wanted, body) : undefined);
  if (post === undefined) return { type: 'none', folded: 0, left: [] };
  const older = own.slice(0, -1);
  const fold = async (one: Post) => {
    const { before = [], after = [] } = sectionIn(wanted.key, one.body) ?? {};
    await thread.fold({ ...one, body: [...before, ...after].join('\n').trim() }, post);
  };
  for (const one of older) await fold(one);
  const left = await leftOf(former, fold);
  const folded = older.length + former.length - left.length;
  return { type: changed === undefined ? 'created' : isSame ? 'unchanged' : 'updated', post, folded, left };
}

/** `ending`: inserted as the first line of the text, if it fits. */
export async function removePosts(thread: Thread, key: string, ending = ''): Promise<KeptPost> {
  const { own, former } = await postsOf(thread, key);
  const remove = async (post: Post) => thread.remove?.(post, endedBody(key, post.body, ending));
  for (const post of own) await remove(post);
  const left = await leftOf(former, remove);
  const post = own.at(-1) ?? former.find((one) => !left.includes(one));
  return { ...(post === undefined ? { type: 'none' } : { type: 'removed', post }), folded: 0, left };
}

export function endedBody(key: string, body: string, ending: string): string {
  const { own = [] } = sectionIn(key, body) ?? {};
  // The same drift later is another one, even if people closed this one.
  const rest = own.filter((line) => driftDigest(line) === undefined);
  return ending === '' ? body : markedBody(key, [ending, '', ...rest].join('\n'), body);
}

/** The hidden line of a drift, which people decline by closing the post. */
export function driftDigest(body: string): string | undefined {
  return /^<!-- drift [0-9a-f]{64} -->$/m.exec(body.replaceAll('\r', ''))?.[0];
}

/** The token's own closed posts with a drift, among the newest 100. */
export async function declinedPosts(thread: Thread, key: string): Promise<readonly Post[]> {
  const found: Post[] = [];
  let count = 0;
  for await (const post of thread.posts('closed')) {
    const isMarked = sectionIn(key, post.body) !== undefined && driftDigest(post.body) !== undefined;
    if (post.isOwn && isMarked) found.push(post);
    count += 1;
    if (count === 100) break;
  }
  return found;
}

/**
 * The token's own unfolded posts with that key, oldest first; and those that begin with it and are of another bot, such as the account
 * of a former token. People and bots may quote the marker of others.
 */
async function postsOf(thread: Thread, key: string) {
  const own: Post[] = [];
  const former: Post[] = [];
  for await (const post of thread.posts()) {
    const section = post.isFolded ? undefined : sectionIn(key, post.body);
    if (section !== undefined && post.isOwn) own.push(post);
    else if (section?.before.length === 0 && post.isBot === true) former.push(post);
  }
  return { own, former };
}

/** Those posts that the token may not change. */
async function leftOf(posts: readonly Post[], change: (post: Post) => Promise<unknown>) {
  const left: Post[] = [];
  for (const post of posts)
    await change(post).catch((error: unknown) => {
      if (!(error instanceof ForgeError) || error.mayHaveHappened) throw error;
      left.push(post);
    });
  return left;
}

async function createOnce(thread: Thread, { key, pause }: WantedPost, body: string): Promise<Post> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await thread.create(body);
    } catch (error) {
      if (!(error instanceof ForgeError) || !error.mayHaveHappened) throw error;
      await pause(settling * attempt);
      const made = (await postsOf(thread, key)).own.at(-1);
      if (made !== undefined) return made;
      if (attempt === attempts) throw error;
    }
  }
}
