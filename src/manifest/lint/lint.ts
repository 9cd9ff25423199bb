/** Runs the lint rules over a workspace without errors, and removes findings that comments and settings turn off. */
import path from 'node:path';
import type { Registry } from '../../kinds/registry.ts';
import { defined } from '../../util/defined.ts';
import type { Diagnostic } from '../../util/diagnostic.ts';
import { type LintLevel, type LintRuleId, lintRuleIds } from '../../util/diagnostic-codes.ts';
import { push } from '../../util/group.ts';
import { nearest } from '../../util/nearest.ts';
import { privateKeyPattern } from '../../util/secret.ts';
import { disk, type ManifestFiles } from '../files/disk.ts';
import { displayName } from '../files/paths.ts';
import type { Workspace } from '../load-workspace.ts';
import type { DisableComment } from './comments.ts';
import type { LintFinding, LintInput } from './rule.ts';
import { unusedFiles } from './rules/unused-file.ts';
import { lintRules } from './rules.ts';

export interface LintOptions {
  readonly registry: Registry;
  readonly cwd: string;
  /** Level of all rules that are not `off`. Default: the level of each rule. */
  readonly level?: LintLevel | undefined;
  /** Levels of individual rules. Default: `warn`. */
  readonly levels?: Readonly<Partial<Record<LintRuleId, LintLevel>>> | undefined;
  readonly files?: ManifestFiles;
}

/** Findings are sorted by file, line and column. Never throws for the content of files. */
export async function lintWorkspace(
  workspace: Workspace,
  options: LintOptions,
): Promise<readonly Diagnostic[]> {
  if (options.level === 'off') return [];
  const input = await inputOf(workspace, options);
  const findings = lintRules.flatMap((rule) => [...rule(input)]);
  const comments = await commentsIn(workspace);
  const used = new Map<DisableComment, Set<string>>();
  const byPlace = new Map<string, DisableComment[]>();
  for (const one of comments) push(byPlace, `${one.from === one.to ? one.from : 0} ${one.at.file}`, one);
  const kept = findings.filter((finding) => {
    const { file, line } = finding.at;
    const near = [line, 0].flatMap((one) => byPlace.get(`${one} ${file}`) ?? []);
    const comment = near.find(
      ({ at, rules, from, to }) =>
        file === at.file && line >= from && line <= to && rules.includes(finding.rule),
    );
    if (comment === undefined) return true;
    used.set(comment, (used.get(comment) ?? new Set()).add(finding.rule));
    return false;
  });
  const unused = comments.flatMap((comment) => unusedIn(comment, used.get(comment) ?? new Set()));
  return sorted([...kept, ...unused].flatMap((finding) => diagnosticOf(finding, options)));
}

async function inputOf(
  workspace: Workspace,
  { registry, cwd, files = disk }: LintOptions,
): Promise<LintInput> {
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

/** A text without this word has no such comments. */
const disableWord = 'octavo-disable';

async function commentsIn({ sources, files }: Workspace): Promise<readonly DisableComment[]> {
  const ours = new Set(files);
  const texts = [...sources].filter(
    ([name, text]) => text.includes(disableWord) && (ours.has(name) || /\.ya?ml$/i.test(name)),
  );
  if (texts.length === 0) return [];
  const { disableComments } = await import('./comments.ts');
  return texts.flatMap(([name, text]) => disableComments(name, text));
}

function unusedIn({ at, rules }: DisableComment, used: ReadonlySet<string>): readonly LintFinding[] {
  if (rules.length === 0) {
    const message = 'the comment disables no rule';
    const suggestion = `name one: # ${disableWord} ${lintRuleIds[0]}`;
    return [{ rule: 'unused-disable', message, at, suggestion }];
  }
  return rules
    .filter((rule) => !used.has(rule))
    .map((rule) => {
      const isKnown = (lintRuleIds as readonly string[]).includes(rule);
      const near = isKnown ? undefined : nearest(rule, lintRuleIds);
      return {
        rule: 'unused-disable',
        message: isKnown ? `${rule} finds nothing here` : `there is no rule ${JSON.stringify(rule)}`,
        at,
        suggestion:
          near === undefined
            ? isKnown
              ? 'remove the comment'
              : `use one of ${lintRuleIds.join(', ')}`
            : `did you mean ${near}?`,
      };
    });
}

function diagnosticOf(
  { rule, message, at, address, suggestion, related }: LintFinding,
  { level, levels }: LintOptions,
): readonly Diagnostic[] {
  const own = levels?.[rule] ?? 'warn';
  const chosen = own === 'off' ? 'off' : (level ?? own);
  if (chosen === 'off') return [];
  const severity = chosen === 'error' ? 'error' : 'warning';
  const links = related?.map((one) => ({ message: one.message, ...defined({ at: one.at }) }));
  return [{ severity, code: rule, message, at, ...defined({ address, suggestion, related: links }) }];
}

function sorted(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  const key = ({ at, code, message }: Diagnostic) =>
    [
      at?.file ?? '',
      String(at?.line ?? 0).padStart(9, '0'),
      String(at?.column ?? 0).padStart(6, '0'),
      code,
      message,
    ].join('\0');
  return diagnostics
    .map((one) => ({ one, by: key(one) }))
    .sort((left, right) => (left.by < right.by ? -1 : 1))
    .map(({ one }) => one);
}
