/** `octavo adopt`: writes the ids of live objects into the manifests. Changes files, never the service. */

import { registry } from '../../kinds/index.ts';
import { idEntry } from '../../manifest/insert-ids.ts';
import type { Workspace } from '../../manifest/load-workspace.ts';
import { type AdoptedObject, renderAdoption, renderAdoptionJson } from '../../report/adopt-text.ts';
import { renderDiagnostics } from '../../report/diagnostics.ts';
import type { DesiredTree } from '../../tree/desired.ts';
import type { Diagnostic } from '../../util/diagnostic.ts';
import { checkEdits } from '../adopt/check-edits.ts';
import { choosePins, type Pin, type SkippedPin } from '../adopt/choose-pins.ts';
import { editFiles, type FileEdit } from '../adopt/edit-files.ts';
import { writeFiles } from '../adopt/write-files.ts';
import { loadBases } from '../base.ts';
import { connect } from '../connection.ts';
import type { Invocation } from '../invocation.ts';
import { matcherIn, Planner } from '../planner.ts';
import { type RunSettings, readSettings } from '../settings.ts';
import { showNotes } from '../show-notes.ts';
import { loadManifests } from '../workspace.ts';

/** Exit code 0, 1 when a file could not be edited soundly, 130 when interrupted before anything was written. */
export async function run(invocation: Invocation): Promise<number> {
  const { flags, output, interrupt, cwd, env } = invocation;
  const settings = readSettings(invocation);
  const workspace = await loadManifests(invocation, settings);
  const { trees, sources } = workspace;
  const chosen = choosePins({
    trees,
    ids: await findIds(invocation, settings, trees),
    registry,
    isChosen: chooser(invocation, trees),
    files: new Set(workspace.files),
  });
  const dryRun = flags.dryRun === true;
  const edited = editFiles(chosen.pins, { cwd, settings, sources, toBeWritten: !dryRun });
  const { files: paths, overlays } = settings;
  const { sound, unsound } = await checkEdits(edited.edits, trees, { paths, overlays, env, cwd, registry });
  if (interrupt.requested) {
    output.error('Interrupted. Nothing was written.');
    return interrupt.exitCode;
  }
  if (!dryRun) writeFiles(sound);
  const adoption = {
    dryRun,
    pinned: sound.flatMap((edit) => edit.inserted.map(({ target, line }) => objectOf(target, line))),
    skipped: [...chosen.skipped, ...edited.skipped, ...unsound.flatMap(left)]
      .sort((one, other) => compare(one.pin, other.pin))
      .map(({ pin, reason }) => ({ ...objectOf(pin, pin.line), reason })),
  };
  const notes = [...unsound.map(notWritten), ...(sound.length > 0 ? variables(workspace) : [])];
  if (notes.length > 0) {
    const { errorColor: color, errorWidth: width } = output;
    const text = renderDiagnostics(notes, sources, { color, width }).trimEnd();
    if (unsound.length > 0) output.error(text);
    else output.note(text);
  }
  output.result(flags.format === 'json' ? renderAdoptionJson(adoption) : renderAdoption(adoption, output));
  return unsound.length > 0 ? 1 : 0;
}

/** The live counterparts, as a plan finds them. Throws a DiagnosticError where that cannot be told. */
async function findIds(invocation: Invocation, settings: RunSettings, trees: readonly DesiredTree[]) {
  const { output } = invocation;
  const bases = await loadBases(invocation, settings, trees);
  const { client, close } = await connect(invocation, settings, trees);
  try {
    const plan = await new Planner({ api: client, trees, bases, flags: {}, output }).plan();
    showNotes(invocation, plan);
    return new Map(plan.organizations.map(({ label, ids }) => [label, ids]));
  } finally {
    await close();
  }
}

function chooser({ flags }: Invocation, trees: readonly DesiredTree[]) {
  const { target, exclude } = flags;
  return (tree: DesiredTree, address: string) =>
    (target === undefined || matcherIn(trees, tree, target)(address)) &&
    (exclude === undefined || !matcherIn(trees, tree, exclude)(address));
}

function left({ inserted }: FileEdit): readonly SkippedPin[] {
  const reason = 'something else in the manifests would change with it';
  return inserted.map(({ target }) => ({ pin: target, reason }));
}

function notWritten({ name }: FileEdit): Diagnostic {
  return {
    severity: 'error',
    code: 'more-than-ids',
    message: `with ids in ${name}, the manifests would say something else than before`,
    suggestion: `other files may take in its text; ${name} was not written: add the ids by hand`,
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
        message: `the ids are those of ${tree.label}, and the manifests take their organization from a variable`,
        at,
        suggestion: 'where these files serve several organizations, keep the ids in an overlay for each',
      },
    ];
  });
}
