import { userError } from '../../util/user-error.ts';
import { type Pipeline, withPipeline } from '../ci/pipeline.ts';
import { defineCommand, type InvocationWith } from '../line/command.ts';
import { accepting, comparing, flagTable, manifests, organizations, text } from '../line/flags.ts';

const flags = {
  ...manifests,
  ...organizations,
  base: {
    ...comparing.base,
    description:
      'What plan compares with, outside of requests (default: the last record, else the target branch)',
  },
  ...flagTable('Other flags', {
    key: text(
      'name',
      'Name of this plan, where a repository has several: each has its comment, approval and issue',
    ),
    accept: {
      ...accepting.accept,
      description: 'With drift: keep a request that writes it into the manifests',
    },
  }),
};

/** A command of a pipeline is loaded when it is used. */
const events: Readonly<Record<string, (pipeline: Pipeline, files: readonly string[]) => Promise<number>>> = {
  plan: async (pipeline) => (await import('../ci/plan.ts')).ciPlan(pipeline),
  apply: async (pipeline) => (await import('../ci/apply.ts')).ciApply(pipeline),
  drift: async (pipeline) => (await import('../ci/drift.ts')).ciDrift(pipeline),
  matrix: async (pipeline) => (await import('../ci/fleet.ts')).ciMatrix(pipeline),
  join: async (pipeline, files) => (await import('../ci/fleet.ts')).ciJoin(pipeline, files),
};

const all = Object.keys(events);

export const command = defineCommand({
  words: { name: 'event', many: true, choices: all, completes: 'files' },
  flags,
  run,
});

async function run(invocation: InvocationWith<typeof flags>): Promise<number> {
  const [event = '', ...files] = invocation.words;
  const known = events[event];
  if (known === undefined)
    throw userError('usage', 'octavo ci needs a word', `write one of ${all.join(', ')}`);
  const [extra] = event === 'join' ? [] : files;
  if (extra !== undefined)
    throw userError(
      'usage',
      `octavo ci ${event} takes no ${JSON.stringify(extra)}`,
      'manifests are named with -f',
    );
  const { accept } = invocation.flags;
  if (accept === true && event !== 'drift')
    throw userError('usage', '--accept applies to octavo ci drift', 'leave it out');
  return withPipeline(invocation, (pipeline) => known(pipeline, files));
}
