/** Formats manifests under some paths: finds them, formats their texts, and writes changed ones, all or none. */
import { readFileSync } from 'node:fs';
import type { Registry } from '../../kinds/registry.ts';
import { disk } from '../../manifest/files/disk.ts';
import { findManifests, type ManifestFile } from '../../manifest/files/find.ts';
import { openForEdit } from '../../manifest/files/open-for-edit.ts';
import { type FileEdit, type WorkFolder, workFolder } from '../../manifest/files/work-folder.ts';
import { type FormatOptions, formatText } from '../../manifest/format/format-text.ts';
import { userError } from '../../util/user-error.ts';
import { parseYaml } from '../../yaml/parse.ts';
import { Problems, startOf } from '../../yaml/problems.ts';
import type { Acceptance } from '../write-back/acceptance.ts';

export interface FormatRequest {
  readonly paths: readonly string[];
  readonly cwd: string;
  readonly registry: Registry;
  readonly check: boolean;
  readonly diff: boolean;
  readonly folder?: WorkFolder;
  readonly isInterrupted: () => boolean;
}

type FormattedFile = Acceptance['files'][number];

/** Files that cannot be formatted are reported and not changed. */
export async function formatFiles(request: FormatRequest) {
  const { paths, cwd, registry, check, diff, folder = workFolder } = request;
  const until = check && !diff ? 'difference' : 'done';
  const problems = new Problems();
  const found = await findManifests({ paths, cwd, files: disk, problems, how: '' });
  const changed: FormattedFile[] = [];
  const skipped: string[] = [];
  for (const file of found) {
    if (!/^(?:\uFEFF)?(?:\{\s*)?["']?(?:octavo|overlay)["']?\s*:/m.test(file.text)) {
      if (file.named) skipped.push(file.name);
      continue;
    }
    const before = rawText(file);
    const after = formatOne({ name: file.name, text: before, registry, until }, problems);
    if (after !== undefined && after !== before) changed.push({ name: file.name, before, after });
  }
  const isInterrupted = request.isInterrupted();
  const write = !check && !isInterrupted;
  const opened = write ? changed.flatMap((file) => writable(file, request, problems) ?? []) : [];
  folder.write(opened, 'fmt', 'each');
  const written = new Set(opened.map(({ name }) => name));
  return {
    files: changed.filter(({ name }) => !write || written.has(name)),
    skipped,
    problems: problems.sorted(),
    sources: new Map(found.map(({ name, text }) => [name, text])),
    isInterrupted,
  };
}

export function formatOne(
  { name, text, ...options }: FormatOptions & { readonly name: string; readonly text: string },
  problems: Problems,
): string | undefined {
  const result = formatText(text, options);
  if ('text' in result) return result.text;
  const known = problems.count;
  if (result.problem === 'invalid') parseYaml(name, text.replace(/^\uFEFF/, ''), problems);
  if (problems.count > known) return undefined;
  const why =
    result.problem === 'invalid' ? 'is not valid YAML' : 'cannot be formatted: its meaning would change';
  problems.error('format', `${name} ${why}`, startOf(name), { suggestion: 'format it by hand' });
  return undefined;
}

function rawText({ path, text }: ManifestFile): string {
  try {
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(readFileSync(path));
  } catch {
    return text;
  }
}

/** Skips links that lead out of the repository; skips all files if any of the others cannot be written. */
function writable(
  { name, before, after }: FormattedFile,
  { cwd }: FormatRequest,
  problems: Problems,
): FileEdit | undefined {
  const expected = before.replace(/^\uFEFF/, '');
  const opened = openForEdit(name, { cwd, expected, toBeWritten: true, command: 'fmt' });
  if ('code' in opened && opened.code === 'link-outside') {
    problems.error(opened.code, opened.message, undefined, { suggestion: 'format its target where it is' });
    return undefined;
  }
  if ('code' in opened) throw userError(opened.code, opened.message, opened.suggestion);
  return { ...opened, text: after };
}
