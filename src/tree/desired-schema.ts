import * as z from 'zod';
import { once } from '../contract/once.ts';
import { kinds } from '../kinds/index.ts';
import type { Fields } from '../kinds/parts/payload.ts';
import { byName, flag, list, object, typed } from '../util/data-schema.ts';
import { sourceRangeSchema } from '../util/diagnostic-schema.ts';
import { endingsSchema } from './endings.ts';
import { lifecycleSchema } from './lifecycle.ts';
import { settingsSchema } from './settings.ts';

const text = z.string();

export const desiredNodeSchema = once(() =>
  object({
    kind: text,
    address: text.describe(
      'Path of keys: `sites/developer-hub/sections/guides`; `organization` for the root',
    ),
    key: text,
    parent: text.exactOptional().describe('Address of the parent; absent for the organization'),
    collection: text.describe('The key of the parent that holds it; empty for the organization'),
    index: z.number().describe('Position among its siblings, as written; negative if it is unknown'),
    id: text.exactOptional().describe('The id that the manifest pins'),
    knownId: text.exactOptional().describe('The id of the object that an earlier plan or run found here'),
    was: list(text).describe('Former keys, titles or paths'),
    isNew: flag('True when the manifest declares (`was: []`) that no live object is this one'),
    lifecycle: lifecycleSchema(text),
    fields: typed<Fields>().describe('Declared fields in normal form; references as written'),
    additive: list(text)
      .exactOptional()
      .describe('Fields whose lists only add: the value has the declared elements, and others are kept'),
    carried: list(text)
      .exactOptional()
      .describe('Fields that are not declared, with the values of the replaced object'),
    whole: flag(
      'True if all of the object is declared: nothing is carried over from an object that it replaces',
    ),
    inputs: byName(text)
      .exactOptional()
      .describe('Fields with a value from the environment in them, as they are written'),
    declares: list(text).describe('Child collections that are declared, also empty ones'),
    at: sourceRangeSchema,
  }),
);

/** All of a tree but its nodes. */
export const savedTreeShape = once(() => ({
  label: text,
  id: text.exactOptional(),
  match: object({ hostname: text.exactOptional(), title: text.exactOptional() }).exactOptional(),
  settings: settingsSchema(kinds.map(({ name }) => name)),
  endings: endingsSchema().exactOptional().describe('Access that ends; absent without any'),
}));

/** Stores the nodes as a list, without the places of their fields. */
export const savedTreeSchema = once(() => object({ ...savedTreeShape(), nodes: list(desiredNodeSchema()) }));

export type SavedTree = z.infer<ReturnType<typeof savedTreeSchema>>;
