/** Finds the overlay documents that `--overlay` selects, by name or path. */

import path from 'node:path';
import { append } from '../../util/lists.ts';
import { nearest } from '../../util/nearest.ts';
import { type FindOptions, findManifests, type ManifestFile } from '../files/find.ts';
import { displayName, overlayNamePattern, slashHelp } from '../files/paths.ts';
import { type OverlayDocument, readDocuments } from '../files/read-documents.ts';

export interface OverlayRequest extends Omit<FindOptions, 'paths' | 'how'> {
  readonly given: readonly string[];
  /** True for a base, which may predate its overlays or their names. */
  readonly isBase: boolean;
}

interface OverlayPath {
  readonly given: string;
  readonly files: readonly ManifestFile[];
}

/** A folder, or a file without an extension, may also be the name of an overlay. */
export async function findOverlayPaths(request: OverlayRequest): Promise<readonly OverlayPath[]> {
  const { given, cwd, files, isBase } = request;
  const found: OverlayPath[] = [];
  for (const one of given) {
    const type = await files.type(path.resolve(cwd, one));
    const isPath = /[/\\]|\.ya?ml$/i.test(one) || one === '.' || one === '..';
    if (!isPath && type === 'missing') continue;
    if (type === 'missing' && isBase) continue;
    const inside = await findManifests({ ...request, paths: [one], how: ' given with --overlay' });
    found.push({ given: one, files: inside.map((file) => ({ ...file, named: true })) });
  }
  return found;
}

export async function selectOverlays(
  request: OverlayRequest,
  known: readonly OverlayDocument[],
  paths: readonly OverlayPath[],
): Promise<readonly (readonly OverlayDocument[])[]> {
  const selected: (readonly OverlayDocument[])[] = [];
  for (const given of request.given) selected.push(await selectOverlay(given, request, { known, paths }));
  return selected;
}

async function selectOverlay(
  given: string,
  request: OverlayRequest,
  { known, paths }: { readonly known: readonly OverlayDocument[]; readonly paths: readonly OverlayPath[] },
): Promise<readonly OverlayDocument[]> {
  const named = known.filter(({ name }) => name === given);
  if (named.length > 0) return named;
  const found = paths.find((one) => one.given === given);
  if (found !== undefined) return documentsAt(found, request);
  if (!request.isBase && overlayNamePattern.test(given)) refuseUnknown(given, known, request);
  return [];
}

async function documentsAt(
  { given, files }: OverlayPath,
  request: OverlayRequest,
): Promise<readonly OverlayDocument[]> {
  const { problems } = request;
  const documents: OverlayDocument[] = [];
  for (const file of files) {
    const { manifests, overlays } = await readDocuments(file, problems);
    const former = request.isBase ? manifests.map((one) => ({ ...one, name: given })) : [];
    append(documents, [...former, ...overlays]);
    for (const { document } of request.isBase ? [] : manifests) {
      const stem = path.basename(file.name).replace(/\.ya?ml$/i, '');
      const name = overlayNamePattern.test(stem) ? stem : 'production';
      problems.error('overlay', `${file.name} is not an overlay: it has no "overlay:" key`, document.at, {
        suggestion: `add the line: overlay: ${name}`,
      });
    }
  }
  const names = [...new Set(documents.map(({ name }) => name))];
  if (names.length > 1 && !request.isBase) {
    const shown = displayName(path.resolve(request.cwd, given), request.cwd);
    problems.error('overlay', `${shown} has several overlays: ${names.join(', ')}`, undefined, {
      suggestion: `pass one of them by its name: --overlay ${names[0]}`,
    });
    return [];
  }
  return documents;
}

function refuseUnknown(given: string, known: readonly OverlayDocument[], { problems }: OverlayRequest): void {
  const names = [...new Set(known.map(({ name }) => name))].sort();
  const near = nearest(given, names);
  const listed = names.length === 0 ? undefined : `the manifests have ${names.join(', ')}`;
  problems.error('overlay', `unknown overlay ${JSON.stringify(given)}`, undefined, {
    suggestion:
      slashHelp(given) ??
      (listed === undefined
        ? `no document under -f has an "overlay:" key; add overlay: ${given} to the ones that are to be merged over the manifests, or pass the path of a file`
        : `${near === undefined ? '' : `did you mean ${near}? `}${listed}`),
  });
}
