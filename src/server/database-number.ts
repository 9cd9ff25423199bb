import { createHash } from 'node:crypto';

/** The number that a database is given when it is created at a path, as the four bytes of its header that hold it. */
export function numberAt(path: string): Buffer {
  return createHash('sha256').update(path).digest().subarray(0, 4);
}
