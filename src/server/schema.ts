/** The tables of the store and their indexes. */

/**
 * Makes what is missing; a store that has all of it is left as it is. SQLite takes an index of some kind only for queries that
 * name that kind as a literal.
 */
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
