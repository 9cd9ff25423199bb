/**
 * Reports files next to included ones that no manifest includes. A folder may contain other files too, so only files with the same
 * extension count, except extensions that other tools use.
 */
import path from 'node:path';
import type { SourceRange } from '../../util/diagnostic.ts';
import type { Warning, WarningInput } from './warning.ts';

/** Other tools use these too. */
const common = new Set(['json', 'yaml', 'yml', 'md', 'txt', 'toml']);

export function* unusedFile(input: WarningInput): Generator<Warning> {
  for (const { file, neighbor } of unusedFiles(input)) {
    const isKey = input.privateKeys.has(file);
    const name = `${input.nameOf(file)}${isKey ? ' contains a private key and' : ''}`;
    yield {
      code: 'unused-file',
      message: `${name} is not included anywhere, unlike ${path.basename(neighbor.file)} next to it`,
      at: neighbor.at,
      suggestion: isKey
        ? 'remove the file: a private key does not belong in a checkout'
        : 'delete the file, or include it',
    };
  }
}

export function* unusedFiles({
  included,
  folders,
  manifests,
}: Pick<WarningInput, 'included' | 'folders' | 'manifests'>): Generator<{
  file: string;
  neighbor: Neighbor;
}> {
  const holdsManifests = new Set([...manifests].map((file) => path.dirname(file)));
  for (const [folder, names] of folders) {
    const neighbors = endingsIn(folder, included);
    for (const name of names) {
      const file = path.join(folder, name);
      const ending = endingOf(name);
      const neighbor = neighbors.get(ending);
      if (neighbor === undefined || included.has(file) || manifests.has(file)) continue;
      if (name.startsWith('.') || (common.has(ending) && holdsManifests.has(folder))) continue;
      yield { file, neighbor };
    }
  }
}

interface Neighbor {
  readonly file: string;
  readonly at: SourceRange;
}

function endingsIn(
  folder: string,
  included: ReadonlyMap<string, SourceRange>,
): ReadonlyMap<string, Neighbor> {
  const found = new Map<string, Neighbor>();
  for (const [file, at] of included) {
    const ending = endingOf(path.basename(file));
    if (path.dirname(file) === folder && !found.has(ending)) found.set(ending, { file, at });
  }
  return found;
}

/** The part after the first dot: `schema.json` differs from `json`. */
function endingOf(name: string): string {
  const at = name.indexOf('.', 1);
  return at < 0 ? '' : name.slice(at + 1).toLowerCase();
}
