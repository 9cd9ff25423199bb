/** Locks a data file for one process at a time. */
import { closeSync, openSync, realpathSync } from 'node:fs';
import type Database from 'libsql';
import { loadSqlite } from './sqlite.ts';

/**
 * Holds a file for this process: an open transaction on a small database beside it, which the system lets go whenever the
 * process ends, however it ends. (The connection of the file itself lives on until its statements are collected.)
 */
export function lockOf(file: string): Database.Database {
  const Sqlite = loadSqlite();
  const lock = new Sqlite(`${file}.lock`);
  try {
    lock.exec('BEGIN EXCLUSIVE');
    return lock;
  } catch (error) {
    lock.close();
    const message = error instanceof Error ? error.message : String(error);
    if (!/locked|busy/i.test(message)) throw new Error(`cannot open ${file}: ${message}`);
    throw new Error(`${file} is in use by another process; only one service at a time may serve it`);
  }
}

/**
 * The file under its one name, whatever links lead to it; made where it is missing, for its owner's eyes only: it has share
 * keys and the key that the service signs with. Throws where it can be neither made nor written.
 */
export function ownFile(file: string): string {
  try {
    closeSync(openSync(file, 'a', 0o600));
    return realpathSync(file);
  } catch (error) {
    throw new Error(`cannot open ${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
