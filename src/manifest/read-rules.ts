/** Reads `octavo.rules.yaml` from a work tree or a commit. */
import path from 'node:path';
import * as z from 'zod';
import { levelsIn } from '../kinds/access.ts';
import type { Field } from '../kinds/field.ts';
import { kinds } from '../kinds/index.ts';
import { type PlanRule, shippedRules } from '../kinds/rules.ts';
import { byName, strictObject } from '../util/data-schema.ts';
import { type Diagnostic, DiagnosticError } from '../util/diagnostic.ts';
import { nearest } from '../util/nearest.ts';
import { entryOf, type Located, type LocatedEntry } from '../yaml/located.ts';
import { Problems } from '../yaml/problems.ts';
import { readYaml } from '../yaml/read-yaml.ts';
import { readValue } from './build/read-value.ts';
import { suggestKnown } from './build/suggestion.ts';
import { disk, type ManifestFiles } from './files/disk.ts';
import { misnamedFile } from './files/find.ts';
import { readUtf8 } from './files/read-text.ts';
import { checkPatterns } from './rule-patterns.ts';
import { ruleSchema, rulesFile } from './schema/rules.ts';

/** `octavo.rules.yaml` somewhere, or that there is none. */
export interface RulesText {
  readonly text: string | undefined;
  readonly rules: readonly PlanRule[];
  readonly diagnostics: readonly Diagnostic[];
  readonly name: string;
  /** For example ` at 4f1c2aa`; empty for the work tree. */
  readonly at: string;
}

/** Anything but a regular file with text is an error: it must not look as if there were no rules. */
export async function readRules(
  files: ManifestFiles,
  file: string,
  cwd: string,
  at = '',
): Promise<RulesText> {
  const name = path.relative(cwd, file) || file;
  const wrong = (message: string, suggestion: string): RulesText => {
    const diagnostics = [{ severity: 'error' as const, code: 'rules' as const, message, suggestion }];
    return { text: '', rules: [], diagnostics, name, at };
  };
  const misnamed = await misnamedFile(files, file);
  if (misnamed !== undefined)
    return wrong(
      `${misnamed}${at} is not read: the file is called ${rulesFile}`,
      `rename it to ${rulesFile}`,
    );
  const type = (await files.isLink?.(file)) === true ? 'symbolic link' : await files.type(file);
  if (type === 'missing') return { text: undefined, rules: [], diagnostics: [], name, at };
  if (type !== 'file')
    return wrong(`${name}${at} is not a regular file but a ${type}`, 'write the rules into the file itself');
  const text = await readUtf8(file, name, files);
  if (typeof text !== 'string') return wrong(text.message, text.suggestion);
  return { text, ...(await parseRules(name, text)), name, at };
}

/** Of the work tree, without git: in the nearest folder that has a repository, or in the given one. */
export async function ownRules(cwd: string): Promise<RulesText> {
  for (let folder = cwd; ; folder = path.dirname(folder)) {
    const isRoot = (await disk.type(path.join(folder, '.git'))) !== 'missing';
    if (isRoot || path.dirname(folder) === folder)
      return readRules(disk, path.join(isRoot ? folder : cwd, rulesFile), cwd);
  }
}

export function invalidRules({ diagnostics, name, text = '' }: RulesText): DiagnosticError {
  return new DiagnosticError(diagnostics, new Map([[name, text]]));
}

interface ReadRules {
  /** Without those that are not valid. */
  readonly rules: readonly PlanRule[];
  readonly diagnostics: readonly Diagnostic[];
}

