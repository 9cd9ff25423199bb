import { userError } from '../../util/user-error.ts';
import { issuesOf, readBody, settlePost, withForge } from '../forge/open.ts';
import { readPlace } from '../forge/place.ts';
import { defineCommand, type InvocationWith } from '../line/command.ts';
import { flagTable, forges, posting } from '../line/flags.ts';

const flags = {
  ...flagTable('Other flags', {
    title: { type: 'string', value: 'text', description: 'Title of the issue' },
    close: { type: 'boolean', description: 'Close the issue if it is open' },
  }),
  body: posting.body,
  ...forges,
};

type IssueInvocation = InvocationWith<typeof flags>;

export const command = defineCommand({
  flags,
  examples: ['octavo issue --title Drift --body drift.md', 'octavo issue --close'],
  guide: 'ci',
  run,
});

/** Longest title that both GitHub and GitLab accept. */
const longestTitle = 255;

async function run(invocation: IssueInvocation): Promise<number> {
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
