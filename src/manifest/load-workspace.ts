/** Loads a workspace: find → parse → interpolate → merge → overlay → build. All problems come back at once. */
import type { WantTree } from '../graph/want.ts';
import type { Registry } from '../kinds/registry.ts';
import type { Diagnostic } from '../util/diagnostic.ts';
import { buildTree } from './build-tree.ts';
import { checkReferences } from './check-references.ts';
import { disk, type ManifestFiles } from './disk.ts';
import { displayName, findManifests, type ManifestFile } from './find.ts';
import { interpolate } from './interpolate.ts';
import { entryOf, type LocatedMap } from './located.ts';
import { mergeDocuments } from './merge.ts';
import { parseYaml } from './parse.ts';
import { Problems, startOf } from './problems.ts';

/** Where a workspace comes from. */
export interface WorkspaceOptions {
  /** Files and folders, relative to `cwd`; the folder itself when empty. */
  readonly paths: readonly string[];
  /** Files to lay over the manifests, in this order. */
  readonly overlays: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly registry: Registry;
  /** The disk, unless told otherwise. */
  readonly files?: ManifestFiles;
}

/** What manifests say, and what is wrong with them. */
export interface Workspace {
  /** One per organization, by label. Parts with errors are left out: use them only when there is no error. */
  readonly trees: readonly WantTree[];
  /** By file, line and column. */
  readonly diagnostics: readonly Diagnostic[];
  /** Texts of all files by the name that diagnostics use. */
  readonly sources: ReadonlyMap<string, string>;
}

/** Reads and checks a workspace. Never throws for what is in the files. */
export async function loadWorkspace(options: WorkspaceOptions): Promise<Workspace> {
  const { cwd, registry } = options;
  const files = options.files ?? disk;
  const problems = new Problems();
  const paths = options.paths.length === 0 ? ['.'] : options.paths;
  const overlayFiles = await findManifests(options.overlays, cwd, files, problems);
  const overlayNames = new Set(overlayFiles.map((file) => file.path));
  const found = (await findManifests(paths, cwd, files, problems)).filter(
    (file) => !overlayNames.has(file.path),
  );
  const sources = new Map([...found, ...overlayFiles].map((file) => [file.name, file.text]));
  const filling = { env: options.env, cwd, files, problems };
  const read = (file: ManifestFile) => readDocuments(file, filling);
  const documents = (await Promise.all(found.map(read))).flat();
  const inOrder = options.overlays.flatMap((given) => {
    const named = overlayFiles.filter((file) => file.name === displayName(joined(cwd, given), cwd));
    return named.length > 0 ? named : [];
  });
  const overlays = (await Promise.all(inOrder.map(read))).flat();
  if (documents.length === 0 && problems.sorted().every(({ severity }) => severity !== 'error')) {
    const [first = '.'] = paths;
    problems.error('no-manifests', `there are no manifests in ${paths.join(', ')}`, startOf(first), {
      suggestion: 'a manifest is a .yaml or .yml file that starts with octavo: 1; name other folders with -f',
    });
  }
  const merged = mergeDocuments(documents, overlays, problems);
  const trees = merged.map((organization) => {
    const tree = buildTree(organization, registry, problems);
    checkReferences(tree, registry, problems);
    return tree;
  });
  return { trees, diagnostics: problems.sorted(), sources };
}

function joined(cwd: string, given: string): string {
  return given.startsWith('/') ? given : `${cwd.replace(/\/$/, '')}/${given.replace(/^\.\//, '')}`;
}

/** The manifests in a file, filled in. Files in folders that are other YAML are passed over with a hint. */
async function readDocuments(
  file: ManifestFile,
  filling: Parameters<typeof interpolate>[2],
): Promise<readonly LocatedMap[]> {
  const { problems } = filling;
  const documents: LocatedMap[] = [];
  for (const located of parseYaml(file.name, file.text, problems)) {
    const looksLikeOne =
      located.type === 'map' &&
      (entryOf(located, 'octavo') ?? entryOf(located, 'organization')) !== undefined;
    if (!looksLikeOne && !file.named) {
      problems.hint('not-a-manifest', 'passed over: the document has no octavo key', located.at, {
        suggestion: 'a manifest starts with octavo: 1',
      });
      continue;
    }
    if (located.type !== 'map') {
      problems.error('not-a-manifest', 'a manifest must be a mapping', located.at, {
        suggestion: 'start it with octavo: 1',
      });
      continue;
    }
    const filled = await interpolate(located, file, filling);
    if (filled.type === 'map') documents.push(filled);
  }
  return documents;
}
