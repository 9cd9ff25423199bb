/** The reference page of the variants of the embedded service, made from their table. Pure. */
import { variantNames, variantSwitch } from '../server/variants.ts';
import { markdownTable } from './markdown.ts';

/** The whole page. Same switches, same text. */
export function variantsReference(): string {
  const lines = [
    '# Variants of the embedded service',
    '',
    'Generated from the table of variants; do not edit.',
    '',
    'Where the API document is silent, services differ. `octavo serve --variant name=value` makes the embedded service behave like one of',
    'them; the flag is repeatable, and `--variant random` (or `random:42`, for the same mix each time) chooses a value for each. The first value',
    'is the default.',
    '',
    ...markdownTable(
      ['Variant', 'What it decides', 'Values'],
      variantNames.map((name) => {
        const { description, values, meanings = {} } = variantSwitch(name);
        const texts = values.map((value) => {
          const meaning = meanings[value];
          return meaning === undefined ? `\`${value}\`` : `\`${value}\` (${meaning})`;
        });
        return [`\`${name}\``, description, texts.join(', ')];
      }),
    ),
  ];
  return `${lines.join('\n')}\n`;
}
