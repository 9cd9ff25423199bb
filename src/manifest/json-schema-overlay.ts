/** The form of overlays, from that of manifests: nothing is required, and null deletes a key. Pure. */
import { defined } from '../util/defined.ts';
import { isRecord } from '../util/json.ts';
import type { Schema } from './json-schema-parts.ts';

/** Definitions that are the same in overlays. */
const shared = new Set(['interpolation']);

/** The name of the definition that overlays use in place of another one. */
function overlayName(name: string): string {
  return shared.has(name) ? name : `${name}Overlay`;
}

/** Definitions for overlays, beside those for manifests. */
export function overlayDefinitions(definitions: Schema): Schema {
  return Object.fromEntries(
    Object.entries(definitions)
      .filter(([name]) => !shared.has(name))
      .map(([name, schema]) => [overlayName(name), overlayForm(schema as Schema)]),
  );
}

/** A schema as overlays have it. */
export function overlayForm(schema: Schema): Schema {
  if (typeof schema.$ref === 'string') {
    const name = schema.$ref.replace('#/definitions/', '');
    return { ...schema, $ref: `#/definitions/${overlayName(name)}` };
  }
  // What says which of two kinds an entry is may be in the manifest alone.
  const { required, oneOf, if: condition, then, else: other, ...rest } = schema;
  if (isRecord(condition)) return { anyOf: [then, other].map((option) => overlayForm(option as Schema)) };
  const { properties, additionalProperties, anyOf } = rest;
  const alternatives = Array.isArray(oneOf) ? oneOf.flatMap((one: Schema) => one.required) : [];
  return {
    ...rest,
    // Of several keys that say the same thing, none is needed, and not all may be there.
    ...(alternatives.length === 0 ? {} : { not: { required: alternatives } }),
    ...(isRecord(properties)
      ? { properties: { ...nullableIn(properties, required), ...entriesOf(properties, alternatives) } }
      : {}),
    ...(isRecord(additionalProperties) ? { additionalProperties: orNull(additionalProperties) } : {}),
    ...(Array.isArray(anyOf) ? { anyOf: anyOf.map((option) => overlayForm(option as Schema)) } : {}),
  };
}

/** The properties, each of which may be deleted but those without which the rest means nothing. */
function nullableIn(properties: Schema, required: unknown): Schema {
  const kept = Array.isArray(required) ? required : [];
  return Object.fromEntries(
    Object.entries(properties).map(([name, value]) => [
      name,
      kept.includes(name) ? overlayForm(value as Schema) : orNull(value as Schema),
    ]),
  );
}

/** Some of the properties, as they are. */
function entriesOf(properties: Schema, names: readonly unknown[]): Schema {
  return Object.fromEntries(Object.entries(properties).filter(([name]) => names.includes(name)));
}

/** A value, or null, which deletes the key. What editors show of it stays on the outside. */
function orNull(schema: Schema): Schema {
  const { description, markdownDescription, default: initial, examples, ...own } = overlayForm(schema);
  if ('$ref' in own) {
    return {
      description: 'As in manifests; null deletes the key.',
      examples: [null],
      anyOf: [own, { type: 'null' }],
    };
  }
  const hints = defined({ description, markdownDescription, default: initial, examples });
  const options = own.anyOf;
  if (!Array.isArray(options)) return { ...hints, anyOf: [own, { type: 'null' }] };
  const hasNull = options.some((option: Schema) => option.type === 'null');
  return { ...hints, ...own, anyOf: hasNull ? options : [...options, { type: 'null' }] };
}
