/** One value of a manifest, or of another YAML file, checked against its schema; what is wrong is reported at its place. */
import * as z from 'zod';
import { isOneOrMore, unwrapped } from '../util/data-schema.ts';
import { revealSecrets } from '../util/secret.ts';
import { describeIssue, valueAt } from './issue-text.ts';
import { holdsBroken, isBroken, type Located, partAt, plainOf, suggestForSecret } from './located.ts';
import type { Problems } from './problems.ts';
import { entrySchema, metaOf, schemaAt } from './schema-part.ts';
import { suggestValue } from './suggestion.ts';
import { reportUnknownKey } from './unknown-key.ts';

/** How a value is read. */
export interface ValueOptions {
  /** The value as its file spells it; empty for a document as a whole. */
  readonly name: string;
  readonly address?: string | undefined;
  readonly problems: Problems;
  /** Secrets are `checked` by their value, or `refused`, since the value will be shown. */
  readonly secrets: 'checked' | 'refused';
  /** What to suggest where nothing better is known. Called only for a value that is wrong. */
  readonly fallback?: (() => string | undefined) | undefined;
}

/** A value that its schema accepts. */
interface Accepted<T> {
  /** As written, with secrets. */
  readonly plain: unknown;
  /** With defaults. */
  readonly value: T;
}

/** The value with its defaults; undefined where it is wrong, which is then among the problems. */
export function readValue<T>(
  schema: z.ZodType<T>,
  located: Located,
  options: ValueOptions,
): Accepted<T> | undefined {
  if (isBroken(located)) return undefined;
  const plain = convert(located, schema);
  const parsed = schema.safeParse(options.secrets === 'checked' ? revealSecrets(plain) : plain);
  if (parsed.success) return holdsBroken(located) ? undefined : { plain, value: parsed.data };
  for (const issue of causes(parsed.error.issues, plain))
    reportIssue({ schema, issue, located, plain }, options);
  return undefined;
}

/** The issues that do not follow from others: one for each place, and no missing key beside a misspelt one. */
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
  // Of alternatives, none fits a mapping with a part that is not known yet.
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

/** What came from `${…}` is text: where a number or a boolean is expected, it is read as one. */
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
  if (value === 'true' || value === 'false') return value === 'true';
  return value.trim() !== '' && Number.isFinite(Number(value)) ? Number(value) : value;
}

function convertMap(located: Extract<Located, { type: 'map' }>, schema: z.ZodType): unknown {
  const plain = plainOf(located) as Record<string, unknown>;
  for (const { key, value } of located.entries) {
    const inner = entrySchema(schema, key);
    if (inner !== undefined) plain[key] = convert(value, inner);
  }
  return plain;
}
