import { registry } from '../kinds/index.ts';
import type { Kind } from '../kinds/kind.ts';
import { describeFields, kindFacts, kindWord, placesText } from '../kinds/parts/describe-kind.ts';
import { markdownTable } from './markdown.ts';

export function kindsReference(): string {
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
      registry.kinds.map((kind) => [
        `[${kind.noun}](#${kindWord(kind)})`,
        placesText(kind, registry),
        kind.description,
      ]),
    ),
    '',
    ...registry.kinds.flatMap(kindText),
  ];
  return `${lines.join('\n').trimEnd()}\n`;
}

function kindText(kind: Kind): readonly string[] {
  const rows = describeFields(kind, registry).map((field) => [
    field.label,
    field.value,
    field.null,
    field.change,
    `${field.description} Example: \`${JSON.stringify(field.example)}\``,
  ]);
  return [
    `## ${kind.noun}`,
    '',
    kind.description,
    '',
    ...kindFacts(kind, registry).map((fact) => `- ${fact}`),
    '',
    ...markdownTable(['Field', 'Value', 'Null', 'Change', 'Meaning'], rows),
    '',
  ];
}
