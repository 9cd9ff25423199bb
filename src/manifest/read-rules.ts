/** Reads `octavo.rules.yaml` from a work tree or a commit. */
import path from 'node:path';
import * as z from 'zod';
import { kinds } from '../kinds/index.ts';
import { type PlanRule, shippedRules } from '../kinds/rules.ts';
import { byName, strictObject } from '../util/data-schema.ts';
import { type Diagnostic, DiagnosticError } from '../util/diagnostic.ts';
import { nearest } from '../util/nearest.ts';
import { userError } from '../util/user-error.ts';
import { entryOf, type Located, type LocatedEntry } from '../yaml/located.ts';
import { Problems } from '../yaml/problems.ts';
import { readYaml } from '../yaml/read-yaml.ts';
import { readValue } from './build/read-value.ts';
import { disk, type ManifestFiles } from './files/disk.ts';
import { readUtf8 } from './files/read-text.ts';
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

/** @throws DiagnosticError for a link, whose target a message could show. */
export async function readRules(
  files: ManifestFiles,
  file: string,
  cwd: string,
  at = '',
): Promise<RulesText> {
  const name = path.relative(cwd, file) || file;
  if ((await files.type(file)) !== 'file') return { text: undefined, rules: [], diagnostics: [], name, at };
  if (files === disk && path.basename(await disk.real(file)) !== rulesFile)
    throw userError('rules', `${name} is a link to another file`, 'write the rules into the file itself');
  const text = await readUtf8(file, name, files);
  if (typeof text !== 'string') {
    const { message, suggestion } = text;
    return {
      text: '',
      rules: [],
      diagnostics: [{ severity: 'error', code: 'rules', message, suggestion }],
      name,
      at,
    };
  }
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
  const { flawOf } = await import('../util/expression.ts');
  const rules = entries.flatMap((entry) => {
    checkExpression(entry, flawOf, problems);
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
    when,
    require,
    message,
    exempt,
  }: Omit<PlanRule, 'message' | 'name' | 'at'> & { message?: string | undefined },
  problems: Problems,
): boolean {
  const before = problems.count;
  if (message === undefined) {
    const near = nearest(key, Object.keys(shippedRules));
    problems.error('rules', `the rule ${key} has no message, and none of that name ships`, keyAt, {
      suggestion: near === undefined ? 'write message: what a reviewer reads' : `did you mean ${near}?`,
    });
  } else if (when === undefined && require === undefined) {
    problems.error('rules', `the rule ${key} would object to every change`, keyAt, {
      suggestion: 'write when:, require: or both',
    });
  }
  if (exempt !== undefined && exempt.label === undefined && exempt.team === undefined) {
    problems.error('rules', 'nothing lifts the rule', partOf(value, ['exempt'])?.at ?? keyAt, {
      suggestion: 'name a label or a team, or remove the line',
    });
  }
  const fields = new Set(
    kinds
      .filter(({ name }) => when?.kind === undefined || when.kind.includes(name))
      .flatMap((kind) => Object.keys(kind.fields)),
  );
  for (const field of when?.field ?? []) {
    if (fields.has(field)) continue;
    const near = nearest(field, fields);
    problems.error('rules', `there is no field ${field}`, partOf(value, ['when', 'field'])?.at ?? keyAt, {
      suggestion: near === undefined ? 'see octavo explain' : `did you mean ${near}?`,
    });
  }
  return problems.count === before;
}

function checkExpression(
  { key, value }: LocatedEntry,
  flawOf: typeof import('../util/expression.ts').flawOf,
  problems: Problems,
): void {
  const written = partOf(value, ['require']);
  if (written?.type !== 'scalar' || typeof written.value !== 'string') return;
  const flaw = flawOf(written.value);
  if (flaw === undefined) return;
  const what = `${flaw.problem} at column ${flaw.column} of "${written.value}"`;
  problems.error('rules', `require of ${key} is not a JMESPath expression: ${what}`, written.at, {
    suggestion: "for example after.visibility != 'public'; see https://jmespath.site",
  });
}

function partOf(value: Located, path: readonly string[]): Located | undefined {
  return path.reduce<Located | undefined>(
    (part, key) => (part?.type === 'map' ? entryOf(part, key)?.value : undefined),
    value,
  );
}
