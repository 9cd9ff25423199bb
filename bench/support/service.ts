/** Starts the embedded service in its own process, and writes the manifests of its workspace to a folder. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Seed } from '../../src/server/index.ts';
import type { Workspace } from './workspace.ts';

export interface ServiceUnderTest {
  readonly url: string;
  readonly token: string;
  /** Environment for a command to use it. */
  readonly env: Readonly<Record<string, string>>;
  /** Method and path of each request since the last call. */
  requests(): Promise<readonly string[]>;
  /** CPU time so far in milliseconds. */
  cpu(): Promise<number>;
  stop(): Promise<void>;
}

/** Content of a service: the workspace with a number of objects or teams, or the seed in a file. */
type Content = number | { readonly teams: number } | { readonly file: string };

/** Starts a service with some content, in memory or in a file. `latency`: milliseconds for each request. */
export async function startBench(
  content: Content,
  latency = 0,
  data = ':memory:',
): Promise<ServiceUnderTest> {
  const script = fileURLToPath(new URL('service-process.mjs', import.meta.url));
  const [what = ['objects', content]] = typeof content === 'number' ? [] : Object.entries(content);
  const child = fork(script, [...what, latency, data].map(String));
  const { url, token } = (await answerOf(child)) as { readonly url: string; readonly token: string };
  return {
    url,
    token,
    env: { OCTAVO_BASE_URL: url, OCTAVO_TOKEN: token },
    async requests() {
      child.send('requests');
      return (await answerOf(child)) as readonly string[];
    },
    async cpu() {
      child.send('cpu');
      return (await answerOf(child)) as number;
    },
    async stop() {
      child.disconnect();
      await once(child, 'exit');
    },
  };
}

/** Starts a service in memory with the content of a seed. */
export async function startSeeded(seed: Seed, latency = 0): Promise<ServiceUnderTest> {
  const folder = mkdtempSync(join(tmpdir(), 'octavo-bench-seed-'));
  try {
    const file = join(folder, 'seed.json');
    writeFileSync(file, JSON.stringify(seed));
    return await startBench({ file }, latency);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function answerOf(child: ChildProcess): Promise<unknown> {
  const [answer] = await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(([code]) => {
      throw new Error(`the service ended with ${code}`);
    }),
  ]);
  return answer;
}

/** Runs a function in a temporary folder with the manifests of the workspace. */
export async function inFolder<T>(
  manifests: Workspace['manifests'],
  deed: (folder: string) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'octavo-bench-'));
  try {
    for (const [name, text] of manifests) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), text);
    }
    return await deed(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
