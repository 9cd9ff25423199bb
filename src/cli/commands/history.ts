import { onGitError } from '../../manifest/files/repository.ts';
import {
  detailsOf,
  type HistorySource,
  readHistory,
  runsByOrganization,
} from '../../past/history/history.ts';
import { findRun } from '../../past/journal/find-run.ts';
import { journalsInGit } from '../../past/journal/git-journals.ts';
import { describeMachine } from '../../past/lock/machine.ts';
import { userError } from '../../util/user-error.ts';
import { defineCommand, type InvocationWith } from '../line/command.ts';
import { flagTable, toggle } from '../line/flags.ts';
import { chosenViews } from '../show/view-for.ts';
import { historyViews } from '../show/views.ts';

const flags = flagTable('Other flags', {
  all: toggle('All recorded runs, not only the latest 50'),
});

type HistoryInvocation = InvocationWith<typeof flags>;

export const command = defineCommand({
  words: { name: 'run|address', completes: 'runs' },
  flags,
  views: historyViews,
  run,
});

async function run(invocation: HistoryInvocation): Promise<number> {
  const { words, cwd, world } = invocation;
  const [named] = words;
  const isAddress = named !== undefined && !named.startsWith('r-');
  if (named !== undefined && !isAddress && invocation.flags.all === true)
    throw userError('usage', '--all does not apply to a run', 'leave it out, or name no run');
  const store = await world.journals(cwd);
  const machine = describeMachine(world.machine);
  const source = { cwd, openRepository: world.openRepository, store, machine };
  const shown = isAddress
    ? await valuesOf(invocation, source, named)
    : named === undefined
      ? await readHistory(source, { inGit: await runsInGit(invocation, source), all: invocation.flags.all })
      : await detailsOf(await findRun(source, named), source);
  (await chosenViews(invocation, historyViews)).all((view, options) => view(shown, options));
  return 0;
}

async function runsInGit({ output }: HistoryInvocation, source: HistorySource) {
  const { runs, remote = 'git', unreachable, damaged } = await journalsInGit(source);
  if (unreachable !== undefined)
    output.note(`warning[journal]: cannot read runs of others from ${remote}: ${unreachable}`);
  for (const { message } of damaged) output.note(`warning[journal]: ${message}`);
  return runs;
}

async function valuesOf(invocation: HistoryInvocation, source: HistorySource, name: string) {
  const { registry } = await import('../../kinds/index.ts');
  const { valueHistory } = await import('../../past/history/value-history.ts');
  const { cwd, env } = invocation;
  const repository = await source.openRepository(cwd).catch(onGitError(() => undefined));
  const scope = { inGit: await runsInGit(invocation, source), all: invocation.flags.all };
  const runs = await runsByOrganization(source, scope);
  return valueHistory({ cwd, env, registry, files: [], overlays: [] }, repository, { name, runs });
}
