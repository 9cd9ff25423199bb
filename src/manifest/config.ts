/**
 * `octavo.config.yaml`: what a folder sets for every command. The schema is its only description: the type, the reader
 * and `schemas/config.schema.json` come from it.
 */
import * as z from 'zod';
import { oneOrMore, strictObject } from '../util/data-schema.ts';
import { parseDuration } from '../util/duration.ts';

const text = z.string().min(1);

/** How many requests may be in flight. */
export const parallelismSchema = z.int().min(1).max(64);

/** How many requests may be sent in a second. */
export const maxRpsSchema = z.int().min(1).max(10_000);
const durationSetting = z
  .string()
  .refine((given) => parseDuration(given) !== undefined, 'is not a duration')
  .meta({ help: 'write a duration such as 30s, 5m or 1h' });

/** The schema of the file. */
export const configSchema = strictObject({
  baseUrl: text
    .exactOptional()
    .describe('The service: its URL before /v1, or local[:path] for the embedded service.'),
  tokenFile: text.exactOptional().describe('File that holds the token.'),
  file: oneOrMore(text).exactOptional().describe('Manifests: files and folders (default: this folder).'),
  overlay: oneOrMore(text).exactOptional().describe('Overlays to merge over the manifests: names or files.'),
  parallelism: parallelismSchema
    .meta({ help: 'write a whole number from 1 to 64' })
    .default(8)
    .describe('How many requests may be in flight.'),
  maxRps: maxRpsSchema
    .meta({ help: 'write a whole number from 1 to 10000' })
    .exactOptional()
    .describe('How many requests may be sent within a second (default: as many as the service takes).'),
  lock: text
    .exactOptional()
    .describe(
      'Where the lock of an apply is: file (default), git:<remote> where several machines apply, or none.',
    ),
  lockTimeout: durationSetting
    .exactOptional()
    .describe('How long to wait for the lock of another run, such as 10m (default: 0s).'),
  lockLease: durationSetting
    .exactOptional()
    .describe(
      'How long a lock in a git remote outlives a run that was killed; it is renewed three times as often (default: 60s).',
    ),
}).meta({
  title: 'Octavo configuration',
  description: 'What a folder sets for every command; flags and environment variables come first.',
  entry: 'setting',
});

/** What the file sets, with defaults. */
export type Config = z.infer<typeof configSchema>;
