import { realpathSync } from 'node:fs';
import path from 'node:path';

/** Resolves links, also for a file that does not exist yet. */
export function ownPath(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    const folder = path.dirname(file);
    return folder === file ? file : path.join(ownPath(folder), path.basename(file));
  }
}
