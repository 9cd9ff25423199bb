/**
 * Parses `octavo.rules.yaml`, and checks each part of a rule against the kinds, so that a slip is an error: a pattern that no value
 * matches would make the rule useless.
 */
import * as z from 'zod';
import { knownValues } from '../contract/values.ts';
import { kinds } from '../kinds/index.ts';
import type { Kind } from '../kinds/kind.ts';
import { levelsIn } from '../kinds/parts/access.ts';
import { canEnd, type Field } from '../kinds/parts/field.ts';
import { patternOperators } from '../kinds/rules/patterns.ts';
import { type PlanRule, shippedRules } from '../kinds/rules/rules.ts';
import { byName, strictObject, unwrapped } from '../util/data-schema.ts';
import type { Diagnostic } from '../util/diagnostic.ts';
import { fitsText } from '../util/glob.ts';
import { nearest } from '../util/nearest.ts';
import { entryOf, type Located, type LocatedEntry, type LocatedMap, plainOf } from '../yaml/located.ts';
import { Problems } from '../yaml/problems.ts';
import { readOneYaml } from '../yaml/read-yaml.ts';
import { readValue } from './build/read-value.ts';
import { suggestKnown } from './build/suggestion.ts';
import { untilKey } from './files/paths.ts';
import { ruleSchema } from './schema/rules.ts';

interface ReadRules {
  /** Valid rules only. */
  readonly rules: readonly PlanRule[];
  readonly diagnostics: readonly Diagnostic[];
}

/** `file`: the path as messages show it. */
export async function parseRules(file: string, content: string): Promise<ReadRules> {
  const problems = new Problems();
  const document = await readOneYaml(file, content, { code: 'rules', what: 'the rules', problems });
  const top = { name: '', problems, secrets: 'refused' } as const;
  // Rules are parsed one by one, so that each has its own problems.
  if (document !== undefined) readValue(strictObject({ rules: byName(z.unknown()) }), document, top);
  const written = document?.type === 'map' ? entryOf(document, 'rules')?.value : undefined;
  const entries = written?.type === 'map' ? written.entries : [];
  const rules = entries.flatMap((entry) => {
    if (!/^[a-z0-9-]{1,60}$/.test(entry.key))
      problems.error('rules', 'the name of a rule has lower-case letters, digits and hyphens', entry.keyAt, {
        suggestion: 'for example no-site-deletes; at most 60 characters',
      });
    const own = readValue(ruleSchema(), entry.value, { ...top, name: entry.key })?.value;
    if (own === undefined) return [];
    const shipped = Object.hasOwn(shippedRules, entry.key) ? shippedRules[entry.key] : undefined;
    const { message, why: _why, ...parts } = { ...shipped, ...own };
    const isWhole = checkParts(entry, { ...parts, message }, problems);
    return isWhole && message !== undefined ? [{ ...parts, message, name: entry.key, at: entry.keyAt }] : [];
  });
  return { rules, diagnostics: problems.sorted() };
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
      suggestion:
        near === undefined ? 'write message: with a sentence for reviewers' : `did you mean ${near}?`,
    });
  } else if (Object.keys(when).length === 0 && require === undefined && most === undefined) {
    problems.error('rules', `the rule ${key} would reject every change`, keyAt, {
      suggestion: 'write when:, require: or most:',
    });
  }
  if (exempt !== undefined && exempt.label === undefined && exempt.team === undefined)
    error('nothing lifts the rule', 'name a label or a team, or remove the line', ['exempt']);
  const { kind, action, field, gains, links, breaksLinks } = when;
  const selected = kinds.filter(({ name }) => kind === undefined || kind.includes(name));
  const fields = new Set(selected.flatMap((one) => Object.keys(one.fields)));
  for (const name of field ?? [])
    if (!fields.has(name))
      error(`there is no field ${JSON.stringify(name)}`, suggestKnown(name, [...fields]), ['when', 'field']);
  const has = (test: (one: Field) => boolean) => selected.some((one) => Object.values(one.fields).some(test));
  if (gains !== undefined && !has((one) => levelsIn(one) !== undefined))
    error('these kinds give no one a level', 'remove gains, or select other kinds', ['when', 'gains']);
  const isVisited = has(({ trait }) => trait !== undefined && /^(?:path|base|live)$/.test(trait.is));
  const help = 'remove it, or select other kinds';
  if (links !== undefined && !isVisited)
    error('these kinds have no address for visitors', help, ['when', 'links']);
  if (breaksLinks && !isVisited && selected.every(({ reads }) => reads.links === undefined))
    error('no links lead to these kinds', help, ['when', 'breaksLinks']);
  const isDelete = action?.every((one) => one === 'delete') === true;
  if (isDelete && (field !== undefined || gains !== undefined))
    error('a delete sets no field', 'select other actions, or remove field and gains', ['when', 'action']);
  if (isDelete && require?.after !== undefined)
    error('a deleted object has no values afterwards', 'require before: { … }', ['require', 'after']);
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

