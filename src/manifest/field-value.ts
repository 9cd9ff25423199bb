/** One field of a manifest entry: located value → normal form, held against the field's schema and known values. */
import { z } from 'zod';
import { knownValues } from '../contract/values.ts';
import type { Field } from '../kinds/kind.ts';
import type { Value } from '../kinds/payload.ts';
import type { SourceRange } from '../util/diagnostic.ts';
import { nearest } from '../util/nearest.ts';
import { revealSecrets } from '../util/secret.ts';
import { adviceOn } from './advice.ts';
import { holdsBroken, isBroken, type Located, partAt, plainOf } from './located.ts';
import type { Problems } from './problems.ts';
import { wordIssue } from './words.ts';

/** The value in normal form; undefined where it is wrong, which is then among the problems. */
export function readField(
  name: string,
  field: Field,
  located: Located,
  address: string,
  problems: Problems,
): Value | undefined {
  if (isBroken(located)) return undefined;
  if (located.type === 'scalar' && located.value === null) {
    if (field.nullable !== undefined) return null;
    problems.error('null', `${name} cannot be null`, located.at, {
      address,
      suggestion: 'give it a value, or take the line out to leave it alone',
    });
    return undefined;
  }
  const plain = convert(located, field.schema);
  const parsed = field.schema.safeParse(revealSecrets(plain));
  if (!parsed.success) {
    for (const issue of parsed.error.issues) {
      const part = partAt(located, issue.path);
      if (isBroken(part)) continue;
      const { message, suggestion: worded } = wordIssue(name, issue, plain);
      problems.error('value', message, placeOfIssue(part, issue), {
        address,
        suggestion: adviceOn({ name, field, issue, part, worded }),
      });
    }
    return undefined;
  }
  if (holdsBroken(located)) return undefined;
  checkKnown(name, field.schema, located, address, problems);
  return field.normalize === undefined ? (plain as Value) : field.normalize(plain as Value);
}

/** What came from `${…}` is text; where a number or a truth value is asked for, it is read as one. */
function convert(located: Located, schema: z.ZodType): unknown {
  if (located.type === 'scalar' && located.interpolated === true && typeof located.value === 'string') {
    if (schema.safeParse(located.value).success) return located.value;
    const { value } = located;
    if (value === 'true' || value === 'false') return value === 'true';
    if (value.trim() !== '' && Number.isFinite(Number(value))) return Number(value);
    return value;
  }
  if (located.type === 'list' && schema instanceof z.ZodArray) {
    return located.items.map((item) => convert(item, schema.element as z.ZodType));
  }
  if (located.type !== 'map') return plainOf(located);
  const plain = plainOf(located) as Record<string, unknown>;
  for (const { key, value } of located.entries) {
    const inner = innerSchema(schema, key);
    if (inner !== undefined) plain[key] = convert(value, inner);
  }
  return plain;
}

function innerSchema(schema: z.ZodType, key: string): z.ZodType | undefined {
  if (schema instanceof z.ZodRecord) return schema.valueType as z.ZodType;
  if (!(schema instanceof z.ZodObject) || !Object.hasOwn(schema.shape, key)) return undefined;
  return schema.shape[key] as z.ZodType;
}

/** Values that are not known: probably a slip where they are near a known one, else something newer than this program. */
function checkKnown(
  name: string,
  schema: z.ZodType,
  located: Located,
  address: string,
  problems: Problems,
): void {
  if (schema instanceof z.ZodRecord && located.type === 'map') {
    for (const { key, value } of located.entries) {
      checkKnown(`${name}.${key}`, schema.valueType as z.ZodType, value, address, problems);
    }
    return;
  }
  const known = knownValues(schema);
  if (known.length === 0 || located.type !== 'scalar' || typeof located.value !== 'string') return;
  if (known.includes(located.value)) return;
  const near = nearest(located.value, known);
  if (near !== undefined) {
    problems.error(
      'unknown-value',
      `${name} ${JSON.stringify(located.value)} is not a known value`,
      located.at,
      {
        address,
        suggestion: `did you mean ${near}? known are ${known.join(', ')}`,
      },
    );
  } else {
    problems.warn(
      'unknown-value',
      `${name} ${JSON.stringify(located.value)} is not a value that this version knows`,
      located.at,
      {
        address,
        suggestion: `known are ${known.join(', ')}; it is left to the service to accept another one`,
      },
    );
  }
}

/** A key that does not belong is told at the key, everything else at the value. */
function placeOfIssue(part: Located, issue: z.core.$ZodIssue): SourceRange {
  if (issue.code !== 'unrecognized_keys' || part.type !== 'map') return part.at;
  return part.entries.find(({ key }) => issue.keys.includes(key))?.keyAt ?? part.at;
}
