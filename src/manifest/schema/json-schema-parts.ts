/** Parts of the JSON Schemas for editors: fields, their hints, and templates that may replace values. */
import * as z from 'zod';
import { isClosed, knownValues } from '../../contract/values.ts';
import { fieldNotes } from '../../kinds/parts/describe-kind.ts';
import { canEnd, type Field, isExactList, referenceOf } from '../../kinds/parts/field.ts';
import { removeOwnMetadata } from '../../util/data-schema.ts';
import { defined } from '../../util/defined.ts';
import { isRecord } from '../../util/json.ts';
import { addKey } from '../files/paths.ts';

/** A JSON Schema (draft-07). */
export type Schema = { readonly [key: string]: unknown };

export const commonDefinitions: Schema = {
  interpolation: {
    type: 'string',
    pattern: '^\\$\\{((env|file|json|yaml|secret|input):[^}]*|clear)\\}$',
    description: 'Filled in from the environment, a file, or an input of a template.',
    examples: ['${env:NAME}'],
  },
  records: {
    type: 'array',
    items: {
      type: 'object',
      required: ['key'],
      properties: {
        key: { type: 'string', description: 'Key of the object, or id of the organization.' },
        override: {
          type: 'object',
          description: 'Overrides the template, like the keys next to use.',
          examples: [{ title: 'Hub' }],
        },
      },
    },
  },
};

/** Allows `${env:NAME}` and the like in fields that are not text. */
export const interpolation: Schema = { $ref: '#/definitions/interpolation' };

/** Limits do not apply to a text with `${…}`: its final value is not known here. */
const template: Schema = { type: 'string', pattern: '\\$\\{' };

export const text: Schema = { type: 'string', minLength: 1 };

export function useSchemas(): Schema {
  return {
    use: {
      ...text,
      description: 'Name of a template that makes the object; the keys next to it override the template.',
    },
    with: {
      description: 'Inputs of the template.',
      examples: [{ title: 'Developer Hub' }],
      anyOf: [{ type: 'object' }, interpolation],
    },
    each: {
      description: 'Records, each of which makes one object, called by its key.',
      examples: [[{ key: 'developer-hub', title: 'Developer Hub' }]],
      anyOf: [{ $ref: '#/definitions/records' }, interpolation],
    },
  };
}

export function byKey(key: string, present: Schema, absent: Schema): Schema {
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  return { if: { required: [key] }, then: present, else: absent };
}

/** Keeps the description at the top level. */
export function fillableSchema(schema: Schema): Schema {
  const { description, default: initial, examples, ...own } = schema;
  const options = fillable(own);
  return options.length === 1
    ? schema
    : { ...defined({ description, default: initial, examples }), anyOf: options };
}

export function fieldSchema(field: Field, keys?: z.ZodType): Schema {
  const schema = field.schema();
  // Editors offer examples as values, and complete any key with a word: neither would name an existing object.
  const isNamed = referenceOf(field) !== undefined;
  const plain = withEnds(field, withKnown(schema, toSchema(schema)));
  const names = keys === undefined ? plain.propertyNames : toSchema(keys);
  const propertyNames = isNamed && isRecord(names) ? { doNotSuggest: true, ...names } : undefined;
  const own = { ...plain, ...defined({ propertyNames }) };
  const isMap =
    plain.type === 'object' && isRecord(plain.additionalProperties) && !isRecord(plain.properties);
  // With a scalar value, the key `add` is a name. Editors would offer a property.
  const isAdded = {
    required: [addKey],
    patternProperties: { [`^${addKey}$`]: { type: ['object', 'array', 'null'] } },
  };
  const exact = isMap ? { ...own, not: isAdded } : own;
  const options = isExactList(field) ? [...fillable(exact), additiveSchema(own)] : [...fillable(own)];
  if (field.nullable !== undefined) options.push({ type: 'null' });
  const { description, example, absent } = field;
  const notes = [...fieldNotes(field), ...(isNamed ? [`Example: \`${JSON.stringify(example)}\``] : [])];
  return {
    description,
    markdownDescription: [description, ...notes].join('\n\n'),
    ...defined({ default: absent }),
    ...(isNamed ? {} : { examples: [example] }),
    ...(options.length === 1 ? options[0] : { anyOf: options }),
  };
}

