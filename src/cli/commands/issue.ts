/** `octavo issue`: keeps one issue of a repository open and up to date while there is drift, and closes it afterwards. */
import { userError } from '../../util/user-error.ts';
import { issuesOf, readBody, settlePost, withForge } from '../forge/open.ts';
import { readPlace } from '../forge/place.ts';
import type { Invocation } from '../invocation.ts';

/** Longest title that both GitHub and GitLab take. */
const longestTitle = 255;

/** Exit code 0; failures are thrown. */
export async function run(invocation: Invocation): Promise<number> {
  const { key = 'drift', title, close = false, body: file } = invocation.flags;
  if (close && file !== undefined) throw userError('usage', '--close takes no body', 'pass --close alone');
  if (!close && (title === undefined || title.trim() === '' || title.length > longestTitle)) {
    throw userError(
      'usage',
      `octavo issue needs --title, with up to ${longestTitle} characters`,
      'for example --title "Drift in Acme"',
    );
  }
  const place = readPlace(invocation);
  const body = close ? {} : { body: await readBody(invocation, place, key) };
  await withForge(invocation, place, (forge) =>
    settlePost(invocation, 'issue', { key, ...body, creates: true, thread: issuesOf(forge, title ?? '') }),
  );
  return 0;
}
