/** The `sample` seed: at least one object for each operation to work on, and members of each role with tokens such as `token-ada`. */
import sample from './sample.json' with { type: 'json' };
import type { Seed } from './seed-file.ts';

export const sampleInvite = 'inv_sample';

export const sampleSeed = sample as Seed;
