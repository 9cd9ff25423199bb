/** Templates as documents declare them: their inputs and the body of one object, not yet filled in. */
import type { Kind } from '../../kinds/kind.ts';
import type { Registry } from '../../kinds/registry.ts';
import { defined } from '../../util/defined.ts';
import type { SourceRange } from '../../util/diagnostic.ts';
import { Secret } from '../../util/secret.ts';
import {
  describe,
  entryOf,
  isBroken,
  type Located,
  type LocatedEntry,
  partsOf,
  scalarText,
} from '../../yaml/located.ts';
import type { Problems } from '../../yaml/problems.ts';
import { withArticle } from '../build/issue-text.ts';
import { readValue } from '../build/read-value.ts';
import { reportUnknownKey } from '../build/suggestion.ts';
import { templatesKey } from '../files/paths.ts';
import type { FileDocument } from '../files/read-documents.ts';
import type { IncludingFile } from '../fill/includes.ts';
import { bodyKey, bodyKinds, type InputType, inputsSchema, inputTypes } from './forms.ts';

export interface DeclaredInput {
  readonly name: string;
  readonly type: InputType;
  readonly at: SourceRange;
  readonly fallback?: Located;
  readonly isUsedOnce: boolean;
}

export interface Template {
  readonly name: string;
  readonly at: SourceRange;
  /** Kind of the created object, or the organization for a whole document. */
  readonly kind: Kind;
  readonly body: Located;
  readonly inputs: ReadonlyMap<string, DeclaredInput>;
  readonly file: IncludingFile;
}

/** Keys of a record that apply to the object itself, for all kinds. */
export const recordKeys = ['key', 'id', 'was', 'lifecycle', 'override'];

export type Templates = ReadonlyMap<string, Template | 'broken'>;

export function readTemplates(
  documents: readonly FileDocument[],
  registry: Registry,
  problems: Problems,
): Templates {
  const templates = new Map<string, Template | 'broken'>();
  const places = new Map<string, SourceRange>();
  for (const { document, file } of documents) {
    const value = entryOf(document, templatesKey)?.value;
    if (value === undefined) continue;
    if (value.type !== 'map') {
      const message = `${templatesKey} must be a mapping from names to templates, is ${describe(value)}`;
      const suggestion = `write ${templatesKey}: { some-name: { … } }`;
      problems.error('template', message, value.at, { suggestion });
      continue;
    }
    for (const entry of value.entries) {
      const before = places.get(entry.key);
      if (before === undefined) {
        places.set(entry.key, entry.keyAt);
        templates.set(entry.key, readTemplate(entry, file, registry, problems) ?? 'broken');
      } else {
        problems.error('declared-twice', `the template ${entry.key} is declared twice`, entry.keyAt, {
          suggestion: 'keep one of the two',
          related: [{ message: 'the first one', at: before }],
        });
      }
    }
  }
  return templates;
}

const exampleInput = 'for example inputs: { title: { type: string } }';

function readTemplate(
  { key: name, keyAt: at, value }: LocatedEntry,
  file: IncludingFile,
  registry: Registry,
  problems: Problems,
): Template | undefined {
  if (isBroken(value)) return undefined;
  if (value.type !== 'map')
    return problems.error('template', `a template must be a mapping, is ${describe(value)}`, value.at, {
      suggestion: `write ${name}: { inputs: { … }, site: { … } }`,
    });
  const keys = new Map(bodyKinds(registry).map((kind) => [bodyKey(kind, registry), kind]));
  const known = ['description', 'inputs', ...keys.keys()];
  const unknown = value.entries.filter(({ key }) => !known.includes(key));
  for (const entry of unknown) reportUnknownKey({ entry, noun: 'key', owner: 'a template', known }, problems);
  const bodies = value.entries.flatMap(({ key, keyAt, value: body }) => {
    const kind = keys.get(key);
    return kind === undefined ? [] : [{ kind, keyAt, body }];
  });
  const [only, other] = bodies;
  if (only === undefined) {
    if (unknown.length > 0) return undefined;
    return problems.error('template', `the template ${name} makes nothing`, at, {
      suggestion: `add the object that it makes, below one of ${[...keys.keys()].join(', ')}`,
    });
  }
  if (other !== undefined)
    return problems.error('template', `the template ${name} makes several objects`, other.keyAt, {
      suggestion: 'write one template for each of them',
    });
  const inputs = readInputs(entryOf(value, 'inputs'), only.body, problems);
  return inputs && { name, at, kind: only.kind, body: only.body, inputs, file };
}

function readInputs(
  entry: LocatedEntry | undefined,
  body: Located,
  problems: Problems,
): ReadonlyMap<string, DeclaredInput> | undefined {
  if (entry === undefined) return new Map();
  const options = { name: 'inputs', problems, secrets: 'refused', fallback: () => exampleInput } as const;
  const read = readValue(inputsSchema(), entry.value, options);
  if (read === undefined || entry.value.type !== 'map') return undefined;
  const uses = usesOf(body);
  const inputs = new Map<string, DeclaredInput>();
  for (const { key: name, keyAt: at, value } of entry.value.entries) {
    const type = read.value[name]?.type ?? 'string';
    const fallback = value.type === 'map' ? entryOf(value, 'default')?.value : undefined;
    const isFilledLater = scalarText(fallback)?.includes('${') === true;
    if (recordKeys.includes(name) || !/^[\w-]+$/.test(name)) {
      return problems.error('template', `an input cannot be called ${JSON.stringify(name)}`, at, {
        suggestion: `write letters, digits, dashes and underscores, but none of ${recordKeys.join(', ')}`,
      });
    }
    if (fallback !== undefined && !isFilledLater && !isOfType(fallback, type)) {
      const message = `the default of ${name} must be ${inputTypes[type]}, is ${describe(fallback)}`;
      return problems.error('template', message, fallback.at, {
        suggestion: 'change the default or the type',
      });
    }
    inputs.set(name, { name, type, at, isUsedOnce: uses.get(name) === 1, ...defined({ fallback }) });
  }
  return inputs;
}

/** Text from `${…}` counts as a number or a boolean if it parses as one. */
export function isOfType(located: Located, type: InputType): boolean {
  if (located.type !== 'scalar') return located.type === (type === 'mapping' ? 'map' : type);
  const { value, interpolated } = located;
  if (type === 'string') return typeof value === 'string' || value instanceof Secret;
  if (typeof value === type) return true;
  if (interpolated !== true || typeof value !== 'string') return false;
  if (type === 'boolean') return /^(?:true|false)$/.test(value);
  return type === 'number' && value.trim() !== '' && Number.isFinite(Number(value));
}

function usesOf(body: Located, uses = new Map<string, number>()): ReadonlyMap<string, number> {
  if (body.type === 'scalar') {
    for (const [, name = ''] of (scalarText(body) ?? '').matchAll(/\$\{input:([^{}]*)\}/g))
      uses.set(name, (uses.get(name) ?? 0) + 1);
    return uses;
  }
  for (const part of partsOf(body)) usesOf(part, uses);
  return uses;
}

export function makes({ kind, name }: Template, { root }: Registry): string {
  return `the template ${name} makes ${kind === root ? 'a whole document' : withArticle(kind.noun)}`;
}
