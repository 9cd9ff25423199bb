import { registry } from '../../kinds/index.ts';
import { patchText } from '../../report/results/acceptance.ts';
import { moveObject } from '../../run/write-back/move-object.ts';
import { countOf } from '../../util/count.ts';
import { userError } from '../../util/user-error.ts';
import { defineCommand, type InvocationWith } from '../line/command.ts';
import { manifests, writing } from '../line/flags.ts';
import { readSettings } from '../service/settings.ts';

const flags = { ...manifests, ...writing };

export const command = defineCommand({
  words: { name: 'addresses', many: true, completes: 'addresses' },
  flags,
  run: move,
});

async function move(invocation: InvocationWith<typeof flags>): Promise<number> {
  const { words, flags, cwd, env, interrupt, output, folder } = invocation;
  const { openRepository } = invocation.world;
  const [from, to] = words;
  if (from === undefined || to === undefined || words.length > 2)
    throw userError('usage', 'mv needs two addresses', 'octavo mv OLD NEW');
  const { files, overlays } = await readSettings(invocation);
  const { dryRun = false } = flags;
  const options = { from, to, dryRun, folder, isInterrupted: () => interrupt.requested };
  const run = await moveObject({ files, overlays, cwd, env, registry, openRepository }, options);
  if (run.type === 'interrupted') return interrupt.wroteNothing();
  for (const file of run.files) output.result(`${patchText(file)}\n`);
  const moved = `${from} to ${to} in ${countOf(run.files.length, 'file')}`;
  output.result(dryRun ? `Would move ${moved}.\n` : `Moved ${moved}. Next: octavo plan\n`);
  return 0;
}
