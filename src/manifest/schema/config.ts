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
const duration = z
  .string()
  .refine((given) => parseDuration(given) !== undefined, 'is not a duration')
  .meta({ help: 'write a duration such as 30s, 5m or 1h' });

const branch = z
  .string()
  .regex(/^[A-Za-z0-9](?:[\w-]|[./](?=[\w-]))*$/, 'is not a name for a branch')
  .meta({ help: 'write letters, digits, dashes and slashes' });

function setting<S extends z.ZodType>(schema: S, description: string, ...examples: readonly unknown[]) {
  return schema
    .exactOptional()
    .meta({ description, ...(examples.length > 0 && { examples: [...examples] }) });
}

export const configSchema = strictObject({
  requires: setting(
    text,
    'The versions of Octavo that may be used here, as npm writes ranges; with any other, each command is an error.',
    '>=0.1',
  ),
  baseUrl: setting(
    text,
    'The service: its URL before /v1, which gets a token only if you trust its host, or local[:path] for the embedded service.',
    ...['https://api.example.com', 'local'],
  ),
  file: setting(oneOrMore(text), 'Manifests: files and folders (default: this folder).', 'docs'),
  base: setting(
    text,
    'Base of plans: applied (the last record; the default if there is one), none, a git ref or a folder.',
    ...['applied', 'origin/main'],
  ),
  overlay: setting(oneOrMore(text), 'Overlays to merge over the manifests: names or files.', 'production'),
  parallelism: parallelismSchema
    .meta({ help: 'write a whole number from 1 to 64' })
    .default(8)
    .describe('How many requests may be in flight.'),
  maxRps: setting(
    maxRpsSchema.meta({ help: 'write a whole number from 1 to 10000' }),
    'How many requests may be sent within a second (default: as many as the service takes).',
    20,
  ),
  lock: setting(
    text,
    'Where the lock of an apply is: local (default), git:<remote> if several machines apply, or none.',
    'git:origin',
  ),
  lockTimeout: setting(duration, 'How long to wait for the lock of another run (default: 0s).', '10m'),
  lockLease: setting(
    duration,
    'How long a lock in a git remote outlives a run that was killed; it is renewed three times as often (default: 60s).',
    '60s',
  ),
  ci: strictObject({
    comment: setting(
      z.boolean(),
      'Whether the comment of a request shows its plan and the result of its apply (default: true).',
    ),
    approval: setting(
      z.enum(['merged', 'none']),
      'What octavo ci apply may apply: merged (default), only the plan of the merged request; or none, any plan.',
    ),
    app: setting(text, 'GitHub app whose check runs keep plans (default: github-actions).', 'docs-bot'),
    rehearse: setting(z.boolean(), 'Whether plans of requests are rehearsed (default: true).'),
    changed: setting(z.boolean(), 'Whether plans of requests read only what they change (default: false).'),
    issueTitle: setting(text.max(255), 'Title of the issue about drift.', 'Drift in Acme'),
    branches: setting(
      z.array(branch).min(1),
      'Branches that octavo ci apply applies (default: the default branch of the repository).',
      ['main', 'production'],
    ),
    driftBranch: setting(
      branch,
      'Branch of requests that accept drift (default: octavo/drift).',
      'docs/drift',
    ),
    shards: setting(
      z.int().min(1).max(1000).meta({ help: 'write a whole number from 1 to 1000' }),
      'Jobs of a fleet, at most, for octavo ci matrix.',
      16,
    ),
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
