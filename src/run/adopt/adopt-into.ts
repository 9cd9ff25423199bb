/** Writes the ids of live objects into one overlay file, where the manifests themselves serve several organizations. */
import { mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { disk, withTexts } from '../../manifest/disk.ts';
import { loadWorkspace, type Workspace } from '../../manifest/load-workspace.ts';
import { overlayNamePattern } from '../../manifest/overlay-name.ts';
import { extendOverlay, newOverlay, type OrganizationPins } from '../../manifest/overlay-text.ts';
import { displayName } from '../../manifest/paths.ts';
import type { Adoption } from '../../report/adopt-text.ts';
import type { DesiredTree } from '../../tree/desired-tree.ts';
import { type Diagnostic, DiagnosticError, hasErrors } from '../../util/diagnostic.ts';
import { systemReason, userError } from '../../util/user-error.ts';
import type { ManifestSource } from '../workspace.ts';
import { draftFile } from '../write-file.ts';
import { meaningOf } from './check-edits.ts';
import { objectOf, type Pin } from './choose-pins.ts';

/** What is written where. */
export interface IntoRequest {
  /** The file, relative to the working folder. */
  readonly into: string;
  readonly pins: readonly Pin[];
  readonly workspace: Workspace;
  readonly source: ManifestSource;
  readonly dryRun: boolean;
}

/** What was written, and how to use it. Throws a DiagnosticError where the file cannot hold the ids. */
export async function adoptInto(
  request: IntoRequest,
): Promise<{ readonly adoption: Adoption; readonly notes: readonly Diagnostic[] }> {
  const { into, pins, workspace, source, dryRun } = request;
  const file = path.resolve(source.cwd, into);
  const shown = displayName(file, source.cwd);
  if (!/\.ya?ml$/i.test(file)) {
    throw userError(
      'overlay',
      `${shown} is not the name of an overlay file`,
      'pass a file that ends in .yaml',
    );
  }
  if (pins.length === 0) return { adoption: { dryRun, pinned: [], skipped: [] }, notes: [] };
  const before = existingText(file, shown);
  const name = before === undefined ? newName(shown, workspace) : nameIn(before, shown);
  const organizations = pinsByOrganization(workspace.trees, pins);
  const text =
    before === undefined ? newOverlay(name, organizations) : extendOverlay(before, name, organizations);
  const after = text === undefined ? undefined : await loadWith(request, { file, shown, name, text });
  if (text === undefined || after === undefined) {
    throw userError(
      'more-than-ids',
      `the ids cannot be added to ${shown}: the manifests would declare something else than before`,
      'write them into another file, or by hand: octavo adopt --dry-run lists them',
    );
  }
  if (!dryRun) write(file, shown, text);
  const lineOf = ({ label, address }: Pin) =>
    after.find((tree) => tree.label === label)?.nodes.get(address)?.fieldAt.id?.line ?? 1;
  const pinned = pins
    .map((pin) => objectOf({ ...pin, file: shown }, lineOf(pin)))
    .sort((left, right) => left.line - right.line);
  const isSelected = source.overlays.includes(name) || source.overlays.includes(into);
  const notes: readonly Diagnostic[] = isSelected
    ? []
    : [
        {
          severity: 'hint',
          code: 'overlay',
          message: `the ids count where the overlay ${name} is merged over the manifests`,
          suggestion: `pass --overlay ${name}, or --overlay ${shown} where the file is not under -f`,
        },
      ];
  return { adoption: { dryRun, pinned, skipped: [] }, notes };
}

function existingText(file: string, shown: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw userError('unreadable', `${shown} cannot be read: ${systemReason(error) ?? String(error)}`);
  }
}

function nameIn(text: string, shown: string): string {
  const name = /^overlay:\s*["']?([A-Za-z][A-Za-z0-9_.-]*)["']?\s*(?:#.*)?$/m.exec(text)?.[1];
  if (name !== undefined) return name;
  throw userError(
    'overlay',
    `${shown} is not an overlay: it has no "overlay:" key`,
    'add the line overlay: <name>, or pass a file that is not there yet',
  );
}

/** The overlay that is selected, or what the file is called up to the first dot. */
function newName(shown: string, { overlays }: Workspace): string {
  const [only, ...others] = overlays?.selected ?? [];
  if (only !== undefined && others.length === 0) return only;
  const stem = path.basename(shown).split('.')[0] ?? '';
  if (overlayNamePattern.test(stem)) return stem;
  throw userError(
    'overlay',
    `no name for the overlay in ${shown}`,
    'name the file after it: production.ids.yaml',
  );
}

function pinsByOrganization(
  trees: readonly DesiredTree[],
  pins: readonly Pin[],
): readonly OrganizationPins[] {
  return trees.flatMap((tree) => {
    const own = pins
      .filter(({ label }) => label === tree.label)
      .map(({ address, id }) => ({ keys: address.split('/'), id }));
    const match = Object.fromEntries(
      Object.entries(tree.match ?? {}).map(([key, value]) => [key, String(value)]),
    );
    return own.length === 0 ? [] : [{ organization: tree.id ?? { match }, pins: own }];
  });
}

interface NewText {
  readonly file: string;
  readonly shown: string;
  readonly name: string;
  readonly text: string;
}

/** The trees with the ids; undefined where they would declare anything else than before and the ids. */
async function loadWith(
  { source, workspace, pins }: IntoRequest,
  { file, shown, name, text }: NewText,
): Promise<readonly DesiredTree[] | undefined> {
  const { files: paths, ...rest } = source;
  const files = withTexts(disk, new Map([[file, text]]));
  const ids = new Map(pins.map(({ label, address, id }) => [`${label}\0${address}`, id] as const));
  const wanted = meaningOf(workspace.trees, ids);
  const given = source.overlays;
  for (const overlays of [given, [...given, name], [...given, shown]]) {
    const after = await loadWorkspace({ ...rest, paths, overlays, files });
    if (!hasErrors(after.diagnostics) && meaningOf(after.trees, new Map()) === wanted) return after.trees;
  }
  return undefined;
}

function write(file: string, shown: string, text: string): void {
  try {
    mkdirSync(path.dirname(file), { recursive: true });
    const draft = draftFile(file, text);
    try {
      draft.commit();
    } finally {
      draft.discard();
    }
  } catch (error) {
    if (error instanceof DiagnosticError) throw error;
    const reason = systemReason(error);
    if (reason === undefined) throw error;
    throw userError('write', `cannot write ${shown}: ${reason}`, 'check the permissions of its folder');
  }
}
