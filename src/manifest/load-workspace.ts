/** Loads a workspace: find → parse → interpolate → expand templates → merge → overlay → build. Reports all problems together. */

import { fieldWith } from '../kinds/parts/field.ts';
import type { Registry } from '../kinds/registry.ts';
import type { DesiredTree } from '../tree/desired-tree.ts';
import { defined } from '../util/defined.ts';
import type { Diagnostic, SourceRange } from '../util/diagnostic.ts';
import { entryOf, type LocatedMap } from '../yaml/located.ts';
import type { ParsedTexts } from '../yaml/parsed-texts.ts';
import { Problems } from '../yaml/problems.ts';
import { buildTree } from './build/build-tree.ts';
import { checkReferences } from './build/check-references.ts';
import { checkTree, type TreeCheck } from './build/check-tree.ts';
import { warnOfEndings, withoutEnded } from './build/endings.ts';
import { outlineOf, type TreeOutline } from './build/outline.ts';
import { disk, type ManifestFiles } from './files/disk.ts';
import { findManifests } from './files/find.ts';
import { templatesKey, untilKey } from './files/paths.ts';
import {
  type FileContent,
  type FileDocument,
  type OverlayDocument,
  readDocuments,
} from './files/read-documents.ts';
import { Includes } from './fill/includes.ts';
import { type InterpolationOptions, interpolate } from './fill/interpolate.ts';
import { type NamedFiles, takeInFiles } from './fill/named-files.ts';
import { foldKeys } from './merge/fold-keys.ts';
import { checkVersion, type MergedOrganization, mergeDocuments } from './merge/merge.ts';
import { mergeOverlays } from './merge/merge-overlays.ts';
import { newIn } from './merge/overlay-merge.ts';
import { findOverlayPaths, selectOverlays } from './merge/select-overlays.ts';
import { Expansions } from './templates/expansions.ts';

export interface WorkspaceOptions {
  /** Paths relative to `cwd`; an empty list means `cwd` itself. */
  readonly paths: readonly string[];
  readonly overlays: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly registry: Registry;
  readonly files?: ManifestFiles;
  /**
   * Default: `use`. `check`: variables may be unset, and other overlays are checked too. `base`: the manifests may predate
   * the current overlay names.
   */
  readonly purpose?: 'use' | 'check' | 'base';
  /** Shared by workspaces with the same texts. */
  readonly parsed?: ParsedTexts;
  /** Overlay names of a base, keyed by the files that contain them now. */
  readonly formerOverlays?: ReadonlyMap<string, string>;
  /** Unit: milliseconds. Current time for checks of dates, which are skipped if absent. */
  readonly now?: number | undefined;
  /** True for a service in memory: secrets may be unset. */
  readonly fakesSecrets?: true | undefined;
  /** Chooses the organizations to build and check, from the outlines of all; default: all. */
  readonly choose?: ((outlines: readonly TreeOutline[]) => readonly TreeOutline[]) | undefined;
}

export interface Workspace {
  /** The tree of each organization, sorted by label. Trees omit parts with errors, so use them only if no error was reported. */
  readonly trees: readonly DesiredTree[];
  /** Of all organizations, if some of them were chosen. */
  readonly outlines?: readonly TreeOutline[];
  readonly diagnostics: readonly Diagnostic[];
  /** Texts, keyed by name in diagnostics. */
  readonly sources: ReadonlyMap<string, string>;
  /** Texts, keyed by absolute path, including included files. Absent if not read from files. */
  readonly read?: ReadonlyMap<string, string>;
  /** Files found under paths and overlays, without files that are only included. */
  readonly files: readonly string[];
  /** Files of this list that contain neither manifests nor overlays and are not included. */
  readonly otherFiles?: ReadonlySet<string>;
  /** First place of each included file, keyed by absolute path. Absent if not read from files. */
  readonly included?: ReadonlyMap<string, SourceRange>;
  readonly overlays?: FoundOverlays;
  /** Names of files with records of templates; some are only included. Absent if not read from files. */
  readonly recordFiles?: ReadonlySet<string>;
  /** Organizations after templates and overlays. Absent if not read from files. */
  readonly organizations?: readonly MergedOrganization[];
}

