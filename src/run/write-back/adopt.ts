/** Writes the ids of live objects into the manifests that declare them. Changes files, never the service. */

import path from 'node:path';
import { disk, withTexts } from '../../manifest/files/disk.ts';
import { loadWorkspace, type Workspace } from '../../manifest/load-workspace.ts';
import type { Adoption } from '../../report/results/adoption.ts';
import type { DesiredTree } from '../../tree/desired-tree.ts';
import { defined } from '../../util/defined.ts';
import { type Diagnostic, DiagnosticError, hasErrors, type SourceRange } from '../../util/diagnostic.ts';
import { push } from '../../util/group.ts';
import { compareTexts } from '../../util/lists.ts';
import { placeText } from '../../util/places.ts';
import { type Data, isDataMap, literal } from '../../yaml/data.ts';
import type { PlanRun } from '../planning.ts';
import type { Session } from '../session.ts';
import { refuseUnmatched, unmatched } from '../targets.ts';
import type { ManifestSource } from '../workspace.ts';
import { adoptInto } from './adopt-into.ts';
import { Drafts, isNotPossible, type NotPossible } from './drafts.ts';
import { type OpenedFile, openForEdit, writeFiles } from './files.ts';
import { overrideOf, withOverride } from './overrides.ts';
import { editedAt, isJustPinned, lineOf, objectOf, type Pin, type PinChoice, pinsIn } from './pins.ts';

export interface AdoptOptions extends PinChoice {
  /** An overlay file for the ids, relative to the working folder; absent: the files that declare the objects. */
  readonly into?: string | undefined;
  readonly dryRun: boolean;
  readonly isInterrupted: () => boolean;
}

/** `interrupted`: nothing was written. */
export type AdoptRun =
  | { readonly type: 'interrupted' }
  | {
      readonly type: 'adopted';
      readonly adoption: Adoption;
      /** Errors about files that could not be edited soundly, and hints. */
      readonly notes: readonly Diagnostic[];
    };

/**
 * Uses the ids that the session's plan found.
 * @throws DiagnosticError if a file is not as it was read.
 */
export async function adopt(session: Session, planned: PlanRun, options: AdoptOptions): Promise<AdoptRun> {
  const { workspace, source } = session;
  const { trees } = workspace;
  const { dryRun, target, exclude } = options;
  refuseUnmatched(planned.inputs, unmatched(planned.inputs, defined({ target, exclude })), planned.plan);
  const all = trees.flatMap((tree) => pinsIn(tree, session.source.registry, planned, options));
  if (options.into !== undefined) {
    if (options.isInterrupted()) return { type: 'interrupted' };
    return {
      type: 'adopted',
      ...(await adoptInto({ into: options.into, pins: all, workspace, source, dryRun })),
    };
  }
  const skipped: SkippedPin[] = [];
  const whyNot = refuser(workspace);
  const pins = all.filter((pin) => {
    const reason = whyNot(pin);
    if (reason !== undefined) skipped.push({ pin, reason });
    return reason === undefined;
  });
  refuseShared(pins, workspace);
  const edited = draftIds(pins, { workspace, source, toBeWritten: !dryRun });
  const { sound, unsound, after } = await checkEdits(edited.files, workspace.trees, source);
  if (options.isInterrupted()) return { type: 'interrupted' };
  if (!dryRun)
    writeFiles(
      sound.map((file) => ({ ...file, text: file.after })),
      'adopt',
    );
  const reason = 'something else in the manifests would change with it';
  const lost = unsound.flatMap((file) => file.pins.map((pin) => ({ pin, reason })));
  const adoption = {
    dryRun,
    pinned: sound
      .flatMap((file) => file.pins.map((pin) => objectOf(pin, lineOf(pin, after))))
      .sort((one, other) => compareTexts(one.file, other.file) || one.line - other.line),
    skipped: [...skipped, ...edited.skipped, ...lost]
      .sort((one, other) => comparePlaces(one.pin.at, other.pin.at))
      .map((one) => ({ ...objectOf(one.pin, editedAt(one.pin.at).line), reason: one.reason })),
  };
  return { type: 'adopted', adoption, notes: unsound.map(notWritten) };
}

