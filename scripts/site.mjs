/**
 * `npm run docs`: builds the documentation as a site in site/, or in the folder after --out; `npm run docs -- --serve` serves it on this
 * machine until Ctrl-C.
 */
import { createReadStream, existsSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { buildSite } from './site/build.mjs';

const { values } = parseArgs({ options: { out: { type: 'string' }, serve: { type: 'boolean' } } });
const output = path.resolve(values.out ?? fileURLToPath(new URL('../site', import.meta.url)));
const count = await buildSite(output);
process.stdout.write(`${count} pages in ${path.relative(process.cwd(), output)}\n`);
if (values.serve) serve();
else process.stdout.write('Show them with npm run docs -- --serve, or publish the folder.\n');

function serve() {
  const types = {
    '.html': 'text/html',
    '.css': 'text/css',
    '.js': 'text/javascript',
    '.svg': 'image/svg+xml',
    '.json': 'application/json',
    '.wasm': 'application/wasm',
  };
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    const file = path.join(output, decodeURI(pathname), pathname.endsWith('/') ? 'index.html' : '');
    if (!file.startsWith(output) || !existsSync(file)) {
      response.writeHead(404).end('not found\n');
      return;
    }
    response.setHeader('content-type', types[path.extname(file)] ?? 'text/plain; charset=utf-8');
    createReadStream(file)
      .on('error', () => response.end())
      .pipe(response);
  });
  server.listen(0, '127.0.0.1', () => {
    process.stdout.write(`http://127.0.0.1:${server.address().port}/ (Ctrl-C to stop)\n`);
  });
}
