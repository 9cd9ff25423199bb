/**
 * `octavo.config.yaml`: settings of a folder for every command. The type, the reader and `schemas/config.schema.json`
 * derive from this schema.
 */
import * as z from 'zod';
import { oneOrMore, strictObject } from '../../util/data-schema.ts';
import { parseDuration } from '../../util/duration.ts';

const text = z.string().min(1);

export const parallelismSchema = z.int().min(1).max(64);

export const maxRpsSchema = z.int().min(1).max(10_000);
const durationSetting = z
  .string()
  .refine((given) => parseDuration(given) !== undefined, 'is not a duration')
  .meta({ help: 'write a duration such as 30s, 5m or 1h' });

const branchName = z
  .string()
  .regex(/^[A-Za-z0-9](?:[\w-]|[./](?=[\w-]))*$/, 'is not a name for a branch')
  .meta({ help: 'write letters, digits, dashes and slashes' });

export const configSchema = strictObject({
  requires: text.exactOptional().meta({
    description:
      'The versions of Octavo that may be used here, as npm writes ranges; with any other, each command is an error.',
    examples: ['>=0.1'],
  }),
  baseUrl: text.exactOptional().meta({
    description:
      'The service: its URL before /v1, which gets a token only if you trust its host, or local[:path] for the embedded service.',
    examples: ['https://api.example.com', 'local'],
  }),
  file: oneOrMore(text)
    .exactOptional()
    .meta({ description: 'Manifests: files and folders (default: this folder).', examples: ['docs'] }),
  base: text.exactOptional().meta({
    description:
      'Base of plans: applied (the last record; the default if there is one), none, a git ref or a folder.',
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
      'Where the lock of an apply is: local (default), git:<remote> if several machines apply, or none.',
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
  ci: strictObject({
    comment: z
      .boolean()
      .exactOptional()
      .describe(
        'Whether the comment of a request shows its plan and the result of its apply (default: true).',
      ),
    approval: z
      .enum(['merged', 'none'])
      .exactOptional()
      .describe(
        'What octavo ci apply may apply: merged (default), only the plan of the merged request; or none, any plan.',
      ),
    app: text.exactOptional().meta({
      description: 'The app of GitHub whose check runs keep plans (default: github-actions).',
      examples: ['docs-bot'],
    }),
    rehearse: z
      .boolean()
      .exactOptional()
      .describe('Whether plans of requests are rehearsed (default: true).'),
    changed: z
      .boolean()
      .exactOptional()
      .describe('Whether plans of requests read only what the request changes (default: false).'),
    issueTitle: text
      .max(255)
      .exactOptional()
      .meta({ description: 'Title of the issue about drift.', examples: ['Drift in Acme'] }),
    branches: z
      .array(branchName)
      .min(1)
      .exactOptional()
      .meta({
        description: 'Branches that octavo ci apply applies (default: the default branch of the repository).',
        examples: [['main', 'production']],
      }),
    driftBranch: branchName.exactOptional().meta({
      description: 'Branch of the request that accepts drift (default: octavo/drift).',
      examples: ['docs/drift'],
    }),
    shards: z
      .int()
      .min(1)
      .max(1000)
      .meta({ help: 'write a whole number from 1 to 1000' })
      .exactOptional()
      .meta({ description: 'Jobs of a fleet, at most, for octavo ci matrix.', examples: [16] }),
  })
    .exactOptional()
    .meta({
      description: 'Settings of octavo ci in pipelines.',
      examples: [{ issueTitle: 'Drift in Acme' }],
      entry: 'setting',
    }),
}).meta({
  title: 'Octavo configuration',
  description: 'Settings of a folder for all commands; flags and environment variables take precedence.',
  entry: 'setting',
});

export type Config = z.infer<typeof configSchema>;
