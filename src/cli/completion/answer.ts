/**
 * Answers requests of the shells' functions: `octavo __complete line "octavo plan --t"`, or the words separately. The first line
 * is an instruction to the shell; candidates with descriptions follow.
 */

import type { WorkspaceOptions } from '../../manifest/load-workspace.ts';
import { safeText } from '../../report/text/safe-text.ts';
import type { World } from '../world/world.ts';
import { type CompletionSource, complete } from './candidates.ts';
import { type CursorPlace, splitLine } from './line.ts';

type ManifestLoader = typeof import('../../manifest/load-workspace.ts');

/** Prints nothing if anything fails, since a shell shows whatever is printed. */
export async function answerShell(args: readonly string[], world: World): Promise<void> {
  const [form, ...words] = args;
  try {
    // The first word of a line is the name of the program.
    const own = form === 'line' ? splitLine(words.join(' ')).slice(1) : words;
    const { candidates, also } = await complete(own, completionSource(world));
    const lines = candidates
      // Words with terminal control characters are not offered.
      .filter(({ word }) => safeText(word) === word)
      .map(({ word, about }) => (about === '' ? word : `${word}\t${about}`));
    world.stdout.write(`${[also, ...lines].join('\n')}\n`);
  } catch {
    world.stdout.write('nothing\n');
  }
}

/** Modules are loaded when they are needed. */
function completionSource({ env, cwd }: Pick<World, 'env' | 'cwd'>): CompletionSource {
  const loaded = async <T>(
    { values }: CursorPlace,
    load: (loader: ManifestLoader, options: WorkspaceOptions) => Promise<T>,
  ): Promise<T | undefined> => {
    const list = (flag: string) => values.get(flag);
    const [file, overlay] = [list('file'), list('overlay')];
    try {
      const [{ readSettings }, loader, { registry }] = await Promise.all([
        import('../service/settings.ts'),
        import('../../manifest/load-workspace.ts'),
        import('../../kinds/index.ts'),
      ]);
      const flags = { ...(file && { file }), ...(overlay && { overlay }) };
      const { files: paths, overlays } = await readSettings({ flags, env, cwd });
      return await load(loader, { paths, overlays, env, cwd, registry, purpose: 'check' });
    } catch {
      return undefined;
    }
  };
  return {
    addresses: async (place) => {
      const found = await loaded(place, ({ loadAddresses }, options) => loadAddresses(options));
      const isMany = (found?.size ?? 0) > 1;
      return [...(found ?? [])].flatMap(([label, addresses]) =>
        isMany ? addresses.map((address) => `${label}/${address}`) : addresses,
      );
    },
    overlays: async (place) => {
      const { selected = [], others = [] } =
        (await loaded(place, ({ loadWorkspace }, options) => loadWorkspace(options)))?.overlays ?? {};
      return [...selected, ...others];
    },
    topics: async () => {
      const { registry } = await import('../../kinds/index.ts');
      return (await import('../explain/topics.ts')).topicNames(registry);
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
      const [{ kinds }, { kindWord }] = await Promise.all([
        import('../../kinds/index.ts'),
        import('../../kinds/describe-kind.ts'),
      ]);
      return kinds.map(kindWord);
    },
  };
}