/** Reports all problems in the patterns of some fields. `kinds`: kinds that the rule may select. */
function checkPatterns(patterns: LocatedMap, kinds: readonly Kind[], problems: Problems): void {
  for (const { key, keyAt, value } of patterns.entries) {
    const fields = kinds.flatMap((kind) => kind.fields[key] ?? []);
    const schemas = fields.flatMap((field) => alternatives(field.schema()));
    const isLastDay = key === untilKey && kinds.some(mayEnd);
    if (fields.length > 0 || isLastDay)
      new PatternCheck(key, problems).check(value, isLastDay ? [z.string()] : schemas);
    else {
      const known = [...new Set(kinds.flatMap((kind) => Object.keys(kind.fields)))];
      const owner = kinds.map(({ noun }) => noun).join(' and ');
      problems.error('rules', `a ${owner} has no field ${JSON.stringify(key)}`, keyAt, {
        suggestion: suggestKnown(key, known),
      });
    }
  }
}

function mayEnd({ manifest, fields }: Kind): boolean {
  return manifest.ends === true || Object.values(fields).some(canEnd);
}

function alternatives(schema: z.ZodType): readonly z.ZodType[] {
  const inner = unwrapped(schema);
  if (inner instanceof z.ZodUnion) return inner.options.flatMap((one) => alternatives(one as z.ZodType));
  if (inner instanceof z.ZodPipe) return alternatives(inner.in as z.ZodType);
  return [inner];
}

class PatternCheck {
  readonly #name: string;
  readonly #problems: Problems;

  constructor(name: string, problems: Problems) {
    this.#name = name;
    this.#problems = problems;
  }

  /** `schemas`: a value must match one of them. */
  check(pattern: Located, schemas: readonly z.ZodType[]): void {
    if (pattern.type === 'list') {
      if (pattern.items.length === 0)
        this.#report(pattern, 'an empty list matches nothing', 'list the values to allow');
      for (const item of pattern.items) this.check(item, schemas);
    } else if (pattern.type === 'map') this.#checkMapping(pattern, schemas);
    else if (pattern.value !== null) this.#checkValue(pattern, schemas);
  }

