/**
 * The embedded service with a workspace in its own process. Sends its address and, on request, the requests since the last time, or its
 * CPU time.
 */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { Seed } from '../../src/server/index.ts';
import { startService } from '../../src/server/index.ts';
import { teamsSeed, workspaceOf } from './workspace.ts';

const [, , what = 'objects', count = '0', latency = '0', data = ':memory:'] = process.argv;

const asked: string[] = [];
const milliseconds = Number(latency);
const service = await startService({
  data,
  seed: seedOf(what, count),
  faults: milliseconds === 0 ? [] : [{ type: 'latency', milliseconds }],
  // A log line has the method, the path with its query, the status and the time.
  log: (line) => asked.push(line.split(' ', 2).join(' ')),
});
process.on('message', (question) => {
  const { user, system } = process.cpuUsage();
  process.send?.(question === 'cpu' ? (user + system) / 1000 : asked.splice(0));
});
process.send?.({ url: service.url, token: service.token });
await once(process, 'disconnect');
await service.close();

function seedOf(name: string, of: string): Seed {
  if (name === 'file') return JSON.parse(readFileSync(of, 'utf8'));
  return name === 'teams' ? teamsSeed(Number(of)) : workspaceOf(Number(of)).seed;
}
