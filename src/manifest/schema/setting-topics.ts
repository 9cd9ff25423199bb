/** All settings of a workspace that are not objects, for the reference page and for `octavo explain`. */
import * as z from 'zod';
import { describeProperties } from '../../contract/describe-schema.ts';
import { kinds } from '../../kinds/index.ts';
import { formerNamesSchema, lifecycleSchema } from '../../tree/lifecycle.ts';
import { settingsSchema } from '../../tree/settings.ts';
import { unwrapped } from '../../util/data-schema.ts';
import { configSchema } from './config.ts';

interface SettingTopic {
  readonly name: string;
  /** Heading of its section in the reference page. */
  readonly heading: string;
  readonly where: string;
  readonly schema: z.ZodType;
}

export const settingTopics: readonly SettingTopic[] = [
  {
    name: 'settings',
    heading: 'settings',
    where: 'Once per organization, in a manifest.',
    schema: settingsSchema(kinds.map(({ name }) => name)),
  },
  {
    name: 'lifecycle',
    heading: 'lifecycle',
    where: 'On any object. `ignore` takes names of its fields.',
    schema: lifecycleSchema(z.string()),
  },
  {
    name: 'was',
    heading: 'was',
    where: `On any object: a string, or a list of them. ${formerNamesSchema.description ?? ''}`,
    schema: formerNamesSchema,
  },
  {
    name: 'config',
    heading: 'octavo.config.yaml',
    where:
      'In the folder where octavo runs, or in the nearest one above it in its repository; paths are relative to the file. Flags and environment variables take precedence.',
    schema: configSchema,
  },
];

export function settingTexts(
  schema: z.ZodType | undefined,
): readonly { readonly name: string; readonly value: string; readonly meaning: string }[] {
  const inner = schema && unwrapped(schema);
  if (!(inner instanceof z.ZodObject)) return [];
  return describeProperties(inner).map(({ name, value, meaning }) => ({
    name,
    // Mappings get a table of their own.
    value: value.length > 120 ? 'mapping' : value,
    meaning,
  }));
}
