/** Random values for a JSON Schema: mostly valid, sometimes invalid. */
import fc from 'fast-check';

/** A JSON Schema as an object. */
export type Schema = { readonly [key: string]: unknown };

/** Values that are invalid in most places. */
const odd = fc.constantFrom<unknown>(
  null,
  true,
  0,
  -1,
  3.5,
  1000,
  '',
  ' ',
  'yes',
  'a/b',
  'Xy',
  'http://',
  'https://acme.dev/x',
  'x'.repeat(33),
  'x'.repeat(65),
  '👋'.repeat(40),
  'x'.repeat(300),
  '${env:NAME}',
  [],
  {},
  ['a'],
  [null],
  { x: 1 },
  { id: 'i' },
);

const oddKeys = fc.constantFrom(
  'titel',
  'id',
  'title',
  'organization',
  'x-own',
  '',
  'a/b',
  'sections',
  'UPPER key',
  'x'.repeat(60),
);

const keys = fc.constantFrom('a', 'b', 'api-guide', 'über', 'ada@acme.dev');

/** Maximum nesting depth of collections. */
const deepest = 5;

/** Documents for the schema, about half of them invalid. */
export function documentsOf(root: Schema): fc.Arbitrary<unknown> {
  const known = new Map<string, fc.Arbitrary<unknown>>();

  function spoiled(proper: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
    return fc.oneof({ weight: 70, arbitrary: proper }, { weight: 1, arbitrary: odd });
  }

  function referred(name: string, depth: number): fc.Arbitrary<unknown> {
    const id = `${depth} ${name}`;
    const found = known.get(id);
    if (found !== undefined) return found;
    const definitions = root.definitions as Record<string, Schema>;
    const made = partOf(definitions[name.replace('#/definitions/', '')] ?? {}, depth);
    known.set(id, made);
    return made;
  }

  function partOf(schema: Schema, depth: number): fc.Arbitrary<unknown> {
    if (typeof schema.$ref === 'string') return spoiled(referred(schema.$ref, depth));
    if ('const' in schema) return spoiled(fc.constant(schema.const));
    if (Array.isArray(schema.enum)) return spoiled(fc.constantFrom(...(schema.enum as unknown[])));
    const options = schema.anyOf as Schema[] | undefined;
    if (options !== undefined) {
      return fc.oneof(...options.map((option) => partOf({ examples: schema.examples, ...option }, depth)));
    }
    if (schema.if !== undefined) {
      const whole = ({ if: _if, then: _then, else: _else, ...rest }: Schema, branch: unknown): Schema => ({
        ...rest,
        ...(branch as Schema),
        required: [
          ...((rest.required ?? []) as string[]),
          ...(((branch as Schema).required ?? []) as string[]),
        ],
      });
      return fc.oneof(
        { weight: 1, arbitrary: partOf(whole(schema, schema.then), depth) },
        { weight: 5, arbitrary: partOf(whole(schema, schema.else), depth) },
      );
    }
    return spoiled(typedOf(schema, depth));
  }

  function typedOf(schema: Schema, depth: number): fc.Arbitrary<unknown> {
    switch (schema.type) {
      case 'boolean':
        return fc.boolean();
      case 'null':
        return fc.constant(null);
      case 'integer':
      case 'number':
        return fc.integer({
          min: Number(schema.minimum ?? 0),
          max: Math.min(Number(schema.maximum ?? 200), 200),
        });
      case 'array':
        return fc.array(partOf((schema.items ?? {}) as Schema, depth), { maxLength: 2 });
      case 'object':
        return mappingOf(schema, depth);
      case 'string':
        return textOf(schema);
      default:
        return odd;
    }
  }

  function mappingOf(schema: Schema, depth: number): fc.Arbitrary<unknown> {
    const parts = Object.entries((schema.properties ?? {}) as Record<string, Schema>);
    const required = [...((schema.required ?? []) as string[]), ...oneOf(schema)];
    const proper = parts.map(([name, part]) =>
      sometimes(
        required.includes(name) ? 98 : name === 'match' ? 2 : 25,
        partOf(part, depth).map((value) => ({ [name]: value })),
      ),
    );
    const entry = schema.additionalProperties;
    const entries =
      typeof entry === 'object' && entry !== null && depth > 0
        ? fc.dictionary(spoiledKey(keys), partOf(entry as Schema, depth - 1), { maxKeys: 2 })
        : fc.constant({});
    const extra = sometimes(
      1,
      fc.tuple(oddKeys, odd).map(([key, value]) => ({ [key]: value })),
    );
    return fc.tuple(...proper, entries, extra).map((all) => Object.assign({}, ...all) as unknown);
  }

  function spoiledKey(proper: fc.Arbitrary<string>): fc.Arbitrary<string> {
    return fc.oneof({ weight: 60, arbitrary: proper }, { weight: 1, arbitrary: oddKeys });
  }

  return partOf(root, deepest);
}

/** The required keys of the first alternative of a mapping. */
function oneOf({ oneOf: options }: Schema): readonly string[] {
  return Array.isArray(options) ? ((options[0] as Schema).required as string[]) : [];
}

/** Entries, in the given percentage of cases. */
function sometimes(percent: number, entries: fc.Arbitrary<object>): fc.Arbitrary<object> {
  return fc.oneof(
    { weight: 100 - percent, arbitrary: fc.constant({}) },
    { weight: percent, arbitrary: entries },
  );
}

/** Strings: examples of the schema, of minimum or maximum length, or any. */
function textOf({ examples, maxLength, minLength, pattern, format }: Schema): fc.Arbitrary<unknown> {
  const given = (Array.isArray(examples) ? examples : []).filter((one) => typeof one === 'string');
  const isFree = pattern === undefined && format === undefined;
  const long =
    typeof maxLength === 'number' && isFree ? ['x'.repeat(maxLength), 'é'.repeat(maxLength + 1)] : [];
  const short = typeof minLength === 'number' && isFree ? ['y'.repeat(minLength)] : [];
  const some = [...given, ...short];
  const any = isFree
    ? ['api-guide', 'a b', 'über']
    : format === 'uri'
      ? ['https://a.dev/b']
      : ['a-1', '${env:A}'];
  return fc.oneof(
    { weight: 20, arbitrary: fc.constantFrom(...(some.length === 0 ? any : some)) },
    { weight: 5, arbitrary: fc.constantFrom(...any) },
    { weight: 1, arbitrary: fc.constantFrom(...(long.length === 0 ? any : long)) },
  );
}
