/** `lifecycle` and former names, each with one schema as its only description, as for settings. */
import * as z from 'zod';
import type { Kind } from '../kinds/kind.ts';
import { oneOrMore, strictObject } from '../util/data-schema.ts';

export function lifecycleSchema(field: z.ZodType<string>) {
  return strictObject({
    protect: z
      .boolean()
      .exactOptional()
      .describe('A delete or a replacement is refused. Absent: as the kind has it.'),
    release: z
      .boolean()
      .exactOptional()
      .describe('No longer managed, and kept: it is neither changed nor deleted.'),
    ignore: oneOrMore(field)
      .default([])
      .describe(
        'Fields whose differences are ignored: a new object begins as declared, and is left alone from then on. At a site or space, `synced` covers everything that a synchronized repository writes: fields and, of a site, its structure.',
      ),
  }).meta({ title: 'Lifecycle', description: 'How the object is treated over its life.' });
}

export const syncedWord = 'synced';

export function ignorableSchema({ fields, mayBeSynced }: Kind) {
  return z.enum([...Object.keys(fields), ...(mayBeSynced === true ? [syncedWord] : [])], {
    error: ({ input }) => (typeof input === 'string' ? `unknown field ${JSON.stringify(input)}` : undefined),
  });
}

export const formerNamesSchema = oneOrMore(z.string().min(1)).describe(
  'Former keys, titles or paths; [] declares that the object really is new.',
);
