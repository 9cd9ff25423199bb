/** The reference page of all kinds of objects, made from the kinds themselves. Pure. */
import { z } from 'zod';
import type { Field, Kind } from '../kinds/kind.ts';
import { markdownTable } from './markdown.ts';

/** The whole page. Same kinds, same text. */
export function kindsReference(kinds: readonly Kind[]): string {
  const lines = [
    '# Kinds of objects',
    '',
    'What manifests can hold. Generated from the kinds; do not edit.',
    '',
    'A field that is absent is left alone. `null` is allowed where the table says so. Every object also takes `lifecycle`',
    '(`protect`, `ignore`) and `was`, and, where it has an id, `id`.',
    '',
    ...markdownTable(
      ['Kind', 'Stands under', 'What it is'],
      kinds.map((kind) => [
        `[${kind.noun}](#${anchor(kind.noun)})`,
        placesText(kind, kinds),
        kind.description,
      ]),
    ),
    '',
    ...kinds.flatMap((kind) => kindText(kind, kinds)),
  ];
  return `${lines.join('\n').trimEnd()}\n`;
}

function kindText(kind: Kind, kinds: readonly Kind[]): readonly string[] {
  const facts = [
    `Stands under: ${placesText(kind, kinds)}.`,
    `Recognised by: ${identitiesText(kind)}.`,
    ...(kind.protected === true ? ['Protected against deletion unless the manifests say otherwise.'] : []),
    ...(kind.cost === undefined || kind.calls.delete === undefined
      ? []
      : [`When it is deleted: ${kind.cost}.`]),
    ...(kind.calls.delete === undefined ? ['Cannot be deleted through the API.'] : []),
  ];
  const rows = Object.entries(kind.fields).map(([name, field]) => fieldRow(kind, name, field));
  return [
    `## ${kind.noun}`,
    '',
    kind.description,
    '',
    ...facts.map((fact) => `- ${fact}`),
    '',
    ...markdownTable(['Field', 'Value', 'Null', 'Change', 'Meaning'], rows),
    '',
  ];
}

function fieldRow(kind: Kind, name: string, field: Field): readonly string[] {
  const isKey = kind.key?.is === 'field' && kind.key.field === name;
  const label = kind.whole === name ? '(the object itself)' : isKey ? `\`${name}\` (the key)` : `\`${name}\``;
  const nulls = { removes: 'removes it', value: 'is a value' };
  const changes = { update: 'in place', replace: 'makes a new object', create: 'only at creation' };
  const example = field.example === undefined ? '' : ` Example: \`${JSON.stringify(field.example)}\``;
  return [
    label,
    valueText(z.toJSONSchema(field.schema, { io: 'input', unrepresentable: 'any' }) as Schema),
    field.nullable === undefined ? '' : nulls[field.nullable],
    changes[field.change ?? 'update'],
    `${field.description}${example}`,
  ];
}

/** What the values of a field may be, in a few words. */
interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly knownValues?: readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly format?: string;
}

function valueText(schema: Schema): string {
  const quoted = (values: readonly unknown[]) => values.map((value) => `\`${String(value)}\``).join(', ');
  if (schema.anyOf !== undefined) return [...new Set(schema.anyOf.map(valueText))].join(' or ');
  if (schema.enum !== undefined) return quoted(schema.enum);
  if (schema.const !== undefined) return quoted([schema.const]);
  if (schema.knownValues !== undefined) return `for example ${quoted(schema.knownValues)}`;
  if (schema.properties !== undefined) {
    const parts = Object.entries(schema.properties).map(([key, inner]) => `\`${key}\`: ${valueText(inner)}`);
    return `{ ${parts.join(', ')} }`;
  }
  if (schema.type === 'array') {
    const most = schema.maxItems === undefined ? '' : `, at most ${schema.maxItems}`;
    return `list of ${schema.items === undefined ? 'values' : valueText(schema.items)}${most}`;
  }
  if (schema.type === 'object') {
    const { additionalProperties: inner } = schema;
    return typeof inner === 'object' && Object.keys(inner).length > 0
      ? `mapping to ${valueText(inner)}`
      : 'mapping';
  }
  if (schema.type === 'string') return schema.format === 'uri' ? 'URI' : `text${lengthText(schema)}`;
  return [schema.type ?? 'any value'].flat().join(' or ');
}

function lengthText({ minLength = 0, maxLength }: Schema): string {
  if (maxLength === undefined) return '';
  return minLength > 1 ? `, ${minLength} to ${maxLength} characters` : `, at most ${maxLength} characters`;
}

function placesText({ places }: Kind, kinds: readonly Kind[]): string {
  if (places.length === 0) return 'the document itself, `organization`';
  const noun = (name: string) => kinds.find((kind) => kind.name === name)?.noun ?? name;
  return places
    .map(({ parent, key, ordered }) => `\`${key}\` of ${noun(parent)}${ordered ? ', in order' : ''}`)
    .join('; ');
}

function identitiesText({ identities, key }: Kind): string {
  const fields = [...new Set(identities.map(({ field }) => field))];
  const natural = key?.is === 'id' ? ['its key, which is its id'] : fields;
  return natural.length === 0 ? 'its place: there is one' : ['`id`', ...natural].join(', then ');
}

function anchor(noun: string): string {
  return noun.toLowerCase().replaceAll(' ', '-');
}
