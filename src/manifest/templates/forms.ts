/** The forms of templates as data, for code that reads, formats and describes them. */
import * as z from 'zod';
import { once } from '../../contract/once.ts';
import type { Kind } from '../../kinds/kind.ts';
import type { Registry } from '../../kinds/registry.ts';
import { strictObject } from '../../util/data-schema.ts';
import type { Located } from '../../yaml/located.ts';
import { useKeys } from '../files/paths.ts';

export const inputTypes = {
  string: 'text',
  number: 'a number',
  boolean: 'true or false',
  list: 'a list',
  mapping: 'a mapping',
} as const;

export type InputType = keyof typeof inputTypes;

const types = Object.keys(inputTypes) as [InputType, ...InputType[]];

export const inputsSchema = once(() =>
  z
    .record(
      z.string(),
      strictObject({
        type: z.enum(types).meta({ description: 'Type of its values.', examples: ['string'] }),
        default: z
          .unknown()
          .exactOptional()
          .meta({ description: 'Makes the input optional.', examples: ['public'] }),
        description: z
          .string()
          .exactOptional()
          .meta({ description: 'What it is for.', examples: ['Title of the site.'] }),
      }),
    )
    .readonly()
    .meta({
      entry: 'input',
      description: 'Values that differ from object to object; ${input:NAME} inserts one.',
      examples: [{ title: { type: 'string' } }],
    }),
);

export function bodyKey(kind: Kind, { root }: Registry): string {
  return kind === root ? 'document' : kind.name;
}

/** Excludes objects that consist of one value and have no parts to share. */
export function bodyKinds({ kinds }: Registry): readonly Kind[] {
  return kinds.filter(({ manifest }) => manifest.whole === undefined);
}

export function holdsUse(value: Located): boolean {
  if (value.type === 'scalar') return false;
  if (value.type === 'list') return value.items.some(holdsUse);
  return value.entries.some(({ key, value: inner }) => key === useKeys[0] || holdsUse(inner));
}
