/** Suggests a replacement for an invalid value. */
import type { z } from 'zod';
import { knownValues } from '../../contract/values.ts';
import type { Kind } from '../../kinds/kind.ts';
import { countOf } from '../../util/count.ts';
import { unwrapped } from '../../util/data-schema.ts';
import { nearest } from '../../util/nearest.ts';
import { nested } from '../../util/nested.ts';
import { type Located, type LocatedEntry, plainOf, scalarText } from '../../yaml/located.ts';
import type { Problems } from '../../yaml/problems.ts';
import { metaOf, schemaAt } from '../schema/schema-part.ts';
import { repaired } from './repair.ts';

export interface RefusedValue {
  readonly schema: z.ZodType;
  readonly issue: z.core.$ZodIssue;
  readonly part: Located;
  readonly described: string | undefined;
  readonly fallback: string | undefined;
}

export function suggestValue(refused: RefusedValue): string | undefined {
  const { issue, part } = refused;
  const schema = schemaAt(refused.schema, issue.path);
  const known = schema === undefined ? [] : knownValues(unwrapped(schema));
  if (known.length > 0) return `use one of ${known.join(', ')}`;
  const text = scalarText(part);
  if (issue.code === 'too_big' && text !== undefined) {
    const over = text.length - Number(issue.maximum);
    return `shorten it by ${countOf(over, 'character')}`;
  }
  return (
    nearestChoice(issue, part) ??
    metaOf(schema, 'help') ??
    quoted(issue, part) ??
    refused.described ??
    repair(schema, part) ??
    refused.fallback
  );
}

function nearestChoice(issue: z.core.$ZodIssue, part: Located): string | undefined {
  const plain = plainOf(part);
  if (issue.code !== 'invalid_value' || typeof plain !== 'string') return undefined;
  const near = nearest(plain, issue.values.map(String));
  return near === undefined ? undefined : `did you mean ${near}?`;
}

function quoted(issue: z.core.$ZodIssue, part: Located): string | undefined {
  if (part.type !== 'scalar' || issue.code !== 'invalid_type' || issue.expected !== 'string')
    return undefined;
  return part.written === undefined ? undefined : `quote it: "${part.written}"`;
}

function repair(schema: z.ZodType | undefined, part: Located): string | undefined {
  const plain = plainOf(part);
  const near = typeof plain === 'string' && schema !== undefined ? repaired(schema, plain) : undefined;
  return near === undefined ? undefined : `did you mean ${near}?`;
}

export function inYaml(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inYaml).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).map(([key, inner]) => `${inYaml(key)}: ${inYaml(inner)}`);
    return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`;
  }
  if (typeof value !== 'string') return String(value);
  const isPlain = /^[\p{L}\p{S}\p{N}](?:[\p{L}\p{S}\p{N}\p{M} ._@/:+-]*[\p{L}\p{S}\p{N}])?$/u.test(value);
  const isOther = /^(?:true|false|null|[\d.+-].*|.*: .*)$/i.test(value);
  return isPlain && !isOther ? value : JSON.stringify(value);
}

/** Suggests the space that `key:value` lacks. */
export function suggestSpace(value: Located): string | undefined {
  const [, key, rest] = /^([\w-]+):(\S.*)$/.exec(scalarText(value) ?? '') ?? [];
  return key === undefined ? undefined : `add a space after the colon: ${key}: ${rest}`;
}

export function exampleField(kind: Kind): string {
  const [name, field] = Object.entries(kind.fields)[0] ?? [];
  return name === undefined ? '…' : inYaml(nested([[name, field?.example]])).replace(/^\{ ?| ?\}$/g, '');
}

interface UnknownKey {
  readonly entry: LocatedEntry;
  readonly noun: string;
  /** Noun with its article; omitted if `noun` implies it. */
  readonly owner?: string | undefined;
  readonly known: readonly string[];
  readonly address?: string | undefined;
  /** Replaces the guess. */
  readonly suggestion?: string | undefined;
}

const settings = 'write it in a manifest, below settings';

/** Help for keys that are often written in the wrong place. */
const elsewhere = new Map(
  Object.entries({
    prune: settings,
    protect: settings,
    limits: settings,
    token: 'set OCTAVO_TOKEN, or pass --token-file',
    hostname: 'it cannot be declared here; custom domains are set in the app',
  }),
);

export function reportUnknownKey(unknown: UnknownKey, problems: Problems): void {
  const { entry, noun, owner, known, address } = unknown;
  const where = owner === undefined ? '' : ` in ${owner}`;
  problems.error('unknown-key', `unknown ${noun} ${JSON.stringify(entry.key)}${where}`, entry.keyAt, {
    address,
    suggestion: unknown.suggestion ?? elsewhere.get(entry.key) ?? suggestKnown(entry.key, known),
  });
}

export function suggestKnown(word: string, known: readonly string[]): string {
  const near = nearest(word, known);
  return near === undefined ? `use one of ${known.join(', ')}` : `did you mean ${near}?`;
}
