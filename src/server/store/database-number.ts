import { createHash } from 'node:crypto';

/** Creates the four header bytes that identify a new database at a path. */
export function numberAt(path: string): Buffer {
  return createHash('sha256').update(path).digest().subarray(0, 4);
}
