/** Formats manifests under some paths: finds them, lays out their texts, and writes those that change, all or none. */
import { readFileSync, realpathSync } from 'node:fs';
import type { Registry } from '../../kinds/registry.ts';
import { disk } from '../../manifest/disk.ts';
import { findManifests, type ManifestFile } from '../../manifest/find.ts';
import { formatText } from '../../manifest/format/format-text.ts';
import { parseYaml } from '../../manifest/parse.ts';
import { Problems } from '../../manifest/problems.ts';
import type { Diagnostic } from '../../util/diagnostic.ts';
import { systemReason, userError } from '../../util/user-error.ts';
import { openForEdit } from '../adopt/edit-files.ts';
import { type WritableText, writeFiles } from '../adopt/write-files.ts';

/** What is formatted. */
export interface FormatRequest {
  /** Files and folders, relative to `cwd`. */
  readonly paths: readonly string[];
  readonly cwd: string;
  readonly registry: Registry;
  /** True: changes no file. */
  readonly check: boolean;
  /** True as soon as nothing may be written any more. */
  readonly isInterrupted: () => boolean;
}

/** A text before and after. */
export interface FormattedFile {
  readonly name: string;
  readonly before: string;
  readonly after: string;
}

/** What was formatted. */
export interface FormatRun {
  /** Files that change, by name. */
  readonly files: readonly FormattedFile[];
  /** How many are formatted already. */
  readonly unchanged: number;
  /** Files that were named and are no manifests. */
  readonly skipped: readonly string[];
  readonly problems: readonly Diagnostic[];
  readonly sources: ReadonlyMap<string, string>;
  /** True where nothing was written for that reason. */
  readonly isInterrupted: boolean;
}

/** Formats files. Those that cannot be formatted are problems, and stay as they are. */
export async function formatFiles(request: FormatRequest): Promise<FormatRun> {
  const { paths, cwd, registry } = request;
  const problems = new Problems();
  const found = await findManifests({ paths, cwd, files: disk, problems, how: '' });
  const changed: (FormattedFile & { readonly path: string })[] = [];
  const skipped: string[] = [];
  let unchanged = 0;
  for (const file of found) {
    if (!isManifest(file.text)) {
      if (file.named) skipped.push(file.name);
      continue;
    }
    const after = formatOne({ name: file.name, text: file.text, registry }, problems);
    if (after === undefined) continue;
    const before = rawText(file);
    if (after === before) unchanged += 1;
    else changed.push({ name: file.name, path: file.path, before, after });
  }
  const isInterrupted = request.isInterrupted();
  if (!request.check && !isInterrupted && changed.length > 0)
    writeFiles(
      changed.map((file) => writable(file, request)),
      'fmt',
    );
  return {
    files: changed.map(({ name, before, after }) => ({ name, before, after })),
    unchanged,
    skipped,
    problems: problems.sorted(),
    sources: new Map(found.map(({ name, text }) => [name, text])),
    isInterrupted,
  };
}

/** A text, and what messages call it. */
export interface NamedText {
  readonly name: string;
  readonly text: string;
  readonly registry: Registry;
}

/** The formatted text; undefined after a problem. */
export function formatOne({ name, text, registry }: NamedText, problems: Problems): string | undefined {
  const result = formatText(text, registry);
  if ('text' in result) return result.text;
  const known = problems.count;
  if (result.problem === 'invalid') parseYaml(name, text.replace(/^\uFEFF/, ''), problems);
  if (problems.count > known) return undefined;
  const at = { file: name, line: 1, column: 1, endLine: 1, endColumn: 1 };
  const message =
    result.problem === 'invalid'
      ? `${name} is not valid YAML`
      : `${name} cannot be formatted: its meaning would change`;
  problems.error('format', message, at, { suggestion: 'lay it out by hand' });
  return undefined;
}

/** True for files that Octavo reads: other YAML in the folder is none of its business. */
function isManifest(text: string): boolean {
  return /^(?:\uFEFF)?(?:\{\s*)?["']?(?:octavo|overlay)["']?\s*:/m.test(text);
}

/** The text with its byte-order mark. */
function rawText({ path, text }: ManifestFile): string {
  try {
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(readFileSync(path));
  } catch {
    return text;
  }
}

function writable(
  { name, path, before, after }: FormattedFile & { readonly path: string },
  { cwd, registry }: FormatRequest,
): WritableText {
  const source = { cwd, env: {}, files: [path], overlays: [], registry };
  const sources = new Map([[name, before.replace(/^\uFEFF/, '')]]);
  const opened = openForEdit(name, path, { source, sources, toBeWritten: true, command: 'fmt' });
  if ('code' in opened) throw userError(opened.code, opened.message, opened.suggestion);
  return { name, real: realpath(name, path), before: opened.before, text: after };
}

function realpath(name: string, path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    throw userError('unreadable', `${name} cannot be read: ${systemReason(error) ?? String(error)}`);
  }
}
