/** Reads what the embedded service starts with: a JSON file, or the sample that comes with it. */

import { readJson } from '../run/read-file.ts';
import type { Seed } from '../server/index.ts';
import { userError } from '../util/user-error.ts';

/** The seed of that name. Throws a DiagnosticError where a file cannot be read or is not a seed. */
export async function loadSeed(cwd: string, name: string): Promise<Seed> {
  const { readSeed, sampleSeed } = await import('../server/index.ts');
  if (name === 'sample') return sampleSeed;
  const value = readJson(cwd, name, 'seed');
  try {
    return readSeed(value);
  } catch (error) {
    throw userError(
      'seed',
      `${name}: ${error instanceof Error ? error.message : String(error)}`,
      'write an object with a list of organizations, or pass --seed sample',
    );
  }
}
