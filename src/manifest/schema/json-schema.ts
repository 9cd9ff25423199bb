/** The JSON Schema of manifests, for editors, derived from the kinds that validation uses. */

import { isKeyField, type Kind } from '../../kinds/kind.ts';
import { exampleEntry } from '../../kinds/parts/describe-kind.ts';
import { referenceOf } from '../../kinds/parts/field.ts';
import { createRegistry, type Registry } from '../../kinds/registry.ts';
import { isPathKey } from '../../tree/addressing.ts';
import { formerNamesSchema, ignorableSchema, lifecycleSchema } from '../../tree/lifecycle.ts';
import { settingsSchema } from '../../tree/settings.ts';
import { defined } from '../../util/defined.ts';
import { isRecord } from '../../util/json.ts';
import { nested } from '../../util/nested.ts';
import { newKey, overlayNamePattern, templatesKey } from '../files/paths.ts';
import { bodyKey, bodyKinds, inputsSchema } from '../templates/forms.ts';
import { configSchema } from './config.ts';
import {
  byKey,
  commonDefinitions,
  fieldSchema,
  fillableSchema,
  interpolation,
  type Schema,
  text,
  toSchema,
  untilSchema,
  useSchemas,
} from './json-schema-parts.ts';
import { rulesSchema } from './rules.ts';

const draft = 'http://json-schema.org/draft-07/schema#';

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
    ...useSchemas(),
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
      {
        anyOf: ['organization', 'use', templatesKey].map((key) => ({ required: [key] })),
        ...documentSchema({ [templatesKey]: templatesSchema(registry, rest), ...parts }),
      },
    ),
    definitions: { ...definitions, ...overlayDefinitions(definitions, registry) },
  };
}