export interface FoundOverlays {
  readonly selected: readonly string[];
  readonly others: readonly string[];
  readonly files: ReadonlyMap<string, string>;
}

/** Does not throw for the content of files. */
export async function loadWorkspace(options: WorkspaceOptions): Promise<Workspace> {
  const { registry, purpose = 'use', choose } = options;
  const problems = new Problems();
  const { paths, read, texts, includes, filling, expansions, documents, known, selected, merged, overlaid } =
    await assemble(options, problems);
  const pinned: TreeCheck['pinned'] = new Map();
  const { now } = options;
  const hasWord = (text: string) => text.includes(untilKey);
  const mayEnd = texts.some(({ text }) => hasWord(text)) || [...includes.sources.values()].some(hasWord);
  const asOfNow: AsOf = (organization, found) =>
    mayEnd ? withoutEnded(organization, { registry, problems: found, now }) : organization;
  const current = overlaid.map((organization) => asOfNow(organization, problems));
  const outlines = choose && current.map((organization) => outlineOf(organization, registry));
  const chosen = outlines && new Set(choose(outlines).map(({ label }) => label));
  const built = current.flatMap((organization) => {
    if (chosen?.has(organization.label) === false) return [];
    const tree = buildTree(organization, registry, problems);
    checkReferences(tree, registry, problems);
    checkTree({ tree, registry, problems, isOffline: purpose === 'check', pinned });
    return tree;
  });
  const manifests = new Map(texts.map((file) => [file.name, file] as const));
  const whole = await Promise.all(
    built.map((tree) => takeInFiles(tree, { registry, includes, problems, manifests })),
  );
  const trees = await checkCertificates(whole, { ...options, problems });
  if (purpose === 'check' && mayEnd) for (const tree of trees) warnOfEndings(tree, problems);
  const unselected = known.filter((one) => !selected.some((group) => group.includes(one)));
  const newElsewhere = new Set(
    known.flatMap(({ document }) => (document.type === 'map' ? newIn(document) : [])),
  );
  if (purpose === 'check' && choose === undefined)
    await checkOthers(
      { ...options, merged, filling, expansions, newElsewhere, manifests, asOfNow },
      unselected,
    );

  const otherFiles = new Set<string>();
  for (const { file, skipped, manifests: own, overlays } of read) {
    if (includes.isIncluded(file.path)) continue;
    // An organization that is not built may include the file.
    if (skipped !== undefined && chosen === undefined) problems.addAll(skipped);
    if (own.length + overlays.length === 0) otherFiles.add(file.name);
  }
  if (documents.length === 0 && !problems.hasErrors()) refuseNone(paths, known, problems);
  return {
    trees,
    ...defined({ outlines }),
    diagnostics: problems.sorted(),
    sources: new Map([...includes.sources, ...texts.map((file) => [file.name, file.text] as const)]),
    read: new Map([...(await includes.texts()), ...texts.map((file) => [file.path, file.text] as const)]),
    files: texts.map(({ name }) => name),
    otherFiles,
    included: includes.places,
    overlays: {
      selected: namesOf(selected.flat()),
      others: namesOf(unselected),
      files: new Map([...known, ...selected.flat()].map(({ file, name }) => [file.name, name])),
    },
    recordFiles: expansions.recordFiles,
    organizations: overlaid,
  };
}

/** Runs all stages up to the merged documents of each organization. */
async function assemble(options: WorkspaceOptions, problems: Problems) {
  const { cwd, registry, env, purpose = 'use' } = options;
  const files = options.files ?? disk;
  const paths = options.paths.length === 0 ? ['.'] : options.paths;
  const where = { cwd, files, problems };
  const isBase = purpose === 'base';
  const request = { ...where, given: options.overlays, isBase };
  const overlayPaths = await findOverlayPaths(request);
  const ofPaths = overlayPaths.flatMap((one) => one.files);
  const elsewhere = new Set(ofPaths.map(({ path }) => path));
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
  const { fakesSecrets } = options;
  const unset = purpose === 'check' ? { unset: new Set<string>() } : {};
  const leavesSecrets = isBase || undefined;
  const filling = { env, includes, problems, fakesSecrets, leavesSecrets, ...unset };
  const expansions = await Expansions.of(manifests, { registry, isBase, problems });
  const documents = await fill(manifests, filling, expansions);
  const overlays: LocatedMap[][] = [];
  for (const group of selected) overlays.push(await fill(group, filling, expansions));
  const merged = mergeDocuments(documents, problems);
  const overlaid = mergeOverlays(merged, overlays, { registry, problems, isBase });
  return {
    paths,
    read,
    texts: [...found, ...ofPaths],
    includes,
    filling,
    expansions,
    documents,
    known,
    selected,
    merged,
    overlaid,
  };
}

