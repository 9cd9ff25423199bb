import { userError } from '../../util/user-error.ts';
import { commentsOf, readBody, settlePost, withForge } from '../forge/open.ts';
import { readPlace } from '../forge/place.ts';
import { defineCommand, type InvocationWith } from '../line/command.ts';
import { flagTable, forges, posting } from '../line/flags.ts';

const flags = {
  body: posting.body,
  ...flagTable('Other flags', {
    updateOnly: { type: 'boolean', description: 'Update the comment if there is one; make none' },
    delete: { type: 'boolean', description: 'Delete the comment' },
  }),
  pull: posting.pull,
  ...forges,
};

type CommentInvocation = InvocationWith<typeof flags>;

export const command = defineCommand({
  flags,
  examples: ['octavo comment --body plan.md', 'octavo comment --body plan.md --key production --update-only'],
  guide: 'ci',
  run,
});

async function run(invocation: CommentInvocation): Promise<number> {
  const { key = 'plan', delete: removes = false, updateOnly = false, body: file } = invocation.flags;
  if (removes && (file !== undefined || updateOnly)) {
    throw userError('usage', '--delete takes no body', 'pass --delete alone');
  }
  const place = readPlace(invocation);
  const body = removes ? {} : { body: await readBody(invocation, place, key) };
  await withForge(invocation, place, async (forge) => {
    const thread = await commentsOf(forge, invocation);
    if ('none' in thread) invocation.output.result(`No comment: ${thread.none}.\n`);
    else await settlePost(invocation, 'comment', { key, ...body, creates: !updateOnly, thread });
  });
  return 0;
}
