/** Writes the ids of live objects into the manifests that declare them. Changes files, never the service. */
import { idEntry } from '../../manifest/insert-ids.ts';
import type { Workspace } from '../../manifest/load-workspace.ts';
import type { AdoptedObject, Adoption } from '../../report/adopt-text.ts';
import type { DesiredTree } from '../../tree/desired-tree.ts';
import type { Diagnostic } from '../../util/diagnostic.ts';
import { matcherIn } from '../choices.ts';
import type { PlanRun } from '../planning.ts';
import type { Session } from '../session.ts';
import { checkEdits } from './check-edits.ts';
import { choosePins, type Pin, type SkippedPin } from './choose-pins.ts';
import { editFiles, type FileEdit } from './edit-files.ts';
import { writeFiles } from './write-files.ts';

/** What to adopt, and how. */
export interface AdoptOptions {
  readonly target?: readonly string[] | undefined;
  readonly exclude?: readonly string[] | undefined;
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
  const { dryRun } = options;
  const chosen = choosePins({
    trees,
    ids: new Map(planned.plan.organizations.map(({ label, ids }) => [label, ids])),
    registry: source.registry,
    isChosen: chooser(trees, options),
    files: new Set(workspace.files),
  });
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
  const notes = [...unsound.map(notWritten), ...(sound.length > 0 ? variables(workspace) : [])];
  return { type: 'adopted', adoption, notes };
}

function chooser(trees: readonly DesiredTree[], { target, exclude }: AdoptOptions) {
  return (tree: DesiredTree, address: string) =>
    (target === undefined || matcherIn(trees, tree, target)(address)) &&
    (exclude === undefined || !matcherIn(trees, tree, exclude)(address));
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

function objectOf({ shown, id, file }: Pin, line: number): AdoptedObject {
  return { address: shown, id, entry: idEntry(id), file, line };
}

function compare(one: Pin, other: Pin): number {
  if (one.file !== other.file) return one.file < other.file ? -1 : 1;
  return one.line - other.line || one.column - other.column;
}

/** Files that serve several organizations in turn cannot hold the ids of one. */
function variables({ trees, sources }: Workspace): readonly Diagnostic[] {
  return trees.flatMap((tree): readonly Diagnostic[] => {
    const [root] = tree.nodes.values();
    const at = root?.fieldAt.id ?? root?.at;
    const text = at === undefined ? undefined : sources.get(at.file)?.split('\n')[at.line - 1];
    if (at === undefined || text?.includes('${') !== true) return [];
    return [
      {
        severity: 'hint',
        code: 'ids-of-one-organization',
        message: `the ids are those of ${tree.label}, but the manifests take their organization from a variable`,
        at,
        suggestion: 'where these files serve several organizations, keep the ids in an overlay for each',
      },
    ];
  });
}
