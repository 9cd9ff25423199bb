import { userError } from '../../util/user-error.ts';
import { issuesOf, readBody, settlePost, withForge } from '../forge/open.ts';
import { readPlace } from '../forge/place.ts';
import { defineCommand, type InvocationWith } from '../line/command.ts';
import { flagTable, forges, posting } from '../line/flags.ts';
import { variableIn } from '../world/environment.ts';

const flags = {
  ...flagTable('Other flags', {
    title: { type: 'string', value: 'text', description: 'Title of the issue' },
    close: {
      type: 'boolean',
      description:
        'Close the issue if it is open; the time, and the commit of the run, become its first line',
    },
  }),
  body: posting.body,
  ...forges,
  key: { ...forges.key, description: 'Name of the issue, where a repository has several (default: drift)' },
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
  const ending = close ? { ending: endingOf(invocation) } : {};
  await withForge(invocation, place, (forge) =>
    settlePost(invocation, 'issue', {
      key,
      ...body,
      ...ending,
      creates: true,
      thread: issuesOf(forge, title ?? ''),
    }),
  );
  return 0;
}

function endingOf({ env, world }: IssueInvocation): string {
  const time = new Date(world.clock.now()).toISOString().slice(0, 16).replace('T', ' ');
  const commit = variableIn(env, 'GITHUB_SHA') ?? variableIn(env, 'CI_COMMIT_SHA') ?? '';
  const at = /^[0-9a-f]{40,64}$/.test(commit) ? ` (commit \`${commit.slice(0, 10)}\`)` : '';
  return `**No drift since ${time} UTC${at}.**`;
}
