/** The digest of a plan: two plans with the same digest send the same requests. */
import { createHash } from 'node:crypto';
import type { Plan } from '../plan/plan.ts';
import { stableStringify } from '../util/json.ts';

/** Fewest characters that `--expect` takes. */
const shortest = 12;

/** The SHA-256 of what the plan does, in hex. Notes and what is left alone do not count. */
export function planDigest(plan: Plan): string {
  const done = plan.organizations.map(({ organizationId, steps, refusals }) => ({
    organizationId,
    steps,
    refusals,
  }));
  return createHash('sha256').update(stableStringify(done)).digest('hex');
}

/** The digest as people copy it. */
export function shortDigest(digest: string): string {
  return digest.slice(0, 16);
}

/** True when the expected digest, whole or shortened, is this one. */
export function isExpectedDigest(digest: string, expected: string): boolean {
  const bare = expected
    .trim()
    .toLowerCase()
    .replace(/^sha256:/, '');
  return bare.length >= shortest && digest.startsWith(bare);
}
