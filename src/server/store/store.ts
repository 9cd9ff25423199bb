/**
 * The store of the embedded service: rows by kind in one SQLite table, and a full-text index of pages. `key` within
 * `scope` is unique by the schema; all other rules belong to handlers.
 */
import { randomBytes } from 'node:crypto';
import { closeSync, openSync, realpathSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import type Database from 'libsql';
import { greatest } from '../../util/lists.ts';
import { rememberedIn } from '../../util/remembered.ts';
import { numberAt } from './database-number.ts';
import { type Columns, columns, type RowKind, type Rows, rowFormat, rowKinds } from './rows.ts';
import { countSpacesQuery, type Seen, type Slice, type SqlValue, sliceQuery, taggedQuery } from './slice.ts';

type Statement = ReturnType<Database.Database['prepare']>;

export type StoreChange = (copy: Store) => void;

/** All methods are synchronous; a write outside `write` is its own transaction. */
export class Store {
  readonly #db: Database.Database;
  readonly #lock: Database.Database | null;
  readonly #statements = new Map<string, Statement>();
  /** Recently read rows, by kind and id. */
  readonly #texts = new Map<string, string>();
  #sequence = 0;
  #changes: StoreChange[] | null = null;
  #listener: ((changes: readonly StoreChange[]) => void) | undefined;

  /** Opens or creates the file, or memory with `:memory:`. Throws if another process holds the file. */
  constructor(file: string) {
    const Sqlite = loadSqlite();
    const path = file === ':memory:' ? file : ownFile(file);
    this.#lock = file === ':memory:' ? null : lockOf(path);
    try {
      this.#db = new Sqlite(path);
      refuseForeign(this.#db);
      if (this.#lock !== null) {
        this.#giveNumber(path);
        this.#db.exec('PRAGMA busy_timeout = 10000; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;');
      }
      this.#db.exec(`BEGIN IMMEDIATE; ${schema} COMMIT;`);
      this.#makeSecret();
      this.#refile();
    } catch (error) {
      this.#lock?.close();
      throw new Error(`cannot open ${file}: ${error instanceof Error ? error.message : String(error)}`);
    }
    this.#sequence = Number(this.meta('sequence') ?? '0');
  }

  /**
   * Identifies this database, even after its file was moved. A database that is created again in the same place counts as the same
   * service. Runs before the journal becomes a separate file, so that the header contains the number.
   */
  #giveNumber(path: string): void {
    const { application_id: own } = this.#prepare('PRAGMA application_id').get([]) as {
      application_id: number;
    };
    if (own === 0) this.#db.exec(`PRAGMA application_id = ${numberAt(path).readInt32BE()}`);
  }

  /** Updates the columns of all rows after a change of format. Always writes, so that a read-only file fails here. */
  #refile(): void {
    this.write(() => {
      const stale = this.meta('format') === rowFormat ? [] : rowKinds;
      for (const kind of stale) for (const row of this.every(kind)) this.put(kind, row);
      this.setMeta('format', rowFormat);
    });
  }

  /** Signs tokens; stored, so that tokens survive a restart. */
  get secret(): string {
    return this.meta('secret') ?? '';
  }

  #makeSecret(): void {
    if (this.meta('secret') === undefined) this.setMeta('secret', randomBytes(32).toString('base64url'));
  }

  write<T>(work: () => T): T {
    this.#db.exec('BEGIN IMMEDIATE');
    const sequence = this.#sequence;
    try {
      const result = work();
      if (sequence !== this.#sequence) this.setMeta('sequence', String(this.#sequence));
      this.#db.exec('COMMIT');
      this.#announce();
      return result;
    } catch (error) {
      this.#sequence = sequence;
      this.#texts.clear();
      // A failed commit may have been rolled back already.
      if (this.#db.inTransaction) this.#db.exec('ROLLBACK');
      if (this.#changes !== null) this.#changes = [];
      throw error;
    }
  }

  /** Called with the changes of each committed transaction; undefined removes the listener. */
  onCommit(listener: ((changes: readonly StoreChange[]) => void) | undefined): void {
    this.#listener = listener;
    this.#changes = listener === undefined ? null : [];
  }

  #announce(): void {
    if (this.#changes === null || this.#changes.length === 0) return;
    this.#listener?.(this.#changes);
    this.#changes = [];
  }

  next(): number {
    this.#sequence += 1;
    return this.#sequence;
  }

  get<K extends RowKind>(kind: K, id: string): Rows[K] | undefined {
    const known = this.#texts.get(`${kind} ${id}`);
    const text = known ?? this.#text('SELECT data FROM rows WHERE kind = ? AND id = ?', [kind, id]);
    if (text === undefined) return undefined;
    if (known === undefined) this.#keep(`${kind} ${id}`, text);
    return JSON.parse(text) as Rows[K];
  }

  #keep(name: string, text: string): void {
    if (text.length > lengthAtMost) return;
    const [oldest = ''] = this.#texts.keys();
    if (this.#texts.size >= rowsAtMost) this.#texts.delete(oldest);
    this.#texts.set(name, text);
  }

  find<K extends RowKind>(kind: K, scope: string, key: string): Rows[K] | undefined {
    const sql = 'SELECT data FROM rows WHERE kind = ? AND scope = ? AND key = ?';
    const text = this.#text(sql, [kind, scope, key]);
    return text === undefined ? undefined : (JSON.parse(text) as Rows[K]);
  }

  /** The other row that has the unique key of this one. */
  rival<K extends RowKind>(kind: K, row: Rows[K]): Rows[K] | undefined {
    const { scope, key }: Columns = columns[kind](row);
    const found = scope === undefined || key === undefined ? undefined : this.find(kind, scope, key);
    return found?.id === row.id ? undefined : found;
  }

  put<K extends RowKind>(kind: K, row: Rows[K]): Rows[K] {
    this.#changes?.push((copy) => copy.put(kind, row));
    this.#texts.delete(`${kind} ${row.id}`);
    this.#run(
      `INSERT INTO rows (kind, id, parent, ord, owner, alt, scope, key, text, tag, data)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (kind, id) DO UPDATE SET parent = excluded.parent, ord = excluded.ord, owner = excluded.owner,
         alt = excluded.alt, scope = excluded.scope, key = excluded.key, text = excluded.text, tag = excluded.tag,
         data = excluded.data`,
      filedValues(kind, row),
    );
    return row;
  }

  remove(kind: RowKind, id: string): void {
    this.#changes?.push((copy) => copy.remove(kind, id));
    this.#texts.delete(`${kind} ${id}`);
    this.#run('DELETE FROM rows WHERE kind = ? AND id = ?', [kind, id]);
  }

  children<K extends RowKind>(kind: K, parent: string): Rows[K][] {
    return this.#all('SELECT data FROM rows WHERE kind = ? AND parent = ? ORDER BY ord, id', [kind, parent]);
  }

  owned<K extends RowKind>(kind: K, owner: string): Rows[K][] {
    return this.#all('SELECT data FROM rows WHERE kind = ? AND owner = ? ORDER BY ord, id', [kind, owner]);
  }

  tagged<K extends 'siteSpace' | 'saml'>(kind: K, tag: string): Rows[K][] {
    return this.#all(taggedQuery(kind), [tag]);
  }

  every<K extends RowKind>(kind: K): Rows[K][] {
    return this.#all('SELECT data FROM rows WHERE kind = ? ORDER BY ord, id', [kind]);
  }

  has(kind: RowKind): boolean {
    return this.#number('SELECT EXISTS (SELECT 1 FROM rows WHERE kind = ?) AS n', [kind]) > 0;
  }

  count(kind: RowKind, parent: string): number {
    return this.#number('SELECT count(*) AS n FROM rows WHERE kind = ? AND parent = ?', [kind, parent]);
  }

  countTagged(kind: RowKind, parent: string, tag: string): number {
    const sql = 'SELECT count(*) AS n FROM rows WHERE kind = ? AND parent = ? AND tag = ?';
    return this.#number(sql, [kind, parent, tag]);
  }

  countOwned(kind: RowKind, owner: string): number {
    return this.#number('SELECT count(*) AS n FROM rows WHERE kind = ? AND owner = ?', [kind, owner]);
  }

  slice<K extends RowKind>(kind: K, parent: string, slice: Slice): Rows[K][] {
    const { sql, values } = sliceQuery(kind, parent, slice);
    return this.#all(sql, values);
  }

  countSpaces(org: string, seen: Seen): number {
    const { sql, values } = countSpacesQuery(org, seen);
    return this.#number(sql, values);
  }

  lastOrder(kinds: readonly RowKind[], parent: string): number {
    const sql = 'SELECT coalesce(max(ord), 0) AS n FROM rows WHERE kind = ? AND parent = ?';
    return greatest(kinds.map((kind) => this.#number(sql, [kind, parent])));
  }

  meta(name: string): string | undefined {
    type Note = { value: string } | undefined;
    return (this.#prepare('SELECT value FROM meta WHERE name = ?').get([name]) as Note)?.value;
  }

  setMeta(name: string, value: string): void {
    this.#run('INSERT INTO meta VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value', [
      name,
      value,
    ]);
  }

  indexPages(org: string, space: string, pages: readonly Omit<FoundPage, 'space'>[]): void {
    this.#changes?.push((copy) => copy.indexPages(org, space, pages));
    this.#run('DELETE FROM pages WHERE space = ?', [space]);
    for (const { page, title, body } of pages) {
      this.#run('INSERT INTO pages VALUES (?, ?, ?, ?, ?)', [org, space, page, title, body]);
    }
  }

  searchPages(space: string, words: readonly string[]): FoundPage[] {
    if (words.length === 0) return [];
    const sql = 'SELECT space, page, title, body FROM pages WHERE pages MATCH ? AND space = ? ORDER BY page';
    return this.#prepare(sql).all([matching(words), space]) as FoundPage[];
  }

  searchSpaces(org: string, words: readonly string[]): string[] {
    if (words.length === 0) return [];
    const sql = 'SELECT DISTINCT space FROM pages WHERE pages MATCH ? AND org = ?';
    return (this.#prepare(sql).all([matching(words), org]) as { space: string }[]).map(({ space }) => space);
  }

  /** Limits the pages of the store, at least to its current size: for tests of a full disk. */
  limitPages(count: number): void {
    this.#db.exec(`PRAGMA max_page_count = ${Math.max(1, count)}`);
  }

  clear(): void {
    this.#db.exec('BEGIN; DELETE FROM rows; DELETE FROM pages; DELETE FROM meta; COMMIT;');
    this.#texts.clear();
    this.#sequence = 0;
    this.#makeSecret();
    this.setMeta('format', rowFormat);
  }

  checkpoint(): void {
    if (this.#lock !== null && !this.#db.inTransaction) this.#db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  }

  close(): void {
    if (!this.#db.open) return;
    this.checkpoint();
    this.#statements.clear();
    this.#db.close();
    this.#lock?.close();
  }

  #prepare(sql: string): Statement {
    return rememberedIn(this.#statements, sql, () => this.#db.prepare(sql));
  }

  #run(sql: string, values: readonly SqlValue[]): void {
    this.#prepare(sql).run([...values]);
  }

  #number(sql: string, values: readonly SqlValue[]): number {
    return (this.#prepare(sql).get([...values]) as { n: number }).n;
  }

  #text(sql: string, values: readonly SqlValue[]): string | undefined {
    return (this.#prepare(sql).get([...values]) as { data: string } | undefined)?.data;
  }

  /** One text for all rows: reading rows one by one takes twice as long. */
  #all<Row>(sql: string, values: readonly SqlValue[]): Row[] {
    const text = this.#text(`SELECT '[' || group_concat(data) || ']' AS data FROM (${sql})`, values);
    return JSON.parse(text ?? '[]') as Row[];
  }
}

function filedValues<K extends RowKind>(kind: K, row: Rows[K]): (string | number | null)[] {
  const filed: Columns = columns[kind](row);
  const { owner, alt, scope, key, text, tag } = filed;
  const optional = [owner, alt, scope, key, text, tag].map((value) => value ?? null);
  return [kind, row.id, filed.parent, row.order, ...optional, JSON.stringify(row)];
}

/**
 * Locks a file for this process: an open transaction on a small database next to it, which the system ends with the process. (The
 * connection of the file itself may outlive `close` until its statements are collected.)
 */
function lockOf(file: string): Database.Database {
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

function refuseForeign(db: Database.Database): void {
  const tables = db.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all() as {
    name: string;
  }[];
  const names = tables.map(({ name }) => name);
  if (names.length > 0 && !(names.includes('rows') && names.includes('meta')))
    throw new Error('it is a database of another program; name another file');
}

/**
 * The real path of the file; created for its owner only, because it contains share keys and the signing key. Throws if it cannot be
 * created or written.
 */
function ownFile(file: string): string {
  try {
    closeSync(openSync(file, 'a', 0o600));
    const path = realpathSync(file);
    // Locks depend on the file name, so a second name would let a second process in.
    if (statSync(path).nlink > 1) throw new Error('it has a second name, a hard link; copy it instead');
    return path;
  } catch (error) {
    throw new Error(`cannot open ${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Creates missing tables and indexes. SQLite uses a partial index of a kind only for queries that contain the kind as a literal. */
export const schema = `
CREATE TABLE IF NOT EXISTS rows (
  kind TEXT NOT NULL, id TEXT NOT NULL, parent TEXT NOT NULL, ord REAL NOT NULL, owner TEXT, alt REAL,
  scope TEXT, key TEXT, text TEXT, tag TEXT, data TEXT NOT NULL
);
CREATE UNIQUE INDEX IF NOT EXISTS rows_id ON rows (kind, id);
CREATE INDEX IF NOT EXISTS rows_parent ON rows (kind, parent, ord, id, tag, text);
CREATE UNIQUE INDEX IF NOT EXISTS rows_key ON rows (kind, scope, key) WHERE key IS NOT NULL;
CREATE INDEX IF NOT EXISTS rows_owner ON rows (kind, owner, ord, id) WHERE owner IS NOT NULL;
CREATE INDEX IF NOT EXISTS rows_alt ON rows (kind, parent, alt, id) WHERE alt IS NOT NULL;
DROP INDEX IF EXISTS rows_tag;
CREATE INDEX IF NOT EXISTS rows_site_space ON rows (tag, ord, id) WHERE kind = 'siteSpace';
CREATE INDEX IF NOT EXISTS rows_saml ON rows (tag, ord, id) WHERE kind = 'saml';
CREATE INDEX IF NOT EXISTS rows_space ON rows (owner, tag, parent) WHERE kind = 'space';
CREATE INDEX IF NOT EXISTS rows_collection ON rows (owner, tag, id) WHERE kind = 'collection';
CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE VIRTUAL TABLE IF NOT EXISTS pages USING fts5(org UNINDEXED, space UNINDEXED, page UNINDEXED, title, body);
`;

type Sqlite = typeof Database;

const load = createRequire(import.meta.url);

/** Throws an Error with install instructions if SQLite is missing. */
export function loadSqlite(): Sqlite {
  try {
    return load('libsql') as Sqlite;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') throw error;
    throw new Error('the optional package libsql is not installed; install it with: npm install libsql');
  }
}

export interface FoundPage {
  readonly space: string;
  readonly page: string;
  readonly title: string;
  readonly body: string;
}

function matching(words: readonly string[]): string {
  return words.map((word) => `"${word.replaceAll('"', '""')}"*`).join(' ');
}

const rowsAtMost = 4000;
/** Maximum characters of a cached row; contents are larger, and rarely read. */
const lengthAtMost = 4096;
