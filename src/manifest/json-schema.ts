/** The JSON Schema of manifests, for editors: made from the same kinds that validation uses. Pure. */
import { z } from 'zod';
import { knownValues } from '../contract/values.ts';
import type { Field, Kind } from '../kinds/kind.ts';
import { createRegistry, type Registry } from '../kinds/registry.ts';
import { defaultLimits } from '../tree/desired.ts';
import { isRecord } from '../util/json.ts';

type Schema = { readonly [key: string]: unknown };

/** Where something else than text is wanted, `${env:NAME}` and the like may stand for it. */
const interpolation: Schema = {
  type: 'string',
  pattern: '^\\$\\{(env|file|json|yaml|secret):[^}]*\\}$',
  description: 'Filled in from the environment or a file.',
};

/** A text with a part to fill in: what it will be is not known here, so that no limit can be held against it. */
const template: Schema = { type: 'string', pattern: '\\$\\{' };

const prune: Schema = { anyOf: [{ enum: ['never', 'removed', 'unlisted'] }, interpolation] };

/** Text that says something. */
const text: Schema = { type: 'string', minLength: 1 };

/** The schema of one manifest document. The same kinds give the same schema. */
export function manifestJsonSchema(kinds: readonly Kind[]): Schema {
  const registry = createRegistry(kinds);
  const { root } = registry;
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Octavo manifest',
    description: 'Describes a documentation workspace, or a part of it.',
    type: 'object',
    required: ['octavo', 'organization'],
    additionalProperties: false,
    patternProperties: { '^x-': {} },
    properties: {
      $schema: { type: 'string' },
      octavo: { const: 1, description: 'Version of the grammar.' },
      organization: organizationSchema(root),
      settings: settingsSchema(registry),
      ...collectionSchemas(registry, root),
    },
    definitions: Object.fromEntries(
      kinds.filter((kind) => kind !== root).map((kind) => [kind.name, objectSchema(registry, kind)]),
    ),
  };
}

function organizationSchema(root: Kind): Schema {
  return {
    description: root.description,
    anyOf: [
      { ...text, description: 'The id alone, where another document says the rest.' },
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
          lifecycle: lifecycleSchema(root),
          ...fieldSchemas(root),
        },
      },
    ],
  };
}

function settingsSchema(registry: Registry): Schema {
  const count: Schema = { type: 'integer', minimum: 0 };
  const limit = (schema: Schema, description: string): Schema => ({
    anyOf: [schema, { type: 'null' }, interpolation],
    description,
  });
  return {
    type: 'object',
    description: 'What may be deleted and how much may change; once per organization.',
    additionalProperties: false,
    properties: {
      prune: {
        ...prune,
        description: 'What is deleted: nothing, what left the manifests, or all that they do not list.',
      },
      pruneKinds: {
        type: 'object',
        description: 'The same for single kinds.',
        additionalProperties: false,
        properties: Object.fromEntries(registry.kinds.map(({ name }) => [name, prune])),
      },
      limits: {
        type: 'object',
        description: 'Past a limit nothing is applied; null takes a limit away.',
        additionalProperties: false,
        properties: {
          deletes: limit(
            count,
            `Things that may be deleted, with what goes down with them (default: ${defaultLimits.deletes}).`,
          ),
          deletePercent: limit(
            { ...count, maximum: 100 },
            `Share of any one list that may be deleted (default: ${defaultLimits.deletePercent}).`,
          ),
          changes: limit(count, 'Objects that may be changed in any way (default: no limit).'),
        },
      },
      self: {
        ...text,
        description:
          'E-mail address of the member that the token belongs to, who is neither removed nor given another role.',
        examples: ['deploy@acme.dev'],
      },
      protect: {
        anyOf: [text, { type: 'array', items: text }],
        description:
          'Addresses (globs) that are neither deleted nor replaced; a leading ! lifts a protection.',
      },
    },
  };
}

