import { registry } from '../../kinds/index.ts';
import { loadManifests } from '../../past/workspace.ts';
import { listObjects, type ObjectList } from '../../run/facts/list-objects.ts';
import { inShard } from '../../run/shard.ts';
import { userError } from '../../util/user-error.ts';
import { defineCommand, type InvocationWith } from '../line/command.ts';
import { comparing, display, flagTable, reading } from '../line/flags.ts';
import { readSettings } from '../service/settings.ts';
import { chosenViews } from '../show/view-for.ts';
import { listViews } from '../show/views.ts';

const flags = {
  ...reading,
  ...comparing,
  offline: {
    ...comparing.offline,
    description: 'Ask neither the service nor git remotes: only what the manifests declare is listed',
  },
  ...flagTable('Output', {
    show: {
      ...display.show,
      choices: ['unmanaged'],
      description: 'Also list live objects that no manifest lists',
    },
  }),
};

type ListInvocation = InvocationWith<typeof flags>;

export const command = defineCommand({
  words: { name: 'addresses', many: true, completes: 'addresses' },
  flags,
  views: listViews,
  run,
});

async function run(invocation: ListInvocation): Promise<number> {
  const { flags } = invocation;
  const isCollection = (word: string) =>
    registry.kinds.some(({ manifest: { places } }) => places.some(({ key }) => key === word));
  const words = invocation.words.map((word) => (isCollection(word) ? `**/${word}/*` : word));
  const request = { registry, patterns: words, unmanaged: flags.show !== undefined };
  if (flags.offline !== true) {
    // Listing only manifests needs neither planning nor a client.
    const { withSession } = await import('../service/session.ts');
    const { planRun } = await import('../../run/plan-run.ts');
    return withSession(invocation, { base: 'none' }, async ({ session, read }) => {
      const { trees } = session.workspace;
      // Reads only listed objects. Mistyped patterns are reported before any read.
      const isPart = words.length > 0 && !request.unmanaged;
      if (isPart) listObjects({ ...request, trees });
      const planned = await read(() => planRun(session, isPart ? { target: words } : {}));
      const objects = listObjects({ ...request, trees, plan: planned.plan });
      return show(invocation, { objects, isLive: true });
    });
  }
  if (request.unmanaged) {
    throw userError('usage', '--show unmanaged needs the service', 'leave out --offline');
  }
  return show(invocation, {
    objects: listObjects({ ...request, trees: await declared(invocation) }),
    isLive: false,
  });
}

async function declared(invocation: ListInvocation) {
  const { cwd, env } = invocation;
  const { files, overlays, shard } = await readSettings(invocation);
  const { trees } = await loadManifests({ files, overlays, env, cwd, registry, purpose: 'check' });
  return inShard(trees, shard);
}

async function show(invocation: ListInvocation, list: ObjectList): Promise<number> {
  (await chosenViews(invocation, listViews)).all((view, options) => view(list, options));
  return 0;
}
