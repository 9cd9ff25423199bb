/**
 * Fetches and parses external input of an operation before its transaction begins, if the caller may use it. The input is
 * untrusted, so each step takes at most linear time.
 */

import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { OperationId } from '../contract/index.ts';
import { isRecord, parsedJson } from '../util/json.ts';
import { rankOf } from './access.ts';
import { type FetchRules, fetchUnder, importedFrom, isImported } from './content/importing.ts';
import type { Context, Imported, PathParams, Prepared, SpecRead } from './context.ts';
import { invalid } from './errors.ts';

export async function prepare(
  context: Context,
  id: OperationId,
  rules: FetchRules,
  { params, body }: { readonly params: PathParams; readonly body: unknown },
): Promise<Prepared> {
  switch (id) {
    case 'openapi.create':
    case 'openapi.put': {
      if (context.rankIn(params.organizationId ?? '') < rankOf('create')) return { type: 'nothing' };
      const { source } = body as { source: { url?: string; text?: string } };
      const { text, url = '' } = source;
      const fetched = text === undefined ? await fetchUnder(rules, url) : { type: 'text' as const, text };
      if (fetched.type !== 'text') return { type: 'spec', read: { type: 'failed', code: fetched.code } };
      return { type: 'spec', read: await parsed(fetched.text) };
    }
    case 'spaceContent.import':
    case 'changeRequestContent.import': {
      const space = context.store.get('space', params.spaceId ?? '');
      if (space === undefined || context.rankOn(space) < rankOf('edit')) return { type: 'nothing' };
      return { type: 'import', imported: await importOf(context, rules, body as ImportBody) };
    }
    default:
      return { type: 'nothing' };
  }
}

interface ImportBody {
  readonly url: string;
  readonly source: string;
}

async function importOf(context: Context, rules: FetchRules, { url, source }: ImportBody): Promise<Imported> {
  if (!isImported(source)) throw invalid(`body.source: this service does not import ${source}`);
  const fetched = await fetchUnder(rules, url);
  if (fetched.type === 'not-allowed') throw invalid(`body.url: ${fetched.reason}`);
  if (fetched.type === 'failed') throw invalid('body.url: could not be read');
  return importedFrom(context, source, url, fetched);
}

async function parsed(text: string): Promise<SpecRead> {
  const value = parsedJson(text) ?? (await parseYaml(text));
  const isSpec = isRecord(value) && [value.openapi, value.swagger].some((one) => typeof one === 'string');
  return isSpec ? { type: 'content', content: value } : { type: 'failed', code: 'PARSE_ERROR' };
}

/** Timeout for one text in milliseconds, from the start of its turn. */
const deadline = 5000;
const maxAtOnce = 2;
const maxWaiting = 32;
const maxResult = 16 * 1024 * 1024;

// A string, because a worker in a bundle has no file of its own.
const program = `
const { parentPort, workerData } = require('node:worker_threads');
const { parse } = require(workerData.yaml);
const value = parse(workerData.text, { maxAliasCount: 100, uniqueKeys: false, logLevel: 'silent' });
const json = JSON.stringify(value);
parentPort.postMessage(json === undefined || json.length > workerData.maxResult ? null : json);
`;

let running = 0;
const waiting: (() => void)[] = [];

async function parseYaml(text: string): Promise<unknown> {
  if (running >= maxAtOnce) {
    if (waiting.length >= maxWaiting) return undefined;
    await new Promise<void>((turn) => waiting.push(turn));
  }
  running += 1;
  try {
    const json = await parsedByWorker(text);
    return json === null ? undefined : JSON.parse(json);
  } finally {
    running -= 1;
    waiting.shift()?.();
  }
}

function parsedByWorker(text: string): Promise<string | null> {
  const own = path.join(path.dirname(fileURLToPath(import.meta.url)), 'yaml-parse.js');
  const yaml = existsSync(own) ? own : createRequire(import.meta.url).resolve('yaml');
  const worker = new Worker(program, {
    eval: true,
    workerData: { yaml, text, maxResult },
    resourceLimits: { maxOldGenerationSizeMb: 256 },
    stdout: true,
    stderr: true,
  });
  return new Promise((done) => {
    const end = (json: string | null) => {
      clearTimeout(timer);
      void worker.terminate();
      done(json);
    };
    const timer = setTimeout(() => end(null), deadline);
    worker.once('message', (json: string | null) => end(json));
    worker.once('error', () => end(null));
    worker.once('exit', () => end(null));
  });
}
