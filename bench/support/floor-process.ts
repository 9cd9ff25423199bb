/** A lower bound: sends the requests of a file with bare undici, parses the responses and drops them. A string is a path to GET. */
import { readFileSync } from 'node:fs';
import { Pool } from 'undici';

const [, , file = '', origin = '', token = '', connections = '1'] = process.argv;

/** A request; a string is a path to GET. */
type Sent =
  | string
  | { readonly method: 'GET' | 'PUT' | 'PATCH' | 'DELETE'; readonly path: string; readonly body?: unknown };

const requests: readonly Sent[] = JSON.parse(readFileSync(file, 'utf8'));
const pool = new Pool(origin, { connections: Number(connections) });
let at = 0;
await Promise.all(
  Array.from({ length: Number(connections) }, async () => {
    for (let sent = requests[at++]; sent !== undefined; sent = requests[at++]) await send(sent);
  }),
);
await pool.close();

function whole(sent: Sent): Exclude<Sent, string> {
  return typeof sent === 'string' ? { method: 'GET', path: sent } : sent;
}

async function send(sent: Sent): Promise<void> {
  const { method, path, body: given } = whole(sent);
  const { statusCode, body } = await pool.request({
    method,
    path,
    headers: {
      authorization: `Bearer ${token}`,
      accept: 'application/json',
      ...(given === undefined ? {} : { 'content-type': 'application/json' }),
    },
    body: given === undefined ? null : JSON.stringify(given),
  });
  const text = await body.text();
  if (text !== '') JSON.parse(text);
  if (statusCode < 200 || statusCode > 299) throw new Error(`${method} ${path}: ${statusCode}`);
}
