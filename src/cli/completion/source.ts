/** What completion knows of the folder that a command is typed in: declared addresses and overlays. Asks no service, and never throws. */
import type { Workspace } from '../../manifest/load-workspace.ts';
import type { Flags } from '../flags.ts';
import type { World } from '../world.ts';
import type { CompletionSource } from './candidates.ts';
import type { CursorPlace } from './line.ts';

/** Makes the source of a folder. What it needs is loaded when it is asked. */
export function completionSource({ env, cwd }: Pick<World, 'env' | 'cwd'>): CompletionSource {
  const workspace = async ({ values }: CursorPlace): Promise<Workspace | undefined> => {
    const list = (flag: keyof Flags) => values.get(flag);
    const [file, overlay] = [list('file'), list('overlay')];
    try {
      const [{ readSettings }, { loadWorkspace }, { registry }] = await Promise.all([
        import('../settings.ts'),
        import('../../manifest/load-workspace.ts'),
        import('../../kinds/index.ts'),
      ]);
      const flags = { ...(file && { file }), ...(overlay && { overlay }) };
      const { files: paths, overlays } = await readSettings({ flags, env, cwd });
      return await loadWorkspace({ paths, overlays, env, cwd, registry, purpose: 'check' });
    } catch {
      return undefined;
    }
  };
  return {
    addresses: async (place) => {
      const trees = (await workspace(place))?.trees ?? [];
      const isMany = trees.length > 1;
      return trees.flatMap(({ label, nodes }) =>
        [...nodes.keys()].map((address) => (isMany ? `${label}/${address}` : address)),
      );
    },
    overlays: async (place) => {
      const { selected = [], others = [] } = (await workspace(place))?.overlays ?? {};
      return [...selected, ...others];
    },
    topics: async () => {
      const { registry } = await import('../../kinds/index.ts');
      return (await import('../explain/find-topic.ts')).topicNames(registry);
    },
    operations: async () => (await import('../../contract/index.ts')).operationIds,
    runs: async () => {
      const { JournalFolder } = await import('../../run/journal/journal-folder.ts');
      try {
        return [...new JournalFolder(cwd).runs()].reverse();
      } catch {
        return [];
      }
    },
    kinds: async () => {
      const { kinds } = await import('../../kinds/index.ts');
      return kinds.map(({ noun }) => noun.toLowerCase().replaceAll(' ', '-'));
    },
  };
}
