/** `octavo list`: the declared objects, with their ids and states. Changes nothing; with --offline asks no service. */
import { registry } from '../../kinds/index.ts';
import { loadWorkspace } from '../../manifest/load-workspace.ts';
import type { ObjectList } from '../../report/object-list.ts';
import { kindsNamed, listObjects } from '../../run/list-objects.ts';
import { inShard } from '../../run/shard.ts';
import { DiagnosticError, hasErrors } from '../../util/diagnostic.ts';
import { userError } from '../../util/user-error.ts';
import type { Invocation } from '../invocation.ts';
import { readSettings } from '../settings.ts';
import { chosenViews } from '../view-for.ts';
import { listViews } from '../views.ts';

/** Exit code 0, whatever the states are. */
export async function run(invocation: Invocation): Promise<number> {
  const { flags, words } = invocation;
  const request = {
    registry,
    patterns: words,
    kinds: kindsNamed(registry, flags.kind ?? []),
    unmanaged: flags.showUnmanaged === true,
  };
  if (flags.offline !== true) {
    // The manifests alone need neither planning nor a client.
    const { openCommandSession } = await import('../session.ts');
    const settings = await readSettings(invocation);
    const { session, plan } = await openCommandSession(invocation, settings, {
      shard: settings.shard,
      base: 'none',
    });
    try {
      const { trees } = session.workspace;
      // What is not listed is not read. Mistyped patterns are found before anything is.
      const isPart = words.length > 0 && !request.unmanaged;
      if (isPart) listObjects({ ...request, trees });
      const planned = await plan(isPart ? { target: words } : {});
      const objects = listObjects({ ...request, trees, plan: planned.plan });
      return await show(invocation, { objects, isLive: true });
    } finally {
      await session.close();
    }
  }
  if (request.unmanaged) {
    throw userError('usage', '--show-unmanaged needs the service', 'leave out --offline');
  }
  return show(invocation, {
    objects: listObjects({ ...request, trees: await declared(invocation) }),
    isLive: false,
  });
}

async function declared(invocation: Invocation) {
  const { cwd, env, world } = invocation;
  world.saveMemory?.();
  const { files: paths, overlays, shard } = await readSettings(invocation);
  const workspace = await loadWorkspace({ paths, overlays, env, cwd, registry, purpose: 'check' });
  const { trees, diagnostics, sources } = workspace;
  if (hasErrors(diagnostics)) throw new DiagnosticError(diagnostics, sources);
  return inShard(trees, shard);
}

async function show(invocation: Invocation, list: ObjectList): Promise<number> {
  (await chosenViews(invocation, listViews)).all((view, options) => view(list, options));
  return 0;
}