/** `reason` is a clause without a final period. */
interface SkippedPin {
  readonly pin: Pin;
  readonly reason: string;
}

/** Aliases, merge keys and included files can make one entry declare several objects: these get no ids. */
function refuser({ trees, files, recordFiles }: Workspace): (pin: Pin) => string | undefined {
  const declared = new Map<string, string[]>();
  const placeOf = ({ file, line, column, usedAt }: SourceRange) =>
    `${line}:${column}:${file} ${usedAt === undefined ? '' : placeText(usedAt)}`;
  for (const tree of trees)
    for (const { at, address } of tree.nodes.values())
      push(declared, placeOf(at), trees.length > 1 ? `${tree.label}/${address}` : address);
  return ({ at, shown }) => {
    const others = (declared.get(placeOf(at)) ?? []).filter((other) => other !== shown);
    if (others.length > 0) return `the entry also declares ${others.join(', ')}`;
    const { file } = editedAt(at);
    if (files.includes(file) || recordFiles?.has(file) === true) return undefined;
    return 'the file is included, but is not a manifest or an overlay itself';
  };
}

type PinnedFile = OpenedFile & {
  readonly path: string;
  readonly after: string;
  readonly pins: readonly Pin[];
};

function draftIds(
  pins: readonly Pin[],
  {
    workspace,
    source,
    toBeWritten,
  }: { readonly workspace: Workspace; readonly source: ManifestSource; readonly toBeWritten: boolean },
): { readonly files: readonly PinnedFile[]; readonly skipped: readonly SkippedPin[] } {
  const { cwd } = source;
  const skipped: SkippedPin[] = [];
  const problems: Diagnostic[] = [];
  const opened = new Map<string, OpenedFile>();
  const byFile = new Map<string, Pin[]>();
  for (const pin of pins) push(byFile, editedAt(pin.at).file, pin);
  const drafts = new Drafts<Pin>(workspace);
  for (const [name, own] of byFile) {
    const file = openForEdit(name, { cwd, sources: workspace.sources, toBeWritten, command: 'adopt' });
    if ('code' in file) {
      const reason = 'the file is a link that leads out of the repository';
      if (file.code === 'link-outside') for (const pin of own) skipped.push({ pin, reason });
      else problems.push(file);
      continue;
    }
    opened.set(name, file);
    for (const pin of own) {
      const tree = workspace.trees.find(({ label }) => label === pin.label);
      const node = tree?.get(pin.address);
      const { usedAt } = pin.at;
      if (tree === undefined || node === undefined || usedAt === undefined) {
        const place = drafts.placeOf(pin.at);
        if (isNotPossible(place)) skipped.push({ pin, reason: place.reason });
        else drafts.change(place, pin, (value) => withId(value, pin.id));
        continue;
      }
      const found = overrideOf(drafts, tree, { node, at: pin.at });
      if (isNotPossible(found)) skipped.push({ pin, reason: found.reason });
      else
        drafts.change(found.place, pin, (value) =>
          withOverride(value, [...found.keys, 'id'], literal(pin.id)),
        );
    }
  }
  if (problems.length > 0) throw new DiagnosticError(problems);
  const { texts, made, refused } = drafts.make((name) => opened.get(name)?.text ?? '');
  for (const { change: pin, reason } of refused) skipped.push({ pin, reason });
  const files = [...texts].flatMap(([name, after]): readonly PinnedFile[] => {
    const file = opened.get(name);
    const own = made.filter(({ at }) => editedAt(at).file === name);
    return file === undefined ? [] : [{ ...file, path: path.resolve(cwd, name), after, pins: own }];
  });
  return { files, skipped };
}

