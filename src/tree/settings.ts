/**
 * The settings of one organization. The type, the reader of manifests, the JSON Schemas and the check of saved plans are derived from the
 * schema. Parsing is idempotent.
 */
import * as z from 'zod';
import { forms } from '../contract/form.ts';
import type { Registry } from '../kinds/registry.ts';
import { oneOrMore, strictObject } from '../util/data-schema.ts';
import { remembered } from '../util/remembered.ts';

const prune = z.enum(['never', 'removed', 'unlisted']).meta({
  help:
    'write never (delete nothing), removed (delete what was removed from the manifests) or unlisted (delete ' +
    'everything that they do not list)',
});

export type Prune = z.infer<typeof prune>;

const limit = z.int().min(0).nullable().meta({ help: 'write a whole number, or null for no limit' });

/** Limits per plan; null: no limit. */
const limits = strictObject({
  deletes: limit
    .default(10)
    .describe('Objects that may be deleted, including those deleted along with another one.'),
  deletePercent: z
    .int()
    .min(0)
    .max(100)
    .nullable()
    .meta({ help: 'write a whole number from 0 to 100, or null for no limit' })
    .default(25)
    .describe('Share of any one list, and of all that was read, that may be deleted, in percent.'),
  changes: limit.default(null).describe('Objects that may be changed in any way.'),
});

const ownPrune = prune.exactOptional();
const pruneOfKind = (kind: string) =>
  ownPrune.describe(`What is deleted of the kind ${kind}, instead of settings.prune.`);

export function settingsSchema(kinds: readonly string[]) {
  return strictObject({
    prune: prune
      .default('removed')
      .describe(
        'What is deleted: nothing, what was removed from the manifests, or everything that they do not list.',
      ),
    pruneKinds: strictObject(Object.fromEntries(kinds.map((name) => [name, pruneOfKind(name)])))
      .default({})
      .meta({ description: 'What is deleted of single kinds, instead of prune.', entry: 'kind' }),
    limits: limits
      .prefault({})
      .meta({ description: 'Past a limit nothing is applied; null removes a limit.', entry: 'limit' }),
    service: strictObject({
      profile: z
        .enum(forms)
        .exactOptional()
        .meta({
          description: 'Form of the service, if its responses do not show it.',
          examples: ['2026'],
          help: 'write document or "2026", in quotes',
        }),
    })
      .exactOptional()
      .meta({ description: 'Abilities of the service.', examples: [{ profile: '2026' }], entry: 'setting' }),
    protect: oneOrMore(z.string().min(1))
      .default([])
      .describe('Addresses (globs) that are neither deleted nor replaced; a leading ! lifts a protection.'),
    self: z
      .string()
      .regex(/^[^\s@]+@[^\s@]+$/, 'an e-mail address')
      .toLowerCase()
      .meta({ help: 'write the address of the member that the token belongs to' })
      .exactOptional()
      .meta({
        description:
          'E-mail address of the member that the token belongs to, who is neither removed nor given another role.',
        examples: ['deploy@acme.dev'],
      }),
  }).meta({
    title: 'Settings',
    description: 'What may be deleted and how much may change; once per organization.',
    entry: 'setting',
  });
}

/** Cached, because building a schema costs more than reading with it. */
export const settingsSchemaOf = remembered((registry: Registry) =>
  settingsSchema(registry.kinds.map(({ name }) => name)),
);

export type Settings = z.infer<ReturnType<typeof settingsSchema>>;

export function pruneOf({ prune: general, pruneKinds }: Settings, kind: string): Prune {
  return pruneKinds[kind] ?? general;
}
