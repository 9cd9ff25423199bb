import { registry } from '../../kinds/index.ts';
import { shardText, splitTrees } from '../../run/shard.ts';
import { loadManifests } from '../../run/workspace.ts';
import type { DesiredTree } from '../../tree/desired-tree.ts';
import { userError } from '../../util/user-error.ts';
import { defineCommand, type InvocationWith } from '../line/command.ts';
import { changed, comparing, flagTable, manifests, merging } from '../line/flags.ts';
import { type RunSettings, readSettings } from '../service/settings.ts';
import { formatOf } from '../show/formats.ts';
import { chosenViews } from '../show/view-for.ts';
import { matrixViews } from '../show/views.ts';

const flags = {
  ...manifests,
  ...comparing,
  ...merging,
  changed: { ...changed, description: 'Only organizations that the manifests change since the base' },
  ...flagTable('Manifests', { of: { type: 'number', value: 'n', description: 'Shards, at most' } }),
};

export const command = defineCommand({
  flags,
  views: matrixViews,
  examples: [
    'octavo matrix --of 16',
    'octavo matrix -f organizations --of 16 --format github',
    'octavo matrix -f organizations --of 16 --changed --base origin/main --format github',
  ],
  guide: 'fleets',
  run,
});

type MatrixFormat = keyof typeof matrixViews;

/** Most jobs of one matrix, as documented by the CI systems. */
const mostJobs: Readonly<Record<MatrixFormat, number>> = {
  text: 1000,
  json: 1000,
  markdown: 1000,
  github: 256,
  gitlab: 200,
};

async function run(invocation: InvocationWith<typeof flags>): Promise<number> {
  const { cwd, env } = invocation;
  const { of, format: formats } = invocation.flags;
  const format = (formats ?? []).map(formatOf).find((name) => name !== 'text') ?? 'text';
  const most = mostJobs[format as MatrixFormat];
  if (of === undefined) throw userError('shard', 'into how many shards?', 'pass --of, for example --of 4');
  if (of < 1 || of > most) {
    throw userError(
      'shard',
      `--of must be from 1 to ${most} with --format ${format}, is ${of}`,
      'a shard may have any number of organizations',
    );
  }
  const settings = await readSettings(invocation);
  const { files, overlays } = settings;
  const found =
    invocation.flags.changed === true
      ? await changedTrees(invocation, settings)
      : await loadManifests({ cwd, env, files, overlays, registry, purpose: 'check' });
  const { trees } = found;
  // A job without organizations is not worth starting.
  const count = Math.min(of, trees.length);
  // Jobs compute the split of all organizations.
  const shards = splitTrees(trees, count)
    .map((part, at) => ({
      shard: shardText({ index: at + 1, of: count }),
      part: part.filter(isListedIn(found)),
    }))
    .filter(({ part }) => part.length > 0)
    .map(({ shard, part }) => ({
      shard,
      organizations: part.map(({ label }) => label),
      objects: part.reduce((sum, { nodes }) => sum + nodes.size, 0),
    }));
  (await chosenViews(invocation, matrixViews)).all((view, options) => view(shards, options));
  return 0;
}

interface FoundTrees {
  readonly trees: readonly DesiredTree[];
  /** All by default. */
  readonly changed?: ReadonlySet<string>;
}

function isListedIn({ changed }: FoundTrees): (tree: DesiredTree) => boolean {
  return ({ label }) => changed?.has(label) !== false;
}

/** Of other invocations, no session is loaded. */
async function changedTrees(
  invocation: InvocationWith<typeof flags>,
  settings: RunSettings,
): Promise<FoundTrees> {
  const { openCommandSession } = await import('../service/session.ts');
  const { session } = await openCommandSession(invocation, settings);
  try {
    return { trees: session.workspace.trees, changed: session.changed() };
  } finally {
    await session.close();
  }
}
