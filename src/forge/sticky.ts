/**
 * Keeps one post up to date: finds it by a marker that readers do not see, updates it in place, and folds older ones. A post
 * whose creation got no response is looked up, not made again.
 */
import { userError } from '../util/user-error.ts';
import { ForgeError, type Post, type Thread } from './forge.ts';

/** What a post is to say. */
export interface WantedPost {
  /** Names the post among those of one thread. */
  readonly key: string;
  /** Without the marker. */
  readonly body: string;
  /** False: a post that exists is updated, and none is made. */
  readonly creates: boolean;
  /** Waits before a post is looked up that may have been made. */
  readonly pause: (milliseconds: number) => Promise<void>;
}

/** What became of a post. */
export interface KeptPost {
  readonly type: 'created' | 'updated' | 'unchanged' | 'removed' | 'none';
  /** Absent where there is none. */
  readonly post?: Post;
  /** Older posts that were folded. */
  readonly folded: number;
}

/** Largest body, in characters and in bytes. */
export const largestBody = 65_536;
/** Times a post is sent at most, with a look-up before each but the first. */
const attempts = 3;
/** Milliseconds until a post that was made can be listed. */
const settling = 1000;

/** The line that marks a post; Markdown shows no comments. Throws a DiagnosticError for a key that would end the comment. */
export function markerOf(key: string): string {
  if (/^[A-Za-z0-9](?:[A-Za-z0-9._/]|-(?!-)){0,99}$/.test(key) && !key.endsWith('-'))
    return `<!-- octavo:${key} -->`;
  throw userError(
    'comment-key',
    `the key ${JSON.stringify(key)} cannot mark a comment`,
    'use up to 100 letters, digits, dots, slashes, underscores and single dashes',
  );
}

/** The text that is sent. Throws a DiagnosticError for a body that is empty or too large. */
export function markedBody(key: string, body: string): string {
  const text = body.replace(/^\uFEFF/, '').trim();
  if (text === '') {
    throw userError('comment-body', 'the body is empty', 'pass a file with --body, or pipe the text in');
  }
  const marked = `${markerOf(key)}\n${text}`;
  const bytes = Buffer.byteLength(marked);
  if (marked.length <= largestBody && bytes <= largestBody) return marked;
  throw userError(
    'comment-body',
    `the body is too large for a comment: ${marked.length} characters and ${bytes} bytes, and ${largestBody} of each fit`,
    'make it with --format markdown, which always fits',
  );
}

/** Creates or updates the post of that key, and folds older ones. */
export async function keepPost(thread: Thread, wanted: WantedPost): Promise<KeptPost> {
  const body = markedBody(wanted.key, wanted.body);
  const own = await ownPosts(thread, wanted.key);
  const current = own.at(-1);
  if (current === undefined) {
    if (!wanted.creates) return { type: 'none', folded: 0 };
    return { type: 'created', post: await createOnce(thread, wanted, body), folded: 0 };
  }
  const isSame = sameText(current.body, body);
  const post = isSame ? current : await thread.update(current, body);
  const older = own.slice(0, -1);
  for (const one of older) await thread.fold(one, post);
  return { type: isSame ? 'unchanged' : 'updated', post, folded: older.length };
}

/** Removes all posts of that key. */
export async function removePosts(thread: Thread, key: string): Promise<KeptPost> {
  const own = await ownPosts(thread, key);
  for (const post of own) await thread.remove(post);
  const post = own.at(-1);
  return post === undefined ? { type: 'none', folded: 0 } : { type: 'removed', post, folded: 0 };
}

/** The token's own posts of that key that readers see, oldest first. */
async function ownPosts(thread: Thread, key: string): Promise<readonly Post[]> {
  const marker = markerOf(key);
  const found: Post[] = [];
  for await (const post of thread.posts()) {
    if (post.isOwn && !post.isFolded && firstLine(post.body) === marker) found.push(post);
  }
  return found;
}

async function createOnce(thread: Thread, { key, pause }: WantedPost, body: string): Promise<Post> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await thread.create(body);
    } catch (error) {
      if (!(error instanceof ForgeError) || !error.mayHaveHappened) throw error;
      await pause(settling * attempt);
      const made = (await ownPosts(thread, key)).at(-1);
      if (made !== undefined) return made;
      if (attempt === attempts) throw error;
    }
  }
}

function firstLine(body: string): string {
  return body.split(/\r?\n/, 1)[0]?.trim() ?? '';
}

/** Forges may store line ends of their own, and drop space at the end. */
function sameText(left: string, right: string): boolean {
  const plain = (text: string) => text.replaceAll('\r\n', '\n').trim();
  return plain(left) === plain(right);
}