function lifecycleSchema(kind: Kind): Schema {
  const flag: Schema = { type: 'boolean' };
  const field: Schema = { enum: Object.keys(kind.fields) };
  return {
    type: 'object',
    description: 'How the object is treated over its life.',
    additionalProperties: false,
    properties: {
      protect: { anyOf: [flag, interpolation], description: 'A delete or a replace is refused.' },
      release: { anyOf: [flag, interpolation], description: 'No longer managed, and kept.' },
      ignore: {
        anyOf: [field, { type: 'array', items: field }],
        description: 'Fields whose differences are left alone.',
      },
    },
  };
}

/** One object of a kind, or its only value. */
function objectSchema(registry: Registry, kind: Kind): Schema {
  const whole = kind.whole === undefined ? undefined : kind.fields[kind.whole];
  if (whole !== undefined) return fieldSchema(whole);
  return {
    type: 'object',
    description: kind.description,
    additionalProperties: false,
    ...(kind.marker === undefined ? {} : { required: [kind.marker] }),
    properties: {
      id: { ...text, description: 'Id of an existing object.' },
      was: {
        anyOf: [text, { type: 'array', items: text }],
        description: 'Former keys, titles or paths; [] says that there are none and the object is new.',
      },
      lifecycle: lifecycleSchema(kind),
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
      const keySchema = places.length === 1 ? first?.kind.keySchema : undefined;
      const objects: Schema = {
        type: 'object',
        propertyNames: {
          minLength: 1,
          pattern: '^(?!organization$)[^/]+$',
          ...(keySchema === undefined ? {} : toSchema(keySchema)),
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

/** Kinds that share a place are told apart by the key that only one of them has. */
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
  const own = withKnown(field.schema, toSchema(field.schema));
  const options = field.reference?.of === 'value' ? [own] : [...fillable(own)];
  if (field.nullable !== undefined) options.push({ type: 'null' });
  return {
    description: field.description,
    ...(field.example === undefined ? {} : { examples: [field.example] }),
    ...(options.length === 1 ? options[0] : { anyOf: options }),
  };
}

/** The forms that a value may be written in: its own, and the templates that become such a value. */
function fillable(own: Schema): readonly Schema[] {
  if (Object.keys(own).length === 0) return [own];
  if (own.type === 'string') {
    const isLimited =
      own.pattern ?? own.format ?? own.maxLength ?? (Number(own.minLength ?? 0) > 1 || undefined);
    return isLimited === undefined ? [own] : [own, template];
  }
  if (Array.isArray(own.anyOf)) {
    const options = (own.anyOf as readonly Schema[]).flatMap((option) =>
      option.type === 'string' ? fillable(option) : [option],
    );
    return [...options, ...(options.some(({ type }) => type === 'string') ? [] : [interpolation])];
  }
  const one = (schema: unknown): Schema => {
    const options = fillable(schema as Schema);
    return options.length === 1 ? (schema as Schema) : { anyOf: options };
  };
  const { properties, additionalProperties, items } = own;
  return [
    {
      ...own,
      ...(isRecord(properties)
        ? {
            properties: Object.fromEntries(
              Object.entries(properties).map(([key, inner]) => [key, one(inner)]),
            ),
          }
        : {}),
      ...(isRecord(additionalProperties) ? { additionalProperties: one(additionalProperties) } : {}),
      ...(isRecord(items) ? { items: one(items) } : {}),
    },
    interpolation,
  ];
}

/** Known values are offered, and others allowed: enumerations grow. */
function withKnown(schema: z.ZodType, own: Schema): Schema {
  if (schema instanceof z.ZodRecord && isRecord(own.additionalProperties)) {
    return {
      ...own,
      additionalProperties: withKnown(schema.valueType as z.ZodType, own.additionalProperties),
    };
  }
  const known = knownValues(schema);
  return known.length === 0 ? own : { anyOf: [{ enum: [...known] }, { type: 'string', minLength: 1 }] };
}

function toSchema(schema: z.ZodType): Schema {
  const {
    $schema: _dialect,
    knownValues: _known,
    ...rest
  } = z.toJSONSchema(schema, {
    target: 'draft-7',
    unrepresentable: 'any',
    io: 'input',
  }) as Record<string, unknown>;
  return rest;
}
