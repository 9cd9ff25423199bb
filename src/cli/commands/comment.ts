/** `octavo comment`: keeps one comment of a pull request up to date. */
import { userError } from '../../util/user-error.ts';
import { commentsOf, readBody, settlePost, withForge } from '../forge/open.ts';
import { readPlace } from '../forge/place.ts';
import type { Invocation } from '../invocation.ts';

/** Exit code 0; failures are thrown. */
export async function run(invocation: Invocation): Promise<number> {
  const { key = 'plan', delete: removes = false, updateOnly = false, body: file } = invocation.flags;
  if (removes && (file !== undefined || updateOnly)) {
    throw userError('usage', '--delete takes no body', 'pass --delete alone');
  }
  const place = readPlace(invocation);
  const body = removes ? {} : { body: await readBody(invocation, place, key) };
  await withForge(invocation, place, (forge) =>
    settlePost(invocation, 'comment', {
      key,
      ...body,
      creates: !updateOnly,
      thread: commentsOf(forge, invocation),
    }),
  );
  return 0;
}
