/**
 * Parses YAML of strangers in a thread of its own, bounded in time, memory and size: the service answers others meanwhile,
 * and gives up on what takes too long.
 */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';

/** Time for one text, in milliseconds, beginning when its turn comes. */
const deadline = 5000;
const maxAtOnce = 2;
const maxWaiting = 32;
const maxResult = 16 * 1024 * 1024;

// As text: a worker of a bundle has no file of its own.
const program = `
const { parentPort, workerData } = require('node:worker_threads');
const { parse } = require(workerData.yaml);
const value = parse(workerData.text, { maxAliasCount: 100, uniqueKeys: false, logLevel: 'silent' });
const json = JSON.stringify(value);
parentPort.postMessage(json === undefined || json.length > workerData.maxResult ? null : json);
`;

let running = 0;
const waiting: (() => void)[] = [];

/** The value of a text in YAML, as JSON has it; undefined where it is none, or goes beyond a limit. */
export async function parseYaml(text: string): Promise<unknown> {
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

/** The file of the bundle, or the package where the sources run as they are. */
function parserPath(): string {
  const own = path.join(path.dirname(fileURLToPath(import.meta.url)), 'yaml-parse.js');
  return existsSync(own) ? own : createRequire(import.meta.url).resolve('yaml');
}

function parsedByWorker(text: string): Promise<string | null> {
  const worker = new Worker(program, {
    eval: true,
    workerData: { yaml: parserPath(), text, maxResult },
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
