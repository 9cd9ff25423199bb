/** Loads SQLite when a store first needs it: its native code is an optional dependency, and nothing else needs it. */
import { createRequire } from 'node:module';
import type Database from 'libsql';

type Sqlite = typeof Database;

const load = createRequire(import.meta.url);

/** The class of databases. Throws an Error that says how to install SQLite where it is missing. */
export function loadSqlite(): Sqlite {
  try {
    return load('libsql') as Sqlite;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') throw error;
    throw new Error('the optional package libsql is not installed; install it with: npm install libsql');
  }
}
