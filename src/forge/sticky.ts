/**
 * Keeps one post up to date: finds it by a marker that readers do not see, updates it in place, and folds older ones.
 * If a create gets no response, the post is looked up before it is created again.
 */
import { userError } from '../util/user-error.ts';
import { ForgeError, type Post, type Thread } from './forge.ts';

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
}

/** Limits both the characters and the bytes of a body. */
export const largestBody = 65_536;
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

export function markedBody(key: string, body: string): string {
  const text = body.replace(/^\uFEFF/, '').trim();
  if (text === '') {
    throw userError('comment-body', 'the body is empty', 'see the log of the run for the reason');
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

/** `ending`: inserted as the first line of the text that remains readable, if it fits. */
export async function removePosts(thread: Thread, key: string, ending = ''): Promise<KeptPost> {
  const own = await ownPosts(thread, key);
  for (const post of own) await thread.remove?.(post, endedBody(post.body, ending));
  const post = own.at(-1);
  return post === undefined ? { type: 'none', folded: 0 } : { type: 'removed', post, folded: 0 };
}

function endedBody(body: string, ending: string): string {
  const [marker = '', ...lines] = body.split('\n');
  const text = [marker, ending, '', ...lines].join('\n');
  return ending === '' || Buffer.byteLength(text) > largestBody ? body : text;
}

/** The token's own unfolded posts with that key, oldest first. */
async function ownPosts(thread: Thread, key: string): Promise<readonly Post[]> {
  const marker = markerOf(key);
  const found: Post[] = [];
  for await (const post of thread.posts()) {
    if (post.isOwn && !post.isFolded && post.body.split(/\r?\n/, 1)[0]?.trim() === marker) found.push(post);
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

function sameText(left: string, right: string): boolean {
  const plain = (text: string) => text.replaceAll('\r\n', '\n').trim();
  return plain(left) === plain(right);
}