/** `file`: as messages show it. */
async function parseRules(file: string, content: string): Promise<ReadRules> {
  const problems = new Problems();
  const [document, second] = await readYaml(file, content, problems);
  if (second !== undefined)
    problems.error('rules', 'the rules must be one document', second.at, {
      suggestion: 'remove the line ---',
    });
  const top = { name: '', problems, secrets: 'refused' } as const;
  // Its rules are read one by one, so that each has its problems.
  if (document !== undefined) readValue(strictObject({ rules: byName(z.unknown()) }), document, top);
  const written = document?.type === 'map' ? entryOf(document, 'rules')?.value : undefined;
  const entries = written?.type === 'map' ? written.entries : [];
  const rules = entries.flatMap((entry) => {
    if (!/^[a-z0-9-]{1,60}$/.test(entry.key))
      problems.error('rules', 'a rule has a name of small letters, digits and hyphens', entry.keyAt, {
        suggestion: 'for example no-site-deletes; at most 60 characters',
      });
    const own = readValue(ruleSchema(), entry.value, { ...top, name: entry.key })?.value;
    if (own === undefined) return [];
    const { message, why: _why, ...parts } = { ...shippedOf(entry.key), ...own };
    const isWhole = checkParts(entry, { ...parts, message }, problems);
    return isWhole && message !== undefined ? [{ ...parts, message, name: entry.key, at: entry.keyAt }] : [];
  });
  return { rules, diagnostics: problems.sorted() };
}

function shippedOf(name: string) {
  return Object.hasOwn(shippedRules, name) ? shippedRules[name] : undefined;
}

function checkParts(
  { key, keyAt, value }: LocatedEntry,
  {
    when = {},
    require,
    most,
    message,
    exempt,
  }: Omit<PlanRule, 'message' | 'name' | 'at'> & { message?: string | undefined },
  problems: Problems,
): boolean {
  const before = problems.count;
  const error = (problem: string, suggestion: string, part: readonly string[] = []) =>
    problems.error('rules', problem, partOf(value, part)?.at ?? keyAt, { suggestion });
  if (message === undefined) {
    const near = nearest(key, Object.keys(shippedRules));
    problems.error('rules', `the rule ${key} has no message, and no rule of that name ships`, keyAt, {
      suggestion: near === undefined ? 'write message: what a reviewer reads' : `did you mean ${near}?`,
    });
  } else if (Object.keys(when).length === 0 && require === undefined && most === undefined) {
    problems.error('rules', `the rule ${key} would reject every change`, keyAt, {
      suggestion: 'write when:, require: or most:',
    });
  }
  if (exempt !== undefined && exempt.label === undefined && exempt.team === undefined)
    error('nothing lifts the rule', 'name a label or a team, or remove the line', ['exempt']);
  const { kind, action, field, gains, links } = when;
  const selected = kinds.filter(({ name }) => kind === undefined || kind.includes(name));
  const fields = new Set(selected.flatMap((one) => Object.keys(one.fields)));
  for (const name of field ?? [])
    if (!fields.has(name))
      error(`there is no field ${JSON.stringify(name)}`, suggestKnown(name, [...fields]), ['when', 'field']);
  const has = (test: (one: Field) => boolean) => selected.some((one) => Object.values(one.fields).some(test));
  if (gains !== undefined && !has((one) => levelsIn(one) !== undefined))
    error('these kinds give no one a level', 'remove gains, or select other kinds', ['when', 'gains']);
  if (
    links !== undefined &&
    !has(({ trait }) => trait !== undefined && /^(?:path|base|live)$/.test(trait.is))
  )
    error('these kinds have no address for visitors', 'remove links, or select other kinds', [
      'when',
      'links',
    ]);
  const isDelete = action?.every((one) => one === 'delete') === true;
  if (isDelete && (field !== undefined || gains !== undefined))
    error('a delete sets no field', 'select other actions, or remove field and gains', ['when', 'action']);
  if (isDelete && require?.after !== undefined)
    error('nothing is left after a delete', 'require before: { … }', ['require', 'after']);
  for (const part of ['before', 'after']) {
    const patterns = partOf(value, ['require', part]);
    if (patterns?.type === 'map') checkPatterns(patterns, selected, problems);
  }
  return problems.count === before;
}

function partOf(value: Located, path: readonly string[]): Located | undefined {
  return path.reduce<Located | undefined>(
    (part, key) => (part?.type === 'map' ? entryOf(part, key)?.value : undefined),
    value,
  );
}