const overlayKey: Schema = {
  type: 'string',
  pattern: overlayNamePattern.source,
  description:
    'Makes the document an overlay of this name, which is merged over the manifests with --overlay; null deletes a key there, ${clear} clears a value, and new: true marks an object that no manifest has.',
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

export function configJsonSchema(): Schema {
  return { $schema: draft, title: 'Octavo configuration', ...toSchema(configSchema) };
}

export function rulesJsonSchema(): Schema {
  return { $schema: draft, ...toSchema(rulesSchema()) };
}

/** `document`: schema of the manifest keys that a template may create. */
function templatesSchema(registry: Registry, document: Schema): Schema {
  const { root } = registry;
  const bodies = bodyKinds(registry).map((kind): [string, Schema] => {
    const description = `What the template makes: ${kind === root ? 'whole documents, one for each organization' : `a ${kind.noun}`}.`;
    const body =
      kind === root
        ? { type: 'object', additionalProperties: false, ...overlayForm({ properties: document }) }
        : { $ref: `#/definitions/${kind.name}` };
    return [bodyKey(kind, registry), { description, examples: [{}], anyOf: [body, interpolation] }];
  });
  return {
    type: 'object',
    description: 'Objects to make several of, by name: use: NAME instead of an object makes one.',
    examples: [
      { 'product-site': { inputs: { title: { type: 'string' } }, site: { title: '${input:title}' } } },
    ],
    additionalProperties: {
      type: 'object',
      additionalProperties: false,
      properties: {
        description: { type: 'string', description: 'What it is for.', examples: ['Site of a product.'] },
        inputs: toSchema(inputsSchema()),
        ...Object.fromEntries(bodies),
      },
    },
  };
}

function organizationSchema(registry: Registry, root: Kind): Schema {
  return {
    description: root.description,
    anyOf: [
      { ...text, description: 'The id alone, if the rest is unmanaged or another document declares it.' },
      {
        title: capitalized(root.noun),
        type: 'object',
        additionalProperties: false,
        oneOf: [{ required: ['id'] }, { required: ['match'] }],
        properties: {
          id: { ...text, description: 'Id of the organization.' },
          match: {
            type: 'object',
            description: 'Finds the organization if its id is unknown.',
            minProperties: 1,
            additionalProperties: false,
            properties: {
              hostname: { ...text, description: 'Its hostname.' },
              title: { ...text, description: 'Its title, if no other organization has it.' },
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
  const schema = fillableSchema(toSchema(lifecycleSchema(ignorableSchema(kind))));
  return { ...schema, examples: [{ protect: true }] };
}

function objectSchema(registry: Registry, kind: Kind): Schema {
  const whole = kind.manifest.whole === undefined ? undefined : kind.fields[kind.manifest.whole];
  if (whole !== undefined) return fieldSchema(whole);
  return {
    title: capitalized(kind.noun),
    type: 'object',
    description: kind.description,
    additionalProperties: false,
    ...exclusiveSchema(registry, kind),
    ...defined({ required: kind.manifest.marker === undefined ? undefined : [kind.manifest.marker] }),
    properties: {
      id: { ...text, description: 'Id of an existing object: pins the entry to it, whatever its title.' },
      was: fillableSchema(toSchema(formerNamesSchema)),
      lifecycle: lifecycleOf(kind),
      ...(kind.manifest.ends === true && { until: fillableSchema(untilSchema) }),
      ...useSchemas(),
      ...fieldSchemas(registry, kind),
      ...collectionSchemas(registry, kind),
    },
  };
}

/** Rejects two lists that exclude each other if both have entries; an entry with `each` may create none. */
function exclusiveSchema(registry: Registry, parent: Kind): Schema {
  const filled = { type: 'object', not: { additionalProperties: { required: ['each'] } } };
  const rules = registry.collectionsOf(parent.name).flatMap((key) =>
    registry.at(parent.name, key).flatMap(({ place: { emptyWith: other } }) => {
      if (other === undefined) return [];
      const errorMessage = `${key} and ${other} of one ${parent.noun} exclude each other`;
      return {
        if: { required: [key, other], properties: { [key]: filled, [other]: filled } },
        // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
        then: { properties: { [key]: { const: {}, errorMessage } } },
      };
    }),
  );
  return rules.length === 0 ? {} : { allOf: rules };
}

function collectionSchemas(registry: Registry, parent: Kind): Schema {
  return Object.fromEntries(
    registry.collectionsOf(parent.name).map((key) => {
      const places = registry.at(parent.name, key);
      const kinds = places.map(({ kind }) => kind);
      const [first] = places;
      if (first?.place.shape === 'single') {
        const { name, description, manifest } = first.kind;
        const own = { $ref: `#/definitions/${name}` };
        return [key, manifest.whole === undefined ? { description, anyOf: [own, interpolation] } : own];
      }
      const keySchema = places.length === 1 ? first?.kind.manifest.keySchema?.() : undefined;
      const objects: Schema = {
        title: capitalized(key),
        type: 'object',
        propertyNames: {
          doNotSuggest: true,
          minLength: 1,
          pattern: `^(?!organization$)[^${isPathKey(first?.kind) ? ':' : '/'}]+$`,
          ...(keySchema === undefined ? {} : { allOf: [toSchema(keySchema)] }),
        },
        additionalProperties: { anyOf: [entrySchema(kinds), interpolation] },
      };
      return [
        key,
        {
          anyOf: [objects, interpolation],
          description: kinds.map(({ description }) => description).join(' '),
          defaultSnippets: snippets(registry, kinds),
        },
      ];
    }),
  );
}

/** A complete new object of each kind, except kinds whose key is an existing id. */
function snippets(registry: Registry, kinds: readonly Kind[]): readonly Schema[] {
  return kinds
    .filter(({ manifest }) => manifest.key?.is !== 'id')
    .map((kind) => ({
      label: `new ${kind.noun}`,
      description: kind.description,
      body: withStops(exampleEntry(kind, registry)),
    }));
}

/**
 * Adds tab stops: `{ my-hub: { title: Hub } }` → `{ '${1:hub}': { title: '${2:Hub}' } }`. Removes hyphens from keys, because editors
 * would indent the lines below them twice.
 */
function withStops([key, value]: readonly [key: string, value: unknown]): Schema {
  let count = 0;
  const stop = (text: unknown) => `\${${++count}:${String(text)}}`;
  const plain = (key: string) => key.replace(/^my-/, '').replaceAll('-', '_');
  const inner = (part: unknown): unknown =>
    isRecord(part)
      ? Object.fromEntries(Object.entries(part).map(([name, one]) => [plain(name), inner(one)]))
      : stop(part);
  return { [stop(plain(key))]: inner(value) };
}

/** Kinds under the same key differ by a marker key. */
function entrySchema(kinds: readonly Kind[]): Schema {
  const reference = (kind: Kind | undefined): Schema =>
    kind === undefined ? {} : { $ref: `#/definitions/${kind.name}` };
  const plain = kinds.find(({ manifest: { marker } }) => marker === undefined);
  const marked = kinds.filter(({ manifest: { marker } }) => marker !== undefined);
  if (marked.length === 0) return reference(plain);
  const forms = marked.reduce<Schema>(
    (others, kind) => byKey(kind.manifest.marker ?? '', reference(kind), others),
    reference(plain),
  );
  const offered = marked.map(({ manifest: { marker = '' }, noun, description, fields }) => [
    marker,
    { description: `Makes this a ${noun}. ${description}`, examples: [fields[marker]?.example ?? {}] },
  ]);
  // Offers the markers for new entries, whose kind is still open.
  return { properties: Object.fromEntries(offered), ...forms };
}

function fieldSchemas(registry: Registry, kind: Kind, above = ''): Schema {
  const schemas = new Map<string, Schema>();
  for (const [name, field] of Object.entries(kind.fields)) {
    if (!name.startsWith(above) || isKeyField(kind, name)) continue;
    const [own = '', ...rest] = name.slice(above.length).split('.');
    if (schemas.has(own)) continue;
    const { keySchema } = field.type === 'members' ? registry.byName(field.of).manifest : {};
    const isWhole = rest.length === 0;
    schemas.set(own, isWhole ? fieldSchema(field, keySchema?.()) : groupSchema(registry, kind, above + own));
  }
  return Object.fromEntries(schemas);
}

function capitalized(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}

/** A mapping that contains several fields. */
function groupSchema(registry: Registry, kind: Kind, path: string): Schema {
  const inside = Object.entries(kind.fields).filter(([name]) => name.startsWith(`${path}.`));
  const [first] = inside
    .filter(([, field]) => referenceOf(field) === undefined)
    .map(([name, { example }]) => [name.slice(path.length + 1), example] as const);
  const group = {
    type: 'object',
    additionalProperties: false,
    properties: fieldSchemas(registry, kind, `${path}.`),
  };
  return {
    description: `A part of the ${kind.noun}: ${path}. Omitted parts stay unmanaged.`,
    ...(first === undefined ? {} : { examples: [nested([first])] }),
    anyOf: [group, interpolation],
  };
}

/** Definitions that are identical in overlays. */
const shared = new Set(['interpolation', 'records']);

function overlayName(name: string): string {
  return shared.has(name) ? name : `${name}Overlay`;
}

function overlayDefinitions(definitions: Schema, registry: Registry): Schema {
  const entries = new Set(
    registry.kinds.flatMap(({ name, manifest: { places } }) =>
      places.some(({ shape }) => shape === 'map') ? [name] : [],
    ),
  );
  return Object.fromEntries(
    Object.entries(definitions)
      .filter(([name]) => !shared.has(name))
      .map(([name, schema]) => {
        const own = overlayForm(schema as Schema);
        return [overlayName(name), entries.has(name) ? withNew(own) : own];
      }),
  );
}

/** Adds `new` to an object. A field that forms a whole object cannot have it. */
function withNew(schema: Schema): Schema {
  const { properties } = schema;
  if (!isRecord(properties) || !isRecord(properties.lifecycle)) return schema;
  const added = {
    description: 'Needed for an object that no manifest has: without it, an unknown key is an error.',
    const: true,
    examples: [true],
  };
  return { ...schema, properties: { [newKey]: added, ...properties } };
}

function overlayForm(schema: Schema): Schema {
  if (typeof schema.$ref === 'string') {
    const name = schema.$ref.replace('#/definitions/', '');
    return { ...schema, $ref: `#/definitions/${overlayName(name)}` };
  }
  // The marker may be in the manifest only.
  const { required, oneOf, if: condition, then, else: other, ...all } = schema;
  if (isRecord(condition)) return { anyOf: [then, other].map((option) => overlayForm(option as Schema)) };
  // An overlay may delete a list, and a new object needs `new: true`.
  const { allOf: _exclusive, defaultSnippets: _whole, ...rest } = all;
  const { properties, additionalProperties, anyOf } = rest;
  const alternatives = Array.isArray(oneOf) ? oneOf.flatMap((one: Schema) => one.required) : [];
  return {
    ...rest,
    // Alternative keys are optional in an overlay, but may not all be present.
    ...(alternatives.length === 0 ? {} : { not: { required: alternatives } }),
    ...(isRecord(properties) ? { properties: nullableIn(properties, required, alternatives) } : {}),
    ...(isRecord(additionalProperties) ? { additionalProperties: orNull(additionalProperties) } : {}),
    ...(Array.isArray(anyOf) ? { anyOf: anyOf.map((option) => overlayForm(option as Schema)) } : {}),
  };
}

/** An overlay may delete each key, except keys that others depend on, and alternatives. */
function nullableIn(properties: Schema, required: unknown, alternatives: readonly unknown[]): Schema {
  const kept = Array.isArray(required) ? required : [];
  const entries = Object.entries(properties as Readonly<Record<string, Schema>>).map(([name, value]) => {
    if (alternatives.includes(name)) return [name, value];
    return [name, kept.includes(name) ? overlayForm(value) : orNull(value)];
  });
  return Object.fromEntries(entries);
}

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
