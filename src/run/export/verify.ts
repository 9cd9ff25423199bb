/** Reads an export back and plans it against what was read: only what is planned shows that the text means the live state. */
import type { Api } from '../../contract/api.ts';
import type { Registry } from '../../kinds/registry.ts';
import type { ReadMemory } from '../../live/read-memory.ts';
import { type ManifestFiles, withTexts } from '../../manifest/disk.ts';
import { loadWorkspace } from '../../manifest/load-workspace.ts';
import type { Step } from '../../plan/plan.ts';
import { defined } from '../../util/defined.ts';
import type { Diagnostic } from '../../util/diagnostic.ts';
import { planTree } from '../plan-tree.ts';
import type { ManifestText } from './documents.ts';

/** What an export is checked against. */
export interface VerifyOptions {
  readonly api: Api;
  readonly memory: ReadMemory;
  readonly registry: Registry;
  /** Ids of the last recorded apply, by address, where a plan will know them. */
  readonly knownIds?: ReadonlyMap<string, string> | undefined;
}

/** What is wrong with an export; nothing in either list where the plan is empty. */
export interface ExportCheck {
  /** Errors, with the addresses that they are about. */
  readonly problems: readonly Diagnostic[];
  readonly steps: readonly Step[];
  /** The ids that addresses were found to have. */
  readonly ids: Readonly<Record<string, string>>;
}

/** A folder that is nowhere: exports are checked before anything is written. */
const folder = '/export';

const nothing: ManifestFiles = {
  type: async () => 'missing',
  list: async () => [],
  size: async () => 0,
  read: async () => new Uint8Array(),
  real: async (file) => file,
};

/** Loads the texts as manifests and plans them. Sends only what was not read before, such as searches. */
export async function verify(texts: readonly ManifestText[], options: VerifyOptions): Promise<ExportCheck> {
  const { api, memory, registry, knownIds } = options;
  const files = new Map(texts.map(({ name, text }) => [`${folder}/${name}`, text]));
  const loaded = await loadWorkspace({
    paths: [...files.keys()],
    overlays: [],
    env: {},
    cwd: folder,
    registry,
    files: withTexts(nothing, files),
  });
  const errors = errorsIn(loaded.diagnostics);
  const [tree] = loaded.trees;
  if (errors.length > 0 || tree === undefined) return { problems: errors, steps: [], ids: {} };
  const { plan, problems } = await planTree(api, tree, {
    registry,
    memory,
    isStale: () => false,
    ...defined({ knownIds }),
  });
  const refused = plan.refusals.map(
    ({ address, message, suggestion }): Diagnostic => ({
      severity: 'error',
      code: 'export-differs',
      message,
      address,
      suggestion,
    }),
  );
  return { problems: [...errorsIn(problems), ...refused], steps: plan.steps, ids: plan.ids };
}

function errorsIn(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  return diagnostics.filter(({ severity }) => severity === 'error');
}
