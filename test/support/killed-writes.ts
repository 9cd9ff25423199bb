/** Kills a command at its k-th write below a folder: this write and all later ones fail, so that nothing can clean up. */
import { relative } from 'node:path';
import { type FileEffects, WorkFolder, workFolder } from '../../src/manifest/files/work-folder.ts';

export interface Writes {
  count: number;
  /** Numbers of the writes that replaced or created a file that people see. */
  readonly renames: number[];
}

/** `at`: the number of the write, from 1; Infinity only counts. */
export async function killedAt(
  root: string,
  at: number,
  run: (folder: WorkFolder) => Promise<unknown>,
): Promise<Writes> {
  const writes: Writes = { count: 0, renames: [] };
  await run(
    watched(root, (name) => {
      writes.count += 1;
      if (writes.count >= at) throw new Error('killed');
      if (name === 'rename') writes.renames.push(writes.count);
    }),
  );
  return writes;
}

/** The disk is full at one rename, and not later. */
export function failingAt<T>(
  root: string,
  rename: number,
  run: (folder: WorkFolder) => Promise<T>,
): Promise<T> {
  let count = 0;
  const folder = watched(root, (name) => {
    if (name === 'rename') count += 1;
    if (name === 'rename' && count === rename)
      throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
  });
  return run(folder);
}

/** Calls `before` for each effect below the folder. */
export function watched(root: string, before: (name: keyof FileEffects) => void): WorkFolder {
  const { effects } = workFolder;
  const call =
    <Given extends readonly unknown[]>(
      name: keyof FileEffects,
      effect: (file: string, ...given: Given) => unknown,
    ) =>
    (file: string, ...given: Given) => {
      if (!relative(root, file).startsWith('..')) before(name);
      return effect(file, ...given);
    };
  return new WorkFolder({
    makeFolder: call('makeFolder', effects.makeFolder),
    create: call('create', effects.create),
    append: call('append', effects.append),
    rename: call('rename', effects.rename),
    remove: call('remove', effects.remove),
  });
}
