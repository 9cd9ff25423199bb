/** `octavo matrix`: splits the organizations of the manifests over the jobs of a CI system. Asks no service. */
import { registry } from '../../kinds/index.ts';
import type { FormatOf } from '../../report/formats.ts';
import { shardText, splitTrees } from '../../run/shard.ts';
import { loadManifests } from '../../run/workspace.ts';
import { userError } from '../../util/user-error.ts';
import { formatOf } from '../formats.ts';
import type { Invocation } from '../invocation.ts';
import { readSettings } from '../settings.ts';
import { chosenViews } from '../view-for.ts';
import { matrixViews } from '../views.ts';

/** Most jobs of one matrix, as the CI systems document it. */
const mostJobs: Readonly<Record<FormatOf<'matrix'>, number>> = {
  text: 1000,
  json: 1000,
  github: 256,
  gitlab: 200,
};

/** Exit code 0; an error in the manifests is one here as well. */
export async function run(invocation: Invocation): Promise<number> {
  const { cwd, env, flags } = invocation;
  const { of } = flags;
  const format = (flags.format ?? []).map(formatOf).find((name) => name !== 'text') ?? 'text';
  const most = mostJobs[format as FormatOf<'matrix'>];
  if (of === undefined) throw userError('shard', 'into how many shards?', 'pass --of, for example --of 4');
  if (of < 1 || of > most) {
    throw userError(
      'shard',
      `--of must be from 1 to ${most} with --format ${format}, is ${of}`,
      'a shard may have any number of organizations',
    );
  }
  const { files, overlays } = await readSettings(invocation);
  const { trees } = await loadManifests({ cwd, env, files, overlays, registry, purpose: 'check' });
  // A job without organizations is not worth starting.
  const count = Math.min(of, trees.length);
  const shards = splitTrees(trees, count).map((part, at) => ({
    shard: shardText({ index: at + 1, of: count }),
    organizations: part.map(({ label }) => label),
    objects: part.reduce((sum, { nodes }) => sum + nodes.size, 0),
  }));
  (await chosenViews(invocation, matrixViews)).all((view, options) => view(shards, options));
  return 0;
}
