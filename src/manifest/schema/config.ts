/**
 * `octavo.config.yaml`: settings of a folder for every command. The type, the reader and `schemas/config.schema.json` are
 * derived from the schema.
 */
import * as z from 'zod';
import { oneOrMore, strictObject } from '../../util/data-schema.ts';
import { lintFindings, lintLevels, lintRuleIds } from '../../util/diagnostic-codes.ts';
import { parseDuration } from '../../util/duration.ts';

const text = z.string().min(1);

export const parallelismSchema = z.int().min(1).max(64);

export const maxRpsSchema = z.int().min(1).max(10_000);
const durationSetting = z
  .string()
  .refine((given) => parseDuration(given) !== undefined, 'is not a duration')
  .meta({ help: 'write a duration such as 30s, 5m or 1h' });

const ownLevel = z.enum(lintLevels).exactOptional();
const lintLevel = (id: (typeof lintRuleIds)[number]) => ownLevel.describe(lintFindings[id]);

export const configSchema = strictObject({
  baseUrl: text.exactOptional().meta({
    description:
      'The service: its URL before /v1, which gets a token only if you trust its host, or local[:path] for the embedded service.',
    examples: ['https://api.example.com', 'local'],
  }),
  tokenFile: text
    .exactOptional()
    .meta({ description: 'File that holds the token, inside of this folder.', examples: ['.octavo-token'] }),
  file: oneOrMore(text)
    .exactOptional()
    .meta({ description: 'Manifests: files and folders (default: this folder).', examples: ['docs'] }),
  base: text.exactOptional().meta({
    description:
      'What plans are compared with: applied (what was recorded, the default where something was), none, a git ref or a folder.',
    examples: ['applied', 'origin/main'],
  }),
  overlay: oneOrMore(text)
    .exactOptional()
    .meta({ description: 'Overlays to merge over the manifests: names or files.', examples: ['production'] }),
  parallelism: parallelismSchema
    .meta({ help: 'write a whole number from 1 to 64' })
    .default(8)
    .describe('How many requests may be in flight.'),
  maxRps: maxRpsSchema
    .meta({ help: 'write a whole number from 1 to 10000' })
    .exactOptional()
    .meta({
      description: 'How many requests may be sent within a second (default: as many as the service takes).',
      examples: [20],
    }),
  lock: text.exactOptional().meta({
    description:
      'Where the lock of an apply is: file (default), git:<remote> where several machines apply, or none.',
    examples: ['git:origin'],
  }),
  lockTimeout: durationSetting.exactOptional().meta({
    description: 'How long to wait for the lock of another run, such as 10m (default: 0s).',
    examples: ['10m'],
  }),
  lockLease: durationSetting.exactOptional().meta({
    description:
      'How long a lock in a git remote outlives a run that was killed; it is renewed three times as often (default: 60s).',
    examples: ['60s'],
  }),
  lint: strictObject(Object.fromEntries(lintRuleIds.map((id) => [id, lintLevel(id)])))
    .exactOptional()
    .meta({
      description: 'What octavo validate makes of what single rules find: off, warn (default) or error.',
      examples: [{ 'unused-file': 'off' }],
      entry: 'rule',
    }),
}).meta({
  title: 'Octavo configuration',
  description: 'What a folder sets for every command; flags and environment variables come first.',
  entry: 'setting',
});

export type Config = z.infer<typeof configSchema>;
