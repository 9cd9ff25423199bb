/** The JSON Schema of manifests, for editors: made from the same kinds that validation uses. Pure. */
import * as z from 'zod';
import { isClosed, knownValues } from '../contract/values.ts';
import type { Field } from '../kinds/field.ts';
import type { Kind } from '../kinds/kind.ts';
import { createRegistry, type Registry } from '../kinds/registry.ts';
import { fieldNameSchema, formerNamesSchema, lifecycleSchema } from '../tree/lifecycle.ts';
import { settingsSchema } from '../tree/settings.ts';
import { removeOwnMetadata } from '../util/data-schema.ts';
import { defined } from '../util/defined.ts';
import { isRecord } from '../util/json.ts';
import { configSchema } from './config.ts';
import { overlayNamePattern } from './overlay-name.ts';

type Schema = { readonly [key: string]: unknown };

const draft = 'http://json-schema.org/draft-07/schema#';

/** In place of a value that is not text, `${env:NAME}` and the like are allowed. */
const interpolation: Schema = {
  type: 'string',
  pattern: '^\\$\\{(env|file|json|yaml|secret):[^}]*\\}$',
  description: 'Filled in from the environment or a file.',
};

/** A text with a part to fill in: its final value is not known here, so no limit applies. */
const template: Schema = { type: 'string', pattern: '\\$\\{' };

/** Text that is not empty. */
const text: Schema = { type: 'string', minLength: 1 };

/** The schema of one manifest document. The same kinds give the same schema. */
export function manifestJsonSchema(kinds: readonly Kind[]): Schema {
  const registry = createRegistry(kinds);
  const { root } = registry;
  return {
    $schema: draft,
    title: 'Octavo manifest',
    description: 'Declares a documentation workspace, or a part of it.',
    type: 'object',
    required: ['octavo'],
    anyOf: [{ required: ['organization'] }, { required: ['overlay'] }],
    additionalProperties: false,
    patternProperties: { '^x-': {} },
    properties: {
      $schema: { type: 'string' },
      octavo: { const: 1, description: 'Version of the grammar.' },
      overlay: {
        type: 'string',
        pattern: overlayNamePattern.source,
        description:
          'Makes the document an overlay of this name, which is merged over the manifests with --overlay; null deletes a key there.',
        examples: ['production'],
      },
      organization: organizationSchema(root),
      settings: fillableSchema(toSchema(settingsSchema(registry.kinds.map(({ name }) => name)))),
      ...collectionSchemas(registry, root),
    },
    definitions: Object.fromEntries(
      kinds.filter((kind) => kind !== root).map((kind) => [kind.name, objectSchema(registry, kind)]),
    ),
  };
}

/** The schema of `octavo.config.yaml`. */
export function configJsonSchema(): Schema {
  return { $schema: draft, ...toSchema(configSchema) };
}

function organizationSchema(root: Kind): Schema {
  return {
    description: root.description,
    anyOf: [
      { ...text, description: 'The id alone, where another document declares the rest.' },
      {
        type: 'object',
        additionalProperties: false,
        oneOf: [{ required: ['id'] }, { required: ['match'] }],
        properties: {
          id: { ...text, description: 'Id of the organization.' },
          match: {
            type: 'object',
            description: 'Finds the organization where its id is not known.',
            minProperties: 1,
            additionalProperties: false,
            properties: { hostname: text, title: text },
          },
          lifecycle: lifecycleOf(root),
          ...fieldSchemas(root),
        },
      },
    ],
  };
}

function lifecycleOf(kind: Kind): Schema {
  return fillableSchema(toSchema(lifecycleSchema(fieldNameSchema(Object.keys(kind.fields)))));
}

/** A schema with the templates that may replace its values; its description stays on the outside. */
function fillableSchema(schema: Schema): Schema {
  const { description, default: initial, examples, ...own } = schema;
  const options = fillable(own);
  return options.length === 1
    ? schema
    : { ...defined({ description, default: initial, examples }), anyOf: options };
}

/** One object of a kind, or its only value. */
function objectSchema(registry: Registry, kind: Kind): Schema {
  const whole = kind.whole === undefined ? undefined : kind.fields[kind.whole];
  if (whole !== undefined) return fieldSchema(whole);
  return {
    type: 'object',
    description: kind.description,
    additionalProperties: false,
    ...defined({ required: kind.marker === undefined ? undefined : [kind.marker] }),
    properties: {
      id: { ...text, description: 'Id of an existing object.' },
      was: fillableSchema(toSchema(formerNamesSchema)),
      lifecycle: lifecycleOf(kind),
      ...fieldSchemas(kind),
      ...collectionSchemas(registry, kind),
    },
  };
}