export const untilSchema: Schema = {
  type: 'string',
  format: 'date',
  description: 'The last day (UTC) of the access: afterwards, the entry counts as removed.',
  examples: ['2027-01-31'],
};

/** Values may have a last day: `owner`, or `{ role: owner, until: 2027-01-31 }`. */
function withEnds(field: Field, plain: Schema): Schema {
  if (!canEnd(field)) return plain;
  const { valueKey } = field;
  const value = plain.additionalProperties as Schema;
  const described = { description: 'The value, as without a last day.', ...value };
  const ending = {
    type: 'object',
    required: [valueKey, 'until'],
    additionalProperties: false,
    properties: { [valueKey]: described, until: untilSchema },
  };
  return { ...plain, additionalProperties: { anyOf: [value, ending] } };
}

/** Omits `minItems`, which applies to the whole list. */
function additiveSchema({ minItems: _least, ...own }: Schema): Schema {
  const description =
    'Adds to the list: entries of others are kept, and entries removed from the manifests are removed.';
  const add = { description, examples: [own.type === 'array' ? [] : {}], anyOf: fillable(own) };
  const properties = { [addKey]: add };
  // An overlay requires no key, but an empty mapping is not a list.
  return { type: 'object', required: [addKey], minProperties: 1, additionalProperties: false, properties };
}

function fillable(own: Schema): readonly Schema[] {
  if (Object.keys(own).length === 0) return [own];
  if (own.type === 'string') {
    const isLimited =
      own.enum ?? own.pattern ?? own.format ?? own.maxLength ?? (Number(own.minLength ?? 0) > 1 || undefined);
    return isLimited === undefined ? [own] : [own, template];
  }
  if (Array.isArray(own.anyOf)) {
    const options = (own.anyOf as readonly Schema[]).flatMap((option) =>
      option.type === 'string' ? fillable(option) : [withFillableParts(option)],
    );
    return [...options, ...(options.some(({ type }) => type === 'string') ? [] : [interpolation])];
  }
  return [withFillableParts(own), interpolation];
}

function withFillableParts(own: Schema): Schema {
  const { properties, additionalProperties, items } = own;
  const inside = isRecord(properties) ? Object.entries(properties) : [];
  const filled = inside.map(([key, inner]) => [key, fillableSchema(inner as Schema)]);
  return {
    ...own,
    ...(isRecord(properties) ? { properties: Object.fromEntries(filled) } : {}),
    ...(isRecord(additionalProperties) ? { additionalProperties: fillableSchema(additionalProperties) } : {}),
    ...(isRecord(items) ? { items: fillableSchema(items) } : {}),
  };
}

/** Offers known values. Also allows others if the API does not list the values, because such enumerations grow. */
function withKnown(schema: z.ZodType, own: Schema): Schema {
  if (schema instanceof z.ZodRecord && isRecord(own.additionalProperties)) {
    return {
      ...own,
      additionalProperties: withKnown(schema.valueType as z.ZodType, own.additionalProperties),
    };
  }
  const known = knownValues(schema);
  if (known.length === 0) return own;
  if (isClosed(schema)) return { type: 'string', enum: [...known] };
  return { anyOf: [{ enum: [...known] }, { type: 'string', minLength: 1 }] };
}

export function toSchema(schema: z.ZodType): Schema {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, {
    target: 'draft-7',
    unrepresentable: 'any',
    io: 'input',
    override: ({ jsonSchema }) => adaptSchema(jsonSchema),
  });
  return rest;
}

/** Matches the start of every text that the reader accepts as a URL, which ignores whitespace before the scheme and tabs in it. */
const schemePattern = '^[\\s\\x00-\\x20]*[A-Za-z][-+.A-Za-z0-9\\t\\n\\r]*:';

/**
 * Removes Octavo's own metadata, and allows a single list item without brackets. A URL needs a pattern, because editors accept
 * one without a scheme if only the format is given.
 */
function adaptSchema(schema: z.core.JSONSchema.BaseSchema): void {
  const { oneOrMore, items, type } = schema;
  removeOwnMetadata(schema);
  if (schema.format === 'uri') {
    const patternErrorMessage = 'Not a URL with a scheme, such as https://…';
    Object.assign(schema, { pattern: schemePattern, patternErrorMessage });
  }
  if (oneOrMore !== true || items === undefined) return;
  delete schema.type;
  delete schema.items;
  Object.assign(schema, { anyOf: [items, { type, items }] });
}