function withId(value: Data, id: string): Data | NotPossible {
  const own = literal(id);
  if (value === null) return new Map([['id', own]]);
  const isIncluded = typeof value === 'string' && /^\$\{(?:json|yaml):/.test(value);
  if (!isDataMap(value))
    return { reason: isIncluded ? 'its value is included from another file' : 'its value is not a mapping' };
  return value.has('id') ? { reason: 'it already has an id' } : new Map([['id', own], ...value]);
}

/** Sound files declare just the ids in addition to what they did, alone and together. */
async function checkEdits(
  files: readonly PinnedFile[],
  trees: readonly DesiredTree[],
  source: ManifestSource,
): Promise<{ sound: readonly PinnedFile[]; unsound: readonly PinnedFile[]; after: readonly DesiredTree[] }> {
  const treesWith = async (some: readonly PinnedFile[]) => {
    const texts = new Map(some.map((file) => [file.path, file.after]));
    const { files: paths, ...rest } = source;
    const after = await loadWorkspace({ ...rest, paths, files: withTexts(disk, texts) });
    const pins = some.flatMap((file) => file.pins);
    const isSound = !hasErrors(after.diagnostics) && isJustPinned(after.trees, trees, pins);
    return isSound ? after.trees : undefined;
  };
  if (files.length === 0) return { sound: [], unsound: [], after: trees };
  const all = await treesWith(files);
  if (all !== undefined) return { sound: files, unsound: [], after: all };
  const alone: PinnedFile[] = [];
  for (const file of files) if ((await treesWith([file])) !== undefined) alone.push(file);
  const after = alone.length === 0 ? undefined : await treesWith(alone);
  const sound = after === undefined ? [] : alone;
  return { sound, unsound: files.filter((file) => !sound.includes(file)), after: after ?? trees };
}

function notWritten({ name }: PinnedFile): Diagnostic {
  return {
    severity: 'error',
    code: 'more-than-ids',
    message: `with ids in ${name}, the manifests would declare something else than before`,
    suggestion: `other files may include its text; ${name} was not written: add the ids by hand`,
  };
}

function comparePlaces(one: SourceRange, other: SourceRange): number {
  return compareTexts(one.file, other.file) || one.line - other.line || one.column - other.column;
}

/** In files that serve several organizations in turn, ids of one would be wrong for the others. */
function refuseShared(pins: readonly Pin[], workspace: Workspace): void {
  const { trees, sources, overlays } = workspace;
  const isShared = ({ at: { file } }: Pin) => overlays?.files.has(file) !== true;
  const problems = trees.flatMap((tree): readonly Diagnostic[] => {
    const choice = chosenBy(tree, workspace);
    if (choice === undefined || !pins.some((pin) => pin.label === tree.label && isShared(pin))) return [];
    return [
      {
        severity: 'error',
        code: 'ids-of-one-organization',
        message: `${choice.chooser} chooses the organization, so the ids of ${tree.label} do not belong into files that others share`,
        at: choice.at,
        suggestion: `write them into an overlay: octavo adopt --into ${choice.into}`,
      },
    ];
  });
  if (problems.length > 0) throw new DiagnosticError(problems, sources);
}

/** The overlay or variable that chooses the organization, and a place for its ids. */
function chosenBy(tree: DesiredTree, { sources, overlays, files }: Workspace) {
  const at = tree.root?.fieldAt.id ?? tree.root?.at;
  if (at === undefined) return undefined;
  const overlay = overlays?.files.get(at.file);
  const isVariable = sources.get(at.file)?.split('\n')[at.line - 1]?.includes('${') === true;
  if (overlay === undefined && !isVariable) return undefined;
  const selected = overlays?.selected[0];
  const name = overlay ?? selected ?? tree.label.replace(/[^\w.-]+/g, '-');
  const folder = path.posix.dirname(overlay === undefined ? (files[0] ?? '') : at.file);
  return {
    at,
    chooser: isVariable ? 'a variable' : `the overlay ${overlay}`,
    into: path.posix.join(folder, `${name}.ids.yaml`),
  };
}
