/** Writes the ids of live objects into the manifests that declare them. Changes files, never the service. */
import path from 'node:path';
import type { Workspace } from '../../manifest/load-workspace.ts';
import type { Adoption } from '../../report/adopt-text.ts';
import type { DesiredTree } from '../../tree/desired-tree.ts';
import { defined } from '../../util/defined.ts';
import { type Diagnostic, DiagnosticError } from '../../util/diagnostic.ts';
import { matcherIn } from '../choices.ts';
import type { PlanRun } from '../planning.ts';
import type { Session } from '../session.ts';
import { refuseUnmatched, unmatched } from '../targets.ts';
import { adoptInto } from './adopt-into.ts';
import { checkEdits } from './check-edits.ts';
import { choosePins, objectOf, type Pin, type SkippedPin } from './choose-pins.ts';
import { editFiles, type FileEdit } from './edit-files.ts';
import { writeFiles } from './write-files.ts';

/** What to adopt, and how. */
export interface AdoptOptions {
  readonly target?: readonly string[] | undefined;
  readonly exclude?: readonly string[] | undefined;
  /** The overlay file that gets the ids, relative to the working folder; absent: the files that declare the objects. */
  readonly into?: string | undefined;
  /** True: changes no file. */
  readonly dryRun: boolean;
  /** True as soon as nothing may be written any more. */
  readonly isInterrupted: () => boolean;
}

/** What was written; `interrupted`: nothing was. */
export type AdoptRun =
  | { readonly type: 'interrupted' }
  | {
      readonly type: 'adopted';
      readonly adoption: Adoption;
      /** Errors about files that could not be edited soundly, and hints. */
      readonly notes: readonly Diagnostic[];
    };

/** Edits the manifests of a session, with the ids that its plan found. Throws a DiagnosticError when a file is not as it was read. */
export async function adopt(session: Session, planned: PlanRun, options: AdoptOptions): Promise<AdoptRun> {
  const { workspace, source } = session;
  const { trees, sources } = workspace;
  const { dryRun, target, exclude } = options;
  refuseUnmatched(planned.inputs, unmatched(planned.inputs, defined({ target, exclude })), planned.plan);
  const request = {
    trees,
    ids: new Map(planned.plan.organizations.map(({ label, ids }) => [label, ids])),
    registry: source.registry,
    isChosen: chooser(options),
  };
  if (options.into !== undefined) {
    if (options.isInterrupted()) return { type: 'interrupted' };
    const { pins } = choosePins(request);
    return { type: 'adopted', ...(await adoptInto({ into: options.into, pins, workspace, source, dryRun })) };
  }
  const chosen = choosePins({ ...request, files: new Set(workspace.files) });
  refuseShared(chosen.pins, workspace);
  const edited = editFiles(chosen.pins, { source, sources, toBeWritten: !dryRun });
  const { files: paths, ...rest } = source;
  const { sound, unsound } = await checkEdits(edited.edits, trees, { paths, ...rest });
  if (options.isInterrupted()) return { type: 'interrupted' };
  if (!dryRun) writeFiles(sound);
  const adoption = {
    dryRun,
    pinned: sound.flatMap((edit) => edit.inserted.map(({ target, line }) => objectOf(target, line))),
    skipped: [...chosen.skipped, ...edited.skipped, ...unsound.flatMap(skippedIn)]
      .sort((one, other) => compare(one.pin, other.pin))
      .map(({ pin, reason }) => ({ ...objectOf(pin, pin.line), reason })),
  };
  return { type: 'adopted', adoption, notes: unsound.map(notWritten) };
}

function chooser({ target, exclude }: AdoptOptions) {
  return (tree: DesiredTree, address: string) =>
    (target === undefined || matcherIn(tree, target)(address)) &&
    (exclude === undefined || !matcherIn(tree, exclude)(address));
}

function skippedIn({ inserted }: FileEdit): readonly SkippedPin[] {
  const reason = 'something else in the manifests would change with it';
  return inserted.map(({ target }) => ({ pin: target, reason }));
}

function notWritten({ name }: FileEdit): Diagnostic {
  return {
    severity: 'error',
    code: 'more-than-ids',
    message: `with ids in ${name}, the manifests would declare something else than before`,
    suggestion: `other files may include its text; ${name} was not written: add the ids by hand`,
  };
}

function compare(one: Pin, other: Pin): number {
  if (one.file !== other.file) return one.file < other.file ? -1 : 1;
  return one.line - other.line || one.column - other.column;
}

/** Refuses ids in files that serve several organizations in turn: those of one would be wrong for the others. */
function refuseShared(pins: readonly Pin[], workspace: Workspace): void {
  const { trees, sources, overlays } = workspace;
  const isShared = ({ file }: Pin) => overlays?.files.has(file) !== true;
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

/** What chooses the organization of a tree, where that is not the manifests, and where its ids could go. */
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
