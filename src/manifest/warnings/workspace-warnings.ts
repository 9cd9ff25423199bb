/** Finds what is certainly wrong or dangerous in manifests without errors. */
import path from 'node:path';
import type { Registry } from '../../kinds/registry.ts';
import { defined } from '../../util/defined.ts';
import type { Diagnostic } from '../../util/diagnostic.ts';
import { compareTexts } from '../../util/lists.ts';
import { privateKeyPattern } from '../../util/secret.ts';
import { byPlace } from '../../yaml/problems.ts';
import { disk, type ManifestFiles } from '../files/disk.ts';
import { displayName } from '../files/paths.ts';
import type { Workspace } from '../load-workspace.ts';
import { redirectProblems } from './redirects.ts';
import { swallowedText } from './swallowed-text.ts';
import { unknownAttribute } from './unknown-attribute.ts';
import { unreachable } from './unreachable.ts';
import { unusedFile, unusedFiles } from './unused-file.ts';
import type { Check, Warning, WarningInput } from './warning.ts';
import { widerAudience } from './wider-audience.ts';

/** The order does not matter: warnings are sorted by place. */
const checks: readonly Check[] = [
  redirectProblems,
  swallowedText,
  unknownAttribute,
  unreachable,
  unusedFile,
  widerAudience,
];

export interface WarningOptions {
  readonly registry: Registry;
  readonly cwd: string;
  readonly files?: ManifestFiles;
}

/** Sorted by file, line and column. Never throws for the content of files. */
export async function workspaceWarnings(
  workspace: Workspace,
  options: WarningOptions,
): Promise<readonly Diagnostic[]> {
  const input = await inputOf(workspace, options);
  return checks
    .flatMap((check) => [...check(input)].map(diagnosticOf))
    .sort(
      (left, right) =>
        byPlace(left, right) ||
        compareTexts(left.code, right.code) ||
        compareTexts(left.message, right.message),
    );
}

async function inputOf(
  workspace: Workspace,
  { registry, cwd, files = disk }: WarningOptions,
): Promise<WarningInput> {
  const { trees, included = new Map() } = workspace;
  const folders = new Map<string, readonly string[]>();
  for (const folder of new Set([...included.keys()].map((file) => path.dirname(file)))) {
    const entries = await files.list(folder).catch(() => []);
    const names = entries.filter(({ type }) => type === 'file').map(({ name }) => name);
    folders.set(folder, names.sort());
  }
  const manifests = new Set(workspace.files.map((name) => path.resolve(cwd, name)));
  const privateKeys = new Set<string>();
  for (const { file } of unusedFiles({ included, folders, manifests })) {
    const bytes =
      (await files.size(file)) > longestKey ? undefined : await files.read(file).catch(() => undefined);
    if (privateKeyPattern.test(new TextDecoder().decode(bytes))) privateKeys.add(file);
  }
  const nameOf = (file: string) => displayName(file, cwd);
  const textOf = (name: string) => workspace.sources.get(name);
  return { trees, registry, included, folders, manifests, privateKeys, nameOf, textOf };
}

/** Unit: bytes. Longer files are not read. */
const longestKey = 64 * 1024;

function diagnosticOf({ code, message, at, ...details }: Warning): Diagnostic {
  return { severity: 'warning', code, message, at, ...defined(details) };
}