/** Documents of a base that are overlays today, in the files that contained them then. */
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
  expansions: Expansions,
): Promise<LocatedMap[]> {
  const folding = { registry: expansions.registry, problems: filling.problems };
  const filled: LocatedMap[] = [];
  for (const { document, file } of documents) {
    const own = withoutTemplates(document, filling.problems);
    if (own === undefined) continue;
    // Most files fill in nothing, use no template and name no people; a backslash may escape a part of it.
    const one = /\$\{|\\/.test(file.text) ? await interpolate(own, file, filling) : own;
    if (one.type !== 'map') continue;
    const isWhole = !/[$\\@]|use/.test(file.text);
    for (const made of isWhole ? [] : await expansions.expand(one, filling))
      filled.push(foldKeys(made, [folding.registry.root], folding));
    if (isWhole) filled.push(one);
  }
  return filled;
}

/** Drops templates, which are filled in at each use. Returns undefined for a document that contains only templates. */
function withoutTemplates(document: LocatedMap, problems: Problems): LocatedMap | undefined {
  const templates = entryOf(document, templatesKey);
  if (templates === undefined) return document;
  const entries = document.entries.filter((entry) => entry !== templates);
  const overlay = entryOf(document, 'overlay');
  if (overlay !== undefined)
    problems.error('template', 'templates in an overlay', templates.keyAt, {
      suggestion: 'declare them in a manifest: overlays can use them, too',
    });
  const isMore = entries.some(({ key }) => key !== 'octavo' && key !== '$schema' && !key.startsWith('x-'));
  if (!isMore) checkVersion(document, problems);
  return isMore ? { ...document, entries } : undefined;
}

/** Loads the checks only if certificates are declared. */
async function checkCertificates(
  trees: readonly DesiredTree[],
  { registry, ...where }: Pick<WorkspaceOptions, 'registry' | 'now'> & { readonly problems: Problems },
): Promise<readonly DesiredTree[]> {
  const kinds = registry.kinds.filter((kind) => fieldWith(kind, 'certificate') !== undefined);
  if (!trees.some((tree) => kinds.some(({ name }) => tree.ofKind(name).length > 0))) return trees;
  const check = (await import('./build/check-certificates.ts')).checkCertificates;
  return trees.map((tree) => {
    const expiring = check({ ...where, tree, registry });
    return expiring.length === 0 ? tree : tree.with({ expiring });
  });
}

interface OverlayCheck extends Pick<WorkspaceOptions, 'registry' | 'now'> {
  readonly merged: ReadonlyMap<string, MergedOrganization>;
  readonly filling: InterpolationOptions;
  readonly expansions: Expansions;
  readonly newElsewhere: ReadonlySet<string>;
  readonly manifests: NamedFiles['manifests'];
  readonly asOfNow: AsOf;
}

/** Takes out what has ended. */
type AsOf = (organization: MergedOrganization, problems: Problems) => MergedOrganization;

/** Checks each overlay separately over the manifests. References are not checked: several overlays may belong together. */
async function checkOthers(
  { merged, registry, filling, expansions, now, newElsewhere, manifests, asOfNow }: OverlayCheck,
  others: readonly OverlayDocument[],
): Promise<void> {
  for (const name of namesOf(others)) {
    const own = others.filter((one) => one.name === name);
    const found = new Problems();
    const documents = await fill(own, { ...filling, problems: found }, expansions);
    const overlaid = mergeOverlays(merged, [documents], {
      registry,
      problems: found,
      found: filling.problems,
      newElsewhere,
    });
    const trees = overlaid.map((organization) => buildTree(asOfNow(organization, found), registry, found));
    await checkCertificates(trees, { registry, now, problems: found });
    const reading = { registry, includes: filling.includes, problems: found, manifests };
    for (const tree of trees) await takeInFiles(tree, reading);
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
