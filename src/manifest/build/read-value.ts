/** Reads a value of a manifest or another YAML file, checked against its schema. */
import * as z from 'zod';
import { isOneOrMore, unwrapped } from '../../util/data-schema.ts';
import { holdsUnfilled, revealSecrets } from '../../util/secret.ts';
import {
  findScalar,
  holdsBroken,
  isBroken,
  isExact,
  type Located,
  type LocatedScalar,
  partAt,
  plainOf,
  suggestForSecret,
} from '../../yaml/located.ts';
import type { Problems } from '../../yaml/problems.ts';
import { entrySchema, metaOf, schemaAt } from '../schema/schema-part.ts';
import { describeIssue, valueAt } from './issue-text.ts';
import { reportUnknownKey, suggestValue } from './suggestion.ts';

export interface ValueOptions {
  readonly name: string;
  readonly address?: string | undefined;
  readonly problems: Problems;
  /** `checked`: secrets are checked by their value; `refused`: secrets are rejected, because the value will be shown. */
  readonly secrets: 'checked' | 'refused';
  readonly fallback?: (() => string | undefined) | undefined;
}

interface Accepted<T> {
  readonly plain: unknown;
  readonly value: T;
}

export function readValue<T>(
  schema: z.ZodType<T>,
  located: Located,
  options: ValueOptions,
): Accepted<T> | undefined {
  if (isBroken(located)) return undefined;
  const rounded = findScalar(located, isRounded);
  if (rounded !== undefined) {
    const message = `${rounded.written} would be read as ${String(rounded.value)}`;
    const { address, problems } = options;
    problems.error('not-a-value', message, rounded.at, { address, suggestion: 'quote it to make it text' });
    return undefined;
  }
  const plain = convert(located, schema);
  // The value belongs to a base whose secrets are not set.
  if (holdsUnfilled(plain)) return { plain, value: plain as T };
  const parsed = schema.safeParse(options.secrets === 'checked' ? revealSecrets(plain) : plain);
  if (parsed.success) return holdsBroken(located) ? undefined : { plain, value: parsed.data };
  for (const issue of causes(parsed.error.issues, plain))
    reportIssue({ schema, issue, located, plain }, options);
  return undefined;
}

function isRounded({ value, written = '' }: LocatedScalar): boolean {
  return typeof value === 'number' && !isExact(value, written);
}

/** Drops issues that follow from others: keeps one per place, and no missing key next to a misspelled one. */
function causes(issues: readonly z.core.$ZodIssue[], plain: unknown): readonly z.core.$ZodIssue[] {
  const places = new Map<string, z.core.$ZodIssue>();
  for (const issue of issues) {
    const place = JSON.stringify([issue.path, issue.code === 'unrecognized_keys']);
    if (!places.has(place)) places.set(place, issue);
  }
  return [...places.values()].filter(
    ({ path }) =>
      path.length === 0 ||
      valueAt(plain, path) !== undefined ||
      !places.has(JSON.stringify([path.slice(0, -1), true])),
  );
}

interface FoundIssue {
  readonly schema: z.ZodType;
  readonly issue: z.core.$ZodIssue;
  readonly located: Located;
  readonly plain: unknown;
}

function reportIssue({ schema, issue, located, plain }: FoundIssue, options: ValueOptions): void {
  const { name, address, problems } = options;
  const part = partAt(located, issue.path);
  // A mapping with an unknown part matches no alternative.
  if (isBroken(part) || (issue.code === 'invalid_union' && holdsBroken(part))) return;
  if (issue.code === 'unrecognized_keys') {
    reportUnknownKeys({ schema, located, issue, plain }, options);
    return;
  }
  const { message, suggestion: described } = describeIssue(name, issue, plain);
  const onSecret = options.secrets === 'refused' ? suggestForSecret(part) : undefined;
  const fallback =
    options.fallback?.() ??
    (issue.code === 'invalid_type' && issue.expected === 'object' && name !== ''
      ? `write ${name}: { … }, or remove the line`
      : undefined);
  problems.error('value', message, part.at, {
    address,
    suggestion: onSecret ?? suggestValue({ schema, issue, part, described, fallback }),
  });
}

function reportUnknownKeys(
  { schema, issue, located }: FoundIssue,
  { name, address, problems }: ValueOptions,
) {
  const part = partAt(located, issue.path);
  if (part.type !== 'map' || issue.code !== 'unrecognized_keys') return;
  const partSchema = schemaAt(schema, issue.path);
  const inner = partSchema === undefined ? undefined : unwrapped(partSchema);
  const known = inner instanceof z.ZodObject ? Object.keys(inner.shape) : [];
  const noun = metaOf(partSchema, 'entry');
  const owner = [name, ...issue.path.map(String)].join('.');
  for (const entry of part.entries) {
    if (!issue.keys.includes(entry.key)) continue;
    reportUnknownKey(
      { entry, noun: noun ?? 'key', owner: noun === undefined ? owner : undefined, known, address },
      problems,
    );
  }
}

/** The number, boolean or text that was read from text with `${…}`. */
export const readAs = new WeakMap<Located, number | boolean | string>();

function fromText(value: string): number | boolean | string {
  if (value === 'true' || value === 'false') return value === 'true';
  const number = Number(value);
  return value.trim() !== '' && isExact(number, value.trim()) ? number : value;
}

/** Text from `${…}` is read as a number or a boolean if the schema expects one. */
function convert(located: Located, schema: z.ZodType): unknown {
  const inner = unwrapped(schema);
  if (located.type === 'map') return convertMap(located, inner);
  if (located.type === 'list') {
    if (!(inner instanceof z.ZodArray)) return plainOf(located);
    return located.items.map((item) => convert(item, inner.element as z.ZodType));
  }
  if (isOneOrMore(inner) && located.value !== null && !isBroken(located)) return [plainOf(located)];
  const { value } = located;
  if (located.interpolated !== true || typeof value !== 'string' || schema.safeParse(value).success) {
    return value;
  }
  const converted = fromText(value);
  if (converted !== value) readAs.set(located, converted);
  return converted;
}

function convertMap(located: Extract<Located, { type: 'map' }>, schema: z.ZodType): unknown {
  const plain = plainOf(located) as Record<string, unknown>;
  for (const { key, value } of located.entries) {
    const inner = entrySchema(schema, key);
    if (inner !== undefined) plain[key] = convert(value, inner);
  }
  return plain;
}
