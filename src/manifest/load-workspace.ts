/** Loads a workspace: find → parse → interpolate → merge → overlay → build. All problems come back at once. */

import type { Registry } from '../kinds/registry.ts';
import type { DesiredTree } from '../tree/desired-tree.ts';
import { type Diagnostic, hasErrors, type SourceRange } from '../util/diagnostic.ts';
import { buildTree } from './build-tree.ts';
import { checkReferences } from './check-references.ts';
import { checkTree } from './check-tree.ts';
import { disk, type ManifestFiles } from './disk.ts';
import { findManifests } from './find.ts';
import { Includes } from './includes.ts';
import { type InterpolationOptions, interpolate } from './interpolate.ts';
import { layOverlays } from './lay-overlays.ts';
import type { LocatedMap } from './located.ts';
import { type MergedOrganization, mergeDocuments } from './merge.ts';
import type { ParsedTexts } from './parsed-texts.ts';
import { Problems } from './problems.ts';
import {
  type FileContent,
  type FileDocument,
  type OverlayDocument,
  readDocuments,
} from './read-documents.ts';
import { findOverlayPaths, selectOverlays } from './select-overlays.ts';

/** Where a workspace comes from. */
export interface WorkspaceOptions {
  /** Files and folders, relative to `cwd`; the folder itself when empty. */
  readonly paths: readonly string[];
  /** Overlays to merge over the manifests, in this order: names of those that are there, or paths. */
  readonly overlays: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly registry: Registry;
  /** The disk by default. */
  readonly files?: ManifestFiles;
  /**
   * `use` by default. `check`: variables need not be set, and overlays that are not selected are checked as well.
   * `base`: the manifests are older than what names the overlays.
   */
  readonly purpose?: 'use' | 'check' | 'base';
  /** Where several workspaces have the same texts: each is parsed once. */
  readonly parsed?: ParsedTexts;
  /** For a base: names of overlays by the files that hold them now. */
  readonly formerOverlays?: ReadonlyMap<string, string>;
}

/** The desired state of manifests, and what is wrong with them. */
export interface Workspace {
  /** One per organization, by label. Parts with errors are left out: use them only when there is no error. */
  readonly trees: readonly DesiredTree[];
  /** By file, line and column. */
  readonly diagnostics: readonly Diagnostic[];
  /** Texts of all files by the name that diagnostics use. */
  readonly sources: ReadonlyMap<string, string>;
  /**
   * Texts of all files that were read, those that are included as well, by absolute path. Absent where the workspace is not
   * read from files.
   */
  readonly read?: ReadonlyMap<string, string>;
  /** Names of the files that were found under the paths and overlays, without those that are only included. */
  readonly files: readonly string[];
  /** Files that others include, by absolute path, with the first place of each. Absent where the workspace is not read from files. */
  readonly included?: ReadonlyMap<string, SourceRange>;
  /** Absent where no manifests were read. */
  readonly overlays?: FoundOverlays;
}

/** The overlays of a workspace. */
export interface FoundOverlays {
  /** Names of those that are merged over the manifests. */
  readonly selected: readonly string[];
  /** Names of those that are not. */
  readonly others: readonly string[];
  /** Names by the files that hold them. */
  readonly files: ReadonlyMap<string, string>;
}

