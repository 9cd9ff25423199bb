/** The JSON Schemas tell editors all that they show. */
import { Ajv } from 'ajv';
import formats from 'ajv-formats';
import { describe, expect, test } from 'vitest';
import { kinds } from '../../src/kinds/index.ts';
import { configJsonSchema, manifestJsonSchema } from '../../src/manifest/schema/json-schema.ts';
import type { Schema } from './schema-values.ts';

const manifest = manifestJsonSchema(kinds);
const schemas = [
  ['manifest', manifest],
  ['config', configJsonSchema()],
] as const;

/** All properties of all mappings, with where they are. */
function propertiesOf(schema: unknown, at = '#'): readonly (readonly [string, Schema])[] {
  if (Array.isArray(schema)) return schema.flatMap((one, index) => propertiesOf(one, `${at}/${index}`));
  if (typeof schema !== 'object' || schema === null) return [];
  return Object.entries(schema as Schema).flatMap(([key, value]) => {
    if (key === 'default' || key === 'examples') return [];
    if (key !== 'properties') return propertiesOf(value, `${at}/${key}`);
    return Object.entries(value as Record<string, Schema>).flatMap(([name, part]) => [
      [`${at}/${name}`, part] as const,
      ...propertiesOf(part, `${at}/${name}`),
    ]);
  });
}

/** The keywords of draft-07, and those that editors add to it, which the JSON Schema Store knows. */
const hints = ['markdownDescription'];

describe.each(schemas)('the schema of the %s', (_name, schema) => {
  const properties = propertiesOf(schema);

  test('describes every property in a sentence', () => {
    expect(properties.length).toBeGreaterThan(8);
    const without = properties.filter(
      ([, { $ref, description }]) => $ref === undefined && !/^.{5,}[.…]$/s.test(String(description ?? '')),
    );
    expect(without.map(([at]) => at)).toEqual([]);
  });

  test('gives an example of every property, or all its values', () => {
    const without = properties.filter(
      ([, { $ref, examples, default: initial }]) =>
        $ref === undefined && examples === undefined && initial === undefined,
    );
    const hasValues = (part: unknown) =>
      JSON.stringify(part).match(/"(?:enum|const)":|"type":"boolean"/) !== null;
    expect(without.filter(([, part]) => !hasValues(part)).map(([at]) => at)).toEqual([]);
  });

  test('compiles under the strict rules that the JSON Schema Store applies', () => {
    const ajv = new Ajv({ strict: true, strictTypes: false, strictRequired: false, allErrors: true });
    formats.default(ajv);
    ajv.addVocabulary(hints);
    expect(() => ajv.compile(schema)).not.toThrow();
  });

  test('names no address that somebody else could own', () => {
    const { $schema, ...rest } = schema;
    expect($schema).toBe('http://json-schema.org/draft-07/schema#');
    expect(JSON.stringify(rest)).not.toMatch(/\$id"|https?:\/\/[^"]*\/octavo\b/);
  });
});

test('examples and defaults are values that the schema accepts', () => {
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
