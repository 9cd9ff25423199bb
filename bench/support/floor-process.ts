/** What no plan can beat: asks for the URLs of a file with bare undici, parses the answers and drops them. */
import { readFileSync } from 'node:fs';
import { Pool } from 'undici';

const [, , file = '', origin = '', token = '', connections = '1'] = process.argv;

const paths: readonly string[] = JSON.parse(readFileSync(file, 'utf8'));
const pool = new Pool(origin, { connections: Number(connections) });
let at = 0;
await Promise.all(
  Array.from({ length: Number(connections) }, async () => {
    for (let path = paths[at++]; path !== undefined; path = paths[at++]) {
      const { statusCode, body } = await pool.request({
        method: 'GET',
        path,
        headers: { authorization: `Bearer ${token}`, accept: 'application/json' },
      });
      await body.json();
      if (statusCode !== 200) throw new Error(`${path}: ${statusCode}`);
    }
  }),
);
await pool.close();