/** Reads and checks a workspace. Never throws for what is in the files. */
export async function loadWorkspace(options: WorkspaceOptions): Promise<Workspace> {
  const { cwd, registry, env, purpose = 'use' } = options;
  const files = options.files ?? disk;
  const problems = new Problems();
  const paths = options.paths.length === 0 ? ['.'] : options.paths;
  const where = { cwd, files, problems };
  const request = { ...where, given: options.overlays, isBase: purpose === 'base' };
  const overlayPaths = await findOverlayPaths(request);
  const ofPaths = overlayPaths.flatMap((one) => one.files);
  const elsewhere = new Set(ofPaths.map(({ path }) => path));
  const isBase = purpose === 'base';
  const found = (await findManifests({ ...where, paths, how: ' given with -f', isBase })).filter(
    (file) => !elsewhere.has(file.path),
  );
  const read: FileContent[] = [];
  for (const file of found) read.push(await readDocuments(file, problems, options.parsed));
  if (read.some(({ isPartial }) => isPartial)) problems.lose();
  const known = read.flatMap(({ overlays }) => overlays);
  const former = options.formerOverlays;
  const manifests = read
    .flatMap((content) => content.manifests)
    .filter(({ file }) => former?.has(file.name) !== true);
  const selected = await selectOverlays(request, [...known, ...formerDocuments(read, former)], overlayPaths);

  const includes = new Includes(files, cwd, problems);
  const filling = { env, includes, problems, ...(purpose === 'check' ? { unset: new Set<string>() } : {}) };
  const documents = await fill(manifests, filling);
  const overlays: LocatedMap[][] = [];
  for (const group of selected) overlays.push(await fill(group, filling));
  const merged = mergeDocuments(documents, problems);
  const trees = layOverlays(merged, overlays, problems).map((organization) => {
    const tree = buildTree(organization, registry, problems);
    checkReferences(tree, registry, problems);
    checkTree(tree, registry, problems);
    return tree;
  });
  const others = known.filter((one) => !selected.some((group) => group.includes(one)));
  if (purpose === 'check') await checkOthers({ merged, registry, filling }, others);

  for (const { file, skipped } of read) {
    if (skipped !== undefined && !includes.isIncluded(file.path)) problems.addAll(skipped);
  }
  if (documents.length === 0 && !hasErrors(problems.sorted())) refuseNone(paths, known, problems);
  const texts = [...found, ...ofPaths].map((file) => [file.name, file.text] as const);
  return {
    trees,
    diagnostics: problems.sorted(),
    sources: new Map([...includes.sources, ...texts]),
    read: new Map([
      ...(await includes.texts()),
      ...[...found, ...ofPaths].map((file) => [file.path, file.text] as const),
    ]),
    files: texts.map(([name]) => name),
    included: includes.places,
    overlays: {
      selected: namesOf(selected.flat()),
      others: namesOf(others),
      files: new Map([...known, ...selected.flat()].map(({ file, name }) => [file.name, name])),
    },
  };
}

/** Documents of a base that became overlays since, in the files that they were in already. */
function formerDocuments(
  read: readonly FileContent[],
  former: ReadonlyMap<string, string> | undefined,
): readonly OverlayDocument[] {
  return read.flatMap(({ file, manifests }) => {
    const name = former?.get(file.name);
    return name === undefined ? [] : manifests.map((one) => ({ ...one, name }));
  });
}

async function fill(
  documents: readonly FileDocument[],
  filling: InterpolationOptions,
): Promise<LocatedMap[]> {
  const filled: LocatedMap[] = [];
  for (const { document, file } of documents) {
    const one = await interpolate(document, file, filling);
    if (one.type === 'map') filled.push(one);
  }
  return filled;
}

interface OverlayCheck {
  readonly merged: ReadonlyMap<string, MergedOrganization>;
  readonly registry: Registry;
  readonly filling: InterpolationOptions;
}

/**
 * Checks overlays that are not selected: each over the manifests, by itself. Several may belong together, so what one
 * refers to is not judged.
 */
async function checkOthers(
  { merged, registry, filling }: OverlayCheck,
  others: readonly OverlayDocument[],
): Promise<void> {
  for (const name of namesOf(others)) {
    const own = others.filter((one) => one.name === name);
    const found = new Problems();
    const documents = await fill(own, { ...filling, problems: found });
    for (const organization of layOverlays(merged, [documents], found)) {
      buildTree(organization, registry, found);
    }
    filling.problems.addAll(
      found,
      ({ at }) => at === undefined || own.some(({ file }) => file.name === at.file),
    );
  }
}

function namesOf(overlays: readonly OverlayDocument[]): readonly string[] {
  return [...new Set(overlays.map(({ name }) => name))].sort();
}

function refuseNone(paths: readonly string[], known: readonly OverlayDocument[], problems: Problems): void {
  const [overlay] = known;
  problems.error('no-manifests', `no manifests in ${paths.join(', ')}`, undefined, {
    suggestion:
      overlay === undefined
        ? 'pass other folders with -f; a manifest is a .yaml or .yml file that starts with octavo: 1'
        : `${overlay.file.name} is an overlay; pass the manifests that it belongs to with -f`,
  });
}
