/** Loads a workspace: find → parse → interpolate → merge → overlay → build. All problems come back at once. */

import type { Registry } from '../kinds/registry.ts';
import type { DesiredTree } from '../tree/desired-tree.ts';
import { type Diagnostic, hasErrors, type SourceRange } from '../util/diagnostic.ts';
import { buildTree } from './build-tree.ts';
import { checkReferences } from './check-references.ts';
import { disk, type ManifestFiles } from './disk.ts';
import { findManifests, type ManifestFile } from './find.ts';
import { Includes } from './includes.ts';
import { type InterpolationOptions, interpolate } from './interpolate.ts';
import { entryOf, type Located, type LocatedMap } from './located.ts';
import { mergeDocuments } from './merge.ts';
import { parseYaml } from './parse.ts';
import { Problems } from './problems.ts';

/** Where a workspace comes from. */
export interface WorkspaceOptions {
  /** Files and folders, relative to `cwd`; the folder itself when empty. */
  readonly paths: readonly string[];
  /** Files to lay over the manifests, in this order. */
  readonly overlays: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly registry: Registry;
  /** The disk by default. */
  readonly files?: ManifestFiles;
}

/** The desired state of manifests, and what is wrong with them. */
export interface Workspace {
  /** One per organization, by label. Parts with errors are left out: use them only when there is no error. */
  readonly trees: readonly DesiredTree[];
  /** By file, line and column. */
  readonly diagnostics: readonly Diagnostic[];
  /** Texts of all files by the name that diagnostics use. */
  readonly sources: ReadonlyMap<string, string>;
  /** Names of the files that were found under the paths and overlays, without those that are only included. */
  readonly files: readonly string[];
}

/** Reads and checks a workspace. Never throws for what is in the files. */
export async function loadWorkspace(options: WorkspaceOptions): Promise<Workspace> {
  const { cwd, registry, env } = options;
  const files = options.files ?? disk;
  const problems = new Problems();
  const paths = options.paths.length === 0 ? ['.'] : options.paths;
  const where = { cwd, files, problems };
  const overlayFiles = await findManifests({ ...where, paths: options.overlays, flag: '--overlay' });
  const overlayPaths = new Set(overlayFiles.map((file) => file.path));
  const found = (await findManifests({ ...where, paths, flag: '-f' })).filter(
    (file) => !overlayPaths.has(file.path),
  );
  const includes = new Includes(files, cwd, problems);
  const filling = { env, includes, problems };
  const read = [];
  for (const file of found) read.push(await readDocuments(file, filling));
  const overlays: LocatedMap[] = [];
  // Overlays lie over each other in the order in which they were given.
  for (const file of [...overlayFiles].sort((left, right) => left.given - right.given)) {
    overlays.push(...(await readDocuments({ ...file, named: true }, filling)).documents);
  }
  const documents = read.flatMap((file) => file.documents);
  for (const { file, skipped } of read) {
    if (skipped !== undefined && !includes.isIncluded(file.path)) problems.addAll(skipped);
  }
  if (documents.length === 0 && !hasErrors(problems.sorted())) {
    problems.error('no-manifests', `no manifests in ${paths.join(', ')}`, undefined, {
      suggestion: 'pass other folders with -f; a manifest is a .yaml or .yml file that starts with octavo: 1',
    });
  }
  const merged = mergeDocuments(documents, overlays, problems);
  const trees = merged.map((organization) => {
    const tree = buildTree(organization, registry, problems);
    checkReferences(tree, registry, problems);
    return tree;
  });
  const texts = [...found, ...overlayFiles].map((file) => [file.name, file.text] as const);
  return {
    trees,
    diagnostics: problems.sorted(),
    sources: new Map([...includes.sources, ...texts]),
    files: texts.map(([name]) => name),
  };
}

interface FileContent {
  readonly file: ManifestFile;
  readonly documents: readonly LocatedMap[];
  /** Set when (a part of) the file is other YAML than a manifest: a hint, for the case that nothing includes it. */
  readonly skipped?: Problems;
}

/** The manifests in a file, filled in. Other YAML files in folders are skipped with a hint. */
async function readDocuments(file: ManifestFile, filling: InterpolationOptions): Promise<FileContent> {
  const { problems } = filling;
  const own = new Problems();
  const parsed = parseYaml(file.name, file.text, own);
  const [first] = own.sorted().filter(({ severity }) => severity === 'error');
  if (first !== undefined && !file.named && !/^["']?(octavo|organization)["']?\s*:/m.test(file.text)) {
    return {
      file,
      documents: [],
      skipped: skipped(first.at, 'neither a manifest nor valid YAML'),
    };
  }
  problems.addAll(own);
  const documents: LocatedMap[] = [];
  const others: Located[] = [];
  for (const located of parsed) {
    const isMarked =
      located.type === 'map' &&
      (entryOf(located, 'octavo') ?? entryOf(located, 'organization')) !== undefined;
    if (!isMarked && !file.named) others.push(located);
    else if (located.type === 'map') {
      const filled = await interpolate(located, file, filling);
      if (filled.type === 'map') documents.push(filled);
    } else {
      problems.error('not-a-manifest', 'a manifest must be a mapping', located.at, {
        suggestion: 'start it with octavo: 1',
      });
    }
  }
  const [other] = others;
  if (other === undefined) return { file, documents };
  return { file, documents, skipped: skipped(firstLineOf(other.at), 'no "octavo:" key') };
}

function skipped(at: SourceRange | undefined, why: string): Problems {
  const hint = new Problems();
  hint.hint('not-a-manifest', `skipped: ${why}`, at, {
    suggestion: 'start it with octavo: 1 if it is a manifest',
  });
  return hint;
}

function firstLineOf(at: SourceRange): SourceRange {
  return at.line === at.endLine ? at : { ...at, endLine: at.line, endColumn: at.column + 1 };
}
