/** Reads the documents of a file: manifests, overlays, and other YAML, which is skipped. Does not interpolate. */
import { defined } from '../../util/defined.ts';
import type { SourceRange } from '../../util/diagnostic.ts';
import { nearest } from '../../util/nearest.ts';
import { entryOf, isBroken, type Located, type LocatedMap, scalarText } from '../../yaml/located.ts';
import type { ParsedTexts } from '../../yaml/parsed-texts.ts';
import { Problems } from '../../yaml/problems.ts';
import { readYaml } from '../../yaml/read-yaml.ts';
import { reportUnknownKey } from '../build/suggestion.ts';
import type { ManifestFile } from './find.ts';
import { isTestName, overlayNamePattern } from './paths.ts';

export interface FileDocument {
  readonly document: LocatedMap;
  readonly file: ManifestFile;
}

export interface OverlayDocument extends FileDocument {
  readonly name: string;
}

export interface FileContent {
  readonly file: ManifestFile;
  readonly manifests: readonly FileDocument[];
  readonly overlays: readonly OverlayDocument[];
  /** Hints about documents that are other YAML, reported unless a manifest includes the file. */
  readonly skipped?: Problems;
  /** True if an error prevented reading all or part of the file. */
  readonly isPartial: boolean;
}

/** In folders, other YAML is skipped with a hint; a file that was passed itself must contain manifests. */
export async function readDocuments(
  file: ManifestFile,
  problems: Problems,
  texts?: ParsedTexts,
): Promise<FileContent> {
  const own = new Problems();
  const parsed = await (texts?.parse(file.name, file.text, own) ?? readYaml(file.name, file.text, own));
  const [first] = own.sorted().filter(({ severity }) => severity === 'error');
  if (first !== undefined && !file.named && !/^["']?(octavo|organization)["']?\s*:/m.test(file.text)) {
    const hint = skipped(first.at, 'neither a manifest nor valid YAML');
    return { file, manifests: [], overlays: [], skipped: hint, isPartial: false };
  }
  problems.addAll(own);
  const isOurs = (document: Located) =>
    document.type === 'map' &&
    (file.named || ['octavo', 'organization'].some((key) => entryOf(document, key)));
  const isTests = (document: Located) =>
    isTestName(file.name) && document.type === 'map' && entryOf(document, 'tests') !== undefined;
  const other = file.named ? undefined : parsed.find((document) => !isOurs(document) && !isTests(document));
  for (const { at } of file.named ? parsed.filter(({ type }) => type !== 'map') : [])
    problems.error('not-a-manifest', 'a manifest must be a mapping', at, {
      suggestion: 'start it with octavo: 1',
    });
  const ours = parsed.flatMap((document) =>
    document.type === 'map' && isOurs(document) ? [{ document, file }] : [],
  );
  const isOverlay = ({ document }: FileDocument) => entryOf(document, 'overlay') !== undefined;
  const overlays = ours.filter(isOverlay).flatMap((one) => {
    const name = overlayName(one.document, problems);
    return name === undefined ? [] : [{ ...one, name }];
  });
  const hint = other === undefined ? undefined : skipped(firstLineOf(other.at), 'no "octavo:" key');
  const misspelled = ours.filter(({ document }) => isMisspelledOverlay(document, problems));
  const manifests = ours.filter((one) => !isOverlay(one) && !misspelled.includes(one));
  return { file, manifests, overlays, isPartial: first !== undefined, ...defined({ skipped: hint }) };
}

/** Detects `overlays: production`; read as a manifest, the whole document would be wrong. */
function isMisspelledOverlay(document: LocatedMap, problems: Problems): boolean {
  if (entryOf(document, 'overlay') !== undefined) return false;
  const entry = document.entries.find(({ key }) => nearest(key, ['overlay'], 2) !== undefined);
  if (entry === undefined) return false;
  reportUnknownKey({ entry, noun: 'key', owner: 'the document', known: ['overlay'] }, problems);
  return true;
}

function overlayName(document: LocatedMap, problems: Problems): string | undefined {
  const value = entryOf(document, 'overlay')?.value;
  const name = scalarText(value);
  if (value === undefined || isBroken(value)) return undefined;
  if (name !== undefined && overlayNamePattern.test(name)) return name;
  return problems.error(
    'overlay',
    'overlay must be a name: a letter, then letters, digits, dots, dashes and underscores',
    value.at,
    { suggestion: 'for example overlay: production' },
  );
}

function skipped(at: SourceRange | undefined, why: string): Problems {
  const hint = new Problems();
  hint.hint('not-a-manifest', `skipped: ${why}`, at, {
    suggestion: 'start it with octavo: 1 if it is a manifest',
  });
  return hint;
}

function firstLineOf(at: SourceRange): SourceRange {
  return at.line === at.endLine ? at : { ...at, endLine: at.line, endColumn: at.column + 1 };
}