  #checkMapping(pattern: LocatedMap, schemas: readonly z.ZodType[]): void {
    const shapes = schemas.flatMap((schema) => (schema instanceof z.ZodObject ? [schema.shape] : []));
    const isOperator = (key: string) => (patternOperators as readonly string[]).includes(key);
    const { entries } = pattern;
    if (entries.length === 0)
      this.#report(pattern, 'an empty mapping matches everything', 'write null, a value, or remove the line');
    if (entries.length > 1 && entries.some(({ key }) => isOperator(key)))
      this.#report(
        pattern,
        'not, any and all cannot have other keys next to them',
        'nest them, or write a list of patterns',
      );
    for (const { key, keyAt, value } of entries) {
      const inner = shapes.flatMap((shape) =>
        Object.hasOwn(shape, key) ? alternatives(shape[key] as z.ZodType) : [],
      );
      if (inner.length > 0) this.check(value, inner);
      else if (key === 'not') this.check(value, schemas);
      else if (isOperator(key)) this.#checkEntries(key, value, { keyAt, schemas });
      else {
        const known = [...patternOperators, ...shapes.flatMap((shape) => Object.keys(shape))];
        this.#problems.error(
          'rules',
          `unknown key ${JSON.stringify(key)} in a pattern for ${this.#name}`,
          keyAt,
          { suggestion: suggestKnown(key, known) },
        );
      }
    }
  }

  #checkEntries(
    operator: string,
    value: Located,
    { keyAt, schemas }: { readonly keyAt: Located['at']; readonly schemas: readonly z.ZodType[] },
  ): void {
    const entries = schemas.flatMap((schema) => {
      if (schema instanceof z.ZodArray) return alternatives(schema.element as z.ZodType);
      return schema instanceof z.ZodRecord ? alternatives(schema.valueType as z.ZodType) : [];
    });
    if (entries.length > 0) this.check(value, entries);
    else
      this.#problems.error(
        'rules',
        `${this.#name} is not a list or mapping, which ${operator} searches`,
        keyAt,
        { suggestion: 'write the value itself, or a list of values to allow' },
      );
  }

  #checkValue(pattern: Located, schemas: readonly z.ZodType[]): void {
    const value = plainOf(pattern);
    const written = JSON.stringify(value);
    if (typeof value === 'string' && isExpression(value))
      this.#report(
        pattern,
        `${written} is an expression, and patterns have no operators`,
        'write the value alone; for another one { not: value }; for several [one, two]',
      );
    else if (!schemas.some((schema) => canFit(schema, value)))
      this.#report(pattern, `no value can be ${written}`, suggest(value, schemas));
  }

  #report({ at }: Located, problem: string, suggestion: string): void {
    this.#problems.error('rules', `${this.#name}: ${problem}`, at, { suggestion });
  }
}

/** Examples: `!= public`, `'public'`, `starts_with(@, 'Acme')`. A title that looks like an expression can be written with `?` or `*`. */
function isExpression(text: string): boolean {
  return (
    /^\s*(?:[=!<>]=?|&&|\|\|)\s*\S/.test(text) ||
    /^\s*(['"`]).*\1\s*$/s.test(text) ||
    /^\s*!?(?:starts_with|ends_with|contains|length|keys|values|type|to_string|not_null)\s*\(/.test(text) ||
    /^\s*(?:before|after)\./.test(text)
  );
}

function canFit(schema: z.ZodType, value: unknown): boolean {
  const known = knownValues(schema);
  if (typeof value !== 'string') return schema.safeParse(value).success;
  if (known.length > 0) return known.some((one) => one === value || fitsText(value, one));
  if (schema instanceof z.ZodEnum) return schema.options.some((one) => fitsText(value, String(one)));
  if (/[*?]/.test(value)) return isText(schema);
  return schema.safeParse(value).success;
}

function isText(schema: z.ZodType): boolean {
  return !(
    schema instanceof z.ZodBoolean ||
    schema instanceof z.ZodNumber ||
    schema instanceof z.ZodArray ||
    schema instanceof z.ZodRecord ||
    schema instanceof z.ZodObject ||
    schema instanceof z.ZodLiteral
  );
}

function suggest(value: unknown, schemas: readonly z.ZodType[]): string {
  const known = schemas.flatMap((schema) =>
    schema instanceof z.ZodEnum ? schema.options.map(String) : knownValues(schema),
  );
  if (known.length > 0) return suggestKnown(String(value), [...new Set(known)]);
  const has = (type: new (...args: never[]) => z.ZodType) => schemas.some((schema) => schema instanceof type);
  if (has(z.ZodArray) || has(z.ZodRecord))
    return `write { any: ${JSON.stringify(value)} } or { all: ${JSON.stringify(value)} }`;
  if (has(z.ZodBoolean)) return 'write true or false, without quotes';
  if (has(z.ZodNumber)) return 'write a number, without quotes';
  if (has(z.ZodObject)) return 'write a pattern for each of its keys';
  return 'write a text, in quotes';
}
