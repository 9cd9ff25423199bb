/** Writes the ids of live objects into one overlay file, since the manifests themselves serve several organizations. */

import { mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { disk, withTexts } from '../../manifest/files/disk.ts';
import { displayName, overlayNamePattern } from '../../manifest/files/paths.ts';
import { loadWorkspace, type Workspace } from '../../manifest/load-workspace.ts';
import type { Adoption } from '../../report/results/adoption.ts';
import type { DesiredTree } from '../../tree/desired-tree.ts';
import { defined } from '../../util/defined.ts';
import { type Diagnostic, DiagnosticError, hasErrors } from '../../util/diagnostic.ts';
import { push } from '../../util/group.ts';
import { placeAlone } from '../../util/places.ts';
import { systemReason, userError, writeAdvice } from '../../util/user-error.ts';
import { type Data, dataAt, dataOf, isDataMap, literal, sameData } from '../../yaml/data.ts';
import { readSource, sourceData } from '../../yaml/source.ts';
import { update } from '../../yaml/update.ts';
import type { ManifestSource } from '../workspace.ts';
import { draftFile } from '../write-file.ts';
import { isJustPinned, objectOf, type Pin } from './pins.ts';

export interface IntoRequest {
  readonly into: string;
  readonly pins: readonly Pin[];
  readonly workspace: Workspace;
  readonly source: ManifestSource;
  readonly dryRun: boolean;
}

/** @throws DiagnosticError if the file cannot hold the ids. */
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
  const select = `pass --overlay ${name}, or --overlay ${shown} where the file is not under -f`;
  const isSelected = [name, into, shown].some((one) => source.overlays.includes(one));
  if (before !== undefined && !isSelected) {
    throw userError(
      'overlay',
      `${shown} is there already, and its overlay ${name} is not selected: the ids in it do not count`,
      `${select}; then only missing ids are added`,
    );
  }
  const text = overlayWith(before ?? '', name, workspace.trees, pins);
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
    .map((pin) => objectOf({ ...pin, at: { ...placeAlone(pin.at), file: shown } }, lineOf(pin)))
    .sort((left, right) => left.line - right.line);
  const notes: readonly Diagnostic[] = isSelected
    ? []
    : [
        {
          severity: 'hint',
          code: 'overlay',
          message: `the ids count where the overlay ${name} is merged over the manifests`,
          suggestion: select,
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

/** The selected overlay, or the file's name up to the first dot. */
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

/**
 * With ids in the document of their organization, or in a new one at the end. Undefined if an entry of the overlay is not a
 * mapping that could get an id.
 */
function overlayWith(
  text: string,
  name: string,
  trees: readonly DesiredTree[],
  pins: readonly Pin[],
): string | undefined {
  const documents = readSource(text.replace(/^\uFEFF/, ''));
  if (documents === undefined) return undefined;
  const wanted = documents.map(({ root }) => sourceData(root));
  const own = trees.filter((tree) => pins.some(({ label }) => label === tree.label));
  for (const tree of own) {
    const organization = dataOf(tree.id ?? { match: defined({ ...tree.match }) });
    const known = wanted.findIndex((data) => isAbout(data, organization, own.length));
    const index = known < 0 ? wanted.length : known;
    const fresh = new Map<string, Data>([
      ['octavo', 1],
      ['overlay', name],
      ['organization', organization],
    ]);
    const ownPins = pins.filter(({ label }) => label === tree.label);
    const data = withPins(
      wanted[index] ?? fresh,
      ownPins.map(({ address, id }) => ({ keys: address.split('/'), id })),
    );
    if (data === undefined) return undefined;
    wanted[index] = data;
  }
  const updated = update(text, wanted);
  return updated.refused.length === 0 ? updated.text : undefined;
}

/** Documents name an organization by its id or by matched fields; a single organization need not be named. */
function isAbout(data: Data, organization: Data, count: number): boolean {
  const own = dataAt(data, ['organization']);
  if (!isDataMap(data) || own === undefined) return isDataMap(data) && count === 1;
  const asMap = (one: Data) => (isDataMap(one) ? one : new Map([['id', one]]));
  const found = asMap(own);
  return [...asMap(organization)].every(([key, value]) => sameData(found.get(key) ?? null, value));
}

/** Undefined if an entry on the way to an object is not a mapping. */
function withPins(
  data: Data | undefined,
  pins: readonly { readonly keys: readonly string[]; readonly id: string }[],
): Data | undefined {
  const map = data ?? new Map<string, Data>();
  if (!isDataMap(map)) return undefined;
  const result = new Map(map);
  const inside = new Map<string, { readonly keys: readonly string[]; readonly id: string }[]>();
  for (const { keys, id } of pins) {
    const [key, ...rest] = keys;
    if (key === undefined) result.set('id', literal(id));
    else push(inside, key, { keys: rest, id });
  }
  for (const [key, own] of inside) {
    const inner = withPins(map.get(key), own);
    if (inner === undefined) return undefined;
    result.set(key, inner);
  }
  return result;
}

interface NewText {
  readonly file: string;
  readonly shown: string;
  readonly name: string;
  readonly text: string;
}

/** Undefined if the trees would declare anything but what they did, and the ids. */
async function loadWith(
  { source, workspace, pins }: IntoRequest,
  { file, shown, name, text }: NewText,
): Promise<readonly DesiredTree[] | undefined> {
  const { files: paths, ...rest } = source;
  const files = withTexts(disk, new Map([[file, text]]));
  const given = source.overlays;
  for (const overlays of [given, [...given, name], [...given, shown]]) {
    const after = await loadWorkspace({ ...rest, paths, overlays, files });
    if (!hasErrors(after.diagnostics) && isJustPinned(after.trees, workspace.trees, pins)) return after.trees;
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
    throw userError('write', `cannot write ${shown}: ${reason}`, writeAdvice(error));
  }
}
