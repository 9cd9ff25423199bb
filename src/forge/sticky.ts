/**
 * Keeps one post up to date: finds it by a marker that readers do not see, updates it in place, and folds older ones.
 * If its creation got no response, it is looked up instead of created again.
 */
import { userError } from '../util/user-error.ts';
import { ForgeError, type Post, type Thread } from './forge.ts';

export interface WantedPost {
  readonly key: string;
  /** Without the marker. */
  readonly body: string;
  /** False: only an existing post is updated. */
  readonly creates: boolean;
  /** Before a post is looked up that may have been created. */
  readonly pause: (milliseconds: number) => Promise<void>;
}

export interface KeptPost {
  readonly type: 'created' | 'updated' | 'unchanged' | 'removed' | 'none';
  readonly post?: Post;
  readonly folded: number;
}

/** In characters and in bytes. */
export const largestBody = 65_536;
/** Times a post is sent at most, with a look-up before each but the first. */
const attempts = 3;
/** Milliseconds until a new post appears in lists. */
const settling = 1000;

/** Markdown does not show comments. Throws a DiagnosticError for a key that would end the comment. */
export function markerOf(key: string): string {
  if (/^[A-Za-z0-9](?:[A-Za-z0-9._/]|-(?!-)){0,99}$/.test(key) && !key.endsWith('-'))
    return `<!-- octavo:${key} -->`;
  throw userError(
    'comment-key',
    `the key ${JSON.stringify(key)} cannot mark a comment`,
    'use up to 100 letters, digits, dots, slashes, underscores and single dashes',
  );
}

/** Throws a DiagnosticError for a body that is empty or too large. */
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

/** `ending`: the first line of what stays readable, if it fits. */
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

/** The token's own unfolded posts of that key, oldest first. */
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
