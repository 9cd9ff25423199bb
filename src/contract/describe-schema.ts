/** Describes the permitted values of a schema in a few words, as markdown. Pure. */
import * as z from 'zod';

interface SchemaShape {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: SchemaShape;
  readonly anyOf?: readonly SchemaShape[];
  readonly oneOf?: readonly SchemaShape[];
  readonly properties?: Readonly<Record<string, SchemaShape>>;
  readonly additionalProperties?: SchemaShape | boolean;
  readonly required?: readonly string[];
  readonly knownValues?: readonly string[];
  readonly oneOrMore?: boolean;
}

/** One property of an object's schema. */
export interface PropertyText {
  readonly name: string;
  readonly required: boolean;
  readonly value: string;
  readonly meaning: string;
}

/** Examples: `string (2 to 128 characters)`, or ``one of `asc`, `desc` `` for known values. */
export function describeSchema(schema: z.ZodType): string {
  return describe(shapeOf(schema));
}

/** The properties of an object, in the order of its schema. */
export function describeProperties(schema: z.ZodObject): readonly PropertyText[] {
  const { properties = {}, required = [] } = shapeOf(schema);
  return Object.entries(properties).map(([name, property]) => ({
    name,
    required: required.includes(name),
    value: describe(property),
    meaning: `${property.description ?? ''}${defaultText(property.default)}`,
  }));
}

/** Describes only scalar defaults: an empty list or mapping needs no mention. */
function defaultText(value: unknown): string {
  return value === undefined || typeof value === 'object' ? '' : ` Default: \`${String(value)}\`.`;
}

function shapeOf(schema: z.ZodType): SchemaShape {
  return z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as SchemaShape;
}

function describe(shape: SchemaShape): string {
  const options = shape.anyOf ?? shape.oneOf;
  if (options !== undefined) return [...new Set(options.map(describe))].join(' or ');
  const values = shape.enum ?? shape.knownValues;
  if (values !== undefined) return `one of ${values.map((value) => `\`${String(value)}\``).join(', ')}`;
  if (shape.const !== undefined) return `\`${String(shape.const)}\``;
  return describeType(shape) + describeLimits(shape);
}

function describeType(shape: SchemaShape): string {
  const { type, properties, required = [], additionalProperties } = shape;
  if (type === 'array') return describeList(shape);
  if (properties !== undefined) {
    const parts = Object.entries(properties).map(
      ([name, property]) => `\`${name}\`${required.includes(name) ? '' : '?'}: ${describe(property)}`,
    );
    return `{ ${parts.join('; ')} }`;
  }
  if (typeof additionalProperties === 'object' && Object.keys(additionalProperties).length > 0) {
    return `mapping to ${describe(additionalProperties)}`;
  }
  if (shape.format === 'uri') return 'URL';
  if (type === 'object') return 'mapping';
  return [type ?? 'any value'].flat().join(' or ');
}

function describeList({ items, oneOrMore }: SchemaShape): string {
  const item = items === undefined ? 'value' : describe(items);
  const plural = item.replace(/^(string|value)(?= |$)/, '$1s');
  return oneOrMore === true ? `${item} or list of ${plural}` : `list of ${plural}`;
}

/** Longer patterns are unreadable; the description of the field states the permitted values. */
const longestPattern = 100;

function describeLimits(shape: SchemaShape): string {
  const texts = [rangeText(shape)];
  const { pattern = '', format } = shape;
  if (pattern !== '' && pattern.length <= longestPattern && format === undefined)
    texts.push(`pattern \`${pattern}\``);
  const limits = texts.filter((text) => text !== '');
  return limits.length === 0 ? '' : ` (${limits.join(', ')})`;
}

function rangeText(shape: SchemaShape): string {
  const most = shape.maxLength ?? shape.maxItems ?? shape.maximum ?? Number.MAX_SAFE_INTEGER;
  const least = shape.minLength ?? shape.minItems ?? shape.minimum;
  const isList = shape.minItems !== undefined || shape.maxItems !== undefined;
  const isText = shape.minLength !== undefined || shape.maxLength !== undefined;
  const unit = isList ? ' items' : isText ? ' characters' : '';
  const isBound = least !== undefined && (unit === '' || least > 0);
  if (most < Number.MAX_SAFE_INTEGER)
    return isBound ? `${least} to ${most}${unit}` : `at most ${most}${unit}`;
  if (!isBound || least <= 0) return '';
  return least === 1 && unit !== '' ? 'not empty' : `at least ${least}${unit}`;
}
