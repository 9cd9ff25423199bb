import { needsText } from '../contract/abilities.ts';
import { describeSchema } from '../contract/describe-schema.ts';
import { kindFacts, placesText } from '../kinds/describe-kind.ts';
import { type Field, isExactList } from '../kinds/field.ts';
import type { Kind } from '../kinds/kind.ts';
import { markdownTable } from './markdown.ts';

export function kindsReference(kinds: readonly Kind[]): string {
  const lines = [
    '# Kinds of objects',
    '',
    '<!-- Generated from the kinds; do not edit. -->',
    '',
    'What manifests can hold.',
    '',
    'A field that is left out is unmanaged. `null` is allowed where the table says so. Every object also takes',
    '[`lifecycle`, `was`](settings.md) and, where it has an id, `id`. The service may know more values than those listed.',
    '',
    ...markdownTable(
      ['Kind', 'Parent', 'What it is'],
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
  const rows = Object.entries(kind.fields).map(([name, field]) => fieldRow(kind, name, field));
  return [
    `## ${kind.noun}`,
    '',
    kind.description,
    '',
    ...kindFacts(kind, kinds).map((fact) => `- ${fact}`),
    '',
    ...markdownTable(['Field', 'Value', 'Null', 'Change', 'Meaning'], rows),
    '',
  ];
}

function fieldRow(kind: Kind, name: string, field: Field): readonly string[] {
  const isKey = kind.manifest.key?.is === 'field' && kind.manifest.key.field === name;
  const label =
    kind.manifest.whole === name ? '(the object itself)' : isKey ? `\`${name}\` (the key)` : `\`${name}\``;
  const nulls = { removes: 'clears it', value: 'is a value' };
  const changes = { update: 'in place', replace: 'makes a new object', create: 'only at creation' };
  const example = ` Example: \`${JSON.stringify(field.example)}\``;
  return [
    label,
    `${describeSchema(field.schema())}${isExactList(field) ? ', or `{ add: … }`' : ''}`,
    field.nullable === undefined ? '' : nulls[field.nullable],
    changes[field.change ?? 'update'],
    `${field.description}${example}${field.needs === undefined ? '' : ` ${needsText(field.needs)}`}`,
  ];
}

function anchor(noun: string): string {
  return noun.toLowerCase().replaceAll(' ', '-');
}
