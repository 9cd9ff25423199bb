/**
 * `octavo.config.yaml`: what a folder sets for every command. The schema is its only description: the type, the reader
 * and `schemas/config.schema.json` come from it.
 */
import { z } from 'zod';
import { oneOrMore, strictObject } from '../util/data-schema.ts';

const text = z.string().min(1);

/** How many requests may be in flight. */
export const parallelismSchema = z.int().min(1).max(64);

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
}).meta({
  title: 'Octavo configuration',
  description: 'What a folder sets for every command; flags and environment variables come first.',
  entry: 'setting',
});

/** What the file sets, with defaults. */
export type Config = z.infer<typeof configSchema>;
