/** `octavo serve`: runs the embedded service until it is interrupted. */

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { FaultRule } from '../../server/index.ts';
import { readJson, readSeed, startEmbedded } from '../connection.ts';
import type { Invocation } from '../invocation.ts';
import { systemReason, userError } from '../user-error.ts';

/** Exit code 0 after an interrupt. */
export async function run(invocation: Invocation): Promise<number> {
  const { flags, cwd, output, interrupt } = invocation;
  const token = flags.tokenFile === undefined ? undefined : readTokenFile(cwd, flags.tokenFile);
  const service = await startEmbedded({
    data: flags.data === undefined ? ':memory:' : resolve(cwd, flags.data),
    port: flags.port ?? 4000,
    ...(flags.host === undefined ? {} : { host: flags.host }),
    ...(flags.public === undefined ? {} : { public: flags.public }),
    ...(token === undefined ? {} : { token }),
    ...(flags.faults === undefined ? {} : { faults: await readFaults(cwd, flags.faults) }),
    ...(flags.seed === undefined ? {} : { seed: readSeed(cwd, flags.seed) }),
    ...(flags.verbose === true ? { log: (line: string) => output.detail(line) } : {}),
    report: (error) => output.error(`Error: ${error instanceof Error ? error.message : String(error)}`),
  });
  output.result(`Serving on ${service.url}\n`);
  if (token === undefined) {
    output.note(
      `Token: ${service.token}\nTry: OCTAVO_BASE_URL=${service.url} OCTAVO_TOKEN=${service.token} octavo plan`,
    );
  }
  output.note('Stop with Ctrl-C.');
  if (!interrupt.signal.aborted) await once(interrupt.signal, 'abort');
  await service.close();
  return 0;
}

async function readFaults(cwd: string, file: string): Promise<readonly FaultRule[]> {
  const { faultsFile } = await import('../../server/index.ts');
  const parsed = faultsFile.safeParse(readJson(cwd, file, 'faults'));
  if (parsed.success) return parsed.data.faults;
  const issue = parsed.error.issues[0];
  throw userError('faults', `the faults file ${file}: ${issue?.path.join('.')}: ${issue?.message}`);
}

function readTokenFile(cwd: string, file: string): string {
  try {
    return readFileSync(resolve(cwd, file), 'utf8').trim();
  } catch (error) {
    throw userError(
      'token-file',
      `the token file ${file} cannot be read: ${systemReason(error) ?? String(error)}`,
    );
  }
}
