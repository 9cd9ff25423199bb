/** The JSON Schema of manifests, for editors: made from the same kinds that validation uses. Pure. */
import type * as z from 'zod';
import type { Field } from '../kinds/field.ts';
import type { Kind } from '../kinds/kind.ts';
import { createRegistry, type Registry } from '../kinds/registry.ts';
import { fieldNameSchema, formerNamesSchema, lifecycleSchema } from '../tree/lifecycle.ts';
import { settingsSchema } from '../tree/settings.ts';
import { defined } from '../util/defined.ts';
import { configSchema } from './config.ts';
import { overlayDefinitions, overlayForm } from './json-schema-overlay.ts';
import {
  byKey,
  commonDefinitions,
  fieldSchema,
  fillableSchema,
  interpolation,
  type Schema,
  text,
  toSchema,
} from './json-schema-parts.ts';
import { overlayNamePattern } from './overlay-name.ts';

const draft = 'http://json-schema.org/draft-07/schema#';

/** The schema of one manifest document. The same kinds give the same schema. */
export function manifestJsonSchema(kinds: readonly Kind[]): Schema {
  const registry = createRegistry(kinds);
  const { root } = registry;
  const parts = {
    octavo: {
      type: 'integer',
      const: 1,
      description: 'Version of the format of manifests.',
      default: 1,
      examples: [1],
    },
    organization: organizationSchema(registry, root),
    settings: fillableSchema(toSchema(settingsSchema(registry.kinds.map(({ name }) => name)))),
    ...collectionSchemas(registry, root),
  };
  const { octavo, ...rest } = parts;
  const definitions = {
    ...commonDefinitions,
    ...Object.fromEntries(
      kinds.filter((kind) => kind !== root).map((kind) => [kind.name, objectSchema(registry, kind)]),
    ),
  };
  return {
    $schema: draft,
    title: 'Octavo manifest',
    description: 'Declares a documentation workspace, or a part of it.',
    type: 'object',
    required: ['octavo'],
    properties: { octavo: parts.octavo, overlay: overlayKey },
    ...byKey(
      'overlay',
      documentSchema({
        octavo,
        overlay: overlayKey,
        ...(overlayForm({ properties: rest, required: ['organization'] }).properties as Schema),
      }),
      { required: ['organization'], ...documentSchema(parts) },
    ),
    definitions: { ...definitions, ...overlayDefinitions(definitions) },
  };
}

const overlayKey: Schema = {
  type: 'string',
  pattern: overlayNamePattern.source,
  description:
    'Makes the document an overlay of this name, which is merged over the manifests with --overlay; null deletes a key there.',
  examples: ['production'],
};

function documentSchema(properties: Schema): Schema {
  return {
    additionalProperties: false,
    patternProperties: { '^x-': { description: 'Anything, for anchors; Octavo ignores it.' } },
    properties: {
      $schema: {
        description: 'Where this schema is, for editors; Octavo ignores it.',
        examples: ['manifest.schema.json'],
      },
      ...properties,
    },
  };
}

/** The schema of `octavo.config.yaml`. */
export function configJsonSchema(): Schema {
  return {
    $schema: draft,
    title: 'Octavo configuration',
    ...toSchema(configSchema),
  };
}

function organizationSchema(registry: Registry, root: Kind): Schema {
  return {
    description: root.description,
    examples: [{ id: 'org_acme', title: 'Acme' }],
    anyOf: [
      { ...text, description: 'The id alone, where the rest is unmanaged or another document declares it.' },
      {
        type: 'object',
        additionalProperties: false,
        oneOf: [{ required: ['id'] }, { required: ['match'] }],
        properties: {
          id: { ...text, description: 'Id of the organization.', examples: ['org_acme', '${env:ORG_ID}'] },
          match: {
            type: 'object',
            description: 'Finds the organization where its id is not known.',
            minProperties: 1,
            additionalProperties: false,
            examples: [{ hostname: 'acme' }],
            properties: {
              hostname: { ...text, description: 'Its hostname.', examples: ['acme'] },
              title: {
                ...text,
                description: 'Its title, where no other organization has it.',
                examples: ['Acme'],
              },
            },
          },
          lifecycle: lifecycleOf(root),
          ...fieldSchemas(registry, root),
        },
      },
    ],
  };
}

function lifecycleOf(kind: Kind): Schema {
  const schema = fillableSchema(toSchema(lifecycleSchema(fieldNameSchema(Object.keys(kind.fields)))));
  return { ...schema, examples: [{ protect: true }] };
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
      id: {
        ...text,
        description: 'Id of an existing object: pins the entry to it, whatever its title.',
        examples: ['Vd93kQ'],
      },
      was: { ...fillableSchema(toSchema(formerNamesSchema)), examples: ['former-key'] },
      lifecycle: lifecycleOf(kind),
      ...fieldSchemas(registry, kind),
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
          ...(keySchema === undefined ? {} : { allOf: [toSchema(keySchema)] }),
        },
        additionalProperties: {
          anyOf: [entrySchema(places.map(({ kind }) => kind)), interpolation],
        },
      };
      return [
        key,
        {
          anyOf: [objects, interpolation],
          description: places.map(({ kind }) => kind.description).join(' '),
          examples: [exampleOf(places.map(({ kind }) => kind))],
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
  const { marker = '', description } = marked;
  return {
    // Offered for new entries, which are neither yet.
    properties: { [marker]: { description: `Makes this a ${marked.noun}. ${description}`, examples: [{}] } },
    ...byKey(marker, reference(marked), reference(plain)),
  };
}

/** An entry as people write it first: with the field that says what it is. */
function exampleOf(kinds: readonly Kind[]): Schema {
  const kind = kinds.find(({ marker }) => marker === undefined) ?? kinds[0];
  if (kind === undefined) return {};
  const [first] = Object.entries(kind.fields).filter(
    ([name]) => kind.key?.is !== 'field' || kind.key.field !== name,
  );
  const key =
    kind.key?.is === 'field'
      ? kind.fields[kind.key.field]?.example
      : `my-${kind.noun.toLowerCase().replaceAll(' ', '-')}`;
  return { [String(key)]: first === undefined ? {} : { [first[0]]: first[1].example } };
}

function fieldSchemas(registry: Registry, kind: Kind): Schema {
  return Object.fromEntries(
    Object.entries(kind.fields)
      .filter(([name]) => kind.key?.is !== 'field' || kind.key.field !== name)
      .map(([name, field]) => [name, fieldSchema(field, keysOf(registry, field))]),
  );
}

/** What the keys of a field must be that has objects for keys. */
function keysOf(registry: Registry, field: Field): z.ZodType | undefined {
  return field.type === 'members' ? registry.byName(field.of).keySchema?.() : undefined;
}
