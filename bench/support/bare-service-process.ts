/**
 * The upper bound for services on this stack: bare node:http with prepared statements, which returns recorded responses of the embedded
 * service, reading list items from a row each. Takes a file of responses by path, and a path for its database; sends its address.
 */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { loadSqlite } from '../../src/server/store/store.ts';

const [, , answers = '', data = ':memory:'] = process.argv;

const Sqlite = loadSqlite();
const db = new Sqlite(data);
db.exec('CREATE TABLE answers (path TEXT PRIMARY KEY, head TEXT NOT NULL, tail TEXT NOT NULL)');
db.exec('CREATE TABLE items (path TEXT, ord INTEGER, data TEXT NOT NULL, PRIMARY KEY (path, ord))');
const putAnswer = db.prepare('INSERT INTO answers VALUES (?, ?, ?)');
const putItem = db.prepare('INSERT INTO items VALUES (?, ?, ?)');
for (const [path, text] of Object.entries(
  JSON.parse(readFileSync(answers, 'utf8')) as Record<string, string>,
)) {
  // List items are separate rows, as in any service.
  const { items = [] } = JSON.parse(text) as { readonly items?: readonly unknown[] };
  const inner = items.length === 0 ? '' : JSON.stringify(items).slice(1, -1);
  const at = inner === '' ? text.length : text.indexOf(inner);
  putAnswer.run([path, text.slice(0, at), text.slice(at + inner.length)]);
  for (const [ord, item] of items.entries()) putItem.run([path, ord, JSON.stringify(item)]);
}
const answerOf = db.prepare('SELECT head, tail FROM answers WHERE path = ?');
const itemsOf = db.prepare('SELECT data FROM items WHERE path = ? ORDER BY ord');
const server = createServer((request, response) => {
  const { head, tail } = answerOf.get([request.url]) as { readonly head: string; readonly tail: string };
  const rows = tail === '' ? [] : (itemsOf.all([request.url]) as { readonly data: string }[]);
  const text = head + rows.map(({ data: item }) => item).join(',') + tail;
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
  };
  response.writeHead(200, headers);
  response.end(text);
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
await once(process, 'disconnect');
server.close();
server.closeAllConnections();
db.close();
