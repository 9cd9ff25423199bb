/**
 * Makes a JSON body from `field=value` arguments, typed by the schema of the body. Pure, except that it reads the files that
 * `@file` names.
 */

import * as z from 'zod';
import { knownValues } from '../../contract/index.ts';
import { userError } from '../../util/user-error.ts';

export type ReadText = (file: string) => string;

/**
 * Dots name nested fields, a repeated field makes a list, `@file` is replaced by the text of a file, and `@@` is a single at
 * sign. A value that does not fit stays text, so that the schema rejects it. Throws a DiagnosticError for a field that cannot be
 * parsed.
 */
export function bodyFromFields(schema: z.ZodObject, fields: readonly string[], readText: ReadText): unknown {
  const byPath = new Map<string, BodyPart>();
  for (const field of fields) {
    const { path, text } = splitField(field);
    const key = JSON.stringify(path);
    const value = text.startsWith('@@')
      ? text.slice(1)
      : text.startsWith('@')
        ? readText(text.slice(1))
        : text;
    byPath.set(key, { path, texts: [...(byPath.get(key)?.texts ?? []), value] });
  }
  const body = emptyRecord();
  for (const { path, texts } of byPath.values()) {
    const at = path.reduce<readonly z.ZodType[]>(
      (inner, key) => inner.flatMap((one) => child(one, key)),
      [schema],
    );
    put(body, path, fieldValue(path, texts, at.flatMap(alternatives)));
  }
  return body;
}

interface BodyPart {
  readonly path: readonly string[];
  readonly texts: readonly string[];
}

export function child(schema: z.ZodType, key: PropertyKey): readonly z.ZodType[] {
  return alternatives(schema).flatMap((one): readonly z.ZodType[] => {
    if (one instanceof z.ZodObject) {
      return Object.hasOwn(one.shape, key) ? [one.shape[String(key)] as z.ZodType] : [];
    }
    if (one instanceof z.ZodRecord) return [one.valueType as z.ZodType];
    if (one instanceof z.ZodArray) return typeof key === 'number' ? [one.element as z.ZodType] : [];
    return one instanceof z.ZodUnknown ? [one] : [];
  });
}

/** Without optional and the like; one schema for each form. */
export function alternatives(schema: z.ZodType): readonly z.ZodType[] {
  if (schema instanceof z.ZodNullable) return [z.null(), ...alternatives(schema.unwrap() as z.ZodType)];
  if (schema instanceof z.ZodOptional) return alternatives(schema.unwrap() as z.ZodType);
  if (schema instanceof z.ZodUnion) return schema.options.flatMap((one) => alternatives(one as z.ZodType));
  return [schema];
}

function splitField(field: string): { readonly path: readonly string[]; readonly text: string } {
  const match = /^((?:"(?:[^"\\]|\\.)*"|[^="])+)=(.*)$/s.exec(field);
  if (match === null) {
    throw userError(
      'field',
      `-F ${JSON.stringify(field)} has no value`,
      'write -F field=value, or -F field=@file',
    );
  }
  return { path: parseFieldPath(match[1] ?? ''), text: match[2] ?? '' };
}

function fieldValue(path: readonly string[], texts: readonly string[], forms: readonly z.ZodType[]): unknown {
  const list = forms.find((form) => form instanceof z.ZodArray);
  const elements = list === undefined ? [] : alternatives(list.element as z.ZodType);
  const [first = '', ...more] = texts;
  if (more.length > 0) {
    if (list === undefined && forms.length > 0 && !forms.some((form) => form instanceof z.ZodUnknown)) {
      throw userError('field', `${path.join('.')} is set ${texts.length} times, but is not a list`);
    }
    return texts.map((text) => fitting(text, elements)?.value ?? text);
  }
  // A single word for a list is one of the known words, or the list's only entry.
  const single = forms.filter(
    (form) => list === undefined || knownValues(form).length === 0 || isKnown(form, first),
  );
  const fit = fitting(first, single);
  if (fit !== undefined) return fit.value;
  return list === undefined ? typed(first, forms) : [fitting(first, elements)?.value ?? first];
}

function isKnown(form: z.ZodType, text: string): boolean {
  return knownValues(form).includes(text);
}

function fitting(text: string, forms: readonly z.ZodType[]): { readonly value: unknown } | undefined {
  for (const value of [literalOf(text), text]) {
    if (value !== undefined && forms.some((form) => form.safeParse(value).success)) return { value };
  }
  return undefined;
}

/** A number or boolean if only those are known, else the text. */
function typed(text: string, forms: readonly z.ZodType[]): unknown {
  const literal = literalOf(text);
  const takesText = forms.some((form) => form instanceof z.ZodString || form instanceof z.ZodEnum);
  return literal === undefined || takesText ? text : literal;
}

/** null, booleans, numbers, lists and objects in JSON; undefined for other texts. */
function literalOf(text: string): unknown {
  if (!/^\s*(?:null|true|false|-?\d|[[{])/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function put(body: Record<string, unknown>, path: readonly string[], value: unknown): void {
  let inner = body;
  for (const [at, key] of path.entries()) {
    if (at === path.length - 1) {
      if (key in inner) throw userError('field', `${path.join('.')} is set as a value and as an object`);
      inner[key] = value;
      return;
    }
    inner[key] ??= emptyRecord();
    const next = inner[key];
    if (!isOurs(next))
      throw userError('field', `${path.slice(0, at + 1).join('.')} is set as a value and as an object`);
    inner = next;
  }
}

/** Without a prototype, so that no key has a special meaning. */
function emptyRecord(): Record<string, unknown> {
  return Object.create(null) as Record<string, unknown>;
}

function isOurs(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === null;
}

const key = /^(?:([^\s."'[\]=|(){},]+)|("(?:[^"\\]|\\.)*"))(?:\.(?=.)|$)/s;

/** Throws a DiagnosticError that names the column. */
function parseFieldPath(text: string): readonly string[] {
  const keys: string[] = [];
  let rest = text;
  do {
    const [whole, plain, quoted] = key.exec(rest) ?? [];
    if (whole === undefined) {
      throw userError(
        'path',
        `"${text}" is not the name of a field: a key is expected at column ${text.length - rest.length + 1}`,
        'write keys with dots between them, for example adaptiveContent.enabled or values."odd key"; repeat the field for a list',
      );
    }
    keys.push(plain ?? unquoted(text, quoted ?? '""'));
    rest = rest.slice(whole.length);
  } while (rest !== '');
  return keys;
}

function unquoted(text: string, quoted: string): string {
  try {
    return String(JSON.parse(quoted));
  } catch {
    throw userError('path', `"${text}" is not the name of a field: ${quoted} is not a JSON string`);
  }
}