function collectionSchemas(registry: Registry, parent: Kind): Schema {
  return Object.fromEntries(
    registry.collectionsOf(parent.name).map((key) => {
      const places = registry.at(parent.name, key);
      const [first] = places;
      if (first?.place.shape === 'single') return [key, { $ref: `#/definitions/${first.kind.name}` }];
      const keySchema = places.length === 1 ? first?.kind.keySchema?.() : undefined;
      const objects: Schema = {
        type: 'object',
        propertyNames: {
          minLength: 1,
          pattern: '^(?!organization$)[^/]+$',
          ...(keySchema && toSchema(keySchema)),
        },
        additionalProperties: entrySchema(places.map(({ kind }) => kind)),
      };
      return [
        key,
        {
          anyOf: [objects, interpolation],
          description: places.map(({ kind }) => kind.description).join(' '),
        },
      ];
    }),
  );
}

/** Kinds that share a place differ in a key that only one of them has. */
function entrySchema(kinds: readonly Kind[]): Schema {
  const reference = (kind: Kind | undefined): Schema =>
    kind === undefined ? {} : { $ref: `#/definitions/${kind.name}` };
  const marked = kinds.find(({ marker }) => marker !== undefined);
  const plain = kinds.find(({ marker }) => marker === undefined);
  if (marked === undefined) return reference(plain);
  return { anyOf: [reference(marked), reference(plain)] };
}

function fieldSchemas(kind: Kind): Schema {
  return Object.fromEntries(
    Object.entries(kind.fields)
      .filter(([name]) => kind.key?.is !== 'field' || kind.key.field !== name)
      .map(([name, field]) => [name, fieldSchema(field)]),
  );
}

function fieldSchema(field: Field): Schema {
  const schema = field.schema();
  const own = withKnown(schema, toSchema(schema));
  const options = field.type === 'reference' ? [own] : [...fillable(own)];
  if (field.nullable !== undefined) options.push({ type: 'null' });
  return {
    description: field.description,
    ...defined({ examples: field.example === undefined ? undefined : [field.example] }),
    ...(options.length === 1 ? options[0] : { anyOf: options }),
  };
}

/** The forms that a value may be written in: its own, and the templates that become such a value. */
function fillable(own: Schema): readonly Schema[] {
  if (Object.keys(own).length === 0) return [own];
  if (own.type === 'string') {
    const isLimited =
      own.enum ?? own.pattern ?? own.format ?? own.maxLength ?? (Number(own.minLength ?? 0) > 1 || undefined);
    return isLimited === undefined ? [own] : [own, template];
  }
  if (Array.isArray(own.anyOf)) {
    const options = (own.anyOf as readonly Schema[]).flatMap((option) =>
      option.type === 'string' ? fillable(option) : [option],
    );
    return [...options, ...(options.some(({ type }) => type === 'string') ? [] : [interpolation])];
  }
  const { properties, additionalProperties, items } = own;
  return [
    {
      ...own,
      ...(isRecord(properties)
        ? {
            properties: Object.fromEntries(
              Object.entries(properties).map(([key, inner]) => [key, fillableSchema(inner as Schema)]),
            ),
          }
        : {}),
      ...(isRecord(additionalProperties)
        ? { additionalProperties: fillableSchema(additionalProperties) }
        : {}),
      ...(isRecord(items) ? { items: fillableSchema(items) } : {}),
    },
    interpolation,
  ];
}

/** Known values are offered, and others allowed where the API lists none: those enumerations grow. */
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

function toSchema(schema: z.ZodType): Schema {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, {
    target: 'draft-7',
    unrepresentable: 'any',
    io: 'input',
    override: ({ jsonSchema }) => adaptSchema(jsonSchema),
  });
  return rest;
}

/** Removes metadata for Octavo's own readers, and allows a list's only item without brackets. */
function adaptSchema(schema: z.core.JSONSchema.BaseSchema): void {
  const { oneOrMore, items, type } = schema;
  removeOwnMetadata(schema);
  if (oneOrMore !== true || items === undefined) return;
  delete schema.type;
  delete schema.items;
  Object.assign(schema, { anyOf: [items, { type, items }] });
}
