/** Kills a command at its k-th write below a folder: this write and all later ones fail, so that nothing can clean up. */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { relative } from 'node:path';

const names = ['mkdirSync', 'writeFileSync', 'openSync', 'renameSync', 'rmSync'] as const;

const isOwn = (folder: string, given: unknown) =>
  typeof given === 'string' && !/^\.\.|^\.octavo\/|^\.octavo$/.test(relative(folder, given));

export interface Writes {
  count: number;
  /** Numbers of the writes that replaced or created a file that people see. */
  readonly renames: number[];
}

/** `at`: the number of the write, from 1; Infinity only counts. */
export async function killedAt(folder: string, at: number, run: () => Promise<unknown>): Promise<Writes> {
  const writes: Writes = { count: 0, renames: [] };
  await withWrites(folder, run, (name) => {
    writes.count += 1;
    if (writes.count >= at) throw new Error('killed');
    if (name === 'renameSync') writes.renames.push(writes.count);
  });
  return writes;
}

/** The disk is full at one rename, and not later. */
export function failingAt<T>(folder: string, rename: number, run: () => Promise<T>): Promise<T> {
  let count = 0;
  return withWrites(folder, run, (name) => {
    if (name === 'renameSync') count += 1;
    if (name === 'renameSync' && count === rename)
      throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
  });
}

async function withWrites<T>(
  folder: string,
  run: () => Promise<T>,
  before: (name: (typeof names)[number]) => void,
): Promise<T> {
  const real = Object.fromEntries(names.map((name) => [name, fs[name]]));
  for (const name of names) {
    const call = fs[name] as (...given: readonly unknown[]) => unknown;
    const watched = (...given: readonly unknown[]): unknown => {
      if (isOwn(folder, given[0]) && !(name === 'openSync' && given[1] === 'r')) before(name);
      return call(...given);
    };
    Object.assign(fs, { [name]: watched });
  }
  syncBuiltinESMExports();
  try {
    return await run();
  } finally {
    Object.assign(fs, real);
    syncBuiltinESMExports();
  }
}
