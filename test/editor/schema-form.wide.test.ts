/** The JSON Schemas include the texts that editors show. */
import { Ajv } from 'ajv';
import formats from 'ajv-formats';
import { describe, expect, test } from 'vitest';
import { kinds } from '../../src/kinds/index.ts';
import { referenceOf } from '../../src/kinds/parts/field.ts';
import { configJsonSchema, manifestJsonSchema } from '../../src/manifest/schema/json-schema.ts';
import type { Schema } from './schema-values.ts';

const manifest = manifestJsonSchema(kinds);
const schemas = [
  ['manifest', manifest],
  ['config', configJsonSchema()],
] as const;

/** All properties of all mappings, with their paths. */
function propertiesOf(schema: unknown, at = '#'): readonly (readonly [string, Schema])[] {
  if (Array.isArray(schema)) return schema.flatMap((one, index) => propertiesOf(one, `${at}/${index}`));
  if (typeof schema !== 'object' || schema === null) return [];
  return Object.entries(schema as Schema).flatMap(([key, value]) => {
    // `allOf` contains rules, which have no descriptions.
    if (key === 'default' || key === 'examples' || key === 'allOf') return [];
    if (key !== 'properties') return propertiesOf(value, `${at}/${key}`);
    return Object.entries(value as Record<string, Schema>).flatMap(([name, part]) => [
      [`${at}/${name}`, part] as const,
      ...propertiesOf(part, `${at}/${name}`),
    ]);
  });
}

/** All schemas in a schema, with their paths. */
function partsOf(schema: unknown, at = '#'): readonly (readonly [string, Schema])[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const inside = Object.entries(schema as Schema).flatMap(([key, value]) =>
    ['default', 'examples', 'const', 'defaultSnippets'].includes(key) ? [] : partsOf(value, `${at}/${key}`),
  );
  return [[at, schema as Schema], ...inside];
}

/** Keywords that editors add to draft-07, and that the JSON Schema Store accepts. */
const hints = [
  'markdownDescription',
  'defaultSnippets',
  'doNotSuggest',
  'errorMessage',
  'patternErrorMessage',
];

/** Properties that name objects or contain them by name: editors would offer an example, which does not exist. */
const names = new Set([
  ...['id', 'was', 'use', 'key', 'organization', 'match', 'hostname', 'title', 'site'],
  ...kinds.flatMap(({ manifest: { places } }) => places.map(({ key }) => key)),
  ...kinds.flatMap(({ fields }) =>
    Object.entries(fields).flatMap(([name, field]) =>
      referenceOf(field) === undefined ? [] : name.split('.'),
    ),
  ),
]);

describe.each(schemas)('the schema of the %s', (_name, schema) => {
  const properties = propertiesOf(schema);

  test('describes each property in a sentence', () => {
    expect(properties.length).toBeGreaterThan(8);
    const without = properties.filter(
      ([, { $ref, description }]) => $ref === undefined && !/^.{5,}[.…]$/s.test(String(description ?? '')),
    );
    expect(without.map(([at]) => at)).toEqual([]);
  });

  test('gives examples or all values for each property that is not a name', () => {
    const without = properties.filter(
      ([at, { $ref, examples, default: initial }]) =>
        !names.has(at.split('/').at(-1) ?? '') &&
        $ref === undefined &&
        examples === undefined &&
        initial === undefined,
    );
    const hasValues = (part: unknown) =>
      JSON.stringify(part).match(/"(?:enum|const)":|"type":"boolean"/) !== null;
    expect(without.filter(([, part]) => !hasValues(part)).map(([at]) => at)).toEqual([]);
  });

  test('has titles only on objects, since editors show the title of an object for its properties', () => {
    const titled = partsOf(schema).filter(([, { title }]) => typeof title === 'string');
    expect(titled.length).toBeGreaterThan(0);
    expect(titled.filter(([, { type }]) => type !== 'object').map(([at]) => at)).toEqual([]);
  });

  test('compiles in the strict mode of the JSON Schema Store', () => {
    const ajv = new Ajv({ strict: true, strictTypes: false, strictRequired: false, allErrors: true });
    formats.default(ajv);
    ajv.addVocabulary(hints);
    expect(() => ajv.compile(schema)).not.toThrow();
  });

  test('contains no URL that someone else could own', () => {
    const { $schema, ...rest } = schema;
    expect($schema).toBe('http://json-schema.org/draft-07/schema#');
    expect(JSON.stringify(rest)).not.toMatch(/\$id"|https?:\/\/[^"]*\/octavo\b/);
  });
});

test('the manifest schema has a title on each kind of object, and on each mapping of objects', () => {
  const definitions = manifest.definitions as Record<string, Schema>;
  const objects = partsOf(manifest).filter(
    ([at, { properties, propertyNames }]) =>
      (properties !== undefined && definitions[at.replace('#/definitions/', '')] !== undefined) ||
      JSON.stringify(propertyNames ?? {}).includes('organization$'),
  );
  expect(objects.length).toBeGreaterThan(30);
  expect(objects.filter(([, { title }]) => title === undefined).map(([at]) => at)).toEqual([]);
});

test('the manifest schema accepts its own examples and defaults', () => {
  const ajv = new Ajv({ strict: false, validateFormats: false });
  ajv.addSchema(manifest, 'manifest');
  const definitions = manifest.definitions as Record<string, Schema>;
  const wrong = Object.entries(definitions).flatMap(([name, { properties, required = [] }]) => {
    if (name.endsWith('Overlay') || properties === undefined) return [];
    const check = ajv.compile({ $ref: `manifest#/definitions/${name}` });
    const rest = Object.fromEntries(
      (required as string[]).map((key) => [
        key,
        ((properties as Record<string, Schema>)[key]?.examples as unknown[] | undefined)?.[0] ?? {},
      ]),
    );
    return Object.entries(properties as Record<string, Schema>).flatMap(([key, part]) => {
      const { examples = [], default: initial } = part;
      const given = [...(examples as unknown[]), ...(initial === undefined ? [] : [initial])];
      return given
        .filter((one) => !check({ ...rest, [key]: one }))
        .map((one) => `${name}.${key}: ${JSON.stringify(one)}`);
    });
  });
  expect(wrong).toEqual([]);
});
